package v1_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/lakebench/lakebench/backend/dynamo"
	"github.com/lakebench/lakebench/store/storetest"
	"github.com/lakebench/lakebench/store/v1"
)

const table = "lake"

// open returns a fixture on a new embedded service.
func open(t *testing.T) storetest.Fixture {
	t.Helper()
	engine, err := dynamo.New(dynamo.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	faults := storetest.NewFaults(engine.Client(nil))
	if err := v1.Create(context.Background(), storetest.Client(faults), table); err != nil {
		t.Fatal(err)
	}
	return storetest.Fixture{
		Store:       openStore(t, storetest.Client(faults), 1),
		Peer:        openStore(t, storetest.Client(engine.Client(nil)), 2),
		Faults:      faults,
		MaxKeyBytes: 2048,
		ItemBytes:   func(key string, value []byte) int { return len("pk") + len(key) + len("value") + len(value) },
		AnyPrefix:   true,
	}
}

func openStore(t *testing.T, client v1.Client, seed uint64) *v1.Store {
	t.Helper()
	cfg := v1.DefaultConfig()
	cfg.Client, cfg.Table, cfg.Random = client, table, rand.NewPCG(seed, 0)
	cfg.PageLimit = 7 // so that lists have pages
	cfg.Backoff.Base, cfg.Backoff.Max = time.Microsecond, time.Millisecond
	s, err := v1.Open(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestConformance(t *testing.T) { storetest.Run(t, open) }
