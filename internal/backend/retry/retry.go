// Package retry decides whether a failed attempt is made again, and when.
//
// The SDK and the direct client use the same policy as their retryer, so calls and
// retries add up to the same numbers in both. The policy waits through package task,
// never on the machine's clock. It knows errors by type and code, never by text. It
// has no quota: the SDK's own retryer makes fewer attempts after many failures on a
// client (docs/facts/sdk.md), and a measurement must not depend on what the client
// did before.
package retry

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// Config holds the settings of a policy.
type Config struct {
	// MaxAttempts bounds the attempts of a call, the first included; at least 1.
	MaxAttempts int
	// BaseDelay bounds the wait after the first failed attempt; it doubles with
	// every further one.
	BaseDelay time.Duration
	// ThrottleDelay takes the place of BaseDelay when the service throttled.
	ThrottleDelay time.Duration
	// MaxDelay bounds every wait.
	MaxDelay time.Duration
	// Seed decides the jitter.
	Seed uint64
}

// DefaultConfig returns what the SDK does for a service without settings of its
// own: 3 attempts, 50 ms, throttled 1 s, at most 20 s (aws-sdk-go-v2 v1.48.0,
// package aws/retry).
func DefaultConfig() Config {
	return Config{
		MaxAttempts:   3,
		BaseDelay:     50 * time.Millisecond,
		ThrottleDelay: time.Second,
		MaxDelay:      20 * time.Second,
	}
}

// DynamoDBConfig returns what the SDK does for DynamoDB: 4 attempts, 25 ms
// (service/dynamodb v1.74.0).
func DynamoDBConfig() Config {
	c := DefaultConfig()
	c.MaxAttempts, c.BaseDelay = 4, 25*time.Millisecond
	return c
}

// S3Config returns what the SDK does for S3, which has no settings of its own.
func S3Config() Config { return DefaultConfig() }

// Validate names the first setting that is out of range.
func (c Config) Validate() error {
	switch {
	case c.MaxAttempts < 1:
		return fmt.Errorf("retry: MaxAttempts is %d, expected at least 1", c.MaxAttempts)
	case c.BaseDelay <= 0:
		return fmt.Errorf("retry: BaseDelay is %v, expected more than 0", c.BaseDelay)
	case c.ThrottleDelay <= 0:
		return fmt.Errorf("retry: ThrottleDelay is %v, expected more than 0", c.ThrottleDelay)
	case c.MaxDelay <= 0:
		return fmt.Errorf("retry: MaxDelay is %v, expected more than 0", c.MaxDelay)
	}
	return nil
}

// Policy decides about retries. Any number of clients and calls may share one.
type Policy struct {
	cfg Config

	mu     sync.Mutex // never held over a yield
	jitter *rand.Rand
}

// New returns a policy, or the error of cfg.Validate.
func New(cfg Config) (*Policy, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	return &Policy{cfg: cfg, jitter: rand.New(rand.NewPCG(cfg.Seed, streamJitter))}, nil
}

// streamJitter tells the jitter's random numbers from others of the same seed.
const streamJitter = 0x6a6974746572

// delay draws a wait between 0 and the bound of the attempt: the SDK's "full
// jitter", in integers, so that it is the same number on every machine.
func (p *Policy) delay(attempt int, err error) time.Duration {
	bound := p.cfg.BaseDelay
	if throttled(err) {
		bound = p.cfg.ThrottleDelay
	}
	bound = min(bound, p.cfg.MaxDelay)
	for range attempt - 1 {
		bound += min(bound, p.cfg.MaxDelay-bound)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Duration(p.jitter.Int64N(int64(bound)))
}
