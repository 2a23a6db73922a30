package backend

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/lakebench/lakebench/internal/backend/direct"
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
	o.HTTPClient = m.HTTPClient(under(faults, m, dynamoDB, b.engine.Client(b.booking(m))))
	// There is one clock, and it may be a virtual one.
	o.DisableClockSkewCorrection = true
	return dynamodb.New(o)
}

// ErrNotEmbedded means that there is no direct client of an endpoint.
var ErrNotEmbedded = errors.New("backend: an endpoint has no direct client; only the embedded DynamoDB has one")

// Direct returns a client of the embedded DynamoDB that does without HTTP (package
// direct). m counts all of its requests, and faults, unless nil, are injected into
// them. The error is ErrNotEmbedded.
func (b *Backend) Direct(m *meter.Meter, faults *fault.Injector) (*direct.Client, error) {
	if b.cfg.Kind != Embedded {
		return nil, ErrNotEmbedded
	}
	return direct.New(direct.Config{
		SDK:    b.DynamoDBUnder(m, faults),
		Engine: b.engine, Retry: b.policy, Meter: m, Faults: faults,
		Served:  b.booking(m),
		Stopped: func(ctx context.Context, api string, n int64) { m.Stopped(ctx, dynamoDB, api, n) },
		Number:  func() uint64 { return b.tokens.Add(1) },
	}), nil
}

// booking returns what is to be called when the embedded DynamoDB has served a
// request: m and the observer learn what it cost, and then its time passes. The
// engine drops the answer if the caller's context ends meanwhile.
func (b *Backend) booking(m *meter.Meter) func(context.Context, dynamo.Served) {
	return func(ctx context.Context, s dynamo.Served) {
		fault.Delivered(ctx)
		m.Served(ctx, meter.Served{Service: dynamoDB, API: s.API, Usage: s.Usage})
		if b.cfg.Observe != nil {
			b.cfg.Observe(ctx, s)
		}
		if b.times != nil {
			_ = b.times.Wait(ctx, dynamoDB, s.API, s.BytesReceived+s.BytesSent)
		}
	}
}

// setUserAgent replaces the middleware that names the SDK, the language and the
// platform.
func setUserAgent(s *middleware.Stack) error {
	_, err := s.Build.Swap("UserAgent", middleware.BuildMiddlewareFunc("lakebench:UserAgent", nameUserAgent))
	return err
}

func nameUserAgent(ctx context.Context, in middleware.BuildInput, next middleware.BuildHandler) (
	middleware.BuildOutput, middleware.Metadata, error,
) {
	req, ok := in.Request.(*smithyhttp.Request)
	if !ok {
		return middleware.BuildOutput{}, middleware.Metadata{}, fmt.Errorf("backend: unexpected request of type %T", in.Request)
	}
	req.Header["User-Agent"] = []string{userAgent}
	return next.HandleBuild(ctx, in)
}
