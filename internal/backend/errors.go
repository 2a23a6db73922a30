package backend

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// Reason is why a service cannot be used.
type Reason string

// The reasons.
const (
	ReasonNoAnswer    Reason = "is unreachable"
	ReasonCredentials Reason = "refuses the credentials"
	ReasonAnonymous   Reason = "needs credentials, and there are none"
	ReasonPermission  Reason = "does not permit this to the caller"
	ReasonMissing     Reason = "lacks the table or bucket in this account and region"
	ReasonRegion      Reason = "is not in this region"
	ReasonUnfit       Reason = "cannot be used"
)

// An UnreachableError is a service that does not answer, or that refuses to work
// for this caller.
type UnreachableError struct {
	Endpoint string
	Reason   Reason
	Err      error
}

// Error is one line: which service, why, and in its own words.
func (e *UnreachableError) Error() string {
	return fmt.Sprintf("%s %s: %s", e.Endpoint, e.Reason, inShort(e.Err))
}

// Unwrap returns the error of the request.
func (e *UnreachableError) Unwrap() error { return e.Err }

// reasons are the codes by which the services say that they will not work for
// this caller, whatever is asked (DynamoDB API reference, "Common Errors"; S3
// API reference, "Error responses").
var reasons = map[string]Reason{
	"ExpiredToken":                        ReasonCredentials,
	"ExpiredTokenException":               ReasonCredentials,
	"IncompleteSignature":                 ReasonCredentials,
	"IncompleteSignatureException":        ReasonCredentials,
	"InvalidAccessKeyId":                  ReasonCredentials,
	"InvalidClientTokenId":                ReasonCredentials,
	"InvalidSignatureException":           ReasonCredentials,
	"InvalidToken":                        ReasonCredentials,
	"MissingAuthenticationToken":          ReasonCredentials,
	"MissingAuthenticationTokenException": ReasonCredentials,
	"RequestExpired":                      ReasonCredentials,
	"RequestTimeTooSkewed":                ReasonCredentials,
	"SignatureDoesNotMatch":               ReasonCredentials,
	"UnrecognizedClientException":         ReasonCredentials,

	"AccessDenied":          ReasonPermission,
	"AccessDeniedException": ReasonPermission,
	"AllAccessDisabled":     ReasonPermission,
	"Forbidden":             ReasonPermission, // AccessDenied to a HEAD
	"NotAuthorized":         ReasonPermission,
	"OptInRequired":         ReasonPermission,

	"NoSuchBucket":              ReasonMissing,
	"ResourceNotFoundException": ReasonMissing,

	"AuthorizationHeaderMalformed":       ReasonRegion, // signed for another region
	"IllegalLocationConstraintException": ReasonRegion,
	"MovedPermanently":                   ReasonRegion, // PermanentRedirect to a HEAD, which has no code
	"PermanentRedirect":                  ReasonRegion,
}

// Classify turns an error of a service into an *UnreachableError if it means
// that the service cannot be reached, refuses the caller, lacks the table or
// bucket, or fails the preflight.
// Any other error comes back as it is.
func (b *Backend) Classify(err error) error { return classify(err, b.where) }

// Classify does what Backend.Classify does for a client that is no backend's, to
// the service at an address.
func Classify(err error, address string) error {
	return classify(err, func(string) string { return address })
}

// classify is Classify; where names the endpoint of a service by the SDK's id.
func classify(err error, where func(service string) string) error {
	var known *UnreachableError
	if err == nil || errors.As(err, &known) {
		return err
	}
	var (
		api   smithy.APIError
		sent  *smithyhttp.RequestSendError
		unfit *PreflightError
	)
	switch {
	case errors.As(err, &unfit):
		return &UnreachableError{Endpoint: where(awss3.ServiceID), Reason: ReasonUnfit, Err: err}
	case errors.As(err, &api):
		if reason, ok := reasons[api.ErrorCode()]; ok {
			return &UnreachableError{Endpoint: where(serviceOf(err)), Reason: reason, Err: err}
		}
	case errors.As(err, &sent) && !errors.Is(err, context.Canceled):
		return &UnreachableError{Endpoint: where(serviceOf(err)), Reason: ReasonNoAnswer, Err: err}
	}
	return err
}

// serviceOf returns the SDK's id of the service that an error is of.
func serviceOf(err error) string {
	var operation *smithy.OperationError
	if errors.As(err, &operation) {
		return operation.ServiceID
	}
	return dynamodb.ServiceID
}

// reasonOf is about an error that makes a service useless in any case.
func reasonOf(err error) Reason {
	var api smithy.APIError
	if errors.As(err, &api) {
		if reason, ok := reasons[api.ErrorCode()]; ok {
			return reason
		}
	}
	return ReasonNoAnswer
}

// unreachable returns err as an *UnreachableError, or why ctx ended.
func (b *Backend) unreachable(ctx context.Context, service string, reason Reason, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &UnreachableError{Endpoint: b.where(service), Reason: reason, Err: err}
}

// noAnswerError means that an endpoint accepts connections and does not answer.
type noAnswerError struct{ after time.Duration }

func (e *noAnswerError) Error() string { return fmt.Sprintf("no answer within %v", e.after) }

// inShort returns what matters of an error of the SDK, which repeats address,
// status and request id: the failure of the network, or what was asked, the
// service's code and its message. Any other error is left as it is.
func inShort(err error) string {
	var (
		network   *net.OpError
		name      *net.DNSError
		operation *smithy.OperationError
		api       smithy.APIError
	)
	switch {
	case errors.As(err, &api) && errors.As(err, &operation):
		return fmt.Sprintf("%s: %s: %s", operation.OperationName, api.ErrorCode(), api.ErrorMessage())
	case errors.As(err, &name):
		return name.Error()
	case errors.As(err, &network):
		return network.Error()
	default:
		return err.Error()
	}
}
