package dynamo

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

// direct is the error in the SDK's types.
func (e *serviceError) direct() error {
	message := &e.message
	switch e.code {
	case conditionalCheckFailed:
		return &types.ConditionalCheckFailedException{Message: message, Item: e.item.direct()}
	case idempotentParameterMismatch:
		return &types.IdempotentParameterMismatchException{Message: message}
	case internalServerError:
		return &types.InternalServerError{Message: message}
	case limitExceeded:
		return &types.LimitExceededException{Message: message}
	case resourceInUse:
		return &types.ResourceInUseException{Message: message}
	case resourceNotFound:
		return &types.ResourceNotFoundException{Message: message}
	case transactionCanceled:
		return &types.TransactionCanceledException{Message: message, CancellationReasons: directReasons(e.reasons)}
	case transactionConflict:
		return &types.TransactionConflictException{Message: message}
	case transactionInProgress:
		return &types.TransactionInProgressException{Message: message}
	case serializationException, unknownOperation, validation,
		incompleteSignature, invalidSignature, missingAuthentication, unrecognizedClient:
		// The SDK has no type for these.
	}
	return &smithy.GenericAPIError{Code: string(e.code), Message: e.message, Fault: smithy.FaultClient}
}

func directReasons(reasons []reason) []types.CancellationReason {
	out := make([]types.CancellationReason, len(reasons))
	for i := range reasons {
		r := &reasons[i]
		out[i] = types.CancellationReason{Code: aws.String(r.code.String()), Item: r.item.direct()}
		if r.message != "" {
			out[i].Message = &r.message
		}
	}
	return out
}
