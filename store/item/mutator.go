package item

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/store"
)

// A Layout is where a layout keeps a key, and what it refuses to keep.
type Layout interface {
	Record(key string) Record
	// Check refuses a key, or an item of key and value, over the layout's
	// limits.
	Check(key string, value []byte) error
}

// A Mutator has the mutations of store.MetaStore, whose comments hold here, for
// a layout that keeps each record in one item.
type Mutator struct {
	sender *Sender
	layout Layout
}

// NewMutator returns the mutations of a layout's records, sent by sender.
func NewMutator(sender *Sender, layout Layout) Mutator {
	return Mutator{sender: sender, layout: layout}
}

// Stats counts what stood in the way of the mutations.
func (m Mutator) Stats() Stats { return m.sender.Stats() }

// CAS is store.MetaStore's.
func (m Mutator) CAS(ctx context.Context, key string, expected store.Expectation, next []byte) error {
	if err := m.check(key, expected, next); err != nil {
		return err
	}
	r := m.layout.Record(key)
	err := m.sender.Put(cause.With(ctx, cause.Mutate), r, expected, next)
	return failed("CAS", r, err)
}

// Delete is store.MetaStore's.
func (m Mutator) Delete(ctx context.Context, key string, expected []byte) error {
	if err := m.check(key, store.Exactly(expected), nil); err != nil {
		return err
	}
	r := m.layout.Record(key)
	err := m.sender.Delete(cause.With(ctx, cause.Mutate), r, expected)
	return failed("delete", r, err)
}

// GuardedMutate is store.MetaStore's. The guard is the first action, so that its
// fault decides before the target's.
func (m Mutator) GuardedMutate(ctx context.Context, g store.Guard, mut store.Mutation) error {
	if err := store.CheckGuarded(g, mut); err != nil {
		return err
	}
	if err := m.check(g.Key, g.Expect, nil); err != nil {
		return err
	}
	if err := m.check(mut.Key, mut.Expect, mut.Next); err != nil {
		return err
	}
	guard, target := m.layout.Record(g.Key), m.layout.Record(mut.Key)
	action := target.Put(mut.Expect, mut.Next)
	if mut.Delete {
		action = target.Delete(mut.Expect)
	}
	err := m.sender.Transact(cause.With(ctx, cause.Mutate), []types.TransactWriteItem{guard.Check(g.Expect), action})
	var refusal *RefusedError
	if errors.As(err, &refusal) {
		err = mismatch(refusal, guard, g.Expect, target, mut.Expect)
	}
	return failed("guarded mutation of", target, err)
}

// mismatch turns a refused pair of guard and target into the contract's errors.
func mismatch(refusal *RefusedError, guard Record, guardExpect store.Expectation, target Record, expect store.Expectation) error {
	if refusal.Action == 0 {
		found, err := guard.Found(refusal.Item)
		if err != nil {
			return err
		}
		return &store.GuardError{Table: guard.Table, Key: guard.Name, Expected: guardExpect, Found: found}
	}
	found, err := target.Found(refusal.Item)
	if err != nil {
		return err
	}
	return &store.ConflictError{Table: target.Table, Key: target.Name, Expected: expect, Found: found}
}

func (m Mutator) check(key string, expected store.Expectation, next []byte) error {
	return CheckLimits(m.layout, key, expected, next)
}

// CheckLimits applies a layout's limits to both values of a mutation: one that
// could not be stored cannot be what is stored.
func CheckLimits(layout Layout, key string, expected store.Expectation, next []byte) error {
	old, _ := expected.Value()
	if len(old) > len(next) {
		next = old
	}
	return layout.Check(key, next)
}

func failed(operation string, r Record, err error) error {
	if err == nil {
		return nil
	}
	return store.Failed(operation, r.Table, r.Name, err)
}
