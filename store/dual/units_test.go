package dual_test

import (
	"context"
	"maps"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/storetest"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/control"
)

// served keeps what the service served.
type served struct {
	requests []dynamo.Served
	booked   map[string]cause.Label // the last label, by operation
}

// metered returns a node on a new service whose work is counted.
func metered(t *testing.T, mode control.Mode) (store.MetaStore, *served) {
	t.Helper()
	engine, err := dynamo.New(dynamo.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	s := &served{booked: make(map[string]cause.Label)}
	client := storetest.Client(engine.Client(func(ctx context.Context, r dynamo.Served) {
		s.requests = append(s.requests, r)
		s.booked[r.API] = cause.From(ctx)
	}))
	f := fixture(t, mode, lake, 1, client, client, nil)
	clear(s.booked)
	return f.Store, s
}

// TestUnits: a mutation of at most 1 KB is one request in every mode, and costs the
// write units of docs/spec/metadata-store.md §4's table, whether it creates,
// replaces or removes.
func TestUnits(t *testing.T) {
	ctx := context.Background()
	guard := store.Guard{Key: "lease/a", Expect: is("held")}
	value := []byte(strings.Repeat("v", 900))
	for _, c := range []struct {
		mode            control.Mode
		single, guarded float64
	}{
		{control.ModeV1, 1, 4},
		{control.ModeDual, 6, 8},
		{control.ModeV2Authoritative, 4, 6},
		{control.ModeV2Only, 1, 4},
	} {
		t.Run(c.mode.String(), func(t *testing.T) {
			s, served := metered(t, c.mode)
			if err := s.CAS(ctx, guard.Key, store.Absent(), []byte("held")); err != nil {
				t.Fatal(err)
			}
			for _, op := range []struct {
				name string
				wru  float64
				do   func() error
			}{
				{"create", c.single, func() error { return s.CAS(ctx, "tbl/a", store.Absent(), value) }},
				{"replace", c.single, func() error { return s.CAS(ctx, "tbl/a", store.Exactly(value), []byte("2")) }},
				{"delete", c.single, func() error { return s.Delete(ctx, "tbl/a", []byte("2")) }},
				{"guarded create", c.guarded, func() error {
					return s.GuardedMutate(ctx, guard, store.Mutation{Key: "tbl/b", Next: value})
				}},
				{"guarded replace", c.guarded, func() error {
					return s.GuardedMutate(ctx, guard, store.Mutation{Key: "tbl/b", Expect: store.Exactly(value), Next: []byte("2")})
				}},
				{"guarded delete", c.guarded, func() error {
					return s.GuardedMutate(ctx, guard, store.Mutation{Key: "tbl/b", Expect: is("2"), Delete: true})
				}},
			} {
				served.requests = nil
				if err := op.do(); err != nil {
					t.Fatalf("%s: %v", op.name, err)
				}
				if len(served.requests) != 1 || served.requests[0].WRU != op.wru || served.requests[0].RRU != 0 {
					t.Errorf("%s: served %+v, want one request of %v write units", op.name, served.requests, op.wru)
				}
			}
		})
	}
}

// TestCauses: every request is booked under the reason for which it is made
// (docs/spec/results.md §2).
func TestCauses(t *testing.T) {
	ctx := context.Background()
	for mode, want := range map[control.Mode]map[string]cause.Label{
		control.ModeV1: {
			"PutItem": cause.Mutate, "DeleteItem": cause.Mutate, "TransactWriteItems": cause.Mutate, "GetItem": cause.Point, "Scan": cause.List,
		},
		control.ModeDual:            {"TransactWriteItems": cause.Mutate, "GetItem": cause.Point, "Scan": cause.List},
		control.ModeV2Authoritative: {"TransactWriteItems": cause.Mutate, "GetItem": cause.Point, "Query": cause.List},
		control.ModeV2Only: {
			"PutItem": cause.Mutate, "DeleteItem": cause.Mutate, "TransactWriteItems": cause.Mutate, "GetItem": cause.Point, "Query": cause.List,
		},
	} {
		s, served := metered(t, mode)
		for _, step := range []func() error{
			func() error { return s.CAS(ctx, "tbl/a", store.Absent(), nil) },
			func() error { return s.Delete(ctx, "tbl/a", nil) },
			func() error { return s.GuardedMutate(ctx, store.Guard{Key: "lease/a"}, store.Mutation{Key: "tbl/a"}) },
			func() error { _, err := s.Page(ctx, "tbl/", 0, ""); return err },
			func() error { // the last GetItem before was for the marker in mode dual
				if mode == control.ModeDual && served.booked["GetItem"] != cause.Control {
					t.Errorf("the marker is read for %q, want %q", served.booked["GetItem"], cause.Control)
				}
				_, err := s.Get(ctx, "tbl/a")
				return err
			},
		} {
			if err := step(); err != nil {
				t.Fatal(err)
			}
		}
		if !maps.Equal(served.booked, want) {
			t.Errorf("%v: booked under %v, want %v", mode, served.booked, want)
		}
	}
}

// TestControlCauses: what a node does for its own record and for the switch is
// booked as control, also when a user's mutation makes it do it.
func TestControlCauses(t *testing.T) {
	engine, err := dynamo.New(dynamo.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	var booked []string
	client := storetest.Client(engine.Client(func(ctx context.Context, r dynamo.Served) {
		booked = append(booked, r.API+" "+string(cause.From(ctx)))
	}))
	f := fixture(t, control.ModeDual, lake, 1, client, client, nil)
	finalize(t, records(t, client, lake, 1))
	booked = nil
	if err := f.Store.CAS(context.Background(), "tbl/a", store.Absent(), nil); err != nil {
		t.Fatal(err)
	}
	want := []string{"TransactWriteItems mutate", "GetItem control", "GetItem control", "TransactWriteItems control", "TransactWriteItems mutate"}
	if strings.Join(booked, "\n") != strings.Join(want, "\n") {
		t.Errorf("booked\n%s\nwant\n%s", strings.Join(booked, "\n"), strings.Join(want, "\n"))
	}
}
