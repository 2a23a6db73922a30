package v2_test

import (
	"context"
	"maps"
	"sync"
	"testing"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/storetest"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/v2"
)

// TestCauses: every request is booked under the reason for which it is made
// (docs/spec/results.md §2), unless the caller has one of its own.
func TestCauses(t *testing.T) {
	engine, err := dynamo.New(dynamo.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	booked := make(map[string]cause.Label)
	client := storetest.Client(engine.Client(func(ctx context.Context, s dynamo.Served) {
		mu.Lock()
		defer mu.Unlock()
		booked[s.API] = cause.From(ctx)
	}))
	all := func(ctx context.Context, table string, seed uint64) map[string]cause.Label {
		clear(booked)
		cfg := config(client, seed) // tokens are the service's, not the table's
		cfg.Table, cfg.Parallel = table, 4
		if err := v2.Create(ctx, client, cfg); err != nil {
			t.Fatal(err)
		}
		s, err := v2.Open(ctx, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if booked["GetItem"] != cause.Control && cause.From(ctx) == cause.None {
			t.Errorf("the layout record is read for %q, want %q", booked["GetItem"], cause.Control)
		}
		for _, step := range []func() error{
			func() error { return s.CAS(ctx, "tbl/a", store.Absent(), nil) },
			func() error { return s.Delete(ctx, "tbl/a", nil) },
			func() error { return s.GuardedMutate(ctx, store.Guard{Key: "lease/a"}, store.Mutation{Key: "tbl/a"}) },
			func() error { _, err := s.Get(ctx, "tbl/a"); return err },
		} {
			if err := step(); err != nil {
				t.Fatal(err)
			}
		}
		for _, err := range s.List(ctx, "tbl/") {
			if err != nil {
				t.Fatal(err)
			}
		}
		return maps.Clone(booked)
	}
	want := map[string]cause.Label{
		"CreateTable": cause.Control, "DescribeTable": cause.Control,
		"PutItem": cause.Mutate, "DeleteItem": cause.Mutate, "TransactWriteItems": cause.Mutate,
		"GetItem": cause.Point, "Query": cause.List,
	}
	if got := all(context.Background(), "lake_a", 1); !maps.Equal(got, want) {
		t.Errorf("booked under %v, want %v", got, want)
	}
	for api := range want {
		want[api] = cause.Setup
	}
	if got := all(cause.With(context.Background(), cause.Setup), "lake_b", 2); !maps.Equal(got, want) {
		t.Errorf("under a caller's label: %v, want %v", got, want)
	}
}
