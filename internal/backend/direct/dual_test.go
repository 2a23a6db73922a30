package direct_test

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lakebench/lakebench/internal/requestlog"
	"github.com/lakebench/lakebench/internal/storetest"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/dual"
	"github.com/lakebench/lakebench/store/v1"
	"github.com/lakebench/lakebench/store/v2"
)

// fixtureDual opens two nodes in one mode; tokens and incarnations are those of
// store/dual's own tests.
func fixtureDual(mode control.Mode) opener {
	return func(t *testing.T, own, peer storetest.Service, faults *storetest.Faults) storetest.Fixture {
		t.Helper()
		if err := v1.Create(t.Context(), own, *lakeTable); err != nil {
			t.Fatal(err)
		}
		made := v2.DefaultConfig()
		made.Client, made.Table, made.Random = own, v2.TableName(*lakeTable), rand.NewPCG(1, 1)
		if err := v2.Create(t.Context(), own, made); err != nil {
			t.Fatal(err)
		}
		if mode.ReadsV2() {
			publish(t, own)
		}
		f := storetest.Fixture{
			Store: openDual(t, own, "a", mode, 1), Peer: openDual(t, peer, "b", mode, 2), Faults: faults,
			MaxKeyBytes: 1024, ItemBytes: v2ItemBytes,
		}
		switch mode {
		default: // v2-only writes single items, and refuses what v2 refuses
		case control.ModeV1:
			f.MaxKeyBytes, f.ItemBytes, f.AnyPrefix = 2048, v1.ItemBytes, true
		case control.ModeDual:
			f.Single = []storetest.Role{storetest.Other, storetest.Target, storetest.Other}
			f.Guarded = []storetest.Role{storetest.Other, storetest.Guard, storetest.Target, storetest.Other}
		case control.ModeV2Authoritative:
			f.Single = []storetest.Role{storetest.Target, storetest.Other}
			f.Guarded = []storetest.Role{storetest.Guard, storetest.Target, storetest.Other}
		}
		return f
	}
}

// publish makes v2 the authority.
func publish(t *testing.T, client control.Client) {
	t.Helper()
	cfg := control.Config{Client: client, Table: v2.TableName(*lakeTable), Random: rand.NewPCG(1, 2), Backoff: dual.DefaultConfig().Backoff}
	r, err := control.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.InstallBarrier(t.Context(), control.Barrier{ID: "b1", Owner: "test"}); err != nil {
		t.Fatal(err)
	}
	if err := r.PublishMarker(t.Context(), "b1"); err != nil {
		t.Fatal(err)
	}
}

func openDual(t *testing.T, client dual.Client, node string, mode control.Mode, seed uint64) *dual.Store {
	t.Helper()
	cfg := dual.DefaultConfig()
	cfg.Client, cfg.Table, cfg.Node, cfg.Mode, cfg.Random, cfg.PageLimit = client, *lakeTable, node, mode, rand.NewPCG(seed, 0), 3
	cfg.Backoff.Base, cfg.Backoff.Max = time.Microsecond, time.Millisecond
	s, err := dual.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestNodeLogsOverDirect: the logs that store/dual's tests wrote over the SDK are
// what the direct transport gives.
func TestNodeLogsOverDirect(t *testing.T) {
	for _, mode := range control.Modes() {
		t.Run(mode.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // heartbeats of one time
				own, peer, faults := twoClients(t)
				rec := storetest.NewRecorder(own)
				log := storetest.Scenario(t, fixtureDual(mode)(t, rec, peer, faults), rec)
				requestlog.Golden(t, "../../../store/dual/testdata/requests-"+mode.String()+".golden", log, false)
			})
		})
	}
}
