package checker_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/sim/checker"
	"github.com/lakebench/lakebench/store"
)

// recorded is a store whose operations are recorded: what a workload puts
// between its actors and the store.
type recorded struct {
	store.MetaStore
	recorder *checker.Recorder
}

func (r recorded) Get(ctx context.Context, key string) ([]byte, error) {
	p := r.recorder.Begin(ctx, cause.Actor(ctx), checker.Call{Kind: checker.Get, Key: key})
	v, err := r.MetaStore.Get(ctx, key)
	switch {
	case err == nil:
		p.End(ctx, checker.Answer{Outcome: checker.OK, Found: checker.Bytes(v)})
	case errors.Is(err, store.ErrNotFound):
		p.End(ctx, checker.Answer{Outcome: checker.NotFound})
	default: // a read that failed changed nothing and saw nothing
		p.End(ctx, checker.Answer{Outcome: checker.Refused})
	}
	return v, err
}

func (r recorded) CAS(ctx context.Context, key string, expected store.Expectation, next []byte) error {
	p := r.recorder.Begin(ctx, cause.Actor(ctx),
		checker.Call{Kind: checker.CAS, Key: key, Expect: expect(expected), Next: checker.Bytes(next)})
	err := r.MetaStore.CAS(ctx, key, expected, next)
	p.End(ctx, mutationAnswer(err))
	return err
}

func (r recorded) GuardedMutate(ctx context.Context, g store.Guard, m store.Mutation) error {
	next := checker.Bytes(m.Next)
	if m.Delete {
		next = checker.Absent()
	}
	p := r.recorder.Begin(ctx, cause.Actor(ctx), checker.Call{Kind: checker.Guarded,
		Key: m.Key, Expect: expect(m.Expect), Next: next, Guard: g.Key, GuardExpect: expect(g.Expect)})
	err := r.MetaStore.GuardedMutate(ctx, g, m)
	p.End(ctx, mutationAnswer(err))
	return err
}

func (r recorded) Delete(ctx context.Context, key string, expected []byte) error {
	p := r.recorder.Begin(ctx, cause.Actor(ctx),
		checker.Call{Kind: checker.Delete, Key: key, Expect: checker.Bytes(expected)})
	err := r.MetaStore.Delete(ctx, key, expected)
	p.End(ctx, mutationAnswer(err))
	return err
}

func expect(e store.Expectation) checker.Value {
	if v, exists := e.Value(); exists {
		return checker.Bytes(v)
	}
	return checker.Absent()
}

// mutationAnswer classifies the error of a mutation. Only what the contract
// calls definite is: every other error, a cancelled context among them, leaves
// open whether the service acted.
func mutationAnswer(err error) checker.Answer {
	var conflict *store.ConflictError
	var guard *store.GuardError
	switch {
	case err == nil:
		return checker.Answer{Outcome: checker.OK}
	case errors.As(err, &guard):
		return checker.Answer{Outcome: checker.GuardFailed, Found: found(guard.Found)}
	case errors.As(err, &conflict):
		return checker.Answer{Outcome: checker.Conflict, Found: found(conflict.Found)}
	case errors.Is(err, store.ErrNotFound):
		return checker.Answer{Outcome: checker.NotFound}
	case errors.Is(err, store.ErrContention), errors.Is(err, store.ErrInvalid), errors.Is(err, store.ErrTooLarge):
		return checker.Answer{Outcome: checker.Refused}
	default:
		return checker.Answer{Outcome: checker.Unknown}
	}
}

// found says nothing where Exists is false: that also means that the service did
// not return the item.
func found(f store.Found) checker.Value {
	if f.Exists {
		return checker.Bytes(f.Value)
	}
	return checker.Value{}
}

// forgetful is a store that serves reads from before the last write.
type forgetful struct {
	store.MetaStore
	values map[string][]byte
	before map[string][]byte
}

func (f *forgetful) Get(_ context.Context, key string) ([]byte, error) {
	if v, ok := f.before[key]; ok {
		return v, nil
	}
	return nil, store.ErrNotFound
}

func (f *forgetful) CAS(_ context.Context, key string, expected store.Expectation, next []byte) error {
	v, ok := f.values[key]
	if !expected.Met(v, ok) {
		return &store.ConflictError{Key: key, Expected: expected, Found: store.Found{Value: v, Exists: ok}}
	}
	if ok {
		f.before[key] = v
	}
	f.values[key] = next
	return nil
}

func Example() {
	ctx := cause.WithActor(context.Background(), "client-1")
	recorder := checker.NewRecorder(ctx)
	s := recorded{&forgetful{values: map[string][]byte{}, before: map[string][]byte{}}, recorder}

	_ = s.CAS(ctx, "tbl/a", store.Absent(), []byte("1"))
	_ = s.CAS(ctx, "tbl/a", store.Exactly([]byte("1")), []byte("2"))
	_ = s.CAS(ctx, "tbl/a", store.Exactly([]byte("1")), []byte("3"))
	_, _ = s.Get(ctx, "tbl/a")

	result, err := checker.Check(ctx, recorder.History(), checker.DefaultLimits())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Verdict)
	for _, o := range result.Failing.Operations {
		fmt.Println(o)
	}
	// Output:
	// failed
	// client-1: cas "tbl/a" nothing → "1": ok
	// client-1: cas "tbl/a" "1" → "2": ok
	// client-1: get "tbl/a": ok, found "1"
}
