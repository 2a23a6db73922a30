package storetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/store"
)

// Scenario makes every operation of the contract, in a fixed order, and returns
// the log of the requests that each of them made. The fixture's store must have
// been created and opened through the recorder.
func Scenario(t *testing.T, f Fixture, rec *Recorder) string {
	t.Helper()
	var log strings.Builder
	note := func(operation, outcome string) {
		fmt.Fprintf(&log, "== %s\n", operation)
		for _, line := range rec.Take() {
			log.WriteString(line + "\n")
		}
		fmt.Fprintf(&log, "%s\n\n", outcome)
	}
	note("create the tables and open the store", "ok")
	for _, s := range append(pointSteps(), append(faultSteps(f), listSteps(f)...)...) {
		for _, key := range s.before {
			put(t, f.Peer, key, []byte(key))
		}
		note(s.operation, outcome(s.do(context.Background(), f.Store)))
	}
	return strings.TrimSuffix(log.String(), "\n")
}

// A step is one operation, on a store whose keys in before were created by
// another node just now, each with its own name as value.
type step struct {
	operation string
	before    []string
	do        func(ctx context.Context, s store.MetaStore) (string, error)
}

// outcome puts the result of an operation into words of the contract.
func outcome(result string, err error) string {
	if err == nil {
		return result
	}
	for _, o := range outcomes {
		if errors.Is(err, o) {
			return "error: " + o.Error()
		}
	}
	return "error of the service"
}

func cas(key string, expected store.Expectation, next string) func(ctx context.Context, s store.MetaStore) (string, error) {
	return func(ctx context.Context, s store.MetaStore) (string, error) {
		return "ok", s.CAS(ctx, key, expected, []byte(next))
	}
}

func get(key string) func(ctx context.Context, s store.MetaStore) (string, error) {
	return func(ctx context.Context, s store.MetaStore) (string, error) {
		value, err := s.Get(ctx, key)
		return fmt.Sprintf("value %q", value), err
	}
}

func del(key, expected string) func(ctx context.Context, s store.MetaStore) (string, error) {
	return func(ctx context.Context, s store.MetaStore) (string, error) {
		return "ok", s.Delete(ctx, key, []byte(expected))
	}
}

func mutate(g store.Guard, m store.Mutation) func(ctx context.Context, s store.MetaStore) (string, error) {
	return func(ctx context.Context, s store.MetaStore) (string, error) {
		return "ok", s.GuardedMutate(ctx, g, m)
	}
}

func is(value string) store.Expectation { return store.Exactly([]byte(value)) }

func pointSteps() []step {
	held, lost := store.Guard{Key: "lease/w", Expect: is("lease/w")}, store.Guard{Key: "lease/w", Expect: is("lost")}
	free := store.Guard{Key: "lease/x", Expect: store.Absent()}
	return []step{
		{"get an absent key", nil, get("tbl/a")},
		{"create", nil, cas("tbl/a", store.Absent(), "1")},
		{"get", nil, get("tbl/a")},
		{"create what exists", nil, cas("tbl/a", store.Absent(), "2")},
		{"replace", nil, cas("tbl/a", is("1"), "2")},
		{"replace another value", nil, cas("tbl/a", is("1"), "3")},
		{"replace what is absent", nil, cas("tbl/b", is("1"), "3")},
		{"delete another value", nil, del("tbl/a", "1")},
		{"delete", nil, del("tbl/a", "2")},
		{"delete what is absent", nil, del("tbl/a", "2")},
		{"create under a guard", []string{"lease/w"}, mutate(held, store.Mutation{Key: "tbl/g", Next: []byte("1")})},
		{"replace under a guard that a key is absent", nil, mutate(free, store.Mutation{Key: "tbl/g", Expect: is("1"), Next: []byte("2")})},
		{"replace under a lost guard", nil, mutate(lost, store.Mutation{Key: "tbl/g", Expect: is("2"), Next: []byte("3")})},
		{"replace another value under a guard", nil, mutate(held, store.Mutation{Key: "tbl/g", Expect: is("1"), Next: []byte("3")})},
		{"replace another value under a lost guard", nil, mutate(lost, store.Mutation{Key: "tbl/g", Expect: is("1"), Next: []byte("3")})},
		{"delete under a guard", nil, mutate(held, store.Mutation{Key: "tbl/g", Expect: is("2"), Delete: true})},
		{"guard on the target", nil, mutate(held, store.Mutation{Key: "lease/w", Expect: is("lease/w")})},
		{"create a key in the root family", nil, cas("version", store.Absent(), "1")},
		{"create a key of the family \"root\"", nil, cas("root/x", store.Absent(), "1")},
		{"get a key of 1,025 bytes", nil, get(strings.Repeat("k", 1025))},
	}
}

// faultSteps shows what is sent, and how often, when answers are lost.
func faultSteps(f Fixture) []step {
	with := func(api string, do func(ctx context.Context, s store.MetaStore) (string, error), faults ...Fault) func(ctx context.Context, s store.MetaStore) (string, error) {
		return func(ctx context.Context, s store.MetaStore) (string, error) {
			f.Faults.Next(api, faults...)
			return do(ctx, s)
		}
	}
	put, remove, conflict := "PutItem", "DeleteItem", Refused("TransactionConflictException")
	if f.Single != nil {
		put, remove, conflict = transact, transact, transaction{roles: f.Single}.refused(Target, "TransactionConflict")
	}
	replace := mutate(store.Guard{Key: "lease/f", Expect: is("lease/f")}, store.Mutation{Key: "tbl/f", Expect: is("tbl/f"), Next: []byte("tbl/f")})
	return []step{
		{"get, throttled once", nil, with("GetItem", get("tbl/f"), Refused("ThrottlingException"))},
		{"create, throttled once", nil, with(put, cas("tbl/l", store.Absent(), "1"), Refused("ThrottlingException"))},
		{"replace, the answer lost", nil, with(put, cas("tbl/l", is("1"), "2"), LostReply)},
		{"replace, a conflicting transaction under way", nil, with(put, cas("tbl/l", is("2"), "3"), conflict)},
		{"delete, the answer lost", nil, with(remove, del("tbl/l", "3"), LostReply)},
		{"replace under a guard, the answer lost", []string{"lease/f", "tbl/f"}, with(transact, replace, LostReply)},
		{"replace under a guard, a conflicting transaction under way", nil, with(transact, replace, f.guarded().refused(Guard, "TransactionConflict"))},
	}
}

// listSteps reads 24 tables beside 40 records of another family.
func listSteps(f Fixture) []step {
	list := func(prefix string) func(ctx context.Context, s store.MetaStore) (string, error) {
		return func(ctx context.Context, s store.MetaStore) (string, error) { return drained(s.List(ctx, prefix)) }
	}
	family := func(name string) func(ctx context.Context, s store.MetaStore) (string, error) {
		return func(ctx context.Context, s store.MetaStore) (string, error) { return drained(s.ListFamily(ctx, name)) }
	}
	paged := func(prefix string, limit int) func(ctx context.Context, s store.MetaStore) (string, error) {
		return func(ctx context.Context, s store.MetaStore) (string, error) {
			p, err := s.Page(ctx, prefix, limit, "")
			return fmt.Sprintf("%d entries, more: %v", len(p.Entries), p.Cursor != ""), err
		}
	}
	var lake []string
	for i := range 24 {
		lake = append(lake, fmt.Sprintf("db/%02d", i))
	}
	for i := range 40 {
		lake = append(lake, fmt.Sprintf("append-operation/%02d", i))
	}
	steps := []step{
		{"list a family", lake, list("db/")},
		{"list a prefix in a family", nil, list("db/1")},
		{"list a family by its name", nil, family("db")},
		{"list the root family", nil, family("root")},
		{"list nothing", nil, list("nothing/")},
		{"list a prefix that spans families", nil, list("d")},
		{"a page without a limit", nil, paged("db/", 0)},
		{"a page of 2", nil, paged("db/", 2)},
	}
	if f.AnyPrefix {
		return append(steps, step{"list everything", nil, list("")})
	}
	return steps
}

func drained(seq func(yield func(store.Entry, error) bool)) (string, error) {
	n := 0
	for _, err := range seq {
		if err != nil {
			return "", err
		}
		n++
	}
	return fmt.Sprintf("%d entries", n), nil
}
