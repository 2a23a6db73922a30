package backend

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
	"github.com/lakebench/lakebench/internal/backend/fault"
	"github.com/lakebench/lakebench/internal/meter"
)

// embeddedAddress is what the SDK believes the embedded services to be at. It is
// http, so that requests have no trailing checksums (docs/facts/sdk.md).
const embeddedAddress = "http://embedded.invalid"

// userAgent is what clients call themselves. The SDK's own text differs from one
// platform to the next.
const userAgent = "lakebench"

// DynamoDB returns a client all of whose requests m counts. m should come from
// NewMeter, which knows where the backend's units are to be had.
func (b *Backend) DynamoDB(m *meter.Meter) *dynamodb.Client { return b.DynamoDBUnder(m, nil) }

// DynamoDBUnder is DynamoDB under the rules of faults, unless that is nil.
func (b *Backend) DynamoDBUnder(m *meter.Meter, faults *fault.Injector) *dynamodb.Client {
	o := dynamodb.Options{
		Retryer:    b.policy,
		APIOptions: append(b.policy.APIOptions(), m.APIOptions()...),
		// It would start requests of its own, in the background.
		EndpointDiscovery: dynamodb.EndpointDiscoveryOptions{EnableEndpointDiscovery: aws.EndpointDiscoveryDisabled},
	}
	o.APIOptions = append(o.APIOptions, setUserAgent)
	if b.cfg.Kind == Endpoint {
		o.Region = b.cfg.AWS.Region
		o.Credentials = b.cfg.AWS.Credentials
		o.HTTPClient = m.HTTPClient(b.http)
		if faults != nil {
			o.HTTPClient = m.HTTPClient(faults.HTTPClient(b.http))
		}
		o.APIOptions = append(o.APIOptions, b.guard)
		if b.cfg.DynamoDBEndpoint != "" {
			o.BaseEndpoint = aws.String(b.cfg.DynamoDBEndpoint)
		}
		return dynamodb.New(o)
	}
	o.Region = b.cfg.Dynamo.Region
	o.Credentials = credentials.NewStaticCredentialsProvider("lakebench", "lakebench", "")
	o.HTTPSignerV4 = unsigned{}
	o.BaseEndpoint = aws.String(embeddedAddress)
	o.HTTPClient = m.HTTPClient(under(faults, m, dynamoDB, b.engine.Client(func(ctx context.Context, s dynamo.Served) {
		arrive(ctx, m, dynamoDB, s.API)
		m.Served(ctx, served(s))
		b.pass(ctx, s)
	})))
	// There is one clock, and it may be a virtual one.
	o.DisableClockSkewCorrection = true
	return dynamodb.New(o)
}

// pass tells the observer, and lets the time of a request pass between what the
// service did and its answer. Whoever is gone by then gets none: the embedded
// service sees to that.
func (b *Backend) pass(ctx context.Context, s dynamo.Served) {
	if b.cfg.Observe != nil {
		b.cfg.Observe(ctx, s)
	}
	if b.times == nil {
		return
	}
	_ = b.times.Wait(ctx, dynamoDB, s.API, s.ReadBytes+s.WrittenBytes)
}

// served is what the embedded DynamoDB bills, in the meter's terms.
func served(s dynamo.Served) meter.Served {
	return meter.Served{Service: dynamoDB, API: s.API, Usage: meter.Usage{
		RRU: s.RRU, WRU: s.WRU,
		Evaluated: s.Evaluated, Returned: s.Returned,
		BytesSent: s.WrittenBytes, BytesReceived: s.ReadBytes,
	}}
}

// setUserAgent replaces the middleware that names the SDK, the language and the
// platform.
func setUserAgent(s *middleware.Stack) error {
	_, err := s.Build.Swap("UserAgent", userAgentMiddleware{})
	return err
}

type userAgentMiddleware struct{}

func (userAgentMiddleware) ID() string { return "lakebench:UserAgent" }

func (userAgentMiddleware) HandleBuild(ctx context.Context, in middleware.BuildInput, next middleware.BuildHandler) (
	middleware.BuildOutput, middleware.Metadata, error,
) {
	req, ok := in.Request.(*smithyhttp.Request)
	if !ok {
		return middleware.BuildOutput{}, middleware.Metadata{}, fmt.Errorf("backend: unexpected request of type %T", in.Request)
	}
	req.Header["User-Agent"] = []string{userAgent}
	return next.HandleBuild(ctx, in)
}
