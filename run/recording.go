package run

import (
	"context"
	"errors"
	"iter"
	"strings"

	"github.com/lakebench/lakebench/internal/backend/fault"
	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/sim/checker"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/keyspace"
)

// Recorded is a store all of whose operations are written down for the checker,
// under the actor that ctx names. Page is not: it is a part of a drain. What a
// node makes of an operation after it has crashed (fault.Node) is not either.
//
// A drain is written down as a read of each key that it is about, all of them
// begun and ended with it: a key that exists for the whole drain must come in it,
// with a value that it held meanwhile (docs/spec/metadata-store.md §1).
type Recorded struct {
	store.MetaStore
	recorder *checker.Recorder
	keys     []string
}

// Record returns s with its operations written down by r. keys are all keys that
// drains are expected to meet.
func Record(s store.MetaStore, r *checker.Recorder, keys []string) *Recorded {
	return &Recorded{MetaStore: s, recorder: r, keys: keys}
}

func (r *Recorded) begin(ctx context.Context, c checker.Call) *checker.Pending {
	return r.recorder.Begin(ctx, cause.Actor(ctx), c)
}

// end records the answer, unless the node that asked has crashed: no caller has got
// it then, and the operation has not returned.
func end(ctx context.Context, p *checker.Pending, a checker.Answer) {
	if !errors.Is(context.Cause(ctx), fault.ErrCrashed) {
		p.End(ctx, a)
	}
}

// Get implements store.MetaStore.
func (r *Recorded) Get(ctx context.Context, key string) ([]byte, error) {
	p := r.begin(ctx, checker.Call{Kind: checker.Get, Key: key})
	value, err := r.MetaStore.Get(ctx, key)
	switch {
	case err == nil:
		end(ctx, p, checker.Answer{Outcome: checker.OK, Found: checker.Bytes(value)})
	case errors.Is(err, store.ErrNotFound):
		end(ctx, p, checker.Answer{Outcome: checker.NotFound})
	default: // a read that failed changed nothing and saw nothing
		end(ctx, p, checker.Answer{Outcome: checker.Refused})
	}
	return value, err
}

// CAS implements store.MetaStore.
func (r *Recorded) CAS(ctx context.Context, key string, expected store.Expectation, next []byte) error {
	p := r.begin(ctx, checker.Call{Kind: checker.CAS, Key: key, Expect: expectation(expected), Next: checker.Bytes(next)})
	err := r.MetaStore.CAS(ctx, key, expected, next)
	end(ctx, p, MutationAnswer(err))
	return err
}

// Delete implements store.MetaStore.
func (r *Recorded) Delete(ctx context.Context, key string, expected []byte) error {
	p := r.begin(ctx, checker.Call{Kind: checker.Delete, Key: key, Expect: checker.Bytes(expected)})
	err := r.MetaStore.Delete(ctx, key, expected)
	end(ctx, p, MutationAnswer(err))
	return err
}

// GuardedMutate implements store.MetaStore.
func (r *Recorded) GuardedMutate(ctx context.Context, g store.Guard, m store.Mutation) error {
	next := checker.Bytes(m.Next)
	if m.Delete {
		next = checker.Absent()
	}
	p := r.begin(ctx, checker.Call{
		Kind: checker.Guarded, Key: m.Key, Expect: expectation(m.Expect), Next: next,
		Guard: g.Key, GuardExpect: expectation(g.Expect),
	})
	err := r.MetaStore.GuardedMutate(ctx, g, m)
	end(ctx, p, MutationAnswer(err))
	return err
}

// List implements store.MetaStore.
func (r *Recorded) List(ctx context.Context, prefix string) iter.Seq2[store.Entry, error] {
	return r.drain(ctx, r.MetaStore.List(ctx, prefix), func(key string) bool { return strings.HasPrefix(key, prefix) })
}

// ListFamily implements store.MetaStore.
func (r *Recorded) ListFamily(ctx context.Context, family string) iter.Seq2[store.Entry, error] {
	return r.drain(ctx, r.MetaStore.ListFamily(ctx, family), func(key string) bool { return keyspace.Family(key) == family })
}

// drain records a drain of the keys for which about holds.
func (r *Recorded) drain(ctx context.Context, entries iter.Seq2[store.Entry, error], about func(key string) bool) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		reads := map[string]*checker.Pending{}
		for _, key := range r.keys {
			if about(key) {
				reads[key] = r.begin(ctx, checker.Call{Kind: checker.Get, Key: key})
			}
		}
		found, complete := map[string]checker.Value{}, true
		for e, err := range entries {
			if err == nil {
				found[e.Key] = checker.Bytes(e.Value)
			}
			complete = complete && err == nil
			if !yield(e, err) {
				complete = false
				break
			}
		}
		for _, key := range r.keys {
			if p := reads[key]; p != nil {
				end(ctx, p, drainAnswer(found[key], complete))
			}
		}
	}
}

// drainAnswer is what a drain says of one key: of one that did not come only if
// it went on to its end.
func drainAnswer(found checker.Value, complete bool) checker.Answer {
	switch {
	case found.Said():
		return checker.Answer{Outcome: checker.OK, Found: found}
	case complete:
		return checker.Answer{Outcome: checker.NotFound}
	default:
		return checker.Answer{Outcome: checker.Refused}
	}
}

func expectation(e store.Expectation) checker.Value {
	if v, exists := e.Value(); exists {
		return checker.Bytes(v)
	}
	return checker.Absent()
}

// MutationAnswer says what the error of a mutation tells its caller. Only what
// the contract calls definite is: every other error, that of a context that has
// ended among them, leaves open whether the service acted.
func MutationAnswer(err error) checker.Answer {
	var conflict *store.ConflictError
	var guard *store.GuardError
	switch {
	case err == nil:
		return checker.Answer{Outcome: checker.OK}
	case errors.Is(err, store.ErrUnknown):
		return checker.Answer{Outcome: checker.Unknown}
	case errors.As(err, &guard):
		return checker.Answer{Outcome: checker.GuardFailed, Found: found(guard.Found)}
	case errors.As(err, &conflict):
		return checker.Answer{Outcome: checker.Conflict, Found: found(conflict.Found)}
	case errors.Is(err, store.ErrNotFound):
		return checker.Answer{Outcome: checker.NotFound}
	case errors.Is(err, store.ErrContention), errors.Is(err, store.ErrInvalid), errors.Is(err, store.ErrTooLarge),
		errors.Is(err, store.ErrWritesPaused), errors.Is(err, store.ErrMirrorConflict):
		return checker.Answer{Outcome: checker.Refused}
	default:
		return checker.Answer{Outcome: checker.Unknown}
	}
}

// found says nothing where the service may merely not have returned the item.
func found(f store.Found) checker.Value {
	if f.Exists {
		return checker.Bytes(f.Value)
	}
	return checker.Value{}
}
