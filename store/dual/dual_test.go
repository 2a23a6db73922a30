package dual_test

import (
	"context"
	"flag"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
	"github.com/lakebench/lakebench/internal/requestlog"
	"github.com/lakebench/lakebench/internal/storetest"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/dual"
	"github.com/lakebench/lakebench/store/item"
	"github.com/lakebench/lakebench/store/v1"
	"github.com/lakebench/lakebench/store/v2"
)

const (
	lake  = "lake"
	lake2 = "lake_prefix_v2"
)

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

// A client makes tables and the requests of nodes.
type client interface {
	dual.Client
	item.Creator
}

// create makes both tables.
func create(t *testing.T, c client, name string, seed uint64) {
	t.Helper()
	if err := v1.Create(context.Background(), c, name); err != nil {
		t.Fatal(err)
	}
	initialize(t, c, name, seed)
}

// initialize makes the table of v2, as migrate's init does.
func initialize(t *testing.T, c client, name string, seed uint64) {
	t.Helper()
	cfg := v2.DefaultConfig()
	cfg.Client, cfg.Table, cfg.Random = c, v2.TableName(name), rand.NewPCG(seed, 1)
	if err := v2.Create(context.Background(), c, cfg); err != nil {
		t.Fatal(err)
	}
}

// records returns the control records of a lake, as a migrator has them.
func records(t *testing.T, c control.Client, name string, seed uint64) *control.Records {
	t.Helper()
	cfg := config(nil, "migrator", control.ModeDual, seed)
	r, err := control.New(control.Config{Client: c, Table: v2.TableName(name), Random: rand.NewPCG(seed, 2), Backoff: cfg.Backoff})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// finalize makes v2 the authority, without looking at anything.
func finalize(t *testing.T, r *control.Records) {
	t.Helper()
	ctx := context.Background()
	if err := r.InstallBarrier(ctx, control.Barrier{ID: "b1", Owner: "test"}); err != nil {
		t.Fatal(err)
	}
	if err := r.PublishMarker(ctx, "b1"); err != nil {
		t.Fatal(err)
	}
}

func config(c dual.Client, node string, mode control.Mode, seed uint64) dual.Config {
	cfg := dual.DefaultConfig()
	cfg.Client, cfg.Table, cfg.Node, cfg.Mode, cfg.Random = c, lake, node, mode, rand.NewPCG(seed, 0)
	cfg.PageLimit = 3 // so that drains have pages
	cfg.Backoff.Base, cfg.Backoff.Max = time.Microsecond, time.Millisecond
	return cfg
}

func openNode(t *testing.T, cfg dual.Config) *dual.Store {
	t.Helper()
	s, err := dual.Open(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fixture makes the tables of a lake of that name and opens it as two nodes, own
// and direct, in one mode. Their tokens come from seed and what follows.
func fixture(t *testing.T, mode control.Mode, name string, seed uint64, own client, direct dual.Client, faults *storetest.Faults) storetest.Fixture {
	t.Helper()
	create(t, own, name, seed)
	if mode.ReadsV2() {
		finalize(t, records(t, own, name, seed))
	}
	ours, theirs := config(own, "a", mode, seed), config(direct, "b", mode, seed+1)
	ours.Table, theirs.Table = name, name
	f := storetest.Fixture{
		Store: openNode(t, ours), Peer: openNode(t, theirs), Faults: faults,
		MaxKeyBytes: 1024, ItemBytes: itemBytes,
	}
	switch mode {
	default: // v2-only writes single items, and refuses what v2 refuses
	case control.ModeV1:
		f.MaxKeyBytes, f.AnyPrefix = 2048, true
		f.ItemBytes = func(key string, value []byte) int { return len("pk") + len(key) + len("value") + len(value) }
	case control.ModeDual: // docs/spec/metadata-store.md §4: v1 + v2 + the barrier
		f.Single = []storetest.Role{storetest.Other, storetest.Target, storetest.Other}
		f.Guarded = []storetest.Role{storetest.Other, storetest.Guard, storetest.Target, storetest.Other}
	case control.ModeV2Authoritative: // docs/spec/metadata-store.md §4: v2 + mirror
		f.Single = []storetest.Role{storetest.Target, storetest.Other}
		f.Guarded = []storetest.Role{storetest.Guard, storetest.Target, storetest.Other}
	}
	return f
}

// itemBytes adds up the sizes of names and values of an item of v2
// (CapacityUnitCalculations page), for families whose shards have two digits.
func itemBytes(key string, value []byte) int {
	family, _, _ := strings.Cut(key, "/")
	return len("bucket") + len(family) + len("#00") + len("pk") + len(key) + len("value") + len(value)
}

// TestConformance: a node keeps the store's contract in every mode.
func TestConformance(t *testing.T) {
	for _, mode := range control.Modes() {
		t.Run(mode.String(), func(t *testing.T) {
			t.Parallel()
			storetest.Run(t, func(t *testing.T) storetest.Fixture {
				faults, direct := service(t)
				return fixture(t, mode, lake, 1, storetest.Client(faults), direct, faults)
			})
		})
	}
}

// TestRequests: the requests of every operation in every mode, as files that
// reviewers read.
func TestRequests(t *testing.T) {
	for _, mode := range control.Modes() {
		t.Run(mode.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // heartbeats of one time
				faults, direct := service(t)
				rec := storetest.NewRecorder(storetest.Client(faults))
				f := fixture(t, mode, lake, 1, rec, direct, faults)
				requestlog.Golden(t, "testdata/requests-"+mode.String()+".golden", storetest.Scenario(t, f, rec), *rewrite)
			})
		})
	}
}
