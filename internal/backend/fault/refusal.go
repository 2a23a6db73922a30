package fault

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

// A Refusal is an error that a service answers with.
type Refusal struct {
	Service Service
	Status  int    // HTTP
	Code    string // as the API reference names the error
	Message string
	Bare    bool // without a body, so that the code does not arrive
	// Reasons are the codes of a cancelled transaction's actions, in order.
	Reasons []string
}

// noReason is the reason of an action that did not fail (API Reference,
// TransactionCanceledException).
const noReason = "None"

// refusal returns the service's answer to a request by a decision.
func refusal(req Request, d Decision) Refusal {
	r := Refusal{Service: req.Service, Message: "injected by fault " + d.Rule.String()}
	switch {
	case req.Service == S3:
		r.Status, r.Code, r.Bare = s3Refusal(d.Effect)
	case d.Effect.Form == FormAction:
		r.cancel(d, "ThrottlingError")
	case d.Effect.Kind == Throttle:
		r.Status, r.Code = http.StatusBadRequest, dynamoThrottle(d.Effect.Form)
	case d.Effect.Kind == Conflict && strings.HasPrefix(req.Operation, "Transact"):
		r.cancel(d, "TransactionConflict")
	case d.Effect.Kind == Conflict:
		r.Status, r.Code = http.StatusBadRequest, "TransactionConflictException"
	case d.Effect.Form == Form503:
		r.Status, r.Code = http.StatusServiceUnavailable, "ServiceUnavailable"
	default:
		r.Status, r.Code = http.StatusInternalServerError, "InternalServerError"
	}
	return r
}

// cancel makes it the cancellation of a transaction, because of one action.
func (r *Refusal) cancel(d Decision, code string) {
	r.Status, r.Code = http.StatusBadRequest, "TransactionCanceledException"
	for i := range max(d.Actions, 1) {
		reason := noReason
		if i == d.Action {
			reason = code
		}
		r.Reasons = append(r.Reasons, reason)
	}
}

// dynamoThrottle is the error by the limit that was hit (Developer Guide, "Error
// handling with DynamoDB"; docs/facts/dynamodb.md §3.6).
func dynamoThrottle(f Form) string {
	switch f {
	case FormOnDemand:
		return "ThrottlingException"
	case FormAccount:
		return "RequestLimitExceeded"
	default:
		return "ProvisionedThroughputExceededException"
	}
}

// s3Refusal is after Amazon S3 API Reference, "Error responses", and
// docs/facts/s3.md §3.
func s3Refusal(e Effect) (status int, code string, bare bool) {
	if e.Kind == Throttle {
		return http.StatusServiceUnavailable, "SlowDown", false
	}
	switch e.Form {
	case Form503:
		return http.StatusServiceUnavailable, "ServiceUnavailable", false
	case Form403:
		return http.StatusForbidden, "AccessDenied", false
	case Form409:
		return http.StatusConflict, "ConditionalRequestConflict", false
	case Form409Bare:
		return http.StatusConflict, "ConditionalRequestConflict", true
	case Form304:
		return http.StatusNotModified, "NotModified", true
	case Form200:
		return http.StatusOK, "InternalError", false
	case Form200Precondition:
		return http.StatusOK, "PreconditionFailed", false
	default:
		return http.StatusInternalServerError, "InternalError", false
	}
}

// Err returns a refusal of DynamoDB as the SDK's client returns it, without what
// belongs to the SDK's call: for transports that have no wire. What the SDK has no
// type for is a *smithy.GenericAPIError.
func (r Refusal) Err() error {
	message := aws.String(r.Message)
	switch r.Code {
	case "InternalServerError":
		return &types.InternalServerError{Message: message}
	case "ProvisionedThroughputExceededException":
		return &types.ProvisionedThroughputExceededException{Message: message}
	case "ThrottlingException":
		return &types.ThrottlingException{Message: message}
	case "RequestLimitExceeded":
		return &types.RequestLimitExceeded{Message: message}
	case "TransactionConflictException":
		return &types.TransactionConflictException{Message: message}
	case "TransactionCanceledException":
		return &types.TransactionCanceledException{Message: aws.String(r.canceledMessage()), CancellationReasons: r.reasons()}
	}
	f := smithy.FaultClient
	if r.Status >= http.StatusInternalServerError {
		f = smithy.FaultServer
	}
	return &smithy.GenericAPIError{Code: r.Code, Message: r.Message, Fault: f}
}

func (r Refusal) reasons() []types.CancellationReason {
	reasons := make([]types.CancellationReason, len(r.Reasons))
	for i, code := range r.Reasons {
		reasons[i].Code = aws.String(code)
		if code != noReason {
			reasons[i].Message = aws.String(r.Message)
		}
	}
	return reasons
}

// canceledMessage is the service's text (docs/facts/dynamodb.md §3.5).
func (r Refusal) canceledMessage() string {
	return fmt.Sprintf("Transaction cancelled, please refer cancellation reasons for specific reasons [%s]", strings.Join(r.Reasons, ", "))
}
