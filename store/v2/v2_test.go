package v2_test

import (
	"context"
	"flag"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
	"github.com/lakebench/lakebench/internal/requestlog"
	"github.com/lakebench/lakebench/internal/storetest"
	"github.com/lakebench/lakebench/store/v2"
)

const lake = "lake_prefix_v2"

var rewrite = flag.Bool("rewrite", false, "write the request logs anew")

// service is a new embedded service and two ways to it: one whose requests can be
// made to fail, and a direct one.
func service(t *testing.T) (faults *storetest.Faults, direct *dynamodb.Client) {
	t.Helper()
	engine, err := dynamo.New(dynamo.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	return storetest.NewFaults(engine.Client(nil)), storetest.Client(engine.Client(nil))
}

// open returns how to open fixtures on new embedded services that drain the given
// number of shards at once.
func open(parallel int) func(t *testing.T) storetest.Fixture {
	return func(t *testing.T) storetest.Fixture {
		t.Helper()
		faults, direct := service(t)
		return fixture(t, lake, 1, storetest.Client(faults), direct, faults, parallel)
	}
}

// fixture makes the table through own, and opens it through both. Their request
// tokens come from seed and the one after it.
func fixture(t *testing.T, name string, seed uint64, own v2.Creator, direct v2.Client, faults *storetest.Faults, parallel int) storetest.Fixture {
	t.Helper()
	ours, theirs := config(own, seed), config(direct, seed+1)
	ours.Table, theirs.Table = name, name
	ours.Parallel = parallel
	if err := v2.Create(context.Background(), own, ours); err != nil {
		t.Fatal(err)
	}
	return storetest.Fixture{
		Store:       openStore(t, ours),
		Peer:        openStore(t, theirs),
		Faults:      faults,
		MaxKeyBytes: 1024,
		ItemBytes:   itemBytes,
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
	cfg.Client, cfg.Table, cfg.Random = client, lake, rand.NewPCG(seed, 0)
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

// TestRequests: the requests of every operation, as a file that reviewers read.
func TestRequests(t *testing.T) {
	faults, direct := service(t)
	rec := storetest.NewRecorder(storetest.Client(faults))
	f := fixture(t, lake, 1, rec, direct, faults, 1)
	requestlog.Golden(t, "testdata/requests.golden", storetest.Scenario(t, f, rec), *rewrite)
}
