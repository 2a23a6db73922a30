package workloads

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/internal/meter"
	"github.com/lakebench/lakebench/internal/sim/checker"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/run"
	"github.com/lakebench/lakebench/store/keyspace"
)

// backfillFloor works out what a backfill of small records costs at least by
// docs/facts/dynamodb.md §3.2: two units to check each v1 record, two to create its
// v2 record, two to check the barrier in each transaction, one for the progress
// record, which is written at the beginning and after each page; and the requests of
// all that. A page that ends with the last record has a cursor, and so an empty one
// follows.
func backfillFloor(records, pageSize, batch int) (requests, wru float64) {
	pages := records/pageSize + 1
	transactions := 0
	for left := records; left > 0; left -= pageSize {
		transactions += (min(left, pageSize) + batch - 1) / batch
	}
	saves := pages + 1
	return float64(pages + transactions + saves), float64(4*records + 2*transactions + saves)
}

// backfillBeside are the other requests of a backfill, whatever there is to copy:
// both tables, the layout, three records of the state, the peers twice, the
// progress and the problems twice.
const backfillBeside = 2 + 1 + 3 + 2 + 1 + 2

func TestBackfillCostsWhatTheRulesSay(t *testing.T) {
	for _, tt := range []struct{ records, pageSize int }{{100, 30}, {100, 1000}, {500, 500}, {2000, 1000}} {
		cfg := embedded(t, migration(), map[string]string{
			"records": fmt.Sprint(tt.records), "page_size": fmt.Sprint(tt.pageSize), "writers": "0",
		})
		doc := run1(t, cfg)
		if !doc.Deterministic {
			t.Error("a migration that nobody disturbs is not called deterministic")
		}
		for variant, batch := range map[string]int{"single": 1, "batched": 49} {
			requests, wru := backfillFloor(tt.records, tt.pageSize, batch)
			m := metrics(t, doc, variant)
			n := float64(tt.records)
			if got := m["requests/item"] * n; math.Abs(got-requests-backfillBeside) > 1e-6 {
				t.Errorf("%s, %+v: %v requests, expected %v and %d", variant, tt, got, requests, backfillBeside)
			}
			if got := m["wru/item"] * n; math.Abs(got-wru) > 1e-6 {
				t.Errorf("%s, %+v: %v write units, expected the floor, %v", variant, tt, got, wru)
			}
			// A page of each table, and the four of package migrate.
			if m["pause-requests"] != 6 {
				t.Errorf("%s, %+v: %v requests in the pause, expected 6", variant, tt, m["pause-requests"])
			}
		}
		if m := metrics(t, doc, "batched"); tt.records == 2000 && m["requests/item"] > 0.05 {
			t.Errorf("batched: %v requests/item, at most 0.05 were asked for", m["requests/item"])
		}
	}
}

// disturbed is a small migration on the virtual clock with nodes at work.
func disturbed(t *testing.T, set map[string]string) run.Config {
	t.Helper()
	all := map[string]string{"records": "60", "tables": "8", "writers": "3", "page_size": "10", "after": "5", "think_ms": "15"}
	for name, v := range set {
		all[name] = v
	}
	cfg := embedded(t, migration(), all)
	cfg.Virtual = true
	cfg.Open = onVirtualTimes
	return cfg
}

func TestMigrationUnderNodesAtWork(t *testing.T) {
	var histories []run.Recording
	cfg := disturbed(t, map[string]string{"readers": "2"})
	cfg.Recorded = func(r run.Recording) error { histories = append(histories, r); return nil }
	doc := run1(t, cfg)
	seen := map[results.Phase]map[string]bool{}
	for _, s := range doc.Series {
		if seen[s.Phase] == nil {
			seen[s.Phase] = map[string]bool{}
		}
		for name := range s.Operations {
			seen[s.Phase][name] = true
		}
		for _, a := range s.Attempts {
			if s.Phase == results.After && a.API == "Scan" {
				t.Errorf("%s: %d scans after the marker", s.Variant, a.Count)
			}
		}
	}
	for phase, names := range map[results.Phase][]string{
		results.Steady: {"backfill", "cas", "create", "delete", "guarded", "read", "refresh"},
		results.Pause:  {"pause"},
		results.After:  {"refresh"},
	} {
		for _, name := range names {
			if !seen[phase][name] {
				t.Errorf("no %s in phase %s: %v", name, phase, seen[phase])
			}
		}
	}
	for _, c := range doc.Checks {
		if c.Status != results.Passed {
			t.Errorf("check %q: %s: %s", c.Name, c.Status, c.Detail)
		}
	}
	if len(histories) != 2 || histories[0].Name() != "single-page_size=10-records=60-writers=3-repeat=0" || histories[0].Result.Verdict != checker.Passed {
		t.Errorf("recorded %d histories, the first %q", len(histories), histories[0].Name())
	}
}

// TestInvariantsAreChecked: whatever goes wrong behind the migration's back makes
// the run invalid.
func TestInvariantsAreChecked(t *testing.T) {
	const v2 = "lakebench-run-1-batched-0_prefix_v2"
	const v1 = "lakebench-run-1-batched-0"
	for name, tt := range map[string]struct {
		check string
		do    func(t *testing.T, b *backend.Backend, deleted string)
	}{
		"v1 differs": {checkEqual, func(t *testing.T, b *backend.Backend, _ string) {
			putBehind(t, b, v1, "", "stray", "x")
		}},
		"a deleted record comes back": {checkReturned, func(t *testing.T, b *backend.Backend, deleted string) {
			putBehind(t, b, v1, "", deleted, "x")
			putBehind(t, b, v2, keyspace.Bucket(deleted), deleted, "x")
		}},
		"nobody wrote it": {run.LinearizableCheck, func(t *testing.T, b *backend.Backend, _ string) {
			putBehind(t, b, v1, "", "lease/stray", "x")
			putBehind(t, b, v2, keyspace.Bucket("lease/stray"), "lease/stray", "x")
		}},
		"the marker changes": {checkMarker, func(t *testing.T, b *backend.Backend, _ string) {
			putBehind(t, b, v2, "control", "marker", `{"barrier":"other","published":"2026-01-01T00:00:00Z"}`)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := disturbed(t, nil)
			cfg.Variants = cfg.Variants[1:]
			var opened *backend.Backend
			cfg.Open = func(ctx context.Context) (b *backend.Backend, err error) {
				opened, err = onVirtualTimes(ctx)
				return opened, err
			}
			deleted, done := "", false
			cfg.Trace = func(r meter.TraceRecord) {
				for _, target := range r.Targets {
					if target.Action != "delete" || r.Outcome != "ok" {
						continue
					}
					if key, is := strings.CutPrefix(target.Key, "pk="); is && strings.HasPrefix(r.Actor, "writer") {
						deleted = key
					}
					// The first node leaves: nobody works any more.
					if strings.Contains(target.Key, "pk=peer/") && !done {
						done = true
						tt.do(t, opened, deleted)
					}
				}
			}
			wantInvalid(t, cfg, tt.check)
		})
	}
}

// TestSightings: what must not be seen on the wire is counted, and nothing else.
func TestSightings(t *testing.T) {
	l := &lake{v1: "lake"}
	const v2 = "lake_prefix_v2"
	request := func(at time.Duration, actor, outcome string, actions ...string) meter.TraceRecord {
		r := meter.TraceRecord{At: at, Took: 10, Actor: actor, Phase: meter.PhaseSteady, API: "TransactWriteItems", Outcome: outcome}
		for _, a := range actions {
			action, name, _ := strings.Cut(a, " ")
			r.Targets = append(r.Targets, meter.Target{Action: action, Table: v2, Key: "bucket=control pk=" + name})
		}
		return r
	}
	barrier := request(100, actorMigrator, "ok", "put barrier", "check marker")
	publish := request(200, actorMigrator, "ok", "put marker", "check barrier")
	for name, tt := range map[string]struct {
		requests []meter.TraceRecord
		want     sightings
	}{
		"as it should be": {[]meter.TraceRecord{request(50, "writer-0", "ok", "check barrier"), barrier, request(120, "writer-0", "condition-failed", "check barrier"), publish},
			sightings{markers: 1, barrier: true, barrierAt: 110}},
		"sent before the barrier stood":       {[]meter.TraceRecord{barrier, request(105, "writer-0", "ok", "check barrier")}, sightings{barrier: true, barrierAt: 110}},
		"sent after it stood":                 {[]meter.TraceRecord{barrier, request(111, "writer-0", "ok", "check barrier")}, sightings{barrier: true, barrierAt: 110, late: 1}},
		"after an abort":                      {[]meter.TraceRecord{barrier, request(120, actorMigrator, "ok", "delete barrier", "check marker"), request(140, "writer-0", "ok", "check barrier")}, sightings{barrierAt: 110}},
		"the barrier goes after the marker":   {[]meter.TraceRecord{barrier, publish, request(300, actorMigrator, "ok", "delete barrier")}, sightings{markers: 1, undone: 1, barrier: true, barrierAt: 110}},
		"the barrier is put after the marker": {[]meter.TraceRecord{barrier, publish, request(300, actorMigrator, "ok", "put barrier")}, sightings{markers: 1, undone: 1, barrier: true, barrierAt: 110}},
		"the marker goes":                     {[]meter.TraceRecord{barrier, publish, request(300, actorMigrator, "ok", "delete marker")}, sightings{markers: 1, undone: 1, barrier: true, barrierAt: 110}},
		"the marker comes twice":              {[]meter.TraceRecord{barrier, publish, publish}, sightings{markers: 2, barrier: true, barrierAt: 110}},
	} {
		tracker := newTracker(l)
		for _, r := range tt.requests {
			tracker.watch(r)
		}
		if got := tracker.sightings(); got != tt.want {
			t.Errorf("%s: %+v, expected %+v", name, got, tt.want)
		}
	}
}

// TestDeletedLast: only of a key whose last change is known to have deleted it can
// be said that it must not come back.
func TestDeletedLast(t *testing.T) {
	op := func(kind checker.Kind, key string, next checker.Value, o checker.Outcome, from, to int64) checker.Operation {
		return checker.Operation{Call: checker.Call{Kind: kind, Key: key, Next: next}, Answer: checker.Answer{Outcome: o},
			Invoked: checker.Moment{Seq: from}, Returned: checker.Moment{Seq: to}}
	}
	x, none := checker.Text("x"), checker.Value{}
	got := deletedLast(checker.History{Operations: []checker.Operation{
		op(checker.CAS, "kept", x, checker.OK, 1, 2), op(checker.Get, "read", none, checker.OK, 3, 4),
		op(checker.CAS, "gone", x, checker.OK, 5, 6), op(checker.Delete, "gone", none, checker.OK, 7, 8), op(checker.CAS, "gone", x, checker.Conflict, 9, 10),
		op(checker.Delete, "again", none, checker.OK, 11, 12), op(checker.CAS, "again", x, checker.OK, 13, 14),
		op(checker.CAS, "open", x, checker.Unknown, 15, 16), op(checker.Delete, "open", none, checker.OK, 17, 18),
		op(checker.CAS, "both", x, checker.OK, 19, 22), op(checker.Delete, "both", none, checker.OK, 20, 21),
		op(checker.Guarded, "guarded", checker.Absent(), checker.OK, 23, 24),
	}})
	want := map[string]bool{"kept": false, "gone": true, "again": false, "open": false, "both": false, "guarded": true}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
