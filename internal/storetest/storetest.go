// Package storetest is the one suite that every metadata store must pass, on the
// embedded service and on real servers alike.
//
// What the contract promises is tested through the contract. The
// suite knows no layout; what a layout does on the wire is written down apart, in
// request logs that a reviewer reads (Recorder, Scenario). Expected values come
// from the specification and from a model that is a map.
package storetest

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lakebench/lakebench/store"
)

// A Fixture is a store to test, opened on tables that hold no records.
type Fixture struct {
	Store store.MetaStore
	// Peer is another node's view of the same tables. Faults do not reach it.
	Peer store.MetaStore
	// Faults makes requests of Store fail; nil if they cannot be made to, and
	// then the tests of lost and refused requests are left out.
	Faults *Faults

	MaxKeyBytes int
	// ItemBytes is the size of an item by DynamoDB's rules; 409,600 is the most.
	ItemBytes func(key string, value []byte) int
	// AnyPrefix: prefixes that span families are read, not refused.
	AnyPrefix bool

	// Single are the actions of the transaction that a CAS or a Delete becomes;
	// nil: it is one conditional write. Guarded are those of a GuardedMutate; nil:
	// guard and target.
	Single, Guarded []Role
}

// A Role is what an action of a transaction is about.
type Role int

// What the suite knows of actions: those of the contract, and others that the
// layout adds.
const (
	Guard Role = iota
	Target
	Other
)

// Run runs the suite. Each test opens a fixture of its own.
func Run(t *testing.T, open func(t *testing.T) Fixture) {
	run := func(name string, test func(t *testing.T, f Fixture)) {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
	run("point", testPoint)
	run("cas", testCAS)
	run("delete", testDelete)
	run("guarded", testGuarded)
	run("guarded-delete", testGuardedDelete)
	run("values", testValues)
	run("invalid", testInvalid)
	run("limits", testLimits)
	run("keys", testKeys)
	run("families", testFamilies)
	run("pages", testPages)
	run("page-of-nothing", testPageOfNothing)
	run("pages-under-change", testPagesUnderChange)
	run("cursors", testCursors)
	run("early-stop", testEarlyStop)
	run("ended-context", testEndedContext)
	run("contended-counter", testContendedCounter)
	run("fenced-writers", testFencedWriters)
	t.Run("random", func(t *testing.T) { testRandom(t, open) })
	t.Run("faults", func(t *testing.T) { testFaults(t, open) })
}

// put creates or overwrites a key, whatever it holds.
func put(t *testing.T, s store.MetaStore, key string, value []byte) {
	t.Helper()
	expected := store.Absent()
	if old, err := s.Get(context.Background(), key); err == nil {
		expected = store.Exactly(old)
	}
	if err := s.CAS(context.Background(), key, expected, value); err != nil {
		t.Fatalf("CAS(%q): %v", key, err)
	}
}

// create creates each key with its own name as value.
func create(t *testing.T, s store.MetaStore, keys ...string) {
	t.Helper()
	for _, key := range keys {
		if err := s.CAS(context.Background(), key, store.Absent(), []byte(key)); err != nil {
			t.Fatalf("create %q: %v", key, err)
		}
	}
}

// wantValue checks what a key holds.
func wantValue(t *testing.T, s store.MetaStore, key string, want []byte) {
	t.Helper()
	got, err := s.Get(context.Background(), key)
	if err != nil {
		t.Errorf("Get(%q): %v", key, err)
		return
	}
	if got == nil {
		t.Errorf("Get(%q) = nil, want a value", key)
	}
	if string(got) != string(want) {
		t.Errorf("Get(%q) = %q, want %q", key, got, want)
	}
}

// wantAbsent checks that a key does not exist.
func wantAbsent(t *testing.T, s store.MetaStore, key string) {
	t.Helper()
	if got, err := s.Get(context.Background(), key); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("Get(%q) = %q, %v; want ErrNotFound", key, got, err)
	}
}

// outcomes are the errors of the contract that exclude one another.
var outcomes = []error{
	store.ErrNotFound, store.ErrConflict, store.ErrGuard, store.ErrUnknown, store.ErrContention, store.ErrWritesPaused, store.ErrMirrorConflict,
	store.ErrBadCursor, store.ErrPrefixSpansFamilies, store.ErrTooLarge, store.ErrInvalid,
}

// wantError checks that err is want, and none of the other outcomes.
func wantError(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: error %v, want %v", what, err, want)
		return
	}
	for _, other := range outcomes {
		if !errors.Is(want, other) && errors.Is(err, other) {
			t.Errorf("%s: error %v is both %v and %v", what, err, want, other)
		}
	}
}

// wantConflict checks that err is an ErrConflict that tells what was found.
func wantConflict(t *testing.T, what string, err error, key string, found store.Found) {
	t.Helper()
	wantError(t, what, err, store.ErrConflict)
	var conflict *store.ConflictError
	if !errors.As(err, &conflict) {
		t.Errorf("%s: error %v is no *ConflictError", what, err)
		return
	}
	if conflict.Key != key || conflict.Found.Exists != found.Exists || string(conflict.Found.Value) != string(found.Value) {
		t.Errorf("%s: conflict on %q, which holds %v; want %q, which holds %v", what, conflict.Key, conflict.Found, key, found)
	}
}

func holds(value string) store.Found { return store.Found{Value: []byte(value), Exists: true} }

// wantListing checks that a drain returns exactly these records, each once.
func wantListing(t *testing.T, what string, seq func(yield func(store.Entry, error) bool), want map[string]string) {
	t.Helper()
	got := make(map[string]string)
	for e, err := range seq {
		if err != nil {
			t.Errorf("%s: %v", what, err)
			return
		}
		if _, twice := got[e.Key]; twice {
			t.Errorf("%s: key %q came twice", what, e.Key)
		}
		got[e.Key] = string(e.Value)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// named is a listing of keys that hold their own names, as create leaves them.
func named(keys ...string) map[string]string {
	m := make(map[string]string, len(keys))
	for _, key := range keys {
		m[key] = key
	}
	return m
}
