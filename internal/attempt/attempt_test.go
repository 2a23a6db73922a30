package attempt

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
)

var (
	errSilence = errors.New("no answer")
	errRefused = errors.New("refused")
)

// eager is a retryer from before attempt tokens that repeats everything, and counts
// what it is told.
type eager struct{ released int }

func (*eager) IsErrorRetryable(error) bool                  { return true }
func (*eager) MaxAttempts() int                             { return 3 }
func (*eager) RetryDelay(int, error) (time.Duration, error) { return 0, nil }
func (*eager) GetRetryToken(context.Context, error) (func(error) error, error) {
	return func(error) error { return nil }, nil
}

func (e *eager) GetInitialToken() func(error) error {
	return func(error) error { e.released++; return nil }
}

// call makes one call as the SDK does, with an attempt for each outcome as long as
// the retryer allows. It returns how many were made.
func call(t *testing.T, r aws.RetryerV2, outcomes ...error) (made int) {
	t.Helper()
	for _, outcome := range outcomes {
		release, err := r.GetAttemptToken(t.Context())
		if err != nil {
			return made
		}
		made++
		if err := release(outcome); err != nil {
			t.Fatal(err)
		}
		if outcome == nil || !r.IsErrorRetryable(outcome) {
			return made
		}
	}
	return made
}

func TestWatch(t *testing.T) {
	answered := func(err error) bool { return !errors.Is(err, errSilence) }
	for name, c := range map[string]struct {
		watch      Watch
		outcomes   []error
		made       int
		unanswered bool
	}{
		"an answer is repeated":      {Watch{}, []error{errRefused, errRefused, nil}, 3, false},
		"silence is not":             {Watch{}, []error{errRefused, errSilence, nil}, 2, true},
		"silence is, with Resend":    {Watch{Resend: true}, []error{errSilence, errRefused, nil}, 3, true},
		"an attempt that may not be": {Watch{Ready: func(context.Context) error { return errRefused }}, []error{nil}, 0, false},
		"success is the end":         {Watch{}, []error{nil, nil}, 1, false},
	} {
		w, e := c.watch, &eager{}
		w.Answered = answered
		made := call(t, w.Retryer(e), c.outcomes...)
		w.Settle(c.outcomes[0])
		if made != c.made || w.Begun() != c.made || w.Unanswered() != c.unanswered {
			t.Errorf("%s: %d attempts, %d counted, unanswered %v; want %d, unanswered %v", name, made, w.Begun(), w.Unanswered(), c.made, c.unanswered)
		}
		if want := max(made, 1); e.released != want { // that of the refused attempt as well
			t.Errorf("%s: %d attempts released, want %d", name, e.released, want)
		}
	}
}

// A transport that does not ask the retryer makes one attempt a call, also after a
// call that did ask.
func TestWatchOfCallsThatDoNotAsk(t *testing.T) {
	w := &Watch{Answered: func(err error) bool { return !errors.Is(err, errSilence) }}
	call(t, w.Retryer(nil), nil)
	w.Settle(nil)
	w.Retryer(nil)
	w.Settle(errRefused)
	if w.Begun() != 2 || w.Unanswered() {
		t.Errorf("%d attempts, unanswered %v; want 2, all answered", w.Begun(), w.Unanswered())
	}
	w.Retryer(nil)
	w.Settle(errSilence)
	if w.Begun() != 3 || !w.Unanswered() {
		t.Errorf("%d attempts, unanswered %v; want 3, the last unanswered", w.Begun(), w.Unanswered())
	}
}
