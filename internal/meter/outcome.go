package meter

import (
	"context"
	"errors"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	attempts "github.com/lakebench/lakebench/internal/attempt"
)

// Outcome is the class of an attempt's end (docs/spec/results.md §1).
type Outcome uint8

// The outcomes.
const (
	OK              Outcome = iota
	Absent                  // what was asked for is not there
	ConditionFailed         // the request's own condition did not hold
	Conflict                // another request is at work on the same thing
	Throttled               // the service asks for fewer requests
	ServerError             // the service failed
	Timeout                 // no answer in time
	ReplyLost               // the request may have been served, its answer did not arrive whole
	Other                   // refused, cancelled, or not sent for want of a connection
	numOutcomes
)

var outcomeNames = [numOutcomes]string{
	"ok", "absent", "condition-failed", "conflict", "throttled", "server-error", "timeout", "reply-lost", "other",
}

// String returns the name used in results.
func (o Outcome) String() string { return outcomeNames[o] }

// outcomeOfCode has the error codes that say more than their HTTP status. The
// code goes first, since S3 can send PreconditionFailed with status 200, which
// the SDK makes a 500 (docs/facts/s3.md §3.1).
var outcomeOfCode = map[string]Outcome{
	"ConditionalCheckFailedException": ConditionFailed,
	"PreconditionFailed":              ConditionFailed, // S3
	"NotModified":                     ConditionFailed, // S3, If-None-Match of a GET
	"TransactionConflictException":    Conflict,
	// The same token is at work already. The SDK waits and repeats as for a
	// throttle, but nothing was throttled.
	"TransactionInProgressException": Conflict,
	"ConditionalRequestConflict":     Conflict, // S3
	"NoSuchKey":                      Absent,   // S3 GET
	"NotFound":                       Absent,   // S3 HEAD, which has no error code of its own
	"RequestTimeout":                 Timeout,
	"RequestTimeoutException":        Timeout,
}

// classify returns the outcome of an attempt that failed with err.
func classify(err error) Outcome {
	var canceled *types.TransactionCanceledException
	if errors.As(err, &canceled) {
		return classifyReasons(canceled.CancellationReasons)
	}
	code := attempts.Code(err)
	if o, ok := outcomeOfCode[code]; ok {
		return o
	}
	if _, ok := retry.DefaultThrottleErrorCodes[code]; ok {
		return Throttled
	}
	if lost, _ := replyLost(err); lost {
		return ReplyLost
	}
	if status := attempts.Status(err); status >= 300 { // not a 200 without sense
		return classifyStatus(status)
	}
	var api smithy.APIError // of a transport without HTTP
	if errors.As(err, &api) && api.ErrorFault() == smithy.FaultServer {
		return ServerError
	}
	var timeout interface{ Timeout() bool }
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout() {
		return Timeout
	}
	return Other
}

// classifyStatus returns the outcome of an error by its HTTP status alone.
func classifyStatus(status int) Outcome {
	switch {
	case status == http.StatusTooManyRequests:
		return Throttled
	case status == http.StatusConflict:
		return Conflict
	case status == http.StatusPreconditionFailed:
		return ConditionFailed
	case status >= 500:
		return ServerError
	default:
		return Other
	}
}

// outcomeOfReason has the codes of docs/facts/dynamodb.md §3.5; any other is Other.
var outcomeOfReason = map[string]Outcome{
	"ConditionalCheckFailed":        ConditionFailed,
	"TransactionConflict":           Conflict,
	"ProvisionedThroughputExceeded": Throttled,
	"ThrottlingError":               Throttled,
}

// classifyReasons is about a cancelled transaction, whose actions can have
// different reasons. A failed condition is an answer, so it wins over a conflict,
// which asks for another try, and that over a throttle, which asks for one later:
// the order of the constants.
func classifyReasons(reasons []types.CancellationReason) Outcome {
	outcome := Other
	for _, r := range reasons {
		if r.Code == nil {
			continue
		}
		if o, ok := outcomeOfReason[*r.Code]; ok {
			outcome = min(outcome, o)
		}
	}
	return outcome
}
