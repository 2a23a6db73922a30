package v1_test

import (
	"context"
	"maps"
	"testing"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/storetest"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/v1"
)

// TestCauses: every request is booked under the reason for which it is made
// (docs/spec/results.md §2).
func TestCauses(t *testing.T) {
	engine, err := dynamo.New(dynamo.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	booked := make(map[string]cause.Label)
	client := storetest.Client(engine.Client(func(ctx context.Context, s dynamo.Served) { booked[s.API] = cause.From(ctx) }))
	ctx := context.Background()
	if err := v1.Create(ctx, client, lake); err != nil {
		t.Fatal(err)
	}
	s := openStore(t, config(client, 1))
	for _, step := range []func() error{
		func() error { return s.CAS(ctx, "tbl/a", store.Absent(), nil) },
		func() error { return s.Delete(ctx, "tbl/a", nil) },
		func() error { return s.GuardedMutate(ctx, store.Guard{Key: "lease/a"}, store.Mutation{Key: "tbl/a"}) },
		func() error { _, err := s.Get(ctx, "tbl/a"); return err },
		func() error { _, err := s.Page(ctx, "tbl/", 0, ""); return err },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]cause.Label{
		"CreateTable": cause.Control, "DescribeTable": cause.Control,
		"PutItem": cause.Mutate, "DeleteItem": cause.Mutate, "TransactWriteItems": cause.Mutate,
		"GetItem": cause.Point, "Scan": cause.List,
	}
	if !maps.Equal(booked, want) {
		t.Errorf("booked under %v, want %v", booked, want)
	}
}
