package retry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

func policy(t *testing.T, cfg Config) *Policy {
	t.Helper()
	p, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func withStatus(status int, err error) error {
	return &smithy.OperationError{ServiceID: "DynamoDB", OperationName: "GetItem", Err: &smithyhttp.ResponseError{
		Response: &smithyhttp.Response{Response: &http.Response{StatusCode: status, Header: http.Header{}}},
		Err:      err,
	}}
}

func code(c string) error { return &smithy.GenericAPIError{Code: c, Message: "m"} }

type clockSkewError struct{ error }

func (clockSkewError) RetryableError() bool { return true }

// The left column is what aws-sdk-go-v2 v1.48.0 retries (docs/facts/s3.md §3.3,
// docs/facts/dynamodb.md §3.5), except where a comment says otherwise.
func TestRetryable(t *testing.T) {
	for _, err := range []error{
		withStatus(400, code("ProvisionedThroughputExceededException")),
		withStatus(400, &types.ProvisionedThroughputExceededException{}),
		withStatus(400, code("ThrottlingException")),
		withStatus(400, &types.RequestLimitExceeded{}),
		withStatus(400, &types.TransactionInProgressException{}),
		withStatus(503, code("SlowDown")),
		withStatus(400, code("RequestTimeout")),
		withStatus(500, &types.InternalServerError{}),
		withStatus(500, errors.New("x")), withStatus(502, errors.New("x")),
		withStatus(503, errors.New("x")), withStatus(504, errors.New("x")),
		withStatus(429, errors.New("x")),
		&types.InternalServerError{}, // without HTTP, by its model
		&smithyhttp.RequestSendError{Err: io.EOF},
		&smithyhttp.RequestSendError{Err: &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}},
		&smithy.DeserializationError{Err: &net.OpError{Op: "read", Err: syscall.ECONNRESET}},
		&smithy.DeserializationError{Err: fmt.Errorf("read: %w", net.ErrClosed)},
		&smithy.DeserializationError{Err: io.ErrUnexpectedEOF}, // ours alone: a cut answer
		fmt.Errorf("dial: %w", context.DeadlineExceeded),
		clockSkewError{code("AccessDeniedException")},
	} {
		if !Retryable(err) {
			t.Errorf("%v is not retried", err)
		}
	}
	for _, err := range []error{
		nil,
		withStatus(400, &types.TransactionCanceledException{CancellationReasons: []types.CancellationReason{{Code: new("ThrottlingError")}}}),
		withStatus(400, &types.TransactionConflictException{}),
		withStatus(400, &types.ConditionalCheckFailedException{}),
		withStatus(400, code("ValidationException")),
		withStatus(400, &types.ResourceNotFoundException{}),
		withStatus(400, &types.IdempotentParameterMismatchException{}),
		withStatus(403, code("AccessDeniedException")),
		withStatus(404, errors.New("x")), withStatus(409, code("ConditionalRequestConflict")),
		withStatus(412, code("PreconditionFailed")), withStatus(501, errors.New("x")),
		// S3's 200 with an error body; the SDK repeats it, the answer is no.
		withStatus(500, code("PreconditionFailed")),
		&smithy.CanceledError{Err: context.Canceled},
		&smithy.CanceledError{Err: context.DeadlineExceeded},
		fmt.Errorf("waiting: %w", context.Canceled),
		&smithyhttp.RequestSendError{Err: &net.DNSError{IsNotFound: true}},
		errors.New("something else"),
	} {
		if Retryable(err) {
			t.Errorf("%v is retried", err)
		}
	}
}

// The bounds are b·2^(n−1), at most 20 s, with b 25 ms for DynamoDB, 50 ms
// otherwise and 1 s when throttled.
func TestDelayBounds(t *testing.T) {
	fault, throttle := withStatus(500, errors.New("x")), withStatus(400, code("ThrottlingException"))
	for _, c := range []struct {
		cfg     Config
		attempt int
		err     error
		bound   time.Duration
	}{
		{DynamoDBConfig(), 1, fault, 25 * time.Millisecond},
		{DynamoDBConfig(), 2, fault, 50 * time.Millisecond},
		{DynamoDBConfig(), 3, fault, 100 * time.Millisecond},
		{DynamoDBConfig(), 1, throttle, time.Second},
		{DynamoDBConfig(), 3, throttle, 4 * time.Second},
		{DefaultConfig(), 1, fault, 50 * time.Millisecond},
		{DefaultConfig(), 2, fault, 100 * time.Millisecond},
		{DefaultConfig(), 100, fault, 20 * time.Second},
		{DefaultConfig(), 5, throttle, 16 * time.Second},
		{DefaultConfig(), 6, throttle, 20 * time.Second},
	} {
		p := policy(t, c.cfg)
		var longest, sum time.Duration
		const draws = 2000
		for range draws {
			d := p.delay(c.attempt, c.err)
			if d < 0 || d >= c.bound {
				t.Fatalf("attempt %d: %v, expected 0 ≤ d < %v", c.attempt, d, c.bound)
			}
			longest, sum = max(longest, d), sum+d
		}
		// Uniform: 2,000 draws all below 98 % have a chance of 10^-17, a mean
		// that is off by 5 % of the bound one of 10^-13.
		if mean := sum / draws; longest < c.bound*98/100 || mean < c.bound*45/100 || mean > c.bound*55/100 {
			t.Errorf("attempt %d: longest %v, mean %v of bound %v", c.attempt, longest, mean, c.bound)
		}
	}
}

func TestSeedDecidesTheJitter(t *testing.T) {
	draw := func(seed uint64) (ds [8]time.Duration) {
		cfg := DefaultConfig()
		cfg.Seed = seed
		p := policy(t, cfg)
		for i := range ds {
			ds[i] = p.delay(1, withStatus(500, errors.New("x")))
		}
		return ds
	}
	if first, again := draw(1), draw(1); first != again {
		t.Error("one seed, two sequences")
	}
	if draw(1) == draw(2) {
		t.Error("two seeds, one sequence")
	}
}

func TestConfigIsValidated(t *testing.T) {
	for name, breakIt := range map[string]func(*Config){
		"MaxAttempts":   func(c *Config) { c.MaxAttempts = 0 },
		"BaseDelay":     func(c *Config) { c.BaseDelay = 0 },
		"ThrottleDelay": func(c *Config) { c.ThrottleDelay = -1 },
		"MaxDelay":      func(c *Config) { c.MaxDelay = 0 },
	} {
		cfg := DefaultConfig()
		breakIt(&cfg)
		if _, err := New(cfg); err == nil {
			t.Errorf("a wrong %s was accepted", name)
		}
	}
}
