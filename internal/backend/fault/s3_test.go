package fault

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func s3Request(ctx context.Context, t *testing.T, method, url, body string, header ...string) *http.Request {
	t.Helper()
	var r io.Reader
	if body != "" {
		r = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, url, r)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	return req
}

// Request syntax by the pages of the Amazon S3 API Reference.
func TestS3OperationsAndKeys(t *testing.T) {
	const deleted = `<Delete><Object><Key>a</Key></Object><Object><Key>b</Key></Object></Delete>`
	for _, c := range []struct {
		method, path, body string
		header             []string
		operation          string
		target             Target
	}{
		{"GET", "/", "", nil, "ListBuckets", Target{}},
		{"PUT", "/b", "", nil, "CreateBucket", Target{In: "b"}},
		{"HEAD", "/b", "", nil, "HeadBucket", Target{In: "b"}},
		{"DELETE", "/b/", "", nil, "DeleteBucket", Target{In: "b"}},
		{"GET", "/b?list-type=2&prefix=x%2Fy", "", nil, "ListObjectsV2", Target{"b", []string{"x/y"}}},
		{"GET", "/b?prefix=&delimiter=%2F", "", nil, "ListObjects", Target{"b", []string{""}}},
		{"GET", "/b?uploads", "", nil, "ListMultipartUploads", Target{In: "b"}},
		{"GET", "/b?session", "", nil, "CreateSession", Target{In: "b"}},
		{"GET", "/b?policy", "", nil, "", Target{In: "b"}},
		{"POST", "/b?delete", deleted, nil, "DeleteObjects", Target{"b", []string{"a", "b"}}},
		{"GET", "/b/k/1?x-id=GetObject", "", nil, "GetObject", Target{"b", []string{"k/1"}}},
		{"HEAD", "/b/k%20%C3%BC", "", nil, "HeadObject", Target{"b", []string{"k ü"}}},
		{"PUT", "/b/k?x-id=PutObject", "body", nil, "PutObject", Target{"b", []string{"k"}}},
		{"PUT", "/b/k", "", []string{"x-amz-copy-source", "/b/j"}, "CopyObject", Target{"b", []string{"k"}}},
		{"PUT", "/b/k?renameObject", "", nil, "RenameObject", Target{"b", []string{"k"}}},
		{"PUT", "/b/k?tagging", "", nil, "", Target{"b", []string{"k"}}},
		{"DELETE", "/b/k", "", nil, "DeleteObject", Target{"b", []string{"k"}}},
		{"POST", "/b/k?uploads", "", nil, "CreateMultipartUpload", Target{"b", []string{"k"}}},
		{"PUT", "/b/k?partNumber=1&uploadId=u", "", nil, "UploadPart", Target{"b", []string{"k"}}},
		{"PUT", "/b/k?partNumber=1&uploadId=u", "", []string{"x-amz-copy-source", "/b/j"}, "UploadPartCopy", Target{"b", []string{"k"}}},
		{"GET", "/b/k?uploadId=u", "", nil, "ListParts", Target{"b", []string{"k"}}},
		{"POST", "/b/k?uploadId=u", "", nil, "CompleteMultipartUpload", Target{"b", []string{"k"}}},
		{"DELETE", "/b/k?uploadId=u", "", nil, "AbortMultipartUpload", Target{"b", []string{"k"}}},
	} {
		x := &httpExchange{req: s3Request(t.Context(), t, c.method, "http://127.0.0.1:9000"+c.path, c.body, c.header...)}
		r := x.request()
		if got := r.Targets(); r.Service != S3 || r.Operation != c.operation || len(got) != 1 ||
			got[0].In != c.target.In || !slices.Equal(got[0].Keys, c.target.Keys) {
			t.Errorf("%s %s: %s %+v, want %s %+v", c.method, c.path, r.Operation, got, c.operation, c.target)
		}
	}
	for url, want := range map[string]Target{
		"https://my.bucket.s3.us-east-1.amazonaws.com/k/1":                       {"my.bucket", []string{"k/1"}},
		"https://x--use1-az4--x-s3.s3express-use1-az4.us-east-1.amazonaws.com/k": {"x--use1-az4--x-s3", []string{"k"}},
		"https://s3.us-east-1.amazonaws.com/b/k":                                 {"b", []string{"k"}},
	} {
		got := (&httpExchange{req: s3Request(t.Context(), t, "GET", url, "")}).s3Targets()
		if len(got) != 1 || got[0].In != want.In || !slices.Equal(got[0].Keys, want.Keys) {
			t.Errorf("%s: %+v, want %+v", url, got, want)
		}
	}
}

// The answers to an S3 client, read as one reads them.
func TestS3Refusals(t *testing.T) {
	for _, c := range []struct {
		rule   string
		method string
		status int
		code   string // "": no body
		acted  bool
	}{
		{`on s3 : error-before`, "PUT", 500, "InternalError", false},
		{`on s3 : error-before`, "HEAD", 500, "", false},
		{`on s3 : error-before 503`, "PUT", 503, "ServiceUnavailable", false},
		{`on s3 : error-before 403`, "GET", 403, "AccessDenied", false},
		{`on s3 : error-before 403`, "HEAD", 403, "", false},
		{`on s3 : error-before 409`, "PUT", 409, "ConditionalRequestConflict", false},
		{`on s3 : error-before 409-bare`, "PUT", 409, "", false},
		{`on s3 : error-before 304`, "PUT", 304, "", false},
		{`on s3 : error-before 200`, "PUT", 200, "InternalError", false},
		{`on s3 : error-after 200`, "PUT", 200, "InternalError", true},
		{`on s3 : error-after 200-precondition`, "PUT", 200, "PreconditionFailed", true},
		{`on s3 : error-after 503`, "PUT", 503, "ServiceUnavailable", true},
		{`on s3 : throttle`, "GET", 503, "SlowDown", false},
		{`on any : throttle`, "HEAD", 503, "", false},
	} {
		in := New(t.Context(), mustParse(t, c.rule), DefaultConfig())
		inner := &keeping{}
		resp, err := in.HTTPClient(inner).Do(s3Request(t.Context(), t, c.method, "http://127.0.0.1/b/k", "data"))
		if err != nil {
			t.Fatalf("%s: %v", c.rule, err)
		}
		body, err := io.ReadAll(resp.Body)
		if err := errors.Join(err, resp.Body.Close()); err != nil {
			t.Fatal(err)
		}
		var told struct {
			XMLName xml.Name `xml:"Error"`
			Code    string
			Message string
		}
		if len(body) > 0 {
			if err := xml.Unmarshal(body, &told); err != nil {
				t.Errorf("%s: %v in %s", c.rule, err, body)
			}
		}
		if resp.StatusCode != c.status || told.Code != c.code || (len(inner.got) > 0) != c.acted {
			t.Errorf("%s %s: %d %q, acted %v, want %d %q", c.method, c.rule, resp.StatusCode, told.Code, inner.got, c.status, c.code)
		}
		if resp.ContentLength != int64(len(body)) {
			t.Errorf("%s: content length %d of %d bytes", c.rule, resp.ContentLength, len(body))
		}
	}
}

// keeping is a service that remembers the bodies it got and answers ten bytes.
type keeping struct{ got []string }

func (k *keeping) Do(req *http.Request) (*http.Response, error) {
	body := []byte{}
	if req.Body != nil {
		var err error
		if body, err = io.ReadAll(req.Body); err != nil {
			return nil, err
		}
	}
	k.got = append(k.got, string(body))
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{}, Request: req,
		Body: io.NopCloser(strings.NewReader("0123456789")), ContentLength: 10,
	}, nil
}

func TestCutBodies(t *testing.T) {
	for _, c := range []struct {
		rule, method, want string
	}{
		{`on s3 : cut`, "GET", "01234"},
		{`on s3 : cut 3`, "GET", "012"},
		{`on s3 : cut 10`, "GET", "012345678"}, // a whole body would be no cut
		{`on s3 : cut 11`, "GET", "012345678"},
	} {
		in := New(t.Context(), mustParse(t, c.rule), DefaultConfig())
		resp, err := in.HTTPClient(&keeping{}).Do(s3Request(t.Context(), t, c.method, "http://127.0.0.1/b/k", ""))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close() // nothing behind it
		if string(body) != c.want || !errors.Is(err, io.ErrUnexpectedEOF) || resp.ContentLength != 10 {
			t.Errorf("%s: %q, %v, length %d, want %q", c.rule, body, err, resp.ContentLength, c.want)
		}
	}
	in := New(t.Context(), mustParse(t, `on s3 : cut`), DefaultConfig())
	inner := &keeping{}
	resp, err := in.HTTPClient(inner).Do(s3Request(t.Context(), t, "HEAD", "http://127.0.0.1/b/k", ""))
	if err == nil {
		_ = resp.Body.Close() // nothing behind it
	}
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("HEAD: %v, want an unexpected end: there is no body to cut", err)
	}
	if len(inner.got) != 1 {
		t.Error("HEAD did not reach the service")
	}
}

// The caller's body may be gone by the time the request lands.
func TestLateRequestKeepsItsBody(t *testing.T) {
	virtually(t, func(ctx context.Context) {
		in := New(ctx, mustParse(t, `on s3 : timeout 1s lands 2s`), DefaultConfig())
		inner := &keeping{}
		body := &closable{Reader: strings.NewReader("late")}
		req := s3Request(ctx, t, "PUT", "http://127.0.0.1/b/k", "")
		req.Body, req.ContentLength = body, 4
		resp, err := in.HTTPClient(inner).Do(req)
		if err == nil {
			_ = resp.Body.Close() // nothing behind it
		}
		if !timedOut(err) || errors.Is(err, syscall.ECONNRESET) || !body.closed {
			t.Errorf("%v, closed %v", err, body.closed)
		}
		if err := in.Wait(); err != nil {
			t.Error(err)
		}
		if !slices.Equal(inner.got, []string{"late"}) {
			t.Errorf("the service got %q", inner.got)
		}
	})
}

type closable struct {
	io.Reader
	closed bool
}

func (c *closable) Close() error {
	c.closed = true
	return nil
}

func (c *closable) Read(p []byte) (int, error) {
	if c.closed {
		return 0, errors.New("read after close")
	}
	return c.Reader.Read(p)
}
