package backend

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/credentials"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/lakebench/lakebench/internal/backend/fault"
	"github.com/lakebench/lakebench/internal/backend/s3"
	"github.com/lakebench/lakebench/internal/meter"
)

// S3 returns a client all of whose requests m counts. m should come from
// NewMeter, which knows where the backend's units are to be had.
func (b *Backend) S3(m *meter.Meter) *awss3.Client { return b.S3Under(m, nil) }

// S3Under is S3 under the rules of faults, unless that is nil.
func (b *Backend) S3Under(m *meter.Meter, faults *fault.Injector) *awss3.Client {
	o := awss3.Options{
		Retryer:    b.s3Policy,
		APIOptions: append(b.s3Policy.APIOptions(), m.APIOptions()...),
		// What the SDK's own configuration has, and a client made by hand has not
		// (docs/facts/s3.md §3.6).
		RequestChecksumCalculation: aws.RequestChecksumCalculationWhenSupported,
		ResponseChecksumValidation: aws.ResponseChecksumValidationWhenSupported,
		// It would write to the log that a part of an object has no checksum.
		DisableLogOutputChecksumValidationSkipped: true,
	}
	o.APIOptions = append(o.APIOptions, setUserAgent)
	if b.cfg.Kind == Endpoint {
		b.toEndpoint(&o, m, faults)
		return awss3.New(o)
	}
	o.Region = b.cfg.S3.Region
	o.Credentials = credentials.NewStaticCredentialsProvider("lakebench", "lakebench", "")
	o.HTTPSignerV4 = unsigned{}
	o.BaseEndpoint = aws.String(embeddedAddress)
	o.UsePathStyle = true
	o.HTTPClient = m.HTTPClient(under(faults, m, s3Name, b.objects.Client(func(ctx context.Context, s s3.Served) {
		b.bookS3(ctx, m, s)
	})))
	// There is one clock, and it may be a virtual one.
	o.DisableClockSkewCorrection = true
	return awss3.New(o)
}

// toEndpoint has a client lead to the endpoint.
func (b *Backend) toEndpoint(o *awss3.Options, m *meter.Meter, faults *fault.Injector) {
	o.Region = b.cfg.AWS.Region
	o.Credentials = b.cfg.AWS.Credentials
	o.HTTPClient = m.HTTPClient(b.http)
	if faults != nil {
		o.HTTPClient = m.HTTPClient(faults.HTTPClient(b.http))
	}
	o.APIOptions = append(o.APIOptions, b.guardS3)
	if b.cfg.S3Endpoint != "" {
		o.BaseEndpoint = aws.String(b.cfg.S3Endpoint)
		o.UsePathStyle = true // a name for each bucket takes a server that has set them up
	}
	if b.cfg.S3ChecksumsWhenRequired {
		o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
		o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
	}
}

// bookS3 counts a request that the embedded S3 has served, and lets its time pass
// between what the service did and its answer.
func (b *Backend) bookS3(ctx context.Context, m *meter.Meter, s s3.Served) {
	api := s.API
	if api == s3.UnknownAPI { // something that it refuses; the SDK knows its name
		if name := awsmiddleware.GetOperationName(ctx); name != "" {
			api = name
		}
	}
	fault.Delivered(ctx)
	m.Served(ctx, meter.Served{Service: s3Name, API: api, Usage: s.Usage})
	if b.cfg.ObserveS3 != nil {
		b.cfg.ObserveS3(ctx, s)
	}
	if b.times != nil {
		_ = b.times.Wait(ctx, s3Name, api, s.BytesReceived+s.BytesSent)
	}
}
