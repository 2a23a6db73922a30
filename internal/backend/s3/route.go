package s3

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// A route is how one operation arrives over HTTP: its API reference page,
// "Request syntax".
type route struct {
	// query are the parameters that it has here, besides those of every request.
	query  []string
	decode func(in *inbound) (request, *serviceError)
}

// routes are those of the operations that the service has.
var routes = map[string]route{
	"ListBuckets":   {nil, decodeListBuckets},
	"CreateBucket":  {nil, decodeCreateBucket},
	"HeadBucket":    {nil, decodeHeadBucket},
	"DeleteBucket":  {nil, decodeDeleteBucket},
	"PutObject":     {nil, decodePutObject},
	"GetObject":     {nil, decodeGetObject},
	"HeadObject":    {nil, decodeHeadObject},
	"DeleteObject":  {nil, decodeDeleteObject},
	"DeleteObjects": {[]string{"delete"}, decodeDeleteObjects},
	"ListObjectsV2": {[]string{
		"list-type", "prefix", "delimiter", "start-after", "continuation-token", "max-keys", "encoding-type", "fetch-owner",
	}, decodeListObjects},
	"CreateMultipartUpload":   {[]string{"uploads"}, decodeCreateUpload},
	"UploadPart":              {[]string{"uploadId", "partNumber"}, decodeUploadPart},
	"CompleteMultipartUpload": {[]string{"uploadId"}, decodeCompleteUpload},
	"AbortMultipartUpload":    {[]string{"uploadId"}, decodeAbortUpload},
}

// operation returns which operation a request is, by method, path and the
// parameters that tell one from another.
func operation(method, bucket, key string, query url.Values) string {
	switch {
	case bucket == "":
		if method == http.MethodGet {
			return "ListBuckets"
		}
		return UnknownAPI
	case key == "":
		return bucketOperation(method, query)
	default:
		return objectOperation(method, query)
	}
}

func bucketOperation(method string, query url.Values) string {
	switch method {
	case http.MethodGet:
		if query.Get("list-type") == "2" {
			return "ListObjectsV2"
		}
	case http.MethodPut:
		return "CreateBucket"
	case http.MethodHead:
		return "HeadBucket"
	case http.MethodDelete:
		return "DeleteBucket"
	case http.MethodPost:
		if query.Has("delete") {
			return "DeleteObjects"
		}
	}
	return UnknownAPI
}

func objectOperation(method string, query url.Values) string {
	upload := query.Has("uploadId")
	switch method {
	case http.MethodGet:
		return "GetObject"
	case http.MethodHead:
		return "HeadObject"
	case http.MethodPut:
		if upload {
			return "UploadPart"
		}
		return "PutObject"
	case http.MethodDelete:
		if upload {
			return "AbortMultipartUpload"
		}
		return "DeleteObject"
	case http.MethodPost:
		if upload {
			return "CompleteMultipartUpload"
		}
		if query.Has("uploads") {
			return "CreateMultipartUpload"
		}
	}
	return UnknownAPI
}

// everyQuery are parameters that any request may have: the SDK's name of the
// operation, and those of a signature in the address, which are not checked.
var everyQuery = []string{
	"x-id", "X-Amz-Algorithm", "X-Amz-Content-Sha256", "X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires",
	"X-Amz-Security-Token", "X-Amz-Signature", "X-Amz-SignedHeaders",
}

// amzHeaders are the X-Amz- headers that mean something here or need not mean
// anything: signatures are not checked. Any other one asks for what is not there.
var amzHeaders = []string{
	"X-Amz-Checksum-Algorithm",
	"X-Amz-Checksum-Mode",
	"X-Amz-Checksum-Type",
	"X-Amz-Content-Sha256",
	"X-Amz-Date",
	"X-Amz-Decoded-Content-Length",
	"X-Amz-Sdk-Checksum-Algorithm",
	"X-Amz-Security-Token",
	"X-Amz-Trailer",
	"X-Amz-User-Agent",
}

const (
	amzPrefix = "X-Amz-"
	// objectSizeHeader is one of CompleteMultipartUpload.
	objectSizeHeader = "X-Amz-Mp-Object-Size"
	metaPrefix       = "X-Amz-Meta-"
	checksumPrefix   = "X-Amz-Checksum-"
)

// find returns the route of a request, or refuses what in it is not supported.
func (in *inbound) find() (route, *serviceError) {
	r, ok := routes[in.api]
	if !ok {
		return route{}, unsupported("%.20s %.200q", in.method, in.query.Encode())
	}
	for name := range in.query {
		if !slices.Contains(r.query, name) && !slices.Contains(everyQuery, name) {
			return route{}, unsupported("the parameter %.100q of %s", name, in.api)
		}
	}
	for name := range in.header {
		if strings.HasPrefix(name, amzPrefix) && !known(name) && (name != objectSizeHeader || in.api != "CompleteMultipartUpload") {
			return route{}, unsupported("the header %.100q", name)
		}
	}
	return r, nil
}

func known(header string) bool {
	if strings.HasPrefix(header, metaPrefix) || slices.Contains(amzHeaders, header) {
		return true
	}
	return slices.ContainsFunc(algorithms(), func(a algorithm) bool { return header == a.header() })
}

// header is where a checksum of the algorithm stands, in Go's canonical form.
func (a algorithm) header() string {
	switch a {
	case crc32IEEE:
		return checksumPrefix + "Crc32"
	case crc32C:
		return checksumPrefix + "Crc32c"
	case sha1Sum:
		return checksumPrefix + "Sha1"
	case sha256Sum:
		return checksumPrefix + "Sha256"
	case crc64NVME, noAlgorithm:
	}
	return checksumPrefix + "Crc64nvme"
}
