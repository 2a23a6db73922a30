package s3_test

import (
	"context"
	"crypto/md5"
	"crypto/tls"
	"encoding/base64"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/lakebench/lakebench/internal/backend/s3"
)

func md5Of(body string) string {
	sum := md5.Sum([]byte(body))
	return `"` + hex.EncodeToString(sum[:]) + `"`
}

// A reply is what an HTTP client sees.
type reply struct {
	status     int
	code, body string
	header     http.Header
}

// ask sends one request over the in-memory transport; header are pairs.
func ask(t testing.TB, service *s3.Service, method, target, body string, header ...string) reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, "http://embedded.invalid"+target, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := service.Client(nil).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		t.Fatal(err)
	}
	r := reply{status: resp.StatusCode, body: string(text), header: resp.Header}
	var e struct{ Code string }
	if r.status >= 400 && len(text) > 0 {
		if err := xml.Unmarshal(text, &e); err != nil {
			t.Errorf("%s %s: %v in %s", method, target, err, text)
		}
		r.code = e.Code
	}
	return r
}

// What the service does not have it says so of, and never acts as if it had not
// been asked for.
func TestNotImplemented(t *testing.T) {
	a := newAccount(t, nil)
	if err := a.put(t.Context(), "k", "body"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		method, target string
		header         []string
	}{
		{"GET", "/lake", nil}, // ListObjects, the first version
		{"GET", "/lake?versions", nil}, {"GET", "/lake?location", nil}, {"GET", "/lake?uploads", nil}, {"PUT", "/lake?policy", nil},
		{"DELETE", "/lake?policy", nil}, {"POST", "/lake", nil}, {"PUT", "/", nil}, {"PATCH", "/lake/k", nil}, {"", "/lake/k?x=y", nil},
		{"GET", "/lake/k?acl", nil}, {"GET", "/lake/k?tagging", nil}, {"GET", "/lake/k?versionId=1", nil}, {"GET", "/lake/k?partNumber=1", nil},
		{"PUT", "/lake/k?renameObject", nil}, {"DELETE", "/lake/k?versionId=1", nil}, {"GET", "/lake/k?uploadId=x", nil}, {"POST", "/lake/k?select", nil},
		{"PUT", "/lake/k", []string{"x-amz-copy-source", "/lake/other"}},
		{"PUT", "/lake/k", []string{"x-amz-server-side-encryption", "aws:kms"}}, {"PUT", "/lake/k", []string{"x-amz-storage-class", "GLACIER"}},
		{"PUT", "/lake/k", []string{"x-amz-write-offset-bytes", "0"}}, {"PUT", "/lake/k", []string{"x-amz-checksum-sha512", "AA=="}},
		{"PUT", "/lake/k", []string{"If-None-Match", `"etag"`}}, {"PUT", "/lake/k", []string{"If-Match", "*"}},
		{"PUT", "/lake/k", []string{"If-None-Match", "*", "If-Match", `"etag"`}},
		{"DELETE", "/lake/k", []string{"x-amz-if-match-size", "4"}}, {"GET", "/lake/k", []string{"Range", "bytes=0-0,2-3"}},
		{"GET", "/lake?list-type=2&fetch-owner=true", nil}, {"POST", "/lake/k?uploads", []string{"x-amz-checksum-algorithm", "MD5"}},
		{"GET", "/?prefix=l", nil},
	} {
		r := ask(t, a.Service, c.method, c.target, "", c.header...)
		if r.status != 501 || r.code != "NotImplemented" {
			t.Errorf("%s %s %q: got %d %s", c.method, c.target, c.header, r.status, r.code)
		}
	}
	if got, err := a.get(t.Context(), "k"); err != nil || got != "body" {
		t.Errorf("afterwards the object is %q, %v", got, err)
	}
}

// Requests that are wrong, by the API reference's "Error responses".
func TestRefusals(t *testing.T) {
	a := newAccount(t, nil)
	if err := a.put(t.Context(), "k", "body"); err != nil {
		t.Fatal(err)
	}
	sha := "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" // of nothing
	for _, c := range []struct {
		method, target, body string
		header               []string
		status               int
		code                 string
	}{
		{"PUT", "/Lake", "", nil, 400, "InvalidBucketName"}, {"PUT", "/la", "", nil, 400, "InvalidBucketName"},
		{"PUT", "/192.168.0.1", "", nil, 400, "InvalidBucketName"}, {"PUT", "/a..b", "", nil, 400, "InvalidBucketName"},
		{"PUT", "/other", "<Create", nil, 400, "MalformedXML"},
		{"PUT", "/other", "<CreateBucketConfiguration><LocationConstraint>eu-west-1</LocationConstraint></CreateBucketConfiguration>", nil, 400, "IllegalLocationConstraintException"},
		{"DELETE", "/lake", "", nil, 409, "BucketNotEmpty"}, {"DELETE", "/other", "", nil, 404, "NoSuchBucket"},
		{"PUT", "/lake/" + strings.Repeat("k", 1025), "", nil, 400, "KeyTooLongError"}, {"PUT", "/lake/%ff", "", nil, 400, "InvalidURI"},
		{"PUT", "/lake/x", "body", []string{"Content-MD5", "x"}, 400, "InvalidDigest"},
		{"PUT", "/lake/x", "body", []string{"X-Amz-Content-Sha256", sha}, 400, "XAmzContentSHA256Mismatch"},
		{"PUT", "/lake/x", "body", []string{"X-Amz-Checksum-Crc32", "x"}, 400, "InvalidRequest"},
		{"PUT", "/lake/x", "body", []string{"X-Amz-Checksum-Crc32", "AAAAAA==", "X-Amz-Checksum-Crc32c", "AAAAAA=="}, 400, "InvalidRequest"},
		{"PUT", "/lake/x", "body", []string{"X-Amz-Sdk-Checksum-Algorithm", "CRC32"}, 400, "InvalidRequest"},
		{"PUT", "/lake/x", "body", []string{"X-Amz-Meta-A", strings.Repeat("a", 2048)}, 400, "MetadataTooLarge"},
		{"GET", "/lake?list-type=2&max-keys=x", "", nil, 400, "InvalidArgument"}, {"GET", "/lake?list-type=2&max-keys=-1", "", nil, 400, "InvalidArgument"},
		{"GET", "/lake?list-type=2&encoding-type=x", "", nil, 400, "InvalidArgument"}, {"GET", "/lake?list-type=2&continuation-token=", "", nil, 400, "InvalidArgument"},
		{"GET", "/lake?list-type=2&continuation-token=cA", "", nil, 400, "InvalidArgument"},
		{"POST", "/lake?delete", "<Delete><Object><Key>k</Key></Object></Delete>", nil, 400, "InvalidRequest"}, // no checksum
		{"POST", "/lake/k?uploadId=none", "<CompleteMultipartUpload/>", nil, 404, "NoSuchUpload"},
		{"PUT", "/lake/k?uploadId=none&partNumber=x", "", nil, 400, "InvalidArgument"}, {"PUT", "/lake/k?uploadId=none&partNumber=10001", "", nil, 400, "InvalidArgument"},
	} {
		r := ask(t, a.Service, c.method, c.target, c.body, c.header...)
		if r.status != c.status || r.code != c.code {
			t.Errorf("%s %.40s %.60q: got %d %s, want %d %s", c.method, c.target, c.header, r.status, r.code, c.status, c.code)
		}
	}
}

// DeleteObjects takes what its schema has, at most 1,000 keys of it.
func TestDeleteObjectsBody(t *testing.T) {
	a := newAccount(t, nil)
	object := "<Object><Key>k</Key></Object>"
	for body, want := range map[string]string{
		"<Delete>" + object + "</Delete>":                                        "",
		"<Delete>" + strings.Repeat(object, 1000) + "</Delete>":                  "",
		"<Delete>" + strings.Repeat(object, 1001) + "</Delete>":                  "MalformedXML",
		"<Delete></Delete>":                                                      "MalformedXML",
		"<Other>" + object + "</Other>":                                          "MalformedXML",
		"<Delete><Object><Key>k</Key><VersionId>v</VersionId></Object></Delete>": "NotImplemented",
		"<Delete>" + object + "<Else/></Delete>":                                 "NotImplemented",
	} {
		sum := md5.Sum([]byte(body))
		r := ask(t, a.Service, "POST", "/lake?delete", body, "Content-MD5", base64.StdEncoding.EncodeToString(sum[:]))
		if r.code != want {
			t.Errorf("%.80s: got %d %s, want %s", body, r.status, r.code, want)
		}
	}
}

// The framing of aws-chunked, as the API reference's pages on chunked uploads show
// it, with and without signatures and trailers.
func TestChunkedBodies(t *testing.T) {
	const crc = "x-amz-checksum-crc32:y/Q5Jg==" // of 123456789
	for name, c := range map[string]struct {
		body, length, trailer, want string
	}{
		"unsigned with a trailer":  {"9\r\n123456789\r\n0\r\n" + crc + "\r\n\r\n", "9", "x-amz-checksum-crc32", ""},
		"several chunks":           {"4\r\n1234\r\n5\r\n56789\r\n0\r\n" + crc + "\r\n\r\n", "9", "x-amz-checksum-crc32", ""},
		"signed":                   {"9;chunk-signature=ab\r\n123456789\r\n0;chunk-signature=cd\r\n\r\n", "9", "", ""},
		"signed with a trailer":    {"9;chunk-signature=ab\r\n123456789\r\n0;chunk-signature=cd\r\n" + crc + "\r\nx-amz-trailer-signature:ef\r\n\r\n", "9", "x-amz-checksum-crc32", ""},
		"nothing":                  {"0\r\n\r\n", "0", "", ""},
		"a wrong trailer":          {"9\r\n123456780\r\n0\r\n" + crc + "\r\n\r\n", "9", "x-amz-checksum-crc32", "BadDigest"},
		"the trailer is missing":   {"9\r\n123456789\r\n0\r\n\r\n", "9", "x-amz-checksum-crc32", "InvalidRequest"},
		"another length":           {"9\r\n123456789\r\n0\r\n\r\n", "10", "", "IncompleteBody"},
		"cut within a chunk":       {"9\r\n1234", "9", "", "IncompleteBody"},
		"cut behind a chunk":       {"9\r\n123456789\r\n", "9", "", "IncompleteBody"},
		"no number":                {"x\r\n123456789\r\n0\r\n\r\n", "9", "", "IncompleteBody"},
		"a size beyond all bounds": {"7fffffffffffffff\r\n1\r\n0\r\n\r\n", "1", "", "IncompleteBody"},
		"no end of a chunk":        {"9\r\n12345678900\r\n\r\n", "9", "", "IncompleteBody"},
	} {
		a := newAccount(t, nil)
		header := []string{
			"Content-Encoding", "gzip,aws-chunked", "X-Amz-Decoded-Content-Length", c.length,
			"X-Amz-Content-Sha256", "STREAMING-UNSIGNED-PAYLOAD-TRAILER",
		}
		if c.trailer != "" {
			header = append(header, "X-Amz-Trailer", c.trailer)
		}
		r := ask(t, a.Service, "PUT", "/lake/k", c.body, header...)
		if r.code != c.want {
			t.Errorf("%s: got %d %s %s, want %q", name, r.status, r.code, r.body, c.want)
		}
		if got := ask(t, a.Service, "GET", "/lake/k", ""); c.want == "" &&
			(got.body != "123456789"[:len(got.body)] || fmt.Sprint(len(got.body)) != c.length || got.header.Get("Content-Encoding") != "gzip") {
			t.Errorf("%s: stored %q with encoding %q", name, got.body, got.header.Get("Content-Encoding"))
		} else if c.want != "" && got.status != 404 {
			t.Errorf("%s: refused and stored", name)
		}
	}
}

// Over TLS the SDK sends checksums as trailers.
func TestTrailersOfTheSDK(t *testing.T) {
	a := newAccount(t, nil)
	var chunked string
	handler := a.HTTPHandler()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Method == http.MethodPut {
			chunked = req.Header.Get("X-Amz-Trailer")
		}
		handler.ServeHTTP(w, req)
	}))
	t.Cleanup(server.Close)
	client := newClient(server.Client(), func(o *awss3.Options) { o.BaseEndpoint = &server.URL })
	body := strings.Repeat("0123456789", 100_000)
	if _, err := client.PutObject(t.Context(), &awss3.PutObjectInput{
		Bucket: aws.String(lake), Key: aws.String("k"), Body: strings.NewReader(body), ChecksumAlgorithm: types.ChecksumAlgorithmCrc32c,
	}); err != nil {
		t.Fatal(err)
	}
	if chunked != "x-amz-checksum-crc32c" {
		t.Errorf("trailer %q: this test is about them", chunked)
	}
	if got, err := a.get(t.Context(), "k"); err != nil || got != body {
		t.Errorf("stored %d bytes, %v, want %d", len(got), err, len(body))
	}
	head, err := client.HeadObject(t.Context(), &awss3.HeadObjectInput{Bucket: aws.String(lake), Key: aws.String("k"), ChecksumMode: types.ChecksumModeEnabled})
	if err != nil || head.ChecksumCRC32C == nil {
		t.Errorf("checksum of %+v, %v", head, err)
	}
}

// An answer to a caller who has gone is lost, the write is not.
func TestLateAnswerIsLost(t *testing.T) {
	a := newAccount(t, nil)
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("gone")
	client := newClient(a.Client(func(context.Context, s3.Served) { cancel(gone) }))
	_, err := client.PutObject(ctx, &awss3.PutObjectInput{Bucket: aws.String(lake), Key: aws.String("k"), Body: strings.NewReader("body")})
	if err == nil {
		t.Error("who has gone got an answer")
	}
	if got, err := a.get(t.Context(), "k"); err != nil || got != "body" {
		t.Errorf("stored %q, %v", got, err)
	}
	if _, err := client.PutObject(ctx, &awss3.PutObjectInput{Bucket: aws.String(lake), Key: aws.String("l"), Body: strings.NewReader("body")}); err == nil {
		t.Error("a request of somebody who has gone was served")
	}
	if _, err := a.get(t.Context(), "l"); answered(err) != "NoSuchKey" {
		t.Errorf("it was stored: %v", err)
	}
}

// The server reads all of a body before it refuses, or the client sees a broken
// connection (docs/facts/s3.md §3.5); 304 and 204 have no body and no length.
func TestHTTPServer(t *testing.T) {
	a := newAccount(t, nil)
	server := httptest.NewServer(a.HTTPHandler())
	t.Cleanup(server.Close)
	transport := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{}}}
	do := func(method, path, body string, header ...string) http.Response {
		req, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		resp, err := transport.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if err := resp.Body.Close(); err != nil {
			t.Error(err)
		}
		return *resp
	}
	large := strings.Repeat("x", 16<<20)
	for _, c := range []struct {
		resp   http.Response
		status int
		length int64
	}{
		{do("PUT", "/lake/k", large, "If-None-Match", "*"), 200, 0}, {do("PUT", "/lake/k", large, "If-None-Match", "*"), 412, -2},
		{do("HEAD", "/lake/k", ""), 200, 16 << 20}, {do("HEAD", "/lake/none", ""), 404, -2},
		{do("GET", "/lake/k", "", "If-None-Match", "*"), 304, 0}, {do("DELETE", "/lake/k", ""), 204, 0},
		{do("GET", "/lake/k", ""), 404, -2},
	} {
		if c.resp.StatusCode != c.status || c.length != -2 && c.resp.ContentLength != c.length {
			t.Errorf("%s: got %d with length %d, want %d, %d", c.resp.Request.Method, c.resp.StatusCode, c.resp.ContentLength, c.status, c.length)
		}
		if c.resp.Header.Get("X-Amz-Request-Id") == "" {
			t.Errorf("%s: no request id", c.resp.Request.Method)
		}
	}
}

// Presigned addresses as the current SDKs make them: the headers of checksums stand
// in the query.
func TestPresigned(t *testing.T) {
	a := newAccount(t, nil)
	const signature = "&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=00"
	for _, c := range []struct {
		method, query string
		status        int
	}{
		{"PUT", "x-amz-sdk-checksum-algorithm=CRC32&x-amz-checksum-crc32=y%2FQ5Jg%3D%3D", 200},
		{"PUT", "x-amz-sdk-checksum-algorithm=CRC32&x-amz-checksum-crc32=AAAAAA%3D%3D", 400},
		{"PUT", "x-amz-sdk-checksum-algorithm=CRC32", 400},
		{"PUT", "x-amz-storage-class=GLACIER", 501},
		{"PUT", "x-amz-checksum-sha512=AA%3D%3D", 501},
		{"GET", "x-amz-checksum-mode=ENABLED", 200},
	} {
		got := ask(t, a.Service, c.method, "/lake/k?"+c.query+signature, "123456789")
		if got.status != c.status {
			t.Errorf("%s %s: status %d, want %d: %s", c.method, c.query, got.status, c.status, got.body)
		}
		if c.method == "GET" && got.header.Get("X-Amz-Checksum-Crc32") != "y/Q5Jg==" {
			t.Errorf("%s %s: headers %v, want the checksum", c.method, c.query, got.header)
		}
	}
}

// An upload is completed only with the size that the request says, as Go's
// transfer manager does.
func TestObjectSizeOfUpload(t *testing.T) {
	a := newAccount(t, nil)
	for size, want := range map[string]int{"9": 200, "8": 400, "x": 400} {
		created := ask(t, a.Service, "POST", "/lake/k?uploads", "")
		var upload struct {
			ID string `xml:"UploadId"`
		}
		if err := xml.Unmarshal([]byte(created.body), &upload); err != nil {
			t.Fatal(err)
		}
		part := ask(t, a.Service, "PUT", "/lake/k?partNumber=1&uploadId="+upload.ID, "123456789")
		list := "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>" + part.header.Get("ETag") + "</ETag></Part></CompleteMultipartUpload>"
		if got := ask(t, a.Service, "POST", "/lake/k?uploadId="+upload.ID, list, "X-Amz-Mp-Object-Size", size); got.status != want {
			t.Errorf("size %s: status %d, want %d: %s", size, got.status, want, got.body)
		}
	}
	if got := ask(t, a.Service, "PUT", "/lake/k", "", "X-Amz-Mp-Object-Size", "0"); got.status != 501 {
		t.Errorf("PutObject with the size of an upload: status %d, want 501", got.status)
	}
}
