package metadata

import (
	"errors"
	"slices"

	"github.com/aws/smithy-go"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/store"
)

func isContention(err error) bool { return errors.Is(err, store.ErrContention) }

// isOutcome reports whether the contract lets a mutation end with this error. Errors of the
// service are no outcome: the scenario asks for nothing that it would refuse
// otherwise than for contention or without an answer.
func isOutcome(err error) bool {
	outcomes := []error{
		store.ErrUnknown, store.ErrConflict, store.ErrGuard, store.ErrNotFound, store.ErrContention,
		store.ErrWritesPaused, store.ErrMirrorConflict, // of nodes in mode dual
	}
	return err == nil || slices.ContainsFunc(outcomes, func(o error) bool { return errors.Is(err, o) })
}

// contentionCodes are of requests that were refused for load or for transactions
// of others: as errors, and as the reasons of a cancelled transaction's actions
// (API reference, TransactWriteItems).
var contentionCodes = []string{
	"TransactionConflictException", "ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded",
	"TransactionConflict", "ProvisionedThroughputExceeded", "ThrottlingError",
}

// refusedForContention reports whether a call's error is a refusal for contention. A
// transaction is refused for the reason of its first action with a fault
// (docs/spec/metadata-store.md §1).
func refusedForContention(err error) bool {
	var cancelled *types.TransactionCanceledException
	if errors.As(err, &cancelled) {
		for _, r := range cancelled.CancellationReasons {
			if r.Code != nil && *r.Code != "None" {
				return slices.Contains(contentionCodes, *r.Code)
			}
		}
		return false
	}
	var named smithy.APIError
	return errors.As(err, &named) && slices.Contains(contentionCodes, named.ErrorCode())
}
