package dynamo

import (
	"context"
	"fmt"
	"net/http"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/lakebench/lakebench/internal/backend/disk"
)

// Engine is one account's DynamoDB in one Region.
type Engine struct {
	cfg     Config
	counter counter

	mu     sync.RWMutex // tables; never held over a yield
	tables map[string]*table
	// created numbers the tables ever made, for their ids.
	created int

	tokens tokens
	// disk is where changes are kept; nil in memory.
	disk *disk.Store
	// commits numbers the transactions that commitOneByOne has begun to show.
	commits atomic.Uint64

	// buffers are []byte for the fronts, to read requests into and to write
	// answers into.
	buffers sync.Pool
	// readers are *attr.Reader: made for each request, they would cost 4 % of one.
	readers sync.Pool
}

// New returns an engine without tables.
func New(cfg Config) (*Engine, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	return &Engine{cfg: cfg, tables: map[string]*table{}}, nil
}

// Response is the answer to one request.
type Response struct {
	Status int    // HTTP status
	Body   []byte // JSON
	Served Served
}

// Serve answers one request: an operation's name and its JSON body. It never
// panics, whatever the body. ctx carries the runtime of package task; the
// service does not stop half-way when the client's ctx ends.
func (e *Engine) Serve(ctx context.Context, operation string, body []byte) Response {
	return e.serve(ctx, operation, body, nil)
}

// serve is Serve with the answer written over buf, which is made larger if need
// be.
func (e *Engine) serve(ctx context.Context, operation string, body, buf []byte) Response {
	b := &bill{Served: Served{API: apiName(operation), Outcome: OutcomeOK}}
	status := http.StatusOK
	out, err := protect(operation, func() ([]byte, *serviceError) { return e.answer(ctx, operation, body, buf, b) })
	if err != nil {
		status = err.status()
		b.Outcome = err.outcome()
		out = encodeError(buf, err)
	}
	e.counter.add(&b.Served)
	return Response{Status: status, Body: out, Served: b.Served}
}

func (e *Engine) answer(ctx context.Context, name string, body, buf []byte, b *bill) ([]byte, *serviceError) {
	serve, ok := operations[name]
	if !ok {
		return nil, unsupported(name)
	}
	out, err := serve(ctx, e, body, b)
	if lost := e.settle(ctx); lost != nil {
		return nil, lost
	}
	if err != nil {
		return nil, err
	}
	return encode(buf, out, b), nil
}

// protect turns a panic, which is a defect of this package, into the service's
// InternalServerError: a client under test then sees what it would see of AWS.
func protect[T any](name string, serve func() (T, *serviceError)) (out T, err *serviceError) {
	defer func() {
		if v := recover(); v != nil {
			out, err = *new(T), &serviceError{
				code:    internalServerError,
				message: fmt.Sprintf("embedded DynamoDB: %s panicked: %v\n%s", name, v, debug.Stack()),
			}
		}
	}()
	return serve()
}
