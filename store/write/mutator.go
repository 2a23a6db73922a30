package write

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/record"
)

// A Layout says where a layout keeps a key, and what it refuses to keep.
type Layout interface {
	Record(key string) record.Record
	// Check refuses a key, or an item of key and value, over the layout's
	// limits.
	Check(key string, value []byte) error
}

// A Mutator is the mutations of a store whose records are one item each: those of
// store.MetaStore, whose comments hold here.
type Mutator struct {
	Sender *Sender
	Layout Layout
}

// CAS is store.MetaStore's.
func (m Mutator) CAS(ctx context.Context, key string, expected store.Expectation, next []byte) error {
	if err := m.check(key, expected, next); err != nil {
		return err
	}
	r := m.Layout.Record(key)
	err := m.Sender.Put(cause.With(ctx, cause.Mutate), r, expected, next)
	return failed("CAS", r, err)
}

// Delete is store.MetaStore's.
func (m Mutator) Delete(ctx context.Context, key string, expected []byte) error {
	if err := m.check(key, store.Exactly(expected), nil); err != nil {
		return err
	}
	r := m.Layout.Record(key)
	err := m.Sender.Delete(cause.With(ctx, cause.Mutate), r, expected)
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
	guard, target := m.Layout.Record(g.Key), m.Layout.Record(mut.Key)
	action := target.Put(mut.Expect, mut.Next)
	if mut.Delete {
		action = target.Delete(mut.Expect)
	}
	err := m.Sender.Transact(cause.With(ctx, cause.Mutate), []types.TransactWriteItem{guard.Check(g.Expect), action})
	var refusal *RefusedError
	if errors.As(err, &refusal) {
		err = mismatch(refusal, guard, g.Expect, target, mut.Expect)
	}
	return failed("guarded mutation of", target, err)
}

// mismatch turns a refused pair of guard and target into the contract's errors.
func mismatch(refusal *RefusedError, guard record.Record, guardExpect store.Expectation, target record.Record, expect store.Expectation) error {
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
	return CheckLimits(m.Layout, key, expected, next)
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

func failed(operation string, r record.Record, err error) error {
	if err == nil {
		return nil
	}
	return store.Failed(operation, r.Table, r.Name, err)
}
