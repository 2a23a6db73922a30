package backend

import (
	"context"
	"net/http"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"

	"github.com/lakebench/lakebench/internal/backend/fault"
	"github.com/lakebench/lakebench/internal/meter"
)

// A passage is one attempt on its way through the fault rules. The ledgers have
// to know whether it came out at the service's end: a request that a rule stops
// is an attempt that nobody serves.
type passage struct{ state atomic.Int32 }

// The states of a passage. It leaves underWay once: for reached when the service
// gets the request, for stopped when its caller gets an answer before that.
const (
	underWay int32 = iota
	reached
	stopped
)

type passageKey struct{}

// enter begins the passage of an attempt.
func enter(ctx context.Context) (context.Context, *passage) {
	p := &passage{}
	return context.WithValue(ctx, passageKey{}, p), p
}

// leave ends the passage of an attempt whose caller has its answer.
func (p *passage) leave(ctx context.Context, m *meter.Meter, service, api string) {
	if p.state.CompareAndSwap(underWay, stopped) {
		m.Stopped(ctx, service, api, 1)
	}
}

// arrive is called when the service has got a request. One that was taken for
// stopped arrives late (fault effect "timeout").
func arrive(ctx context.Context, m *meter.Meter, service, api string) {
	p, ok := ctx.Value(passageKey{}).(*passage)
	if ok && !p.state.CompareAndSwap(underWay, reached) {
		m.Stopped(ctx, service, api, -1)
	}
}

// The services' names in the ledgers.
const (
	dynamoDB = "dynamodb"
	s3Name   = "s3"
)

// under puts the rules of faults right above the transport to an embedded
// service, and has m count what they stop. Of an endpoint nobody can say what
// arrived.
func under(faults *fault.Injector, m *meter.Meter, service string, inner aws.HTTPClient) aws.HTTPClient {
	if faults == nil {
		return inner
	}
	return &faultyClient{meter: m, service: service, inner: faults.HTTPClient(inner)}
}

type faultyClient struct {
	meter   *meter.Meter
	service string
	inner   aws.HTTPClient
}

// Do implements aws.HTTPClient.
func (c *faultyClient) Do(req *http.Request) (*http.Response, error) {
	ctx, p := enter(req.Context())
	resp, err := c.inner.Do(req.WithContext(ctx))
	p.leave(ctx, c.meter, c.service, awsmiddleware.GetOperationName(ctx))
	return resp, err
}
