package write

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/lakebench/lakebench/task"
)

const (
	// tokenLife is how long the service remembers a request token, from the
	// completion of the first request that carried it (TransactWriteItems, API
	// reference). We count from its first sending, which is earlier.
	tokenLife = 10 * time.Minute
	// signatureLife is how long after its signing a request is accepted, however
	// late the network delivers it (IAM User Guide, "AWS Signature Version 4 for
	// API requests").
	signatureLife = 5 * time.Minute
	// clockMargin is for clocks that disagree and the time it takes to sign.
	clockMargin = time.Minute
	// resendWindow is how long after the first a request may be sent again under
	// the same token and still never arrive later than the token lives.
	resendWindow = tokenLife - signatureLife - clockMargin
)

// attempts watches, through the SDK's retryer, every attempt of one mutation. The
// zero value is for a write that must not be sent again after an attempt without
// an answer; with resend, it may be for resendWindow.
//
// An SDK call asks its retryer from the calling goroutine only, so there is no
// lock.
type attempts struct {
	resend bool

	first    time.Time
	begun    int
	answered int
	watched  bool // the running call asks the retryer
}

// option makes a call ask a.
func (a *attempts) option(o *dynamodb.Options) {
	a.watched = false
	o.Retryer = &watch{RetryerV2: retryerV2(o.Retryer), attempts: a}
}

// ready refuses an attempt of a transaction that could arrive after its token's
// end.
func (a *attempts) ready(ctx context.Context) error {
	now := task.Now(ctx)
	if a.begun == 0 {
		a.first = now
	}
	if a.resend && now.Sub(a.first) > resendWindow {
		return errTooLate
	}
	return nil
}

// settle books a call that never asked the retryer as one attempt.
func (a *attempts) settle(err error) {
	if a.watched {
		return
	}
	a.begun++
	if !Unanswered(err) {
		a.answered++
	}
}

// unanswered says whether any attempt got no answer.
func (a *attempts) unanswered() bool { return a.begun > a.answered }

// errTooLate stops a retry that could arrive after its token has expired.
var errTooLate = errors.New("the request token could expire before a retry arrives")

// watch is the client's retryer, looked at and, if need be, overruled.
type watch struct {
	aws.RetryerV2
	*attempts
}

// IsErrorRetryable overrules the retryer once an attempt is unanswered.
func (w *watch) IsErrorRetryable(err error) bool {
	if w.unanswered() && !w.resend {
		return false
	}
	return w.RetryerV2.IsErrorRetryable(err)
}

// GetAttemptToken is called before each attempt, after any wait, and what it
// returns is called with the attempt's outcome.
func (w *watch) GetAttemptToken(ctx context.Context) (func(error) error, error) {
	w.watched = true
	release, err := w.RetryerV2.GetAttemptToken(ctx)
	if err != nil {
		return nil, err
	}
	if err := w.ready(ctx); err != nil {
		return nil, errors.Join(err, release(err))
	}
	w.begun++
	return func(outcome error) error {
		if !Unanswered(outcome) {
			w.answered++
		}
		return release(outcome)
	}, nil
}

// Unanswered says whether the attempt that ended with err got no answer of the
// service, so that it may have been carried out, or may yet be: the connection
// failed, the answer was cut, the context ended, or the service failed (5xx). An
// error that the service names with a status below 500 is an answer, throttles
// included. TransactionInProgress is none: it tells of an earlier attempt that
// still runs.
func Unanswered(err error) bool {
	if err == nil {
		return false
	}
	var named smithy.APIError
	if !errors.As(err, &named) {
		return true
	}
	var running *types.TransactionInProgressException
	if errors.As(err, &running) {
		return true
	}
	var answer interface{ HTTPStatusCode() int }
	if errors.As(err, &answer) {
		return answer.HTTPStatusCode() >= 500
	}
	return named.ErrorFault() != smithy.FaultClient
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
