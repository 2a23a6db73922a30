package backend

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/lakebench/lakebench/backend/fault"
	"github.com/lakebench/lakebench/meter"
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
func (p *passage) leave(ctx context.Context, m *meter.Meter, api string) {
	if p.state.CompareAndSwap(underWay, stopped) {
		m.Stopped(ctx, dynamoDB, api, 1)
	}
}

// arrive is called when the service has got a request. One that was taken for
// stopped arrives late (fault effect "timeout").
func arrive(ctx context.Context, m *meter.Meter, api string) {
	p, ok := ctx.Value(passageKey{}).(*passage)
	if ok && !p.state.CompareAndSwap(underWay, reached) {
		m.Stopped(ctx, dynamoDB, api, -1)
	}
}

// dynamoDB is the service's name in the ledgers.
const dynamoDB = "dynamodb"

// under puts the rules of faults right above the transport to an embedded
// service, and has m count what they stop. Of an endpoint nobody can say what
// arrived.
func under(faults *fault.Injector, m *meter.Meter, inner aws.HTTPClient) aws.HTTPClient {
	if faults == nil {
		return inner
	}
	return &faultyClient{meter: m, inner: faults.HTTPClient(inner)}
}

type faultyClient struct {
	meter *meter.Meter
	inner aws.HTTPClient
}

// Do implements aws.HTTPClient.
func (c *faultyClient) Do(req *http.Request) (*http.Response, error) {
	ctx, p := enter(req.Context())
	resp, err := c.inner.Do(req.WithContext(ctx))
	_, api, _ := strings.Cut(req.Header.Get("X-Amz-Target"), ".")
	p.leave(ctx, c.meter, api)
	return resp, err
}
