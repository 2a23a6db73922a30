package item

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/lakebench/lakebench/internal/attempt"
	"github.com/lakebench/lakebench/internal/sim/task"
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

// attempts counts those of one mutation. A write that must not be sent again after
// an attempt without an answer has no resend; with resend, it may be for
// resendWindow.
type attempts struct {
	attempt.Watch
	first time.Time
}

func newAttempts(resend bool) *attempts {
	a := &attempts{}
	a.Watch = attempt.Watch{Answered: func(err error) bool { return !Unanswered(err) }, Resend: resend, Ready: a.ready}
	return a
}

// option makes a call ask a.
func (a *attempts) option(o *dynamodb.Options) { o.Retryer = a.Retryer(o.Retryer) }

// ready refuses an attempt of a transaction that could arrive after its token's
// end.
func (a *attempts) ready(ctx context.Context) error {
	now := task.Now(ctx)
	if a.Begun() == 0 {
		a.first = now
	}
	if a.Resend && now.Sub(a.first) > resendWindow {
		return errTooLate
	}
	return nil
}

// errTooLate stops a retry that could arrive after its token has expired.
var errTooLate = errors.New("the request token could expire before a retry arrives")

// Unanswered reports whether the attempt that ended with err got no answer of the
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
	if status := attempt.Status(err); status > 0 {
		return status >= 500
	}
	return named.ErrorFault() != smithy.FaultClient
}
