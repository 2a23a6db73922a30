package migrate_test

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/lakebench/lakebench/internal/requestlog"
	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/internal/storetest"
	"github.com/lakebench/lakebench/migrate"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/control"
)

var rewrite = flag.Bool("rewrite", false, "write the request logs anew")

// A logged verb is one whose requests are written down, after what comes before.
type loggedVerb struct {
	name   string
	before func(l *lake)
	run    func(ctx context.Context, m *migrate.Migrator) error
}

// loggedVerbs are a migration of four items, with all that a verb can come to.
func loggedVerbs() []loggedVerb {
	none := func(*lake) {}
	small := func(ctx context.Context, m *migrate.Migrator) error {
		o := migrate.DefaultBackfillOptions()
		o.PageSize = 3
		_, err := m.Backfill(ctx, o)
		return err
	}
	status := func(ctx context.Context, m *migrate.Migrator) error {
		_, err := m.Status(ctx, nil)
		return err
	}
	verify := func(ctx context.Context, m *migrate.Migrator) error {
		v, err := m.Verify(ctx, migrate.DefaultVerifyOptions())
		if err != nil {
			return err
		}
		return v.Err()
	}
	retire := func(ctx context.Context, m *migrate.Migrator) error {
		_, err := m.Retire(ctx, migrate.RetireOptions{Confirm: tableV1, Retention: time.Hour, Owner: owner})
		return err
	}
	return []loggedVerb{
		{"status before init", none, status},
		{"init", none, initV2},
		{"init again", none, initV2},
		{"backfill, a dual node has written one of the items", func(l *lake) {
			a := l.node("a", control.ModeDual)
			if err := a.CAS(l.quiet(), "tbl/00002", store.Exactly([]byte("2:")), []byte("dual")); err != nil {
				l.t.Fatal(err)
			}
		}, small},
		{"backfill again, one item differs by now", func(l *lake) {
			l.void("old")
			l.set(tableV2, "tbl/00001", "other")
		}, small},
		{"status", none, status},
		{"finalize with a problem", none, finalizeA},
		{"repair", none, repairAll},
		{"verify", none, verify},
		{"verify with an orphan", func(l *lake) { l.remove(tableV1, "tbl/00003") }, verify},
		{"finalize with an orphan", none, finalizeA},
		{"abort without a barrier", none, abortMine},
		{"abort", func(l *lake) {
			if err := l.records().InstallBarrier(l.quiet(), control.Barrier{ID: "left", Owner: owner, Installed: task.Now(l.ctx)}); err != nil {
				l.t.Fatal(err)
			}
		}, abortMine},
		{"finalize", func(l *lake) { l.remove(tableV2, "tbl/00003") }, finalizeA},
		{"finalize again", none, finalizeA},
		{"peers", none, func(ctx context.Context, m *migrate.Migrator) error { _, err := m.Peers(ctx); return err }},
		{"peers remove", none, func(ctx context.Context, m *migrate.Migrator) error {
			_, err := m.RemovePeer(ctx, removing("gone", "i1"))
			return err
		}},
		{"retire too early", none, retire},
		{"retire", func(l *lake) {
			_ = task.Sleep(l.ctx, time.Hour)
			if err := remove(l.quiet(), l.records(), "a"); err != nil {
				l.t.Fatal(err)
			}
		}, retire},
		{"retire again", none, retire},
	}
}

// TestRequests: the requests of every verb, as a file that reviewers read.
func TestRequests(t *testing.T) {
	var log strings.Builder
	virtually(t, "", func(ctx context.Context, l *lake) {
		l.load(records(4, 0))
		rec := storetest.NewRecorder(l.client())
		m := l.migrator(rec)
		for _, v := range loggedVerbs() {
			v.before(l)
			stop := func() {}
			if strings.HasPrefix(v.name, "finalize") {
				// The node renews its record between the first two looks at the peers.
				stop = l.renewing()
			}
			err := v.run(ctx, m)
			stop()
			fmt.Fprintf(&log, "== %s\n", v.name)
			for _, line := range rec.Take() {
				log.WriteString(line + "\n")
			}
			if err != nil {
				fmt.Fprintf(&log, "%v\n\n", err)
			} else {
				log.WriteString("ok\n\n")
			}
		}
	})
	requestlog.Golden(t, "testdata/requests.golden", strings.TrimSuffix(log.String(), "\n"), *rewrite)
}

// renewing lets node a renew its record after the second look at the peers.
func (l *lake) renewing() (stop func()) {
	p, err := l.records().Peer(l.quiet(), "a")
	if err != nil {
		l.t.Fatal(err)
	}
	looks := 0
	l.after = func(s served) {
		if s.api != "Query" {
			return
		}
		if looks++; looks == 3 {
			p.Heartbeat = p.Heartbeat.Add(time.Second)
			if err := l.records().PutPeer(l.quiet(), *p); err != nil {
				l.t.Fatal(err)
			}
		}
	}
	return func() { l.after = nil }
}

// remove removes what is recorded of a node, if anything.
func remove(ctx context.Context, r *control.Records, node string) error {
	p, err := r.Peer(ctx, node)
	if err != nil || p == nil {
		return err
	}
	return r.RemovePeer(ctx, *p)
}

// removing are options for one node.
func removing(node, incarnation string) migrate.RemovePeerOptions {
	o := migrate.DefaultRemovePeerOptions()
	o.Node, o.Incarnation = node, incarnation
	return o
}
