package v2_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/lakebench/lakebench/backend/dynamo"
	"github.com/lakebench/lakebench/store/storetest"
	"github.com/lakebench/lakebench/store/v2"
)

const table = "lake_prefix_v2"

// open returns how to open fixtures that drain the given number of shards at once.
func open(parallel int) func(t *testing.T) storetest.Fixture {
	return func(t *testing.T) storetest.Fixture {
		t.Helper()
		engine, err := dynamo.New(dynamo.DefaultConfig())
		if err != nil {
			t.Fatal(err)
		}
		direct := storetest.Client(engine.Client(nil))
		faults := storetest.NewFaults(engine.Client(nil))
		if err := v2.Create(context.Background(), direct, config(direct, 3)); err != nil {
			t.Fatal(err)
		}
		cfg := config(storetest.Client(faults), 1)
		cfg.Parallel = parallel
		return storetest.Fixture{
			Store:       openStore(t, cfg),
			Peer:        openStore(t, config(direct, 2)),
			Faults:      faults,
			MaxKeyBytes: 1024,
			ItemBytes:   itemBytes,
		}
	}
}

// itemBytes adds up the sizes of names and values (CapacityUnitCalculations page),
// for families whose shards have two digits.
func itemBytes(key string, value []byte) int {
	family, _, _ := strings.Cut(key, "/")
	return len("bucket") + len(family) + len("#00") + len("pk") + len(key) + len("value") + len(value)
}

func config(client v2.Client, seed uint64) v2.Config {
	cfg := v2.DefaultConfig()
	cfg.Client, cfg.Table, cfg.Random = client, table, rand.NewPCG(seed, 0)
	cfg.PageLimit = 3 // so that shards have pages
	cfg.Backoff.Base, cfg.Backoff.Max = time.Microsecond, time.Millisecond
	return cfg
}

func openStore(t *testing.T, cfg v2.Config) *v2.Store {
	t.Helper()
	s, err := v2.Open(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestConformance(t *testing.T) { storetest.Run(t, open(1)) }

func TestConformanceParallel(t *testing.T) { storetest.Run(t, open(3)) }
