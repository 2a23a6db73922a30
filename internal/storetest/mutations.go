package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/lakebench/lakebench/store"
)

func testPoint(t *testing.T, f Fixture) {
	wantAbsent(t, f.Store, "tbl/a")
	create(t, f.Store, "tbl/a")
	wantValue(t, f.Store, "tbl/a", []byte("tbl/a"))
	wantValue(t, f.Peer, "tbl/a", []byte("tbl/a"))
	wantAbsent(t, f.Store, "tbl/")
	wantAbsent(t, f.Store, "tbl")
	wantAbsent(t, f.Store, "tbl/a/")
}

func testCAS(t *testing.T, f Fixture) {
	ctx, s, key := context.Background(), f.Store, "tbl/a"
	value := func(v string) store.Expectation { return store.Exactly([]byte(v)) }

	err := s.CAS(ctx, key, value("1"), []byte("2"))
	wantConflict(t, "replace what is absent", err, key, store.Found{})
	err = s.CAS(ctx, key, value(""), []byte("2"))
	wantConflict(t, "replace an empty value where there is none", err, key, store.Found{})
	wantAbsent(t, s, key)

	if err := s.CAS(ctx, key, store.Absent(), []byte("1")); err != nil {
		t.Fatalf("create: %v", err)
	}
	err = s.CAS(ctx, key, store.Absent(), []byte("2"))
	wantConflict(t, "create what exists", err, key, holds("1"))
	err = s.CAS(ctx, key, value("0"), []byte("2"))
	wantConflict(t, "replace another value", err, key, holds("1"))
	err = s.CAS(ctx, key, value("11"), []byte("2"))
	wantConflict(t, "replace a value of which this is a prefix", err, key, holds("1"))
	wantValue(t, s, key, []byte("1"))

	if err := s.CAS(ctx, key, value("1"), nil); err != nil {
		t.Fatalf("replace by the empty value: %v", err)
	}
	wantValue(t, s, key, nil)
	err = s.CAS(ctx, key, store.Absent(), []byte("2"))
	wantConflict(t, "create what holds the empty value", err, key, holds(""))
	if err := s.CAS(ctx, key, store.Exactly(nil), []byte("3")); err != nil {
		t.Fatalf("replace the empty value: %v", err)
	}
	wantValue(t, s, key, []byte("3"))
}

func testDelete(t *testing.T, f Fixture) {
	ctx, s, key := context.Background(), f.Store, "tbl/a"
	wantError(t, "delete what is absent", s.Delete(ctx, key, []byte("1")), store.ErrNotFound)
	wantError(t, "delete an empty value where there is none", s.Delete(ctx, key, nil), store.ErrNotFound)
	put(t, s, key, []byte("1"))
	wantConflict(t, "delete another value", s.Delete(ctx, key, []byte("2")), key, holds("1"))
	wantConflict(t, "delete the empty value", s.Delete(ctx, key, nil), key, holds("1"))
	wantValue(t, s, key, []byte("1"))
	if err := s.Delete(ctx, key, []byte("1")); err != nil {
		t.Fatalf("delete: %v", err)
	}
	wantAbsent(t, s, key)
	put(t, s, key, nil)
	if err := s.Delete(ctx, key, nil); err != nil {
		t.Fatalf("delete the empty value: %v", err)
	}
	wantAbsent(t, s, key)
}

// testGuarded goes through every combination of what guard and target hold and
// are expected to hold.
func testGuarded(t *testing.T, f Fixture) {
	states := []*string{nil, ptr(""), ptr("1"), ptr("2")}
	for i, guardHolds := range states {
		for j, guardWants := range states {
			for k, targetHolds := range states {
				for l, targetWants := range states {
					name := fmt.Sprintf("%d%d%d%d", i, j, k, l)
					guardedCase(t, f.Store, "lease/"+name, "tbl/"+name, guardHolds, guardWants, targetHolds, targetWants)
				}
			}
		}
	}
}

func guardedCase(t *testing.T, s store.MetaStore, guard, target string, guardHolds, guardWants, targetHolds, targetWants *string) {
	t.Helper()
	for key, value := range map[string]*string{guard: guardHolds, target: targetHolds} {
		if value != nil {
			put(t, s, key, []byte(*value))
		}
	}
	err := s.GuardedMutate(context.Background(),
		store.Guard{Key: guard, Expect: expect(guardWants)},
		store.Mutation{Key: target, Expect: expect(targetWants), Next: []byte("new")})
	what := fmt.Sprintf("guard holds %s wants %s, target holds %s wants %s", show(guardHolds), show(guardWants), show(targetHolds), show(targetWants))
	after := targetHolds
	switch {
	case show(guardHolds) != show(guardWants):
		wantGuard(t, what, err, guard, found(guardHolds))
	case show(targetHolds) != show(targetWants):
		wantConflict(t, what, err, target, found(targetHolds))
	default:
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
		after = ptr("new")
	}
	for key, value := range map[string]*string{guard: guardHolds, target: after} {
		if value == nil {
			wantAbsent(t, s, key)
		} else {
			wantValue(t, s, key, []byte(*value))
		}
	}
}

func wantGuard(t *testing.T, what string, err error, key string, found store.Found) {
	t.Helper()
	wantError(t, what, err, store.ErrGuard)
	var guard *store.GuardError
	if !errors.As(err, &guard) {
		t.Errorf("%s: error %v is no *GuardError", what, err)
		return
	}
	if guard.Key != key || guard.Found.Exists != found.Exists || string(guard.Found.Value) != string(found.Value) {
		t.Errorf("%s: guard %q holds %v; want %q, which holds %v", what, guard.Key, guard.Found, key, found)
	}
}

func testGuardedDelete(t *testing.T, f Fixture) {
	ctx, s := context.Background(), f.Store
	create(t, s, "lease/a", "tbl/a")
	lease := store.Guard{Key: "lease/a", Expect: store.Exactly([]byte("lease/a"))}
	drop := func(key, value string) store.Mutation {
		return store.Mutation{Key: key, Expect: store.Exactly([]byte(value)), Delete: true}
	}
	err := s.GuardedMutate(ctx, lease, drop("tbl/b", "x"))
	wantConflict(t, "delete what is absent", err, "tbl/b", store.Found{})
	err = s.GuardedMutate(ctx, lease, drop("tbl/a", "x"))
	wantConflict(t, "delete another value", err, "tbl/a", holds("tbl/a"))
	err = s.GuardedMutate(ctx, store.Guard{Key: "lease/a", Expect: store.Absent()}, drop("tbl/a", "tbl/a"))
	wantGuard(t, "delete under a guard that does not hold", err, "lease/a", holds("lease/a"))
	wantValue(t, s, "tbl/a", []byte("tbl/a"))
	if err := s.GuardedMutate(ctx, lease, drop("tbl/a", "tbl/a")); err != nil {
		t.Errorf("delete: %v", err)
	}
	wantAbsent(t, s, "tbl/a")
	wantValue(t, s, "lease/a", []byte("lease/a"))
}

// testValues stores values that text would damage.
func testValues(t *testing.T, f Fixture) {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	for i, value := range [][]byte{{}, {0}, all, []byte("\xff\xfe not UTF-8"), bytes.Repeat([]byte("x"), 5000)} {
		key := fmt.Sprintf("tbl/%d", i)
		put(t, f.Store, key, value)
		wantValue(t, f.Store, key, value)
		put(t, f.Store, key, append(value, '!'))
		if err := f.Store.Delete(context.Background(), key, append(value, '!')); err != nil {
			t.Errorf("delete value %d: %v", i, err)
		}
	}
}

// testInvalid: arguments that mean nothing are refused, whatever is stored.
func testInvalid(t *testing.T, f Fixture) {
	ctx, s := context.Background(), f.Store
	create(t, s, "tbl/a")
	for _, key := range []string{"", "tbl/\xff", "\xc3"} {
		_, err := s.Get(ctx, key)
		wantError(t, fmt.Sprintf("Get(%q)", key), err, store.ErrInvalid)
		wantError(t, fmt.Sprintf("CAS(%q)", key), s.CAS(ctx, key, store.Absent(), nil), store.ErrInvalid)
		wantError(t, fmt.Sprintf("Delete(%q)", key), s.Delete(ctx, key, nil), store.ErrInvalid)
	}
	_, err := s.Page(ctx, "tbl/\xff", 0, "")
	wantError(t, "Page of a prefix that is not UTF-8", err, store.ErrInvalid)
	_, err = s.Page(ctx, "tbl/", -1, "")
	wantError(t, "Page of -1 items", err, store.ErrInvalid)
	for _, err := range s.ListFamily(ctx, "tbl/a") {
		wantError(t, "ListFamily of a path", err, store.ErrInvalid)
	}
	here := store.Exactly([]byte("tbl/a"))
	for what, c := range map[string]struct {
		g store.Guard
		m store.Mutation
	}{
		"guard on the target":  {store.Guard{Key: "tbl/a", Expect: here}, store.Mutation{Key: "tbl/a", Expect: here}},
		"delete of no value":   {store.Guard{Key: "lease/a"}, store.Mutation{Key: "tbl/b", Delete: true}},
		"delete and set":       {store.Guard{Key: "lease/a"}, store.Mutation{Key: "tbl/a", Expect: here, Delete: true, Next: []byte{}}},
		"guard without a key":  {store.Guard{}, store.Mutation{Key: "tbl/a", Expect: here}},
		"target without a key": {store.Guard{Key: "lease/a"}, store.Mutation{}},
	} {
		wantError(t, what, s.GuardedMutate(ctx, c.g, c.m), store.ErrInvalid)
	}
	wantValue(t, s, "tbl/a", []byte("tbl/a"))
}

func ptr(s string) *string { return &s }

func show(s *string) string {
	if s == nil {
		return "nothing"
	}
	return fmt.Sprintf("%q", *s)
}

func expect(s *string) store.Expectation {
	if s == nil {
		return store.Absent()
	}
	return store.Exactly([]byte(*s))
}

func found(s *string) store.Found {
	if s == nil {
		return store.Found{}
	}
	return holds(*s)
}
