package fault

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// A Client is an aws.HTTPClient whose requests fail by an injector's rules. It
// belongs below the SDK's retryer, so that every attempt is a request, and right
// above the transport, below whatever counts attempts: an attempt that a rule
// answers was made, although the service never saw it (Injector.Counts).
type Client struct {
	in    *Injector
	inner aws.HTTPClient
}

// HTTPClient returns a client that hands on to inner what no rule stops.
//
// The rule unprocessed changes the body of a request and so breaks its
// signature: it needs a service that does not verify any, as the embedded one.
func (in *Injector) HTTPClient(inner aws.HTTPClient) *Client { return &Client{in, inner} }

// Do makes a request.
func (c *Client) Do(req *http.Request) (*http.Response, error) {
	x := &httpExchange{inner: c.inner, req: req}
	return Run(req.Context(), c.in, x.request(), x)
}

// httpExchange is a request over HTTP. Its body stays a stream until a rule needs its
// content.
type httpExchange struct {
	inner aws.HTTPClient
	req   *http.Request
	body  []byte
	read  bool
}

const (
	targetHeader = "X-Amz-Target"
	// targetPrefix names DynamoDB's API version; the operation follows.
	targetPrefix = "DynamoDB_20120810."
)

func (x *httpExchange) request() Request {
	if target := x.req.Header.Get(targetHeader); target != "" {
		return Request{DynamoDB, strings.TrimPrefix(target, targetPrefix), x.dynamoTargets}
	}
	return Request{S3, s3Operation(x.req), x.s3Targets}
}

// load reads the body.
func (x *httpExchange) load() error {
	if x.read || x.req.Body == nil {
		return nil
	}
	body, err := io.ReadAll(x.req.Body)
	if err != nil {
		return fmt.Errorf("reading the request's body: %w", err)
	}
	_ = x.req.Body.Close() // it was only read from
	x.body, x.read = body, true
	return nil
}

func (x *httpExchange) Detach() error { return x.load() }

func (x *httpExchange) Send(ctx context.Context) (*http.Response, error) {
	return x.inner.Do(x.with(ctx, x.body))
}

// with returns the request under ctx, with a body that was loaded.
func (x *httpExchange) with(ctx context.Context, body []byte) *http.Request {
	if !x.read && ctx == x.req.Context() {
		return x.req
	}
	req := x.req.Clone(ctx)
	if x.read {
		req.Body = io.NopCloser(bytes.NewReader(body))
		req.ContentLength = int64(len(body))
		if req.Header.Get("Content-Length") != "" {
			req.Header.Set("Content-Length", strconv.Itoa(len(body)))
		}
	}
	return req
}

func (x *httpExchange) Refuse(r Refusal) (*http.Response, error) {
	if x.req.Body != nil {
		_ = x.req.Body.Close() // nothing will read it
	}
	if r.Service == DynamoDB {
		return x.answer(r.Status, "application/x-amz-json-1.0", dynamoErrorBody(r)), nil
	}
	// An answer to HEAD has no body, so no code either (docs/facts/s3.md §3.2).
	if r.Bare || x.req.Method == http.MethodHead {
		return x.answer(r.Status, "application/xml", nil), nil
	}
	return x.answer(r.Status, "application/xml", s3ErrorBody(r)), nil
}

func (x *httpExchange) answer(status int, contentType string, body []byte) *http.Response {
	return &http.Response{
		Status:        fmt.Sprintf("%d %s", status, http.StatusText(status)),
		StatusCode:    status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        http.Header{"Content-Type": {contentType}, "X-Amzn-Requestid": {injectedID}, "X-Amz-Request-Id": {injectedID}},
		Body:          io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(body)),
		Request:       x.req,
	}
}

// injectedID is the request id of answers that no service gave.
const injectedID = "INJECTED"

func (x *httpExchange) Cut(resp *http.Response, after int64, lost error) (*http.Response, error) {
	length := resp.ContentLength // -1: unknown
	if length == 0 || x.req.Method == http.MethodHead {
		x.Drop(resp)
		return nil, lost
	}
	if after == 0 {
		after = max(length, 0) / 2
	}
	if length > 0 {
		after = min(after, length-1)
	}
	resp.Body = &cutBody{resp.Body, after, lost}
	return resp, nil
}

// cutBody ends with an error after n bytes.
type cutBody struct {
	io.ReadCloser
	left int64
	lost error
}

func (b *cutBody) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, b.lost
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

func (x *httpExchange) Drop(resp *http.Response) {
	_ = resp.Body.Close() // its content is not wanted
}
