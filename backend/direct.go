package backend

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsretry "github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/lakebench/lakebench/backend/fault"
	"github.com/lakebench/lakebench/backend/retry"
	"github.com/lakebench/lakebench/meter"
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
		output, err = c.attempts(ctx, call, api, c.retryer(options))
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
	if o.RetryMaxAttempts != 0 {
		o.Retryer = awsretry.AddWithMaxAttempts(o.Retryer, o.RetryMaxAttempts)
	}
	switch r := o.Retryer.(type) {
	case nil:
		return aws.NopRetryer{}
	case aws.RetryerV2:
		return r
	default:
		return firstRetryer{r}
	}
}

// firstRetryer is a retryer of the SDK's first kind, taken as the SDK takes it.
type firstRetryer struct{ aws.Retryer }

func (r firstRetryer) GetAttemptToken(context.Context) (func(error) error, error) {
	return r.GetInitialToken(), nil
}

// attempts is the SDK's retry loop (aws-sdk-go-v2 v1.48.0, aws/retry, Attempt),
// with the same questions to the retryer in the same order. The policy's waits
// are in GetRetryToken.
func (c *DirectClient) attempts(ctx context.Context, call *meter.Call, api string, r aws.RetryerV2) (any, error) {
	releaseRetry := func(error) error { return nil }
	var counting context.Context
	for number := 1; ; number++ {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		releaseAttempt, err := r.GetAttemptToken(ctx)
		if err != nil {
			return nil, fmt.Errorf("backend: asking to attempt: %w", err)
		}
		output, err := call.Attempt(ctx, func(ctx context.Context, input any) (any, error) { return c.send(ctx, api, input) })
		if releaseErr := errors.Join(releaseRetry(err), releaseAttempt(err)); releaseErr != nil && err != nil {
			return nil, fmt.Errorf("backend: releasing an attempt: %w", errors.Join(err, releaseErr))
		}
		switch most := r.MaxAttempts(); {
		case err == nil:
			return output, nil
		case !r.IsErrorRetryable(err):
			return nil, err
		case most > 0 && number >= most:
			return nil, &awsretry.MaxAttemptsError{Attempt: number, Err: err}
		}
		if counting == nil {
			counting = retry.Counting(ctx)
		}
		var refused error
		if releaseRetry, refused = r.GetRetryToken(counting, err); refused != nil {
			return nil, errors.Join(err, refused)
		}
	}
}

// send makes one attempt, under the fault rules if there are any.
func (c *DirectClient) send(ctx context.Context, api string, input any) (any, error) {
	if c.faults == nil {
		return c.act(ctx, input)
	}
	x := &directExchange{client: c, input: input}
	passing, p := enter(ctx)
	r, err := fault.Run(passing, c.faults, x.request(api), x)
	p.leave(ctx, c.meter, dynamoDB, api)
	if err != nil {
		return nil, unsent(ctx, err)
	}
	return r.output, r.err
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

// unsent is the error of an attempt without an answer, as the SDK's HTTP
// transport has it (smithy-go, transport/http, ClientHandler).
func unsent(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return &smithy.CanceledError{Err: ctx.Err()}
	}
	return &smithyhttp.RequestSendError{Err: err}
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
