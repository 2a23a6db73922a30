package backend

import (
	"context"
	"fmt"
	"io"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"

	"github.com/lakebench/lakebench/internal/backend/fault"
	"github.com/lakebench/lakebench/internal/meter"
)

// DirectS3Client has the methods of *s3.Client for the operations that the embedded
// S3 has, and calls it without HTTP, XML and signatures: for simulations of very
// many requests. Errors, attempts and ledgers are those of an SDK client of the
// same backend.
//
// Of a call's options it heeds Retryer and RetryMaxAttempts; the others are about
// what it does not have. The ResultMetadata of its outputs is empty. A body is
// read once, before the first attempt. An input must not be changed while a request
// with it may still be on its way, after a timeout for instance.
type DirectS3Client struct {
	backend *Backend
	meter   *meter.Meter
	faults  *fault.Injector // nil: none
}

// DirectS3 returns a client all of whose requests m counts, under the rules of
// faults unless that is nil. The error is ErrNotEmbedded.
func (b *Backend) DirectS3(m *meter.Meter, faults *fault.Injector) (*DirectS3Client, error) {
	if b.cfg.Kind != Embedded {
		return nil, ErrNotEmbedded
	}
	return &DirectS3Client{backend: b, meter: m, faults: faults}, nil
}

// directS3Call makes one call: it is counted, checked, and attempted until the
// retryer is content, as the SDK does it.
func directS3Call[Out, In any](ctx context.Context, c *DirectS3Client, api string, input *In, options []func(*awss3.Options)) (*Out, error) {
	if input == nil {
		input = new(In)
	}
	call := c.meter.Begin(ctx, awss3.ServiceID, api, input)
	s := &s3Sender{client: c, api: api}
	var output any
	err := checkS3Input(input)
	if err == nil {
		s.body, err = bodyOf(input)
	}
	if err == nil {
		output, err = attempts(ctx, call, c.retryer(options), s.send)
	}
	call.End(err)
	if err != nil {
		return nil, &smithy.OperationError{ServiceID: awss3.ServiceID, OperationName: api, Err: err}
	}
	return output.(*Out), nil
}

// retryer returns what the call's options make of the backend's policy.
func (c *DirectS3Client) retryer(options []func(*awss3.Options)) aws.RetryerV2 {
	if len(options) == 0 {
		return c.backend.s3Policy
	}
	o := awss3.Options{Retryer: c.backend.s3Policy}
	for _, option := range options {
		option(&o)
	}
	return asSDK(o.Retryer, o.RetryMaxAttempts)
}

// bodyOf reads the body that an input brings.
func bodyOf(input any) ([]byte, error) {
	var body io.Reader
	switch in := input.(type) {
	case *awss3.PutObjectInput:
		body = in.Body
	case *awss3.UploadPartInput:
		body = in.Body
	}
	if body == nil {
		return nil, nil
	}
	all, err := io.ReadAll(body)
	if err != nil {
		return nil, fmt.Errorf("backend: reading the body of a request: %w", err)
	}
	return all, nil
}

// An s3Sender sends the attempts of one call.
type s3Sender struct {
	client *DirectS3Client
	api    string
	body   []byte
}

// send makes one attempt, under the fault rules if there are any.
func (s *s3Sender) send(ctx context.Context, input any) (any, error) {
	c := s.client
	if c.faults == nil {
		return s.serve(ctx, input)
	}
	req := fault.Request{Service: fault.S3, Operation: s.api, Targets: func() []fault.Target { return s3Targets(input) }}
	return underRules(ctx, c.faults, c.meter, s3Name, req, &s3Exchange{s, input})
}

// serve has the service act, and books it. Who has gone by then gets no answer.
func (s *s3Sender) serve(ctx context.Context, input any) (any, error) {
	output, served, err := s.client.backend.objects.Do(ctx, input, s.body)
	s.client.backend.bookS3(ctx, s.client.meter, served)
	if ctx.Err() != nil {
		return nil, &smithy.CanceledError{Err: ctx.Err()}
	}
	return output, err
}

// s3Exchange is a request of the direct client, for fault rules.
type s3Exchange struct {
	sender *s3Sender
	input  any
}

// Send implements fault.Exchange.
func (x *s3Exchange) Send(ctx context.Context) (reply, error) {
	return replied(x.sender.serve(ctx, x.input))
}

// SendPart implements fault.Exchange: S3 processes a batch as a whole.
func (x *s3Exchange) SendPart(ctx context.Context, _ int64) (reply, error) { return x.Send(ctx) }

// Refuse implements fault.Exchange. An answer to HEAD has no body, so no code
// either.
func (x *s3Exchange) Refuse(r fault.Refusal) (reply, error) {
	switch x.input.(type) {
	case *awss3.HeadObjectInput, *awss3.HeadBucketInput:
		r.Bare = true
	}
	return reply{err: r.Err()}, nil
}

// Cut implements fault.Exchange. Only an object arrives in part: what else an
// answer says is read by the SDK before its caller sees any of it.
func (x *s3Exchange) Cut(answer reply, after int64, lost error) (reply, error) {
	out, ok := answer.output.(*awss3.GetObjectOutput)
	if !ok || aws.ToInt64(out.ContentLength) == 0 {
		return reply{}, lost
	}
	length := *out.ContentLength
	if after == 0 {
		after = length / 2
	}
	out.Body = &cutObject{out.Body, min(after, length-1), lost}
	return answer, nil
}

// cutObject is an object's body that ends with an error after so many bytes.
type cutObject struct {
	io.ReadCloser
	left int64
	lost error
}

func (b *cutObject) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, b.lost
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// Drop implements fault.Exchange.
func (x *s3Exchange) Drop(reply) {}

// Detach implements fault.Exchange: the input stays as it is, and the body has
// been read.
func (x *s3Exchange) Detach() error { return nil }

// s3Targets finds out what a request is about, as rules see it.
func s3Targets(input any) []fault.Target {
	bucket, keys := objectsOf(input)
	return []fault.Target{{In: bucket, Keys: keys}}
}
