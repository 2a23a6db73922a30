// Package attempt counts the attempts that the calls of one mutation make, and
// returns how long to wait between calls.
//
// Whether a mutation may be sent again depends on what became of every
// attempt before, and the one place that sees them all, whatever carries the
// requests, is the retryer that the SDK's options name. So it is watched there.
package attempt

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// A Watch counts the attempts of one mutation, over all its calls. An SDK call asks
// its retryer from the calling goroutine only, so there is no lock.
type Watch struct {
	// Answered reports whether the attempt that ended with err, which is not nil, got
	// an answer of the service. One without may have been carried out, or may yet
	// be.
	Answered func(err error) bool
	// Resend lets the retryer repeat an attempt without an answer.
	Resend bool
	// Ready, if there is one, is asked before each attempt that a call makes. Its
	// error ends the call.
	Ready func(ctx context.Context) error

	begun, answered int
	watched         bool // the running call asks the retryer
}

// Retryer begins a call. It returns what is to be the call's retryer: r, which the
// call would have had, watched.
func (w *Watch) Retryer(r aws.Retryer) aws.RetryerV2 {
	w.watched = false
	return &watched{RetryerV2: RetryerV2(r), watch: w}
}

// Settle ends a call, which returned err. One that never asked its retryer is
// booked as one attempt.
func (w *Watch) Settle(err error) {
	if w.watched {
		return
	}
	w.begun++
	w.end(err)
}

func (w *Watch) end(outcome error) {
	if outcome == nil || w.Answered(outcome) {
		w.answered++
	}
}

// Begun returns the number of attempts so far.
func (w *Watch) Begun() int { return w.begun }

// Unanswered reports whether any attempt got no answer.
func (w *Watch) Unanswered() bool { return w.begun > w.answered }

// watched is a call's retryer, looked at and, if need be, overruled.
type watched struct {
	aws.RetryerV2
	watch *Watch
}

// IsErrorRetryable overrules the retryer once an attempt is unanswered.
func (r *watched) IsErrorRetryable(err error) bool {
	if r.watch.Unanswered() && !r.watch.Resend {
		return false
	}
	return r.RetryerV2.IsErrorRetryable(err)
}

// GetAttemptToken is called before each attempt, after any wait, and what it
// returns is called with the attempt's outcome.
func (r *watched) GetAttemptToken(ctx context.Context) (func(error) error, error) {
	r.watch.watched = true
	release, err := r.RetryerV2.GetAttemptToken(ctx)
	if err != nil {
		return nil, err
	}
	if r.watch.Ready != nil {
		if err := r.watch.Ready(ctx); err != nil {
			return nil, errors.Join(err, release(err))
		}
	}
	r.watch.begun++
	return func(outcome error) error {
		r.watch.end(outcome)
		return release(outcome)
	}, nil
}

// RetryerV2 returns what the SDK makes of the retryer that its options name
// (aws-sdk-go-v2 v1.48.0, aws/retry).
func RetryerV2(r aws.Retryer) aws.RetryerV2 {
	switch r := r.(type) {
	case nil:
		return aws.NopRetryer{}
	case aws.RetryerV2:
		return r
	default:
		return firstRetryer{r}
	}
}

// firstRetryer is a retryer from before attempt tokens.
type firstRetryer struct{ aws.Retryer }

func (r firstRetryer) GetAttemptToken(context.Context) (func(error) error, error) {
	return r.GetInitialToken(), nil
}
