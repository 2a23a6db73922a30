package object

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// attempts watches, through the SDK's retryer, every attempt of one creation,
// over all its calls. An SDK call asks its retryer from the calling goroutine
// only, so there is no lock.
type attempts struct {
	begun    int
	answered int
	watched  bool // the running call asks the retryer
}

// option makes a call ask a.
func (a *attempts) option(o *s3.Options) {
	a.watched = false
	o.Retryer = &watch{RetryerV2: retryerV2(o.Retryer), attempts: a}
}

// book counts a call that never asked the retryer as one attempt.
func (a *attempts) book(err error) {
	if a.watched {
		return
	}
	a.begun++
	if err == nil || answerOf(err).settled() {
		a.answered++
	}
}

// unanswered says whether an attempt got no answer, so that it may have been
// carried out, or may yet be.
func (a *attempts) unanswered() bool { return a.begun > a.answered }

// watch is the client's retryer, looked at and, if need be, overruled.
type watch struct {
	aws.RetryerV2
	*attempts
}

// IsErrorRetryable overrules the retryer once an attempt is unanswered: what
// became of it is found out first.
func (w *watch) IsErrorRetryable(err error) bool {
	return !w.unanswered() && w.RetryerV2.IsErrorRetryable(err)
}

// GetAttemptToken is called before each attempt, after any wait, and what it
// returns is called with the attempt's outcome.
func (w *watch) GetAttemptToken(ctx context.Context) (func(error) error, error) {
	w.watched = true
	release, err := w.RetryerV2.GetAttemptToken(ctx)
	if err != nil {
		return nil, err
	}
	w.begun++
	return func(outcome error) error {
		if outcome == nil || answerOf(outcome).settled() {
			w.answered++
		}
		return release(outcome)
	}, nil
}

// retryerV2 is what the SDK does with the retryers it is given.
func retryerV2(r aws.Retryer) aws.RetryerV2 {
	switch r := r.(type) {
	case nil:
		return aws.NopRetryer{}
	case aws.RetryerV2:
		return r
	default:
		return oldRetryer{r}
	}
}

// oldRetryer is a retryer from before attempt tokens.
type oldRetryer struct{ aws.Retryer }

func (r oldRetryer) GetAttemptToken(context.Context) (func(error) error, error) {
	return r.GetInitialToken(), nil
}
