package backend

import (
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"

	"github.com/lakebench/lakebench/internal/backend/fault"
	"github.com/lakebench/lakebench/internal/meter"
)

// The services' names in the ledgers.
const (
	dynamoDB = "dynamodb"
	s3Name   = "s3"
)

// under puts the rules of faults right above the transport to an embedded
// service, and has m count what they stop. What of it reaches an endpoint cannot be
// known.
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
	ctx := req.Context()
	tracked, d := fault.Track(ctx, func(n int64) { c.meter.Stopped(ctx, c.service, awsmiddleware.GetOperationName(ctx), n) })
	defer d.Answered()
	return c.inner.Do(req.WithContext(tracked))
}
