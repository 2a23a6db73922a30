package s3

import (
	"bytes"
	"encoding/xml"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// A response is an answer over HTTP.
type response struct {
	status int
	header http.Header
	body   []byte
	length int64 // Content-Length; more than the body of an answer to HEAD
}

// respond turns an answer, or an error, into a response to a method.
func respond(method string, out answer, err *serviceError) *response {
	r := &response{status: http.StatusOK, header: make(http.Header, 8)}
	if err == nil {
		out.http(r)
	} else {
		r.fail(err)
	}
	if method == http.MethodHead {
		r.body = nil
	}
	return r
}

// set sets a header whose name is in Go's canonical form, unless value is "".
func (r *response) set(name, value string) {
	if value != "" {
		r.header[name] = []string{value}
	}
}

func (r *response) fail(err *serviceError) {
	r.status = err.status()
	if r.status == http.StatusNotModified { // has no body
		r.set("Etag", err.object.etag)
		r.set("Last-Modified", httpDate(err.object.modified))
		return
	}
	x := &xmlWriter{}
	x.open("Error")
	x.text("Code", string(err.code))
	x.text("Message", err.message)
	x.close("Error")
	r.xml(x)
}

func (r *response) xml(x *xmlWriter) {
	r.set("Content-Type", "application/xml")
	r.bytes(x.document())
}

func (r *response) bytes(body []byte) { r.body, r.length = body, int64(len(body)) }

func httpDate(t time.Time) string { return t.UTC().Format(http.TimeFormat) }

// checksum sets the header of a checksum, and its type.
func (r *response) checksum(c checksum) {
	r.set(c.algorithm.header(), c.value)
	r.set("X-Amz-Checksum-Type", c.kind())
}

// xmlWriter writes the few forms of XML that answers have.
type xmlWriter struct{ b bytes.Buffer }

const namespace = "http://s3.amazonaws.com/doc/2006-03-01/"

func (x *xmlWriter) open(name string) { x.b.WriteString("<" + name + ">") }

// root opens an element in the service's namespace.
func (x *xmlWriter) root(name string) { x.open(name + ` xmlns="` + namespace + `"`) }

func (x *xmlWriter) close(name string) { x.b.WriteString("</" + name + ">") }

func (x *xmlWriter) text(name, value string) {
	x.open(name)
	_ = xml.EscapeText(&x.b, []byte(value)) // a buffer takes everything
	x.close(name)
}

// optional writes an element unless it is empty.
func (x *xmlWriter) optional(name, value string) {
	if value != "" {
		x.text(name, value)
	}
}

func (x *xmlWriter) document() []byte { return append([]byte(xml.Header), x.b.Bytes()...) }

func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

type bucketCreated struct{ bucket string }

func (a *bucketCreated) http(to *response) { to.set("Location", "/"+a.bucket) }

type bucketHead struct{ region string }

func (a *bucketHead) http(to *response) { to.set("X-Amz-Bucket-Region", a.region) }

// noContent is the answer to what removes a bucket, an object or an upload.
type noContent struct{}

func (*noContent) http(to *response) { to.status = http.StatusNoContent }

type bucketList struct{ buckets []listedBucket }

type listedBucket struct {
	name    string
	created time.Time
}

func (a *bucketList) http(to *response) {
	x := &xmlWriter{}
	x.root("ListAllMyBucketsResult")
	x.open("Buckets")
	for _, b := range a.buckets {
		x.open("Bucket")
		x.text("Name", b.name)
		x.text("CreationDate", timestamp(b.created))
		x.close("Bucket")
	}
	x.close("Buckets")
	x.close("ListAllMyBucketsResult")
	to.xml(x)
}

type objectStored struct {
	etag     string
	checksum checksum
}

func (a *objectStored) http(to *response) {
	to.set("Etag", a.etag)
	to.checksum(a.checksum)
}

type partStored struct {
	etag     string
	checksum checksum
}

func (a *partStored) http(to *response) {
	to.set("Etag", a.etag)
	to.set(a.checksum.algorithm.header(), a.checksum.value)
}

// objectRead is the answer to GetObject and HeadObject.
type objectRead struct {
	object       *object
	part         span
	head         bool
	checksumMode bool
}

// showsChecksum: not of a part of the object, whose bytes add up to something
// else.
func (a *objectRead) showsChecksum() bool { return a.checksumMode && !a.part.partial }

func (a *objectRead) bytes() []byte { return a.object.body[a.part.from:a.part.to] }

func (a *objectRead) http(to *response) {
	o := a.object
	if a.part.partial {
		to.status = http.StatusPartialContent
		to.set("Content-Range", a.part.contentRange())
	}
	to.set("Accept-Ranges", "bytes")
	to.set("Etag", o.etag)
	to.set("Last-Modified", httpDate(o.modified))
	to.set("Content-Type", o.contentType)
	to.set("Content-Encoding", o.contentEncoding)
	to.set("Content-Language", o.contentLanguage)
	to.set("Content-Disposition", o.contentDisposition)
	to.set("Cache-Control", o.cacheControl)
	to.set("Expires", o.expires)
	for name, value := range o.metadata {
		to.set(http.CanonicalHeaderKey(metaPrefix+name), value)
	}
	if a.showsChecksum() {
		to.checksum(o.checksum)
	}
	to.bytes(a.bytes())
}

func (a *deletions) http(to *response) {
	x := &xmlWriter{}
	x.root("DeleteResult")
	for _, key := range a.deleted {
		x.open("Deleted")
		x.text("Key", key)
		x.close("Deleted")
	}
	for _, f := range a.failed {
		x.open("Error")
		x.text("Key", f.key)
		x.text("Code", string(f.err.code))
		x.text("Message", f.err.message)
		x.close("Error")
	}
	x.close("DeleteResult")
	to.xml(x)
}

func (p *page) http(to *response) {
	x := &xmlWriter{}
	x.root("ListBucketResult")
	x.text("Name", p.bucket)
	x.text("Prefix", p.encoded(p.prefix))
	x.optional("Delimiter", p.encoded(p.delimiter))
	x.optional("StartAfter", p.encoded(p.startAfter))
	x.optional("ContinuationToken", p.token)
	x.optional("NextContinuationToken", p.next)
	if p.urlEncoded {
		x.text("EncodingType", "url")
	}
	x.text("MaxKeys", strconv.FormatInt(p.maxKeys, 10))
	x.text("KeyCount", strconv.Itoa(p.count()))
	x.text("IsTruncated", strconv.FormatBool(p.next != ""))
	for _, o := range p.objects {
		x.open("Contents")
		x.text("Key", p.encoded(o.key))
		x.text("LastModified", timestamp(o.modified))
		x.text("ETag", o.etag)
		x.text("ChecksumAlgorithm", string(o.checksum.algorithm))
		x.text("ChecksumType", o.checksum.kind())
		x.text("Size", strconv.FormatInt(o.size, 10))
		x.text("StorageClass", "STANDARD")
		x.close("Contents")
	}
	for _, prefix := range p.prefixes {
		x.open("CommonPrefixes")
		x.text("Prefix", p.encoded(prefix))
		x.close("CommonPrefixes")
	}
	x.close("ListBucketResult")
	to.xml(x)
}

// encoded returns a key as the answer has it: percent-encoded if that was asked
// for, but for slashes (ListObjectsV2, API reference, "encoding-type").
func (p *page) encoded(text string) string {
	if !p.urlEncoded {
		return text
	}
	return strings.ReplaceAll(url.QueryEscape(text), "%2F", "/")
}

type uploadCreated struct {
	bucket, key, id string
	algorithm       algorithm // noAlgorithm: the client named none
	kind            string
}

func (a *uploadCreated) http(to *response) {
	to.set("X-Amz-Checksum-Algorithm", string(a.algorithm))
	if a.algorithm != noAlgorithm {
		to.set("X-Amz-Checksum-Type", a.kind)
	}
	x := &xmlWriter{}
	x.root("InitiateMultipartUploadResult")
	x.text("Bucket", a.bucket)
	x.text("Key", a.key)
	x.text("UploadId", a.id)
	x.close("InitiateMultipartUploadResult")
	to.xml(x)
}

type uploadCompleted struct {
	bucket, key, etag string
	checksum          checksum
}

func (a *uploadCompleted) location() string { return "/" + a.bucket + "/" + a.key }

func (a *uploadCompleted) http(to *response) {
	x := &xmlWriter{}
	x.root("CompleteMultipartUploadResult")
	x.text("Location", a.location())
	x.text("Bucket", a.bucket)
	x.text("Key", a.key)
	x.text("ETag", a.etag)
	x.text("Checksum"+string(a.checksum.algorithm), a.checksum.value)
	x.text("ChecksumType", a.checksum.kind())
	x.close("CompleteMultipartUploadResult")
	to.xml(x)
}
