package dual

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/item"
)

// A change is one mutation of the contract, whatever transaction it becomes.
type change struct {
	operation string // for messages
	guard     *store.Guard
	key       string
	expect    store.Expectation
	next      []byte
	remove    bool
}

// CAS implements store.MetaStore.
func (s *Store) CAS(ctx context.Context, key string, expected store.Expectation, next []byte) error {
	return s.mutate(ctx, change{operation: "CAS", key: key, expect: expected, next: next},
		func(m store.MetaStore) error { return m.CAS(ctx, key, expected, next) })
}

// Delete implements store.MetaStore.
func (s *Store) Delete(ctx context.Context, key string, expected []byte) error {
	return s.mutate(ctx, change{operation: "delete", key: key, expect: store.Exactly(expected), remove: true},
		func(m store.MetaStore) error { return m.Delete(ctx, key, expected) })
}

// GuardedMutate implements store.MetaStore.
func (s *Store) GuardedMutate(ctx context.Context, g store.Guard, m store.Mutation) error {
	return s.mutate(ctx, change{operation: "guarded mutation of", guard: &g, key: m.Key, expect: m.Expect, next: m.Next, remove: m.Delete},
		func(inner store.MetaStore) error { return inner.GuardedMutate(ctx, g, m) })
}

// mutate makes a change in the node's mode. Where the node writes one layout alone
// that layout's store does it.
func (s *Store) mutate(ctx context.Context, c change, alone func(store.MetaStore) error) error {
	if err := s.serving(); err != nil {
		return store.Failed(c.operation, s.cfg.Table, c.key, err)
	}
	switch s.Mode() {
	case control.ModeV1:
		return alone(s.v1)
	case control.ModeV2Only:
		return alone(s.v2)
	default:
		return s.mutateBoth(ctx, c)
	}
}

// mutateBoth makes a change to both layouts. One that the barrier refuses, all of
// its attempts answered, is made anew if the node finds that v2 is the authority
// now.
func (s *Store) mutateBoth(ctx context.Context, c change) error {
	if err := c.check(s.layout2); err != nil {
		return err
	}
	err := s.both(ctx, c)
	if errors.Is(err, store.ErrWritesPaused) {
		s.paused.Add(1)
		switch final, lookErr := s.look(ctx); {
		case lookErr != nil:
			err = fmt.Errorf("%w; completion marker: %w", err, lookErr)
		case final:
			err = s.both(ctx, c)
		}
	}
	if err != nil {
		return store.Failed(c.operation, s.cfg.Table+" and "+s.table2, c.key, err)
	}
	return nil
}

// check refuses what means nothing, and what has no room in v2.
func (c change) check(layout item.Layout) error {
	if c.guard != nil {
		m := store.Mutation{Key: c.key, Expect: c.expect, Next: c.next, Delete: c.remove}
		if err := store.CheckGuarded(*c.guard, m); err != nil {
			return err
		}
		if err := item.CheckLimits(layout, c.guard.Key, c.guard.Expect, nil); err != nil {
			return err
		}
	}
	return item.CheckLimits(layout, c.key, c.expect, c.next)
}

// both sends the change as one transaction over both layouts.
func (s *Store) both(ctx context.Context, c change) error {
	plan := s.authoritative
	if s.Mode() == control.ModeDual {
		plan = s.dual
	}
	steps := plan(c)
	actions := make([]types.TransactWriteItem, len(steps))
	for i := range steps {
		actions[i] = steps[i].action
	}
	err := s.sender.Transact(cause.With(ctx, cause.Mutate), actions)
	var refusal *item.RefusedError
	if !errors.As(err, &refusal) {
		return err
	}
	step := steps[refusal.Action]
	found, err := step.record.Found(refusal.Item)
	if err != nil {
		return err
	}
	return step.refused(found)
}

// A step is an action of a transaction, and what it means when its condition
// fails. Steps are in order of precedence: the first that fails decides.
type step struct {
	action  types.TransactWriteItem
	record  item.Record
	refused func(store.Found) error
}

// dual returns the steps of a change while v1 is the authority. The barrier comes
// first: once it is there v1 may be behind, and nothing that its conditions say
// may be believed (hazard 4).
func (s *Store) dual(c change) []step {
	r1, r2 := s.layout1.Record(c.key), s.layout2.Record(c.key)
	mirror := item.AbsentOr(c.expect)
	if s.cfg.Mirror == Heal {
		mirror = item.Anything()
	}
	steps := []step{{action: s.records.BarrierAbsent(), refused: func(store.Found) error { return store.ErrWritesPaused }}}
	steps = append(steps, c.guarded(s.layout1)...)
	return append(steps,
		step{c.on(r1, item.Is(c.expect)), r1, c.conflict(r1)},
		step{c.on(r2, mirror), r2, func(found store.Found) error {
			return &MirrorConflictError{Table: r2.Table, Key: c.key, Expected: c.expect, Found: found}
		}})
}

// authoritative returns the steps of a change once v2 is the authority. v1 has no
// condition of its own: nodes that write v2 alone leave it behind.
func (s *Store) authoritative(c change) []step {
	r1, r2 := s.layout1.Record(c.key), s.layout2.Record(c.key)
	return append(c.guarded(s.layout2),
		step{c.on(r2, item.Is(c.expect)), r2, c.conflict(r2)},
		step{c.on(r1, item.Anything()), r1, func(store.Found) error {
			return fmt.Errorf("%w: the service refused an action that has no condition", store.ErrMalformed)
		}})
}

// guarded returns the check of the change's guard, if it has one.
func (c change) guarded(authority item.Layout) []step {
	if c.guard == nil {
		return nil
	}
	g := authority.Record(c.guard.Key)
	return []step{{g.Check(c.guard.Expect), g, func(found store.Found) error {
		return &store.GuardError{Table: g.Table, Key: g.Name, Expected: c.guard.Expect, Found: found}
	}}}
}

// on returns the action that makes the change to one record.
func (c change) on(r item.Record, condition item.Condition) types.TransactWriteItem {
	if c.remove {
		return r.DeleteIf(condition)
	}
	return r.PutIf(condition, c.next)
}

// conflict returns the error of an authority that is not as expected.
func (c change) conflict(authority item.Record) func(store.Found) error {
	return func(found store.Found) error {
		if c.remove && c.guard == nil && !found.Exists {
			return store.ErrNotFound
		}
		return &store.ConflictError{Table: authority.Table, Key: c.key, Expected: c.expect, Found: found}
	}
}
