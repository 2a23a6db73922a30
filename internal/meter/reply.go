package meter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
)

// A ReplyLostError is an attempt whose request may have been served, and whose
// reply could not be read.
type ReplyLostError struct {
	Status int // HTTP status of the reply; 0 if not even that arrived
	Err    error
}

func (e *ReplyLostError) Error() string {
	if e.Status == 0 {
		return fmt.Sprintf("no reply to a request that was sent: %v", e.Err)
	}
	return fmt.Sprintf("the reply with status %d was lost: %v", e.Status, e.Err)
}

// Unwrap returns what reading the reply failed with.
func (e *ReplyLostError) Unwrap() error { return e.Err }

// ReplyLost reports true.
func (e *ReplyLostError) ReplyLost() bool { return true }

// replyLost reports whether err means that a request may have been served and
// its reply was lost; injected, whether an injected fault took it.
func replyLost(err error) (lost, injected bool) {
	var reply interface{ ReplyLost() bool }
	lost = errors.As(err, &reply) && reply.ReplyLost()
	var fault interface{ Injected() bool }
	return lost, errors.As(err, &fault) && fault.Injected()
}

// maxReply bounds a reply that is read whole: no reply of DynamoDB has more than
// 16 MB of items (API reference, BatchGetItem), base64 is a third longer, and
// names and structure take room. S3's lists and errors are far smaller.
const maxReply = 32 << 20

var errReplyTooLong = fmt.Errorf("it has more than %d bytes", maxReply)

// overSocket sends a request to a service on an endpoint and reads its reply
// whole before the SDK sees it, so that the SDK cannot lose what arrived. The
// body of an S3 object is the caller's to read (see streams).
//
// The SDK loses replies because it closes the request's body as soon as it has
// the head of the reply (smithy-go v1.28.9, ClientHandler.Handle). net/http may
// then still be about to check that the body has no more bytes than announced
// (transferWriter.writeBody). It does so by WriteTo, and smithy-go's
// safeWriteToReadCloser.WriteTo returns io.EOF once it is closed: to net/http
// that is a failed write, for which it closes the connection while the SDK reads
// the reply ("use of closed network connection"). Read returns io.EOF as well,
// which is what a Read is to return, so it is all that net/http gets to see.
func (h *httpClient) overSocket(a *attempt, req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	req = req.WithContext(a.watch(ctx))
	if req.Body != nil && req.Body != http.NoBody {
		req.Body = onlyReader{req.Body}
	}
	resp, err := h.inner.Do(req)
	status := 0
	if err == nil && !a.streams(resp) {
		status = resp.StatusCode
		err = readWhole(resp)
	}
	if err != nil {
		return nil, a.lost(ctx, status, err)
	}
	return resp, nil
}

// onlyReader hides every method of a body but Read and Close.
type onlyReader struct{ io.ReadCloser }

// readWhole reads a reply's body into memory.
func readWhole(resp *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxReply+1))
	if err == nil && len(body) > maxReply {
		err = errReplyTooLong
	}
	_ = resp.Body.Close() // it was only read from
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return err
}

// lost returns the error of an attempt that got no reply, as a *ReplyLostError
// unless the request was not sent, its time was up, or its caller gave up.
func (a *attempt) lost(ctx context.Context, status int, err error) error {
	var timeout interface{ Timeout() bool }
	if ctx.Err() != nil || !a.connected.Load() || errors.As(err, &timeout) && timeout.Timeout() {
		return err
	}
	return &ReplyLostError{status, err}
}

// streams reports whether a reply's body is that of an S3 object: it can have
// gigabytes, and the SDK hands it to its caller as a stream.
func (a *attempt) streams(resp *http.Response) bool {
	return a.call.api == "GetObject" && a.call.service == s3{} && resp.StatusCode < 300
}

// watchStream has the attempt booked as lost if the body of its object breaks
// off: by then the attempt has ended, and with success.
func (a *attempt) watchStream(ctx context.Context, resp *http.Response) {
	resp.Body = &objectBody{ReadCloser: resp.Body, attempt: a, ctx: ctx}
}

type objectBody struct {
	io.ReadCloser
	attempt *attempt
	ctx     context.Context
	failed  atomic.Bool
}

func (b *objectBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) && b.ctx.Err() == nil && b.failed.CompareAndSwap(false, true) {
		b.attempt.loseStream(err)
	}
	return n, err
}

// loseStream changes the outcome of an attempt that was booked as OK.
func (a *attempt) loseStream(err error) {
	_, injected := replyLost(err)
	c := a.call.cell
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Outcomes[OK]--
	c.Outcomes[ReplyLost]++
	if !injected {
		c.Lost++
	}
}
