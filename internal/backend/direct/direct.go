// Package direct calls the embedded DynamoDB without HTTP, JSON and signatures, for
// simulations of very many requests: a call takes a small part of what it takes
// through the SDK (BenchmarkDirect, BenchmarkSDK).
package direct

import (
	"context"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
	"github.com/lakebench/lakebench/internal/backend/fault"
	"github.com/lakebench/lakebench/internal/backend/retry"
	"github.com/lakebench/lakebench/internal/meter"
)

// Config holds what a client needs.
type Config struct {
	// SDK makes the requests that are not about items.
	SDK    *dynamodb.Client
	Engine *dynamo.Engine
	Retry  *retry.Policy
	Meter  *meter.Meter
	// Faults, if not nil, are injected into every attempt.
	Faults *fault.Injector
	// Served is called when the engine has served a request, with the context of
	// the attempt. The answer leaves when it returns.
	Served func(ctx context.Context, s dynamo.Served)
	// Stopped is called for each attempt that a fault kept from the engine; with -1
	// for one that arrives there after its caller was told so.
	Stopped func(ctx context.Context, api string, n int64)
	// Number returns another number at every call, for request tokens.
	Number func() uint64
}

// Client is an SDK client whose requests about items take the short way. Errors,
// attempts and ledgers are those of the SDK, except that it does not look for what a
// request lacks: the service does, with a ValidationException.
//
// Of a call's options it heeds Retryer, RetryMaxAttempts and
// IdempotencyTokenProvider; the others concern what it does not have. The
// ResultMetadata of its outputs is empty. An input must not be changed while a
// request with it may still be on its way, as after a timeout.
type Client struct {
	*dynamodb.Client
	cfg Config
	// act has the engine serve one request.
	act func(ctx context.Context, input any) (any, error)
}

// New returns a client. All fields of cfg but Faults are required.
func New(cfg Config) *Client {
	c := &Client{Client: cfg.SDK, cfg: cfg}
	c.act = c.serve
	return c
}

// call makes one call: it is counted, and attempted until the retryer is content, as
// the SDK does it.
func call[Out, In any](ctx context.Context, c *Client, api string, input *In, options []func(*dynamodb.Options)) (*Out, error) {
	if input == nil {
		input = new(In)
	}
	counted := c.cfg.Meter.Begin(ctx, dynamodb.ServiceID, api, input)
	output, err := attempts(ctx, counted, c.retryer(options), func(ctx context.Context, input any) (any, error) { return c.send(ctx, api, input) })
	counted.End(err)
	if err != nil {
		return nil, &smithy.OperationError{ServiceID: dynamodb.ServiceID, OperationName: api, Err: err}
	}
	return output.(*Out), nil
}

// retryer returns what the call's options make of the client's policy.
func (c *Client) retryer(options []func(*dynamodb.Options)) aws.RetryerV2 {
	if len(options) == 0 {
		return c.cfg.Retry
	}
	o := dynamodb.Options{Retryer: c.cfg.Retry}
	for _, option := range options {
		option(&o)
	}
	return asSDK(o.Retryer, o.RetryMaxAttempts)
}

// send makes one attempt, under the fault rules if there are any.
func (c *Client) send(ctx context.Context, api string, input any) (any, error) {
	if c.cfg.Faults == nil {
		return c.act(ctx, input)
	}
	x := &exchange{client: c, input: input}
	return c.underRules(ctx, x.request(api), x)
}

// serve has the engine act. A caller whose context ended meanwhile gets no answer.
func (c *Client) serve(ctx context.Context, input any) (any, error) {
	output, s, err := c.cfg.Engine.Do(ctx, input)
	c.cfg.Served(ctx, s)
	if ctx.Err() != nil {
		return nil, &smithy.CanceledError{Err: ctx.Err()}
	}
	return output, err
}

// token returns the input with the request token that the SDK would make up, so
// that an attempt and its repetition are one transaction. Numbers will do: no
// other process uses the engine's tables.
func (c *Client) token(in *dynamodb.TransactWriteItemsInput, options []func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsInput, error) {
	if in == nil || in.ClientRequestToken != nil {
		return in, nil
	}
	var o dynamodb.Options
	for _, option := range options {
		option(&o)
	}
	token := "direct-" + strconv.FormatUint(c.cfg.Number(), 10)
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
