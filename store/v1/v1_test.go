package v1_test

import (
	"context"
	"flag"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
	"github.com/lakebench/lakebench/internal/requestlog"
	"github.com/lakebench/lakebench/internal/storetest"
	"github.com/lakebench/lakebench/store/item"
	"github.com/lakebench/lakebench/store/v1"
)

const lake = "lake"

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

// open returns a fixture on a new embedded service.
func open(t *testing.T) storetest.Fixture {
	t.Helper()
	faults, direct := service(t)
	return fixture(t, lake, 1, storetest.Client(faults), direct, faults)
}

// client is what makes and opens a table.
type client interface {
	v1.Client
	item.Creator
}

// fixture makes the table through own, and opens it through both. Their request
// tokens come from seed and the one after it.
func fixture(t *testing.T, name string, seed uint64, own client, direct v1.Client, faults *storetest.Faults) storetest.Fixture {
	t.Helper()
	if err := v1.Create(context.Background(), own, name); err != nil {
		t.Fatal(err)
	}
	ours, theirs := config(own, seed), config(direct, seed+1)
	ours.Table, theirs.Table = name, name
	return storetest.Fixture{
		Store:       openStore(t, ours),
		Peer:        openStore(t, theirs),
		Faults:      faults,
		MaxKeyBytes: 2048,
		ItemBytes:   func(key string, value []byte) int { return len("pk") + len(key) + len("value") + len(value) },
		AnyPrefix:   true,
	}
}

func config(client v1.Client, seed uint64) v1.Config {
	cfg := v1.DefaultConfig()
	cfg.Client, cfg.Table, cfg.Random = client, lake, rand.NewPCG(seed, 0)
	cfg.PageLimit = 20 // so that lists have pages
	cfg.Backoff.Base, cfg.Backoff.Max = time.Microsecond, time.Millisecond
	return cfg
}

func openStore(t *testing.T, cfg v1.Config) *v1.Store {
	t.Helper()
	s, err := v1.Open(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestConformance(t *testing.T) { storetest.Run(t, open) }

// TestRequests: the requests of every operation, as a file that reviewers read.
func TestRequests(t *testing.T) {
	faults, direct := service(t)
	rec := storetest.NewRecorder(storetest.Client(faults))
	f := fixture(t, lake, 1, rec, direct, faults)
	requestlog.Golden(t, "testdata/requests.golden", storetest.Scenario(t, f, rec), *rewrite)
}
