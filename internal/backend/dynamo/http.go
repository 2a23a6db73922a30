package dynamo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/lakebench/lakebench/internal/sim/task"
)

const (
	targetHeader = "X-Amz-Target"
	// targetPrefix names the API version; the operation follows.
	targetPrefix    = "DynamoDB_20120810."
	contentType     = "application/x-amz-json-1.0"
	requestIDHeader = "X-Amzn-Requestid"
	crc32Header     = "X-Amz-Crc32"

	// maxBody bounds a request's body: 16 MB of items (BatchWriteItem) that are
	// a third longer in base64, and room for names and structure.
	maxBody = 32 << 20
)

// HTTPClient is an aws.HTTPClient whose server is an engine in the same
// process. A call runs in the caller's goroutine, with the request's context.
type HTTPClient struct {
	engine  *Engine
	observe func(ctx context.Context, s Served)
	served  atomic.Uint64
}

// Client returns a client for the SDK's Options.HTTPClient. After each request
// it calls observe, unless that is nil, with the request's context and what the
// request is billed. Any endpoint address will do; prefer http, which keeps the
// SDK from checksums that only encrypted connections get.
func (e *Engine) Client(observe func(ctx context.Context, s Served)) *HTTPClient {
	return &HTTPClient{engine: e, observe: observe}
}

// Do serves one request. If the request's context ends meanwhile, the service has
// acted and the answer is lost, as over a network.
func (c *HTTPClient) Do(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	body, err := c.engine.readBody(req)
	if err != nil {
		return nil, fmt.Errorf("dynamo: in-memory request: reading the body: %w", err)
	}
	resp := c.engine.serve(ctx, operationName(req), body, c.engine.buffer())
	c.engine.reuse(body)
	if c.observe != nil {
		c.observe(ctx, resp.Served)
	}
	if ctx.Err() != nil { // the client no longer waits
		return nil, context.Cause(ctx)
	}
	answer := &answerBody{engine: c.engine, buf: resp.Body}
	answer.Reset(resp.Body)
	return &http.Response{
		Status:     strconv.Itoa(resp.Status) + " " + http.StatusText(resp.Status),
		StatusCode: resp.Status,
		Proto:      "HTTP/1.1",
		ProtoMajor: 1,
		ProtoMinor: 1,
		Header: http.Header{
			"Content-Type":  {contentType},
			requestIDHeader: {requestID(c.served.Add(1))},
		},
		Body:          answer,
		ContentLength: int64(len(resp.Body)),
		Request:       req,
	}, nil
}

// readBody reads a request's body into a buffer of the engine's.
func (e *Engine) readBody(req *http.Request) ([]byte, error) {
	if req.Body == nil {
		return nil, nil
	}
	body := bytes.NewBuffer(e.buffer())
	_, err := body.ReadFrom(req.Body)
	_ = req.Body.Close() // nothing was written to it
	return body.Bytes(), err
}

// answerBody is the body of an in-memory answer. A caller that closes it gives its
// buffer back; reading it afterwards gives nothing.
type answerBody struct {
	bytes.Reader
	engine *Engine
	buf    []byte
}

func (b *answerBody) Close() error {
	b.Reset(nil)
	b.engine.reuse(b.buf)
	b.buf = nil
	return nil
}

// buffer returns an empty buffer with room from an earlier use, if there is one.
func (e *Engine) buffer() []byte {
	if b, ok := e.buffers.Get().(*[]byte); ok {
		return (*b)[:0]
	}
	return nil
}

// reuse takes a buffer back that nothing refers to any more.
func (e *Engine) reuse(b []byte) {
	if cap(b) > 0 {
		e.buffers.Put(&b)
	}
}

// operationName is the name in the target header, or the whole header when it names
// another API.
func operationName(req *http.Request) string {
	return strings.TrimPrefix(req.Header.Get(targetHeader), targetPrefix)
}

func requestID(n uint64) string { return "LAKEBENCH" + strconv.FormatUint(n, 10) }

// Limits of the HTTP front. A client that is slow with a large request takes one
// of a few places, so that what requests under way can hold in memory is bounded.
const (
	largeBody   = 1 << 20
	largeBodies = 16
)

// HTTPHandler serves the engine over HTTP, for clients outside this process. It
// does not check signatures.
func (e *Engine) HTTPHandler() http.Handler { return e.SignedHTTPHandler(Access{}) }

// SignedHTTPHandler is HTTPHandler for those who sign their requests with access.
func (e *Engine) SignedHTTPHandler(access Access) http.Handler {
	return &handler{engine: e, access: access, large: task.NewSemaphore(largeBodies)}
}

type handler struct {
	engine *Engine
	access Access
	large  *task.Semaphore // held while a large body is read and answered
	served atomic.Uint64
}

func (h *handler) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if req.Method != http.MethodPost || req.URL.Path != "/" || req.URL.RawQuery != "" {
		http.Error(w, "lakebench's embedded DynamoDB answers POST / only", http.StatusNotFound)
		return
	}
	if req.ContentLength < 0 || req.ContentLength > largeBody {
		if h.large.Acquire(req.Context()) != nil {
			panic(http.ErrAbortHandler) // the client went away
		}
		defer h.large.Release()
	}
	req.Body = http.MaxBytesReader(w, req.Body, maxBody)
	body, err := h.engine.readBody(req)
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		http.Error(w, fmt.Sprintf("request body over %d bytes", tooLarge.Limit), http.StatusRequestEntityTooLarge)
		return
	}
	if err != nil {
		panic(http.ErrAbortHandler) // the client went away, or was too slow: there is nothing to answer
	}
	resp := h.answer(req, body)
	h.engine.reuse(body)
	header := w.Header()
	header.Set("Content-Type", contentType)
	header.Set("Content-Length", strconv.Itoa(len(resp.Body)))
	header.Set(requestIDHeader, requestID(h.served.Add(1)))
	header.Set(crc32Header, strconv.FormatUint(uint64(crc32.ChecksumIEEE(resp.Body)), 10))
	w.WriteHeader(resp.Status)
	_, _ = w.Write(resp.Body) // a client that went away is no concern of ours
	h.engine.reuse(resp.Body)
}

// answer serves a request that is signed as it must be. One that is not costs
// nothing, and is counted like others.
func (h *handler) answer(req *http.Request, body []byte) Response {
	name := operationName(req)
	refused := h.access.verify(req.Context(), req, body)
	if refused == nil {
		return h.engine.serve(req.Context(), name, body, h.engine.buffer())
	}
	served := Served{API: apiName(name), Outcome: refused.outcome()}
	h.engine.counter.add(&served)
	return Response{Status: refused.status(), Body: encodeError(h.engine.buffer(), refused), Served: served}
}
