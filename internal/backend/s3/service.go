package s3

import (
	"context"
	"fmt"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/lakebench/lakebench/internal/counts"
)

// Service is one account's S3 in one Region.
type Service struct {
	cfg     Config
	counter counter

	mu      sync.RWMutex // buckets; never held over a yield
	buckets map[string]*bucket

	uploads  atomic.Uint64 // numbers the multipart uploads ever begun
	requests atomic.Uint64 // numbers the requests over HTTP
}

// New returns a service without buckets.
func New(cfg Config) (*Service, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	return &Service{cfg: cfg, buckets: map[string]*bucket{}}, nil
}

// A request is one operation that a front has understood.
type request interface {
	// do carries it out. It finishes what it began, whether or not ctx ends.
	do(ctx context.Context, s *Service, b *bill) (answer, *serviceError)
}

// An answer is what an operation returns.
type answer interface {
	// http writes it as a response.
	http(to *response)
}

// serve decodes and carries out one request, with the given number of bytes of an
// object, and books it. It never panics.
func (s *Service) serve(ctx context.Context, api string, brings int64, decode func() (request, *serviceError)) (answer, Served, *serviceError) {
	b := &bill{Served: Served{API: api, Usage: counts.Usage{Work: counts.Work{BytesSent: brings}}}}
	out, err := protect(api, func() (answer, *serviceError) {
		r, err := decode()
		if err != nil {
			return nil, err
		}
		return r.do(ctx, s, b)
	})
	b.settle(err)
	s.counter.add(&b.Served)
	return out, b.Served, err
}

// protect turns a panic, which is a defect of this package, into the service's
// InternalError: a client under test then sees what it would see of AWS.
func protect[T any](api string, serve func() (T, *serviceError)) (out T, err *serviceError) {
	defer func() {
		if v := recover(); v != nil {
			out, err = *new(T), &serviceError{
				code:    internalError,
				message: fmt.Sprintf("embedded S3: %s panicked: %v\n%s", api, v, debug.Stack()),
			}
		}
	}()
	return serve()
}

func (s *Service) requestID() string {
	return "LAKEBENCH" + strconv.FormatUint(s.requests.Add(1), 10)
}
