package direct

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsretry "github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/lakebench/lakebench/internal/attempt"
	"github.com/lakebench/lakebench/internal/backend/fault"
	"github.com/lakebench/lakebench/internal/backend/retry"
	"github.com/lakebench/lakebench/internal/meter"
)

// asSDK returns the retryer of a call's options as the SDK takes it.
func asSDK(r aws.Retryer, maxAttempts int) aws.RetryerV2 {
	if maxAttempts != 0 {
		r = awsretry.AddWithMaxAttempts(r, maxAttempts)
	}
	return attempt.RetryerV2(r)
}

// attempts is the SDK's retry loop (aws-sdk-go-v2 v1.48.0, aws/retry, Attempt),
// with the same questions to the retryer in the same order. The policy's waits
// are in GetRetryToken.
func attempts(ctx context.Context, call *meter.Call, r aws.RetryerV2, send func(ctx context.Context, input any) (any, error)) (any, error) {
	releaseRetry := func(error) error { return nil }
	var counting context.Context
	for number := 1; ; number++ {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		releaseAttempt, err := r.GetAttemptToken(ctx)
		if err != nil {
			return nil, fmt.Errorf("direct: asking to attempt: %w", err)
		}
		output, err := call.Attempt(ctx, send)
		if releaseErr := errors.Join(releaseRetry(err), releaseAttempt(err)); releaseErr != nil && err != nil {
			return nil, fmt.Errorf("direct: releasing an attempt: %w", errors.Join(err, releaseErr))
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

// underRules makes one attempt under fault rules.
func (c *Client) underRules(ctx context.Context, req fault.Request, x fault.Exchange[reply]) (any, error) {
	tracked, d := fault.Track(ctx, func(n int64) { c.cfg.Stopped(ctx, req.Operation, n) })
	r, err := fault.Run(tracked, c.cfg.Faults, req, x)
	d.Answered()
	if err != nil {
		return nil, unsent(ctx, err)
	}
	return r.output, r.err
}

// A reply is what the service answers, which may be an error: to fault rules that
// is an answer as well, which can be lost.
type reply struct {
	output any
	err    error
}

// replied tells an answer from none.
func replied(output any, err error) (reply, error) {
	var answered smithy.APIError
	if err != nil && !errors.As(err, &answered) {
		return reply{}, err
	}
	return reply{output, err}, nil
}

// unsent is the error of an attempt without an answer, as the SDK's HTTP
// transport has it (smithy-go, transport/http, ClientHandler).
func unsent(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return &smithy.CanceledError{Err: ctx.Err()}
	}
	return &smithyhttp.RequestSendError{Err: err}
}
