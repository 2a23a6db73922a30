package v2_test

import (
	"context"
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/item"
	"github.com/lakebench/lakebench/store/keyspace"
	"github.com/lakebench/lakebench/store/v1"
	"github.com/lakebench/lakebench/store/v2"
)

// TestOpen: a table that is not what it is taken for is refused.
func TestOpen(t *testing.T) {
	ctx := context.Background()
	_, client := service(t)
	cfg := config(client, 1)
	open := func(what string, want error) {
		t.Helper()
		if _, err := v2.Open(ctx, cfg); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
	}
	open("no table", store.ErrNoTable)
	if err := v1.Create(ctx, client, "lake"); err != nil {
		t.Fatal(err)
	}
	cfg.Table = "lake"
	open("a v1 table", item.ErrWrongKeys)
	cfg.Table = lake
	if err := item.CreateTable(ctx, client, item.Schema{Name: lake, Hash: "bucket", Range: "pk"}); err != nil {
		t.Fatal(err)
	}
	open("no layout record", control.ErrNoLayout)
	if err := v2.Create(ctx, client, cfg); !errors.Is(err, item.ErrTableExists) {
		t.Errorf("create what exists: %v, want ErrExists", err)
	}

	cfg.Table = "other_prefix_v2"
	if err := v2.Create(ctx, client, cfg); err != nil {
		t.Fatal(err)
	}
	open("the table that was made", nil)
	cfg.Shards.Default = 16
	open("other shard counts", control.ErrLayout)
	cfg.Shards = keyspace.DefaultShardCounts()
	cfg.Shards.Families["tbl"] = 9
	open("another count of one family", control.ErrLayout)
}

// TestOtherCounts: a table made with other counts works under those.
func TestOtherCounts(t *testing.T) {
	ctx := context.Background()
	_, client := service(t)
	cfg := config(client, 1)
	cfg.Shards = keyspace.ShardCounts{Families: map[string]int{"tbl": 1}, Default: 130}
	if err := v2.Create(ctx, client, cfg); err != nil {
		t.Fatal(err)
	}
	s := openStore(t, cfg)
	for _, key := range []string{"tbl/a", "tbl/b", "lease/a", "x"} {
		if err := s.CAS(ctx, key, store.Absent(), []byte(key)); err != nil {
			t.Fatal(err)
		}
	}
	if got := listed(t, s, "tbl/"); len(got) != 2 {
		t.Errorf("tables %q, want 2", got)
	}
	if got := listed(t, s, "lease/"); len(got) != 1 {
		t.Errorf("leases %q, want 1", got)
	}
}

func TestConfig(t *testing.T) {
	_, client := service(t)
	for what, change := range map[string]func(*v2.Config){
		"client":     func(c *v2.Config) { c.Client = nil },
		"table":      func(c *v2.Config) { c.Table = "" },
		"shards":     func(c *v2.Config) { c.Shards = keyspace.ShardCounts{} },
		"page limit": func(c *v2.Config) { c.PageLimit = -1 },
		"parallel":   func(c *v2.Config) { c.Parallel = 0 },
		"random":     func(c *v2.Config) { c.Random = nil },
		"back-off":   func(c *v2.Config) { c.Backoff.Tries = 0 },
	} {
		cfg := config(client, 1)
		change(&cfg)
		if _, err := v2.Open(context.Background(), cfg); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("bad %s: %v, want ErrInvalid", what, err)
		}
		if what == "client" {
			continue // Create is given one
		}
		if err := v2.Create(context.Background(), client, cfg); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("create with a bad %s: %v, want ErrInvalid", what, err)
		}
	}
}

// TestMalformed: a record that this program did not write is named, not guessed.
func TestMalformed(t *testing.T) {
	ctx := context.Background()
	_, client := service(t)
	cfg := config(client, 1)
	if err := v2.Create(ctx, client, cfg); err != nil {
		t.Fatal(err)
	}
	item := v2.Item(cfg.Shards, "tbl/odd", nil)
	item["value"] = &types.AttributeValueMemberS{Value: "text"}
	if _, err := client.PutItem(ctx, &dynamodb.PutItemInput{TableName: &cfg.Table, Item: item}); err != nil {
		t.Fatal(err)
	}
	s := openStore(t, cfg)
	_, getErr := s.Get(ctx, "tbl/odd")
	var listErr error
	for _, err := range s.List(ctx, "tbl/") {
		listErr = err
	}
	for what, err := range map[string]error{
		"Get": getErr, "List": listErr,
		"CAS":           s.CAS(ctx, "tbl/odd", store.Absent(), nil),
		"Delete":        s.Delete(ctx, "tbl/odd", nil),
		"GuardedMutate": s.GuardedMutate(ctx, store.Guard{Key: "tbl/odd"}, store.Mutation{Key: "tbl/a"}),
	} {
		if !errors.Is(err, store.ErrMalformed) {
			t.Errorf("%s: %v, want ErrMalformed", what, err)
		}
	}
}
