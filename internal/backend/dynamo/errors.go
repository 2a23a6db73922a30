package dynamo

import (
	"fmt"
	"net/http"
	"strings"
)

// code is the name of an error as the service's API reference has it.
type code string

const (
	conditionalCheckFailed      code = "ConditionalCheckFailedException"
	incompleteSignature         code = "IncompleteSignatureException"
	invalidSignature            code = "InvalidSignatureException"
	missingAuthentication       code = "MissingAuthenticationTokenException"
	unrecognizedClient          code = "UnrecognizedClientException"
	idempotentParameterMismatch code = "IdempotentParameterMismatchException"
	internalServerError         code = "InternalServerError"
	limitExceeded               code = "LimitExceededException"
	resourceInUse               code = "ResourceInUseException"
	resourceNotFound            code = "ResourceNotFoundException"
	serializationException      code = "SerializationException"
	transactionCanceled         code = "TransactionCanceledException"
	transactionConflict         code = "TransactionConflictException"
	transactionInProgress       code = "TransactionInProgressException"
	unknownOperation            code = "UnknownOperationException"
	validation                  code = "ValidationException"
)

// A serviceError is an error that the service answers with.
type serviceError struct {
	code    code
	message string
	// item is the stored item, where the request asked for it on a failed
	// condition.
	item *itemView
	// perAction: of a transaction the error cancels, as that action's reason,
	// what it would otherwise refuse.
	perAction bool
	// reasons, one per action of a cancelled transaction, in order.
	reasons []reason
}

func (e *serviceError) Error() string { return string(e.code) + ": " + e.message }

// A reason is what one action did to its transaction. Its zero value is an
// action without fault.
type reason struct {
	code    reasonCode
	message string
	item    *itemView
}

// reasonCode is a code of the API reference's TransactionCanceledException.
type reasonCode string

const (
	reasonNone        reasonCode = ""
	reasonCondition   reasonCode = "ConditionalCheckFailed"
	reasonConflict    reasonCode = "TransactionConflict"
	reasonItemInvalid reasonCode = "ValidationError"
)

// String is the code on the wire: it is None for actions without fault.
func (c reasonCode) String() string {
	if c == reasonNone {
		return "None"
	}
	return string(c)
}

// Messages as the service words them (API reference, TransactionCanceledException;
// the condition's on AWS has no final dot).
const (
	conditionMessage = "The conditional request failed"
	conflictMessage  = "Transaction is ongoing for the item."
)

func invalid(format string, args ...any) *serviceError {
	return &serviceError{code: validation, message: fmt.Sprintf(format, args...)}
}

// tableNotFound is the answer to requests about a table; those about items do
// not name it.
func tableNotFound(name string) *serviceError {
	return &serviceError{code: resourceNotFound, message: "Requested resource not found: Table: " + name + " not found"}
}

// canceled is the error of a transaction that any of reasons stopped.
func canceled(reasons []reason) *serviceError {
	var b strings.Builder
	b.WriteString("Transaction cancelled, please refer cancellation reasons for specific reasons [")
	for i, r := range reasons {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(r.code.String())
	}
	b.WriteString("]")
	return &serviceError{code: transactionCanceled, message: b.String(), reasons: reasons}
}

// outcome is the class of the error in the ledgers.
func (e *serviceError) outcome() string {
	switch e.code {
	case conditionalCheckFailed:
		return OutcomeConditionFailed
	case transactionConflict, transactionInProgress:
		return OutcomeConflict
	case internalServerError:
		return OutcomeServerError
	case transactionCanceled:
		return e.canceledOutcome()
	default:
		return OutcomeOther
	}
}

// canceledOutcome lets a failed condition, which is an answer, win over a
// conflict, which asks for another try.
func (e *serviceError) canceledOutcome() string {
	outcome := OutcomeOther
	for _, r := range e.reasons {
		switch r.code {
		case reasonCondition:
			return OutcomeConditionFailed
		case reasonConflict:
			outcome = OutcomeConflict
		case reasonNone, reasonItemInvalid:
		}
	}
	return outcome
}

// status is the HTTP status: the service uses 400 for all but its own faults.
func (e *serviceError) status() int {
	if e.code == internalServerError {
		return http.StatusInternalServerError
	}
	return http.StatusBadRequest
}

// wireType is the error's name in an answer, with the namespace that the
// service puts before it.
func (e *serviceError) wireType() string {
	switch e.code {
	case validation:
		return "com.amazon.coral.validate#" + string(e.code)
	case serializationException, unknownOperation, incompleteSignature, invalidSignature, missingAuthentication, unrecognizedClient:
		return "com.amazon.coral.service#" + string(e.code)
	default:
		return "com.amazonaws.dynamodb.v20120810#" + string(e.code)
	}
}
