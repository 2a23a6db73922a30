package s3

import (
	"cmp"
	"encoding/xml"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// inbound is a request over HTTP whose body has been read.
type inbound struct {
	api         string
	method      string
	bucket, key string
	query       url.Values
	header      http.Header
	body        []byte
}

// receive finds out what a request is.
func receive(req *http.Request, body []byte) *inbound {
	in := &inbound{method: req.Method, header: req.Header, body: body}
	if req.URL != nil {
		in.query = req.URL.Query()
		in.unhoist()
		in.bucket, in.key, _ = strings.Cut(strings.TrimPrefix(req.URL.Path, "/"), "/")
	}
	in.api = operation(in.method, in.bucket, in.key, in.query)
	return in
}

// unhoist puts the headers of a presigned request that its signer moved into the
// query back where they belong: the current SDKs do so with those of checksums.
// A header that is sent as well wins.
func (in *inbound) unhoist() {
	header := in.header
	for name, values := range in.query {
		canonical := http.CanonicalHeaderKey(name)
		if canonical != "X-Amz-Sdk-Checksum-Algorithm" && (!strings.HasPrefix(canonical, checksumPrefix) || !known(canonical)) {
			continue
		}
		if header.Get(canonical) == "" {
			in.header = maps.Clone(in.header)
			if in.header == nil {
				in.header = http.Header{}
			}
			in.header[canonical] = values
		}
		delete(in.query, name)
	}
}

// brings returns how many bytes of an object are in the body.
func (in *inbound) brings() int64 {
	if in.api != "PutObject" && in.api != "UploadPart" {
		return 0
	}
	if n, err := strconv.ParseUint(in.header.Get("X-Amz-Decoded-Content-Length"), 10, 32); err == nil {
		return int64(n)
	}
	return int64(len(in.body))
}

// decode makes the typed request of it.
func (in *inbound) decode() (request, *serviceError) {
	r, err := in.find()
	if err != nil {
		return nil, err
	}
	return r.decode(in)
}

func decodeListBuckets(*inbound) (request, *serviceError) { return &listBuckets{}, nil }

func decodeCreateBucket(in *inbound) (request, *serviceError) {
	var configuration struct {
		XMLName            xml.Name `xml:"CreateBucketConfiguration"`
		LocationConstraint string
		Other              []unread `xml:",any"`
	}
	if len(in.body) > 0 {
		if err := in.unmarshal(&configuration, &configuration.Other); err != nil {
			return nil, err
		}
	}
	return &createBucket{in.bucket, configuration.LocationConstraint}, nil
}

func decodeHeadBucket(in *inbound) (request, *serviceError) { return &headBucket{in.bucket}, nil }

func decodeDeleteBucket(in *inbound) (request, *serviceError) { return &deleteBucket{in.bucket}, nil }

func decodePutObject(in *inbound) (request, *serviceError) {
	body, claims, err := in.payload()
	if err != nil {
		return nil, err
	}
	return &putObject{
		bucket: in.bucket, key: in.key, body: body, attributes: in.attributes(), claims: claims, condition: in.writeCondition(),
	}, nil
}

func (in *inbound) writeCondition() writeCondition {
	return writeCondition{ifNoneMatch: in.header.Get("If-None-Match"), ifMatch: in.header.Get("If-Match")}
}

// attributes reads the headers that are kept with an object.
func (in *inbound) attributes() attributes {
	a := attributes{
		contentType:        cmp.Or(in.header.Get("Content-Type"), defaultContentType),
		contentEncoding:    withoutChunking(in.header.Get("Content-Encoding")),
		contentLanguage:    in.header.Get("Content-Language"),
		contentDisposition: in.header.Get("Content-Disposition"),
		cacheControl:       in.header.Get("Cache-Control"),
		expires:            in.header.Get("Expires"),
	}
	for name, values := range in.header {
		if meta, ok := strings.CutPrefix(name, metaPrefix); ok {
			if a.metadata == nil {
				a.metadata = map[string]string{}
			}
			a.metadata[strings.ToLower(meta)] = strings.Join(values, ",")
		}
	}
	return a
}

func decodeGetObject(in *inbound) (request, *serviceError) { return in.read(false), nil }

func decodeHeadObject(in *inbound) (request, *serviceError) { return in.read(true), nil }

func (in *inbound) read(head bool) *getObject {
	return &getObject{
		bucket: in.bucket, key: in.key, head: head,
		spec: in.header.Get("Range"),
		condition: readCondition{
			ifMatch: in.header.Get("If-Match"), ifNoneMatch: in.header.Get("If-None-Match"),
			ifModifiedSince: in.date("If-Modified-Since"), ifUnmodifiedSince: in.date("If-Unmodified-Since"),
		},
		checksumMode: strings.EqualFold(in.header.Get("X-Amz-Checksum-Mode"), "ENABLED"),
	}
}

// date reads a header with a date; one that is none is ignored (RFC 9110
// §13.1.3).
func (in *inbound) date(name string) time.Time {
	t, err := http.ParseTime(in.header.Get(name))
	if err != nil {
		return time.Time{}
	}
	return t
}

func decodeDeleteObject(in *inbound) (request, *serviceError) {
	return &deleteObject{in.bucket, in.key, in.header.Get("If-Match")}, nil
}

func decodeDeleteObjects(in *inbound) (request, *serviceError) {
	body, claims, err := in.payload()
	if err != nil {
		return nil, err
	}
	if claims.md5 == "" && claims.algorithm == noAlgorithm {
		return nil, fail(invalidRequest, "Missing required header for this request: Content-MD5 OR x-amz-checksum-*")
	}
	var list struct {
		XMLName xml.Name `xml:"Delete"`
		Quiet   bool
		Object  []struct {
			Key   string
			ETag  string
			Other []unread `xml:",any"`
		}
		Other []unread `xml:",any"`
	}
	in.body = body
	if err := in.unmarshal(&list, &list.Other); err != nil {
		return nil, err
	}
	r := &deleteObjects{bucket: in.bucket, quiet: list.Quiet, body: body, claims: claims}
	for _, o := range list.Object {
		if len(o.Other) > 0 {
			return nil, unsupported("%.100q of an object to delete", o.Other[0].XMLName.Local)
		}
		r.objects = append(r.objects, deletion{o.Key, o.ETag})
	}
	return r, nil
}

func decodeListObjects(in *inbound) (request, *serviceError) {
	r := &listObjects{
		bucket: in.bucket, prefix: in.query.Get("prefix"), delimiter: in.query.Get("delimiter"),
		startAfter: in.query.Get("start-after"), token: in.query.Get("continuation-token"), hasToken: in.query.Has("continuation-token"),
		maxKeys: maxListed, urlEncoded: in.query.Get("encoding-type") == "url",
	}
	if text := in.query.Get("max-keys"); text != "" {
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			return nil, fail(invalidArgument, "Provided max-keys not an integer or within integer range: %.100q", text)
		}
		r.maxKeys = n
	}
	switch {
	case in.query.Get("fetch-owner") == "true":
		return nil, unsupported("fetch-owner")
	case !r.urlEncoded && in.query.Get("encoding-type") != "":
		return nil, fail(invalidArgument, "Invalid Encoding Method specified in Request: %.100q", in.query.Get("encoding-type"))
	}
	return r, nil
}

func decodeCreateUpload(in *inbound) (request, *serviceError) {
	r := &createUpload{
		bucket: in.bucket, key: in.key, attributes: in.attributes(),
		algorithm: algorithm(in.header.Get("X-Amz-Checksum-Algorithm")), kind: in.header.Get("X-Amz-Checksum-Type"),
	}
	return r, checkAlgorithm(r.algorithm)
}

func checkAlgorithm(a algorithm) *serviceError {
	if a != noAlgorithm && !slices.Contains(algorithms(), a) {
		return unsupported("the checksum algorithm %.100q", string(a))
	}
	return nil
}

func decodeUploadPart(in *inbound) (request, *serviceError) {
	body, claims, err := in.payload()
	if err != nil {
		return nil, err
	}
	number, numberErr := strconv.ParseInt(in.query.Get("partNumber"), 10, 64)
	if numberErr != nil {
		return nil, fail(invalidArgument, "Part number must be an integer between 1 and %d, inclusive: %.100q", maxPart, in.query.Get("partNumber"))
	}
	return &uploadPart{bucket: in.bucket, key: in.key, id: in.query.Get("uploadId"), number: number, body: body, claims: claims}, nil
}

func decodeAbortUpload(in *inbound) (request, *serviceError) {
	return &abortUpload{in.bucket, in.key, in.query.Get("uploadId")}, nil
}

func decodeCompleteUpload(in *inbound) (request, *serviceError) {
	var list struct {
		XMLName xml.Name `xml:"CompleteMultipartUpload"`
		Part    []struct {
			PartNumber                                                                     int64
			ETag                                                                           string
			ChecksumCRC32, ChecksumCRC32C, ChecksumCRC64NVME, ChecksumSHA1, ChecksumSHA256 string
			Other                                                                          []unread `xml:",any"`
		}
		Other []unread `xml:",any"`
	}
	if err := in.unmarshal(&list, &list.Other); err != nil {
		return nil, err
	}
	r := &completeUpload{bucket: in.bucket, key: in.key, id: in.query.Get("uploadId"), condition: in.writeCondition()}
	var err *serviceError
	if r.size, err = in.objectSize(); err != nil {
		return nil, err
	}
	if r.claims.algorithm, r.claims.value, err = in.checksum(in.header); err != nil {
		return nil, err
	}
	for _, p := range list.Part {
		if len(p.Other) > 0 {
			return nil, unsupported("%.100q of a part", p.Other[0].XMLName.Local)
		}
		a, value := pickChecksum(p.ChecksumCRC32, p.ChecksumCRC32C, p.ChecksumCRC64NVME, p.ChecksumSHA1, p.ChecksumSHA256)
		r.parts = append(r.parts, completedPart{p.PartNumber, p.ETag, a, value})
	}
	return r, nil
}

// objectSize returns the size that a completed upload is said to have, -1 if none
// is.
func (in *inbound) objectSize() (int64, *serviceError) {
	text := in.header.Get(objectSizeHeader)
	if text == "" {
		return -1, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, fail(invalidRequest, "Value for x-amz-mp-object-size header is invalid.")
	}
	return n, nil
}

// pickChecksum returns the one that is there, in the order of algorithms.
func pickChecksum(values ...string) (algorithm, string) {
	for i, value := range values {
		if value != "" {
			return algorithms()[i], value
		}
	}
	return noAlgorithm, ""
}

// unread is an element that this service does not know.
type unread struct{ XMLName xml.Name }

// unmarshal reads the body as XML into v, whose unknown elements are other.
func (in *inbound) unmarshal(v any, other *[]unread) *serviceError {
	if err := xml.Unmarshal(in.body, v); err != nil {
		return fail(malformedXML, "The XML you provided was not well-formed or did not validate against our published schema: %.200s", err.Error())
	}
	if len(*other) > 0 {
		return unsupported("the element %.100q", (*other)[0].XMLName.Local)
	}
	return nil
}
