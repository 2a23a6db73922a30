package backend

import (
	"context"
	"errors"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go"

	"github.com/lakebench/lakebench/internal/backend/fault"
	"github.com/lakebench/lakebench/internal/meter"
)

// DirectClient has the methods of *dynamodb.Client for the operations that the
// embedded DynamoDB has, and calls its engine without HTTP, JSON and signatures:
// for simulations of very many requests. Errors, attempts and ledgers are those
// of an SDK client of the same backend.
//
// Of a call's options it heeds Retryer, RetryMaxAttempts and
// IdempotencyTokenProvider; the others are about what it does not have. The
// ResultMetadata of its outputs is empty. An input must not be changed while a
// request with it may still be on its way, after a timeout for instance.
type DirectClient struct {
	backend *Backend
	meter   *meter.Meter
	faults  *fault.Injector // nil: none
	// act has the service serve one request.
	act func(ctx context.Context, input any) (any, error)
}

// ErrNotEmbedded says that an endpoint cannot be called directly.
var ErrNotEmbedded = errors.New("backend: there is no direct client of an endpoint, only of the embedded services")

// Direct returns a client all of whose requests m counts, under the rules of
// faults unless that is nil. The error is ErrNotEmbedded.
func (b *Backend) Direct(m *meter.Meter, faults *fault.Injector) (*DirectClient, error) {
	if b.cfg.Kind != Embedded {
		return nil, ErrNotEmbedded
	}
	c := &DirectClient{backend: b, meter: m, faults: faults}
	c.act = c.serve
	return c, nil
}

// directCall makes one call: it is counted, checked, and attempted until the
// retryer is content, as the SDK does it.
func directCall[Out, In any](ctx context.Context, c *DirectClient, api string, input *In, options []func(*dynamodb.Options)) (*Out, error) {
	if input == nil {
		input = new(In)
	}
	call := c.meter.Begin(ctx, dynamodb.ServiceID, api, input)
	var output any
	err := checkInput(input)
	if err == nil {
		output, err = attempts(ctx, call, c.retryer(options), func(ctx context.Context, input any) (any, error) { return c.send(ctx, api, input) })
	}
	call.End(err)
	if err != nil {
		return nil, &smithy.OperationError{ServiceID: dynamodb.ServiceID, OperationName: api, Err: err}
	}
	return output.(*Out), nil
}

// retryer returns what the call's options make of the backend's policy.
func (c *DirectClient) retryer(options []func(*dynamodb.Options)) aws.RetryerV2 {
	if len(options) == 0 {
		return c.backend.policy
	}
	o := dynamodb.Options{Retryer: c.backend.policy}
	for _, option := range options {
		option(&o)
	}
	return asSDK(o.Retryer, o.RetryMaxAttempts)
}

// send makes one attempt, under the fault rules if there are any.
func (c *DirectClient) send(ctx context.Context, api string, input any) (any, error) {
	if c.faults == nil {
		return c.act(ctx, input)
	}
	x := &directExchange{client: c, input: input}
	return underRules(ctx, c.faults, c.meter, dynamoDB, x.request(api), x)
}

// serve has the engine act, books what it bills and lets the time of the request
// pass. Who has gone by then gets no answer.
func (c *DirectClient) serve(ctx context.Context, input any) (any, error) {
	output, s, err := c.backend.engine.Do(ctx, input)
	arrive(ctx, c.meter, dynamoDB, s.API)
	c.meter.Served(ctx, served(s))
	c.backend.pass(ctx, s)
	if ctx.Err() != nil {
		return nil, &smithy.CanceledError{Err: ctx.Err()}
	}
	return output, err
}

// token returns the input with the request token that the SDK would make up, so
// that an attempt and its repetition are one transaction. Numbers will do: no
// other process uses the engine's tables.
func (c *DirectClient) token(in *dynamodb.TransactWriteItemsInput, options []func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsInput, error) {
	if in == nil || in.ClientRequestToken != nil {
		return in, nil
	}
	var o dynamodb.Options
	for _, option := range options {
		option(&o)
	}
	token := "direct-" + strconv.FormatUint(c.backend.tokens.Add(1), 10)
	if p := o.IdempotencyTokenProvider; p != nil {
		var err error
		if token, err = p.GetIdempotencyToken(); err != nil {
			return nil, err
		}
	}
	with := *in
	with.ClientRequestToken = &token
	return &with, nil
}
