package retry

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/lakebench/lakebench/internal/sim/task"
)

var _ aws.RetryerV2 = (*Policy)(nil)

// IsErrorRetryable is [Retryable], for the SDK.
func (p *Policy) IsErrorRetryable(err error) bool { return Retryable(err) }

// MaxAttempts returns the setting, for the SDK.
func (p *Policy) MaxAttempts() int { return p.cfg.MaxAttempts }

// RetryDelay returns 0: by then GetRetryToken has waited.
func (p *Policy) RetryDelay(int, error) (time.Duration, error) { return 0, nil }

// GetInitialToken is not limited.
func (p *Policy) GetInitialToken() func(error) error { return release }

// GetAttemptToken is not limited.
func (p *Policy) GetAttemptToken(context.Context) (func(error) error, error) { return release, nil }

func release(error) error { return nil }

// errNoCount means that a client was built without the policy's APIOptions.
var errNoCount = errors.New("retry: the client lacks the policy's APIOptions")

// GetRetryToken waits for the delay of the attempt that failed with opErr. It is
// the one place where the SDK lets a retryer wait with the call's context, and
// so on whatever clock that has. It returns the context's cause when that ends
// first: the SDK then makes no further attempt, and its own wait, which would
// report a cancellation in one of two ways at random, is never reached.
func (p *Policy) GetRetryToken(ctx context.Context, opErr error) (func(error) error, error) {
	c, ok := ctx.Value(countKey{}).(*countContext)
	if !ok {
		return nil, errNoCount
	}
	c.failed++
	delay := takeRetryAfter(opErr, p.delay(c.failed, opErr))
	if err := task.Sleep(ctx, delay); err != nil {
		return nil, err
	}
	return release, nil
}

// APIOptions returns what a client needs beside the policy as its Retryer: a
// count of the call's failed attempts, which the SDK does not tell
// GetRetryToken.
func (p *Policy) APIOptions() []func(*middleware.Stack) error {
	return []func(*middleware.Stack) error{func(s *middleware.Stack) error {
		return s.Finalize.Insert(countMiddleware{}, "Retry", middleware.Before)
	}}
}

// Counting returns a context for one call of a client without the SDK's
// middleware: what [Policy.GetRetryToken] needs beside the policy.
func Counting(ctx context.Context) context.Context { return &countContext{Context: ctx} }

type countKey struct{}

// countContext is the context of one call and counts in one: a value of its own
// would be a second allocation on every call.
type countContext struct {
	context.Context
	failed int
}

func (c *countContext) Value(key any) any {
	if key == (countKey{}) {
		return c
	}
	return c.Context.Value(key)
}

type countMiddleware struct{}

func (countMiddleware) ID() string { return "lakebench:CountFailedAttempts" }

func (countMiddleware) HandleFinalize(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (
	middleware.FinalizeOutput, middleware.Metadata, error,
) {
	return next.HandleFinalize(Counting(ctx), in)
}

const (
	retryAfterHeader = "X-Amz-Retry-After"
	// maxRetryAfter bounds what the service may add to a delay, as in the SDK.
	maxRetryAfter = 5 * time.Second
)

// takeRetryAfter returns delay or, if longer, the wait that the service asked
// for in the header of its answer, in milliseconds. It removes the header: the
// SDK would wait for it as well, on the machine's clock.
func takeRetryAfter(err error, delay time.Duration) time.Duration {
	var response *smithyhttp.ResponseError
	if !errors.As(err, &response) || response.Response == nil || response.Response.Response == nil {
		return delay
	}
	header := response.Response.Header
	text := header.Get(retryAfterHeader)
	header.Del(retryAfterHeader)
	ms, err := strconv.ParseInt(text, 10, 64)
	if err != nil || ms < 0 {
		return delay // absent or nonsense
	}
	most := delay + maxRetryAfter
	if ms > most.Milliseconds() {
		return most
	}
	return max(delay, time.Duration(ms)*time.Millisecond)
}
