package retry

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"syscall"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go"

	"github.com/lakebench/lakebench/internal/attempt"
)

// definite are codes that settle a request whatever the HTTP status is: S3
// sends PreconditionFailed with status 200, which the SDK makes a 500 and
// repeats (docs/facts/s3.md §3.1). Cancelled and conflicting transactions are the
// caller's to repeat, who may know better what to do.
var definite = map[string]bool{
	"ConditionalCheckFailedException": true,
	"PreconditionFailed":              true,
	"TransactionCanceledException":    true,
	"TransactionConflictException":    true,
}

// Retryable reports whether a request that failed with err may succeed when it is
// sent again as it is: the service was throttling, overloaded or not reached, or
// its answer was lost. Whether sending it again is safe is another question.
//
// It follows the SDK's rules (aws-sdk-go-v2 v1.48.0, package aws/retry), but by
// types instead of texts, and it also repeats an answer that was cut short.
func Retryable(err error) bool {
	if err == nil || canceled(err) {
		return false
	}
	if code := attempt.Code(err); definite[code] {
		return false
	} else if _, ok := retry.DefaultRetryableErrorCodes[code]; ok {
		return true
	}
	var says interface{ RetryableError() bool } // the SDK's clock skew error
	if errors.As(err, &says) {
		return says.RetryableError()
	}
	return throttled(err) || serverFault(err) || unreached(err)
}

// canceled reports whether the caller gave up.
func canceled(err error) bool {
	var c interface{ CanceledError() bool }
	return errors.As(err, &c) && c.CanceledError() || errors.Is(err, context.Canceled)
}

// throttled reports whether the service asked for fewer requests.
func throttled(err error) bool {
	if _, ok := retry.DefaultThrottleErrorCodes[attempt.Code(err)]; ok {
		return true
	}
	return attempt.Status(err) == http.StatusTooManyRequests
}

// serverFault reports whether the service failed: by status, if there was one,
// otherwise by the service's model of the error.
func serverFault(err error) bool {
	status := attempt.Status(err)
	if _, ok := retry.DefaultRetryableHTTPStatusCodes[status]; ok {
		return true
	}
	var api smithy.APIError
	return status == 0 && errors.As(err, &api) && api.ErrorFault() == smithy.FaultServer
}

// unreached reports whether the request or its answer got lost on the way.
func unreached(err error) bool {
	// A name that does not exist will not exist a moment later either.
	var dns *net.DNSError
	if errors.As(err, &dns) && dns.IsNotFound {
		return false
	}
	var sending interface{ ConnectionError() bool }
	var timeout interface{ Timeout() bool }
	return errors.As(err, &sending) && sending.ConnectionError() ||
		errors.As(err, &timeout) && timeout.Timeout() ||
		errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) ||
		errors.Is(err, syscall.ECONNRESET) ||
		errors.Is(err, syscall.ECONNREFUSED) ||
		errors.Is(err, syscall.EPIPE)
}
