//go:build real

package migrate_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/storetest"
	"github.com/lakebench/lakebench/migrate"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/dual"
	"github.com/lakebench/lakebench/store/item"
	"github.com/lakebench/lakebench/store/keyspace"
	v1 "github.com/lakebench/lakebench/store/v1"
	v2 "github.com/lakebench/lakebench/store/v2"
)

// TestRealMigration is a whole migration on the server that LAKEBENCH_TEST_DYNAMODB
// names: a node that writes meanwhile, damage that is repaired, and everything twice.
func TestRealMigration(t *testing.T) {
	endpoint := os.Getenv("LAKEBENCH_TEST_DYNAMODB")
	if endpoint == "" {
		t.Fatal("LAKEBENCH_TEST_DYNAMODB names no server, such as http://127.0.0.1:8000")
	}
	ctx := context.Background()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	client := storetest.ClientAt(endpoint, &http.Client{Transport: transport})
	seed := uint64(time.Now().UnixNano()) // the server remembers request tokens
	name := fmt.Sprintf("lakebench-migrate-%d", seed)
	if err := v1.Create(ctx, client, name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, table := range []string{name, v2.TableName(name)} {
			_, _ = client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: &table}) // v1 is gone by then
		}
	})
	items := records(700, 300)
	cfg := item.DefaultLoadConfig()
	cfg.Random = rand.NewPCG(seed, 1)
	_, err := item.Load(ctx, client, name, func(yield func(map[string]types.AttributeValue) bool) {
		for key, value := range items {
			if !yield(v1.Item(key, []byte(value))) {
				return
			}
		}
	}, cfg)
	if err != nil {
		t.Fatal(err)
	}
	m := realMigrator(t, client, name, seed+1)
	twice(t, "init", func() error { _, err := m.Init(ctx, migrate.InitOptions{}); return err })
	a := realNode(t, client, name, seed+2)
	if err := a.CAS(ctx, "tbl/00001", store.Exactly([]byte(items["tbl/00001"])), []byte("dual")); err != nil {
		t.Fatal(err)
	}
	if err := a.Delete(ctx, "tbl/00002", []byte(items["tbl/00002"])); err != nil {
		t.Fatal(err)
	}
	twice(t, "backfill", func() error {
		r, err := m.Backfill(ctx, migrate.DefaultBackfillOptions())
		if err == nil && (r.Progress.State != control.BackfillComplete || r.Problems.Count != 0) {
			err = fmt.Errorf("%+v", r)
		}
		return err
	})
	if v, err := m.Verify(ctx, migrate.DefaultVerifyOptions()); err != nil || !v.Equal() || v.V1 != 699 {
		t.Fatalf("verify: %+v, %v", v, err)
	}
	table := v2.TableName(name)
	if _, err := client.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &table, Key: map[string]types.AttributeValue{
		"bucket": text(keyspace.Bucket("tbl/00003")), "pk": text("tbl/00003"),
	}}); err != nil {
		t.Fatal(err)
	}
	if r, err := m.Repair(ctx, migrate.DefaultRepairOptions()); err != nil || r.Healed != 1 {
		t.Fatalf("repair: %+v, %v", r, err)
	}
	stop := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-stop:
				return
			case <-time.After(200 * time.Millisecond):
				_ = a.Heartbeat(ctx)
			}
		}
	}()
	twice(t, "finalize", func() error { _, err := m.Finalize(ctx, finalizing("a")); return err })
	close(stop)
	<-ended
	if err := a.CAS(ctx, "tbl/new", store.Absent(), []byte("x")); err != nil || a.Mode() != control.ModeV2Authoritative {
		t.Errorf("after the marker: %v, mode %v", err, a.Mode())
	}
	if s, err := m.Status(ctx, []string{"a"}); err != nil || s.Mode != control.ModeV2Authoritative || s.Peers.V2 != 1 {
		t.Errorf("status: %+v, %v", s, err)
	}
	if err := a.Close(ctx); err != nil {
		t.Fatal(err)
	}
	twice(t, "retire", func() error {
		_, err := m.Retire(ctx, migrate.RetireOptions{Confirm: name, Retention: time.Nanosecond, Owner: owner})
		return err
	})
}

func realMigrator(t *testing.T, client migrate.Client, table string, seed uint64) *migrate.Migrator {
	t.Helper()
	cfg := migrate.DefaultConfig()
	cfg.Client, cfg.Table, cfg.Random = client, table, rand.NewPCG(seed, 0)
	m, err := migrate.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func realNode(t *testing.T, client dual.Client, table string, seed uint64) *dual.Store {
	t.Helper()
	cfg := dual.DefaultConfig()
	cfg.Client, cfg.Table, cfg.Node, cfg.Random = client, table, "a", rand.NewPCG(seed, 0)
	s, err := dual.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// twice runs a verb and runs it again.
func twice(t *testing.T, verb string, run func() error) {
	t.Helper()
	for range 2 {
		if err := run(); err != nil {
			t.Fatalf("%s: %v", verb, err)
		}
	}
}
