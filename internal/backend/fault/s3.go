package fault

import (
	"bytes"
	"encoding/xml"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// virtualHost is a host that names the bucket: bucket.s3.region.amazonaws.com
// and its kin (User Guide, "Virtual hosting of general purpose buckets"). With
// any other host the bucket is the first part of the path.
var virtualHost = regexp.MustCompile(`^(.+)\.s3(?:express)?[.-]`)

// s3Path returns the bucket and the key of a request, "" where it has none.
func s3Path(req *http.Request) (bucket, key string) {
	host := req.Host
	if host == "" {
		host = req.URL.Host
	}
	path := strings.TrimPrefix(req.URL.Path, "/")
	if m := virtualHost.FindStringSubmatch(host); m != nil {
		return m[1], path
	}
	bucket, key, _ = strings.Cut(path, "/")
	return bucket, key
}

// s3Operation is the name of the operation by the API Reference's request
// syntax: method, what it is about, and a few parameters. "" is some other one.
func s3Operation(req *http.Request) string {
	bucket, key := s3Path(req)
	q := req.URL.Query()
	switch {
	case bucket == "" && req.Method == http.MethodGet:
		return "ListBuckets"
	case bucket == "":
		return ""
	case key == "":
		return s3BucketOperation(req.Method, q)
	}
	return s3ObjectOperation(req, q)
}

func s3BucketOperation(method string, q url.Values) string {
	switch {
	case method == http.MethodGet && q.Get("list-type") == "2":
		return "ListObjectsV2"
	case method == http.MethodGet && q.Has("uploads"):
		return "ListMultipartUploads"
	case method == http.MethodGet && q.Has("session"):
		return "CreateSession"
	case method == http.MethodPost && q.Has("delete"):
		return "DeleteObjects"
	case method == http.MethodHead:
		return "HeadBucket"
	}
	for name := range q {
		if !slices.Contains(listParameters(), name) {
			return "" // about something of the bucket: its policy, say
		}
	}
	switch method {
	case http.MethodGet:
		return "ListObjects"
	case http.MethodPut:
		return "CreateBucket"
	case http.MethodDelete:
		return "DeleteBucket"
	}
	return ""
}

// listParameters are those of ListObjects, and the SDK's own.
func listParameters() []string {
	return []string{"prefix", "delimiter", "marker", "max-keys", "encoding-type", "x-id"}
}

func s3ObjectOperation(req *http.Request, q url.Values) string {
	upload, part, copied := q.Has("uploadId"), q.Has("partNumber"), req.Header.Get("X-Amz-Copy-Source") != ""
	switch {
	case q.Has("acl"), q.Has("tagging"), q.Has("attributes"), q.Has("torrent"), q.Has("retention"), q.Has("legal-hold"):
		return "" // of the object, but not the object
	case req.Method == http.MethodHead:
		return "HeadObject"
	case req.Method == http.MethodGet && upload:
		return "ListParts"
	case req.Method == http.MethodGet:
		return "GetObject"
	case req.Method == http.MethodPut && part && copied:
		return "UploadPartCopy"
	case req.Method == http.MethodPut && part:
		return "UploadPart"
	case req.Method == http.MethodPut && copied:
		return "CopyObject"
	case req.Method == http.MethodPut && q.Has("renameObject"):
		return "RenameObject"
	case req.Method == http.MethodPut:
		return "PutObject"
	case req.Method == http.MethodPost && q.Has("uploads"):
		return "CreateMultipartUpload"
	case req.Method == http.MethodPost && upload:
		return "CompleteMultipartUpload"
	case req.Method == http.MethodDelete && upload:
		return "AbortMultipartUpload"
	case req.Method == http.MethodDelete:
		return "DeleteObject"
	}
	return ""
}

// s3Targets finds out what a request is about.
func (x *httpExchange) s3Targets() []Target {
	bucket, key := s3Path(x.req)
	t := Target{In: bucket}
	switch q := x.req.URL.Query(); {
	case key != "":
		t.Keys = []string{key}
	case x.req.Method == http.MethodPost && q.Has("delete"):
		t.Keys = x.deletedKeys()
	case q.Has("prefix"):
		t.Keys = []string{q.Get("prefix")}
	}
	return []Target{t}
}

// deletedKeys reads the body of DeleteObjects.
func (x *httpExchange) deletedKeys() []string {
	var body struct {
		Object []struct{ Key string }
	}
	if x.load() != nil || xml.Unmarshal(x.body, &body) != nil {
		return nil // the service will say what is wrong with it
	}
	var keys []string
	for _, o := range body.Object {
		keys = append(keys, o.Key)
	}
	return keys
}

// s3ErrorBody is a refusal on the wire (API Reference, "Error responses").
func s3ErrorBody(r Refusal) []byte {
	var b bytes.Buffer
	b.WriteString(xml.Header + "<Error><Code>" + r.Code + "</Code><Message>")
	_ = xml.EscapeText(&b, []byte(r.Message)) // a buffer takes everything
	b.WriteString("</Message><RequestId>" + injectedID + "</RequestId></Error>")
	return b.Bytes()
}
