package item

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// A RefusedError is a transaction that a failed condition cancelled.
type RefusedError struct {
	Action int                             // the action whose condition failed
	Item   map[string]types.AttributeValue // what that action found; empty if nothing
	// Failed are all actions whose conditions failed, Action the first of them: who
	// sent many independent ones can send the rest again.
	Failed []Failure
}

// A Failure is an action whose condition failed, with what it found.
type Failure struct {
	Action int
	Item   map[string]types.AttributeValue // empty if nothing
}

func (r *RefusedError) Error() string {
	return fmt.Sprintf("the condition of action %d failed", r.Action)
}

// Transact sends the actions as one transaction. They are in order of precedence:
// the first action with a fault decides what the answer is. If that is a failed
// condition the error is a *RefusedError; if it is contention the transaction is sent
// again, and in the end the error is store.ErrContention.
//
// The token is set once and kept, with the identical request, until every
// attempt so far has been answered. After an attempt without an answer, only a
// success settles the matter; anything else ends as store.ErrUnknown, refusals
// too, since the lost attempt may land after them
// (docs/spec/metadata-store.md §1).
func (s *Sender) Transact(ctx context.Context, actions []types.TransactWriteItem) error {
	return s.transact(ctx, actions, s.cfg.Backoff.Tries)
}

// TransactOnce is Transact without the back-off: contention is for its caller, who
// learns from Contended which actions it concerned.
func (s *Sender) TransactOnce(ctx context.Context, actions []types.TransactWriteItem) error {
	return s.transact(ctx, actions, 1)
}

func (s *Sender) transact(ctx context.Context, actions []types.TransactWriteItem, tries int) error {
	var in *dynamodb.TransactWriteItemsInput
	var a *attempts
	for try := 1; ; try++ {
		if a == nil || !a.Unanswered() {
			token := s.token()
			in = &dynamodb.TransactWriteItemsInput{TransactItems: actions, ClientRequestToken: &token}
			a = newAttempts(true)
		}
		err := s.call(ctx, in, a)
		if err == nil {
			return nil
		}
		fault := firstFault(err)
		if fault.contended {
			s.contended.Add(1)
			if try < tries {
				if err = s.pause(ctx, try); err == nil {
					continue
				}
				fault.contended = false
			}
		}
		switch {
		case a.Unanswered():
			return s.unsettled(err)
		case fault.refusal != nil:
			fault.refusal.Failed = failures(err)
			return fault.refusal
		case fault.contended:
			return s.givenUp(err, try)
		}
		return s.classified(err)
	}
}

// Contended returns the actions of a transaction, given up for contention, in whose
// way something stood: the others would have been carried out. There are none where
// the service does not tell.
func Contended(err error) (actions []int) {
	for i, reason := range reasons(err) {
		if code(reason) != reasonNone && code(reason) != reasonCondition {
			actions = append(actions, i)
		}
	}
	return actions
}

// call makes one, unless ctx has ended.
func (s *Sender) call(ctx context.Context, in *dynamodb.TransactWriteItemsInput, a *attempts) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := a.ready(ctx); err != nil {
		return err
	}
	_, err := s.cfg.Client.TransactWriteItems(ctx, in, a.option)
	a.Settle(err)
	return err
}

// A fault is what an answer tells of the first action that has one.
type fault struct {
	contended bool
	refusal   *RefusedError
}

// firstFault reads the reasons of a cancelled transaction, in action order. An
// error that is no such answer, or whose first reason is neither contention nor
// a failed condition, is no fault of these kinds.
func firstFault(err error) fault {
	var cancelled *types.TransactionCanceledException
	if !errors.As(err, &cancelled) {
		return fault{contended: conflicted(err)}
	}
	for i, reason := range cancelled.CancellationReasons {
		switch code(reason) {
		case reasonNone:
			continue
		case reasonCondition:
			return fault{refusal: &RefusedError{Action: i, Item: reason.Item}}
		case reasonConflict, reasonThrottled, reasonCapacity:
			return fault{contended: true}
		}
		return fault{}
	}
	return fault{}
}

// failures returns the actions of a cancelled transaction whose conditions failed.
func failures(err error) (failed []Failure) {
	for i, reason := range reasons(err) {
		if code(reason) == reasonCondition {
			failed = append(failed, Failure{Action: i, Item: reason.Item})
		}
	}
	return failed
}

// reasons are those of a cancelled transaction, one an action.
func reasons(err error) []types.CancellationReason {
	var cancelled *types.TransactionCanceledException
	if !errors.As(err, &cancelled) {
		return nil
	}
	return cancelled.CancellationReasons
}

// Reason codes (TransactWriteItems, API reference).
const (
	reasonNone      = "None"
	reasonCondition = "ConditionalCheckFailed"
	reasonConflict  = "TransactionConflict"
	reasonThrottled = "ThrottlingError"
	reasonCapacity  = "ProvisionedThroughputExceeded"
)

func code(r types.CancellationReason) string {
	if r.Code == nil {
		return reasonNone
	}
	return *r.Code
}

// conditionFailed returns the item on which a single write's condition failed.
func conditionFailed(err error) (map[string]types.AttributeValue, bool) {
	var failed *types.ConditionalCheckFailedException
	if !errors.As(err, &failed) {
		return nil, false
	}
	return failed.Item, true
}

// conflicted: a transaction is running on the item of a single write.
func conflicted(err error) bool {
	var conflict *types.TransactionConflictException
	return errors.As(err, &conflict)
}

// throttled: the service refused the request for load.
func throttled(err error) bool {
	var capacity *types.ProvisionedThroughputExceededException
	var throttling *types.ThrottlingException
	var account *types.RequestLimitExceeded
	return errors.As(err, &capacity) || errors.As(err, &throttling) || errors.As(err, &account)
}
