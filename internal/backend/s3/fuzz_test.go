package s3_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/internal/backend/s3"
)

// FuzzRequest: whatever comes over HTTP is answered with a status of S3, and the
// service goes on working.
func FuzzRequest(f *testing.F) {
	for _, seed := range []struct{ method, path, query, header, body string }{
		{"PUT", "/lake/k", "", "If-None-Match: *\nX-Amz-Meta-A: b", "body"},
		{"PUT", "/lake/k", "", "Content-Encoding: aws-chunked\nX-Amz-Decoded-Content-Length: 4\nX-Amz-Trailer: x-amz-checksum-crc32", "4\r\nbody\r\n0\r\nx-amz-checksum-crc32:AAAA\r\n\r\n"},
		{"GET", "/lake/k", "", "Range: bytes=-1\nIf-Match: \"a\"\nIf-Modified-Since: Mon, 02 Jan 2006 15:04:05 GMT", ""},
		{"HEAD", "/lake/k", "", "X-Amz-Checksum-Mode: ENABLED", ""},
		{"GET", "/lake", "list-type=2&prefix=a&delimiter=/&max-keys=2&continuation-token=cGEv", "", ""},
		{"GET", "/lake", "list-type=2&continuation-token=cP8&encoding-type=url", "", ""},
		{"POST", "/lake", "delete", "Content-MD5: 1B2M2Y8AsgTpgAmY7PhCfg==", "<Delete><Quiet>true</Quiet><Object><Key>k</Key><ETag>e</ETag></Object></Delete>"},
		{"POST", "/lake/k", "uploads", "X-Amz-Checksum-Algorithm: CRC32\nX-Amz-Checksum-Type: COMPOSITE", ""},
		{"PUT", "/lake/k", "uploadId=upload-1&partNumber=1", "", "part"},
		{"POST", "/lake/k", "uploadId=upload-1", "", "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>e</ETag></Part></CompleteMultipartUpload>"},
		{"DELETE", "/lake", "", "", ""}, {"PUT", "/new", "", "", "<CreateBucketConfiguration/>"}, {"GET", "/", "", "", ""}, {"BREW", "//", "%", ":", "\x00"},
	} {
		f.Add(seed.method, seed.path, seed.query, seed.header, []byte(seed.body))
	}
	f.Fuzz(func(t *testing.T, method, path, query, header string, body []byte) {
		a := newAccount(t, nil)
		if err := a.put(t.Context(), "k", "body"); err != nil {
			t.Fatal(err)
		}
		ask(t, a.Service, "POST", "/lake/k?uploads", "")
		req := (&http.Request{
			Method: method, URL: &url.URL{Path: path, RawQuery: query}, Header: http.Header{},
			Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(header)) - 5, // wrong, and negative
		}).WithContext(t.Context())
		for line := range strings.Lines(header) {
			name, value, _ := strings.Cut(line, ":")
			req.Header.Add(name, strings.TrimSpace(value))
		}
		resp, err := a.Client(func(_ context.Context, s s3.Served) {
			if s.Outcome == s3.OutcomeServerError && s.S3ClassA+s.S3ClassB != 0 {
				t.Errorf("a failure of the service is billed: %+v", s)
			}
		}).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		if err := errors.Join(err, resp.Body.Close()); err != nil || resp.StatusCode == http.StatusInternalServerError || resp.StatusCode < 200 {
			t.Errorf("%d %v: %s", resp.StatusCode, err, text)
		}
		if r := ask(t, a.Service, "GET", "/", ""); r.status != 200 {
			t.Errorf("afterwards: %d %s", r.status, r.body)
		}
	})
}
