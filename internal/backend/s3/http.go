package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
)

const requestIDHeader = "X-Amz-Request-Id"

// HTTPClient is an aws.HTTPClient whose server is a service in the same process.
// A call runs in the caller's goroutine, with the request's context.
type HTTPClient struct {
	service *Service
	observe func(ctx context.Context, s Served)
}

// Client returns a client for the SDK's Options.HTTPClient. After each request
// it calls observe, unless that is nil, with the request's context and what the
// request is billed. Any endpoint address will do, with path-style addressing;
// prefer http, which saves the framing of trailing checksums.
func (s *Service) Client(observe func(ctx context.Context, s Served)) *HTTPClient {
	return &HTTPClient{service: s, observe: observe}
}

// Do serves one request. If the request's context ends meanwhile, the service has
// acted and the answer is lost, as over a network.
func (c *HTTPClient) Do(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var body []byte
	if req.Body != nil {
		var err error
		if body, err = readBody(req.Body, req.ContentLength); err != nil {
			return nil, fmt.Errorf("s3: in-memory request: reading the body: %w", err)
		}
		_ = req.Body.Close() // nothing was written to it
	}
	resp, served := c.service.serveHTTP(ctx, req, body)
	if c.observe != nil {
		c.observe(ctx, served)
	}
	if ctx.Err() != nil { // the client no longer waits
		return nil, context.Cause(ctx)
	}
	resp.set("Content-Length", strconv.FormatInt(resp.length, 10))
	return &http.Response{
		Status:        strconv.Itoa(resp.status) + " " + http.StatusText(resp.status),
		StatusCode:    resp.status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        resp.header,
		Body:          io.NopCloser(bytes.NewReader(resp.body)),
		ContentLength: resp.length,
		Request:       req,
	}, nil
}

// maxTrusted is up to which length a body's announced length is believed before
// its bytes are there.
const maxTrusted = 1 << 20

// readBody reads a body of an announced length, which may be wrong, or unknown
// and then negative. The bytes are the caller's own.
func readBody(r io.Reader, length int64) ([]byte, error) {
	// ReadFrom wants room beyond the end to see that it is one.
	body := bytes.NewBuffer(make([]byte, 0, min(max(length, 0), maxTrusted)+bytes.MinRead))
	_, err := body.ReadFrom(r)
	return body.Bytes(), err
}

func (s *Service) serveHTTP(ctx context.Context, req *http.Request, body []byte) (*response, Served) {
	in := receive(req, body)
	out, served, err := s.serve(ctx, in.api, in.brings(), in.decode)
	resp := respond(in.method, out, err)
	resp.set(requestIDHeader, s.requestID())
	return resp, served
}

// HTTPHandler serves the service over HTTP, for clients outside this process that
// address buckets by path. It does not check signatures.
func (s *Service) HTTPHandler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		// All of the body is read before anything is answered: a client that is
		// still sending sees a refusal as a broken connection (docs/facts/s3.md §3.5).
		body, err := readBody(http.MaxBytesReader(w, req.Body, maxBody), req.ContentLength)
		var resp *response
		var tooLarge *http.MaxBytesError
		switch {
		case errors.As(err, &tooLarge):
			resp = respond(req.Method, nil, fail(entityTooLarge, "Your proposed upload exceeds the maximum allowed size: %d bytes", tooLarge.Limit))
		case err != nil:
			return // the client went away
		default:
			resp, _ = s.serveHTTP(req.Context(), req, body)
		}
		h := w.Header()
		for name, values := range resp.header {
			h[name] = values
		}
		if resp.status != http.StatusNotModified && resp.status != http.StatusNoContent {
			h["Content-Length"] = []string{strconv.FormatInt(resp.length, 10)}
		}
		w.WriteHeader(resp.status)
		_, _ = w.Write(resp.body) // a client that went away is no concern of ours
	})
}
