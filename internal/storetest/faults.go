package storetest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// A Fault is what becomes of one attempt. It may send the request on, or not.
type Fault func(req *http.Request, next aws.HTTPClient) (*http.Response, error)

// Faults is an HTTP client below the SDK's retryer that makes attempts fail, in
// ways that no server can be asked to. It also keeps what was sent.
type Faults struct {
	inner aws.HTTPClient

	mu    sync.Mutex // never held over a request
	queue map[string][]Fault
	sent  map[string][][]byte
}

// NewFaults returns a client that sends every attempt on to inner until told
// otherwise.
func NewFaults(inner aws.HTTPClient) *Faults {
	return &Faults{inner: inner, queue: make(map[string][]Fault), sent: make(map[string][][]byte)}
}

// Next decides what becomes of the next attempts of an operation, one each.
// Attempts after those go through. What was sent before is forgotten.
func (f *Faults) Next(operation string, faults ...Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.queue[operation] = slices.Clone(faults)
	f.sent[operation] = nil
}

// Sent returns the bodies of the attempts of an operation since Next.
func (f *Faults) Sent(operation string) [][]byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.sent[operation])
}

// Do implements aws.HTTPClient.
func (f *Faults) Do(req *http.Request) (*http.Response, error) {
	_, operation, _ := strings.Cut(req.Header.Get("X-Amz-Target"), ".")
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	f.mu.Lock()
	f.sent[operation] = append(f.sent[operation], body)
	fault := Fault(Through)
	if queue := f.queue[operation]; len(queue) > 0 {
		fault, f.queue[operation] = queue[0], queue[1:]
	}
	f.mu.Unlock()
	return fault(req, f.inner)
}

// Through sends the request on.
func Through(req *http.Request, next aws.HTTPClient) (*http.Response, error) { return next.Do(req) }

// NeverArrives loses the request on the way.
func NeverArrives(*http.Request, aws.HTTPClient) (*http.Response, error) {
	return nil, errReset
}

// errReset looks to the SDK like a connection that broke.
var errReset = fmt.Errorf("read tcp 127.0.0.1: connection reset by peer: %w", io.ErrUnexpectedEOF)

// LostReply lets the service act and loses its answer.
func LostReply(req *http.Request, next aws.HTTPClient) (*http.Response, error) {
	resp, err := next.Do(req)
	if err != nil {
		return nil, err
	}
	if err := discard(resp); err != nil {
		return nil, err
	}
	return nil, errReset
}

// CutReply lets the service act and cuts its answer short.
func CutReply(req *http.Request, next aws.HTTPClient) (*http.Response, error) {
	resp, err := next.Do(req)
	if err != nil {
		return nil, err
	}
	if err := discard(resp); err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(io.MultiReader(strings.NewReader("{"), broken{}))
	return resp, nil
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errReset }

// FailsAfter lets the service act and answers with its internal error, which may
// come from a write that happened (docs/facts/dynamodb.md §3.6).
func FailsAfter(req *http.Request, next aws.HTTPClient) (*http.Response, error) {
	resp, err := next.Do(req)
	if err != nil {
		return nil, err
	}
	if err := discard(resp); err != nil {
		return nil, err
	}
	return FailsBefore(req, next)
}

// FailsBefore answers with the service's internal error and does nothing.
func FailsBefore(req *http.Request, _ aws.HTTPClient) (*http.Response, error) {
	return answer(req, http.StatusInternalServerError, `{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError","message":"The request processing has failed."}`), nil
}

// Unavailable is a load balancer's answer, which names no error of the service.
func Unavailable(req *http.Request, _ aws.HTTPClient) (*http.Response, error) {
	return answer(req, http.StatusServiceUnavailable, "<html>Service Unavailable</html>"), nil
}

// Refused answers with an error of the service, status 400, and does nothing.
func Refused(code string) Fault {
	return func(req *http.Request, _ aws.HTTPClient) (*http.Response, error) {
		body := fmt.Sprintf(`{"__type":"com.amazonaws.dynamodb.v20120810#%s","message":"This text says ConditionalCheckFailed, TransactionConflict and Throttling."}`, code)
		return answer(req, http.StatusBadRequest, body), nil
	}
}

// Cancelled answers that a transaction was cancelled, for one reason an action,
// and does nothing.
func Cancelled(codes ...string) Fault {
	reasons := make([]string, len(codes))
	for i, code := range codes {
		reasons[i] = fmt.Sprintf(`{"Code":%q}`, code)
	}
	body := fmt.Sprintf(`{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException",`+
		`"Message":"Transaction cancelled, please refer cancellation reasons for specific reasons [ConditionalCheckFailed, TransactionConflict]",`+
		`"CancellationReasons":[%s]}`, strings.Join(reasons, ","))
	return func(req *http.Request, _ aws.HTTPClient) (*http.Response, error) {
		return answer(req, http.StatusBadRequest, body), nil
	}
}

// Before does something just before the fault happens, such as another node's write.
func Before(do func(), fault Fault) Fault {
	return func(req *http.Request, next aws.HTTPClient) (*http.Response, error) {
		do()
		return fault(req, next)
	}
}

// After does something once the fault has happened, such as another node's write.
func After(fault Fault, do func()) Fault {
	return func(req *http.Request, next aws.HTTPClient) (*http.Response, error) {
		resp, err := fault(req, next)
		do()
		return resp, err
	}
}

// Delayed loses the request for now. The returned function delivers it: what the
// service answers then, nobody hears.
func Delayed() (fault Fault, deliver func() error) {
	var late *http.Request
	var to aws.HTTPClient
	fault = func(req *http.Request, next aws.HTTPClient) (*http.Response, error) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		late, to = req.Clone(req.Context()), next
		late.Body = io.NopCloser(bytes.NewReader(body))
		return nil, errReset
	}
	return fault, func() error {
		resp, err := to.Do(late)
		if err != nil {
			return err
		}
		return discard(resp)
	}
}

func answer(req *http.Request, status int, body string) *http.Response {
	return &http.Response{
		StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body:          io.NopCloser(strings.NewReader(body)),
		ContentLength: int64(len(body)),
		Request:       req,
	}
}

func discard(resp *http.Response) error {
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	return resp.Body.Close()
}
