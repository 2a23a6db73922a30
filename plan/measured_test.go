package plan_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/internal/cost"
	"github.com/lakebench/lakebench/internal/price"
	"github.com/lakebench/lakebench/manifest"
	"github.com/lakebench/lakebench/plan"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/run"
	"github.com/lakebench/lakebench/store/keyspace"
	"github.com/lakebench/lakebench/workloads"
)

// measure runs a workload on the embedded services, all of its variants unless
// some are named.
func measure(t *testing.T, name string, set map[string]string, variants ...string) *results.Document {
	t.Helper()
	w, err := workloads.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := w.Resolve(set)
	if err != nil {
		t.Fatal(err)
	}
	measured := slices.DeleteFunc(slices.Clone(w.Variants), func(v run.Variant) bool {
		return len(variants) > 0 && !slices.Contains(variants, v.Name)
	})
	doc, err := run.Run(t.Context(), run.Config{
		Workload: w, Params: p, Variants: measured, Seed: 7, Repeats: 1, Prices: price.Default(), Virtual: true, RunID: "measured",
		Open: func(ctx context.Context) (*backend.Backend, error) { return backend.Open(ctx, backend.DefaultConfig()) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// coordinate reads a point.
func coordinate(t *testing.T, p results.Point, name string) int64 {
	t.Helper()
	f, ok := p[name].Float()
	if !ok {
		t.Fatalf("point %v has no number %s", p, name)
	}
	return int64(f)
}

// TestModelOfCatalogRefresh: at every point of a sweep the model's count is the
// measured one where sizes determine it, and holds it where key hashes do.
func TestModelOfCatalogRefresh(t *testing.T) {
	doc := measure(t, "catalog-refresh", map[string]string{
		"history_records": "0,40,500", "tables": "1,97", "page_limit": "0,50", "item_bytes": "300,2500", "refreshes": "1",
	})
	compared := 0
	for _, m := range doc.Summary.Metrics {
		tables, history := coordinate(t, m.Point, "tables"), coordinate(t, m.Point, "history_records")
		limit, size := coordinate(t, m.Point, "page_limit"), coordinate(t, m.Point, "item_bytes")
		of := map[string]func(cost.Cost) float64{
			"requests/op":  func(c cost.Cost) float64 { return c.Requests },
			"rru/op":       func(c cost.Cost) float64 { return c.RRU },
			"evaluated/op": func(c cost.Cost) float64 { return c.Evaluated },
			"returned/op":  func(c cost.Cost) float64 { return c.Returned },
		}[m.Metric]
		if of == nil {
			continue
		}
		compared++
		if m.Variant == "v1" {
			if want := of(cost.RefreshV1(tables, history, size, limit)); m.Value != want {
				t.Errorf("v1 at %v: %s measured %v, the model says %v", m.Point, m.Metric, m.Value, want)
			}
			continue
		}
		s := cost.RefreshV2(tables, "tbl", 8, size, limit)
		if low, high := of(s.Low), of(s.High); m.Value < low || m.Value > high {
			t.Errorf("%s at %v: %s measured %v, the model says %v to %v", m.Variant, m.Point, m.Metric, m.Value, low, high)
		}
	}
	if want := 3 * 3 * 2 * 2 * 2 * 4; compared != want {
		t.Errorf("%d values compared, want %d", compared, want)
	}
}

// TestMeasured: a plan made from a result has the result's counts, and says where
// it goes beyond what was measured.
func TestMeasured(t *testing.T) {
	s := plan.DefaultScale()
	s.Tables, s.CommitsPerSecond = 100, 1000/(s.Retention.Seconds()*2.05)
	doc := measure(t, "catalog-refresh", map[string]string{"history_records": "0,100,1000,4000", "tables": "100", "refreshes": "1"}, "v1", "v2")
	patterns, err := plan.Measured(s, doc)
	if err != nil {
		t.Fatal(err)
	}
	got := patterns[0].Costs["dual"]
	if want := cost.RefreshDual(100, 1000, 300, 1000); got.Requests != want.Requests || got.RRU != want.RRU {
		t.Errorf("at a measured point: %+v, want %+v", got, want)
	}

	s.CommitsPerSecond *= 100
	if patterns, err = plan.Measured(s, doc); err != nil {
		t.Fatal(err)
	}
	got = patterns[0].Costs["v1"]
	if want := cost.RefreshV1(100, 100_000, 300, 1000); math.Abs(got.RRU/want.RRU-1) > 0.02 {
		t.Errorf("beyond: %v RRU by the fit, the rules say %v", got.RRU, want.RRU)
	}
	if want := "measured in run measured (embedded, seed 7), by its fit at history_records 100000, measured up to 4000"; patterns[0].Source != want {
		t.Errorf("source %q, want %q", patterns[0].Source, want)
	}
	if p, err := plan.Make(s, price.Default(), patterns...); err != nil || p.Metadata[0].Source != patterns[0].Source {
		t.Errorf("the plan does not say that it was measured: %v", err)
	}

	s.Tables = 101
	if _, err := plan.Measured(s, doc); !errors.Is(err, plan.ErrMeasured) {
		t.Errorf("of another lake: %v, want ErrMeasured", err)
	}
	s.Tables, doc.Partial = 100, true
	if _, err := plan.Measured(s, doc); !errors.Is(err, plan.ErrMeasured) {
		t.Errorf("partial: %v, want ErrMeasured", err)
	}
}

// TestMeasuredOrElsewhere: every workload's result stands in for the rules, or is
// refused with what does.
func TestMeasuredOrElsewhere(t *testing.T) {
	for _, w := range workloads.All() {
		doc := &results.Document{Workload: results.Workload{Name: w.Name}}
		_, err := plan.Measured(plan.DefaultScale(), doc)
		if !errors.Is(err, plan.ErrMeasured) || strings.Contains(err.Error(), "does not know") {
			t.Errorf("%s, empty: %v", w.Name, err)
		}
	}
	doc := &results.Document{Workload: results.Workload{Name: "metadata-mix"}}
	if _, err := plan.Measured(plan.DefaultScale(), doc); err == nil || !strings.Contains(err.Error(), "failed_share") {
		t.Errorf("of operations of all kinds: %v, want a word on failed_share", err)
	}
}

// TestMeasuredBetween: a coordinate that no number of the scale decides must have
// been measured at one value.
func TestMeasuredBetween(t *testing.T) {
	doc := measure(t, "flush", map[string]string{"generations": "4", "duplicates": "false,true", "manifest_polls": "0", "operations": "1"})
	if _, err := plan.Measured(plan.DefaultScale(), doc); !errors.Is(err, plan.ErrMeasured) || !strings.Contains(err.Error(), "duplicates=false and at true") {
		t.Errorf("with and without duplicates: %v, want ErrMeasured that names them", err)
	}
}

// standIn holds the pattern that a result gives a scale against that of the rules.
func standIn(t *testing.T, s plan.Scale, doc *results.Document, pattern string) {
	t.Helper()
	measured, err := plan.Measured(s, doc)
	if err != nil {
		t.Fatal(err)
	}
	byRule, err := plan.Make(s, price.Default())
	if err != nil {
		t.Fatal(err)
	}
	if measured[0].Name != pattern {
		t.Fatalf("measured is %q, want %q", measured[0].Name, pattern)
	}
	for _, x := range append(byRule.Metadata, byRule.WAL...) {
		if x.Name != pattern {
			continue
		}
		for column, want := range x.Costs {
			got := measured[0].Costs[column]
			off := math.Abs(got.Requests-want.Requests) + math.Abs(got.WRU-want.WRU) + math.Abs(got.ClassA-want.ClassA) + math.Abs(got.ClassB-want.ClassB)
			if off > 1e-9 && (column != manifest.Probe.String() || off >= 2) { // the hint, in two of them
				t.Errorf("%s, %s: measured %+v, by the rules %+v", pattern, column, got, want)
			}
		}
	}
}

// TestModelOfWAL: at every point of the sweeps the model's counts are the measured
// ones. Under probe a commit writes the hint now and then, on average, so there
// the model may be off by less than a request.
func TestModelOfWAL(t *testing.T) {
	const every, hints = 16, 1.0 / 16
	for _, w := range []struct {
		name    string
		set     map[string]string
		count   func(p manifest.Kind, at func(string) int64) cost.Cost
		pattern string // that the result stands in for, at the scale below
	}{
		{
			"fresh-read", map[string]string{"generations": "0,5,40", "reads": "1", "rows": "4"},
			func(p manifest.Kind, at func(string) int64) cost.Cost {
				return cost.FreshRead(p, at("generations"), 0)
			},
			"fresh read",
		},
		{
			"flush", map[string]string{"generations": "0,5", "duplicates": "false", "manifest_polls": "0", "force_seal": "false", "operations": "2", "rows": "4"},
			func(p manifest.Kind, _ func(string) int64) cost.Cost { return cost.Flush(p, cost.Profile{}, hints) },
			"flush",
		},
		{
			"compaction", map[string]string{"generations": "1,3,16", "duplicates": "false", "operations": "1", "rows": "4"},
			func(p manifest.Kind, at func(string) int64) cost.Cost {
				return cost.Compact(p, at("generations"), hints)
			},
			"compaction",
		},
		{
			"wal-append", map[string]string{"entries": "5", "group_commit": "1"},
			func(manifest.Kind, func(string) int64) cost.Cost { return cost.Append() },
			"append",
		},
		{
			"wal-replay", map[string]string{"entries": "1,64", "hint_lag": "0,20"},
			func(p manifest.Kind, at func(string) int64) cost.Cost {
				return cost.Open(p, cost.Opening{Entries: at("entries"), HintLag: at("hint_lag"), HintEvery: every})
			},
			"open",
		},
		{
			"failover", map[string]string{"entries": "3,70"},
			func(p manifest.Kind, at func(string) int64) cost.Cost {
				c, put := cost.Open(p, cost.Opening{Entries: at("entries"), HintLag: at("hint_lag"), HintEvery: every}), cost.Append()
				return cost.Cost{Requests: c.Requests + put.Requests, ClassA: c.ClassA + put.ClassA, ClassB: c.ClassB + put.ClassB}
			},
			"",
		},
	} {
		t.Run(w.name, func(t *testing.T) {
			doc := measure(t, w.name, w.set)
			compared := 0
			for _, m := range doc.Summary.Metrics {
				policy, err := manifest.ParseKind(m.Variant)
				if err != nil {
					continue // serve-cursor, which is no policy of the plan
				}
				c := w.count(policy, func(name string) int64 { return coordinate(t, m.Point, name) })
				want, ok := map[string]float64{"requests/op": c.Requests, "s3-class-a/op": c.ClassA, "s3-class-b/op": c.ClassB}[m.Metric]
				if !ok {
					continue
				}
				compared++
				if off := math.Abs(m.Value - want); off > 0 && (policy != manifest.Probe || off >= 1) {
					t.Errorf("%s at %v: %s measured %v, the model says %v", m.Variant, m.Point, m.Metric, m.Value, want)
				}
			}
			if compared == 0 {
				t.Error("nothing was compared")
			}
			if w.pattern != "" {
				s := plan.DefaultScale()
				s.Generations, s.FlushesPerCompaction, s.AppendsPerFlush, s.ReplayedEntries = 5, 16, 5, 64
				if w.name == "wal-replay" {
					s.HintLag = 20
				}
				standIn(t, s, doc, w.pattern)
			}
		})
	}
}

// copyOf is the migrator's copy of n records of 300 B, by pages.
func copyOf(n, pageSize int64) cost.Copy {
	return cost.Copy{Records: n, ItemBytes: 300, Family: keyspace.Appends, PageSize: pageSize, Pairs: cost.MaxPairs}
}

// TestModelOfMigration: what a record costs to migrate, with nobody else writing.
func TestModelOfMigration(t *testing.T) {
	doc := measure(t, "migration", map[string]string{"records": "100,1500", "page_size": "100,1000", "writers": "0"}, "batched")
	compared := 0
	for _, m := range doc.Summary.Metrics {
		n := coordinate(t, m.Point, "records")
		c := cost.Backfill(copyOf(n, coordinate(t, m.Point, "page_size")))
		want, ok := map[string]float64{"requests/item": c.Requests, "wru/item": c.WRU}[m.Metric]
		if !ok || m.Variant != "batched" {
			continue
		}
		compared++
		if math.Abs(m.Value*float64(n)-want) > 1e-6 {
			t.Errorf("at %v: %s of all records measured %v, the model says %v", m.Point, m.Metric, m.Value*float64(n), want)
		}
	}
	if compared != 8 {
		t.Errorf("%d values compared, want 8", compared)
	}

	scale := plan.DefaultScale()
	measured, err := plan.Measured(scale, doc)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Make(scale, price.Default(), measured...)
	if err != nil {
		t.Fatal(err)
	}
	n := float64(p.Migration.Records)
	perRecord := cost.Backfill(copyOf(1500, 1000)).Requests / 1500
	if got := p.Migration.Backfill.Requests / n; math.Abs(got-perRecord) > 1e-9 || !strings.HasSuffix(p.Migration.Source, "as at records 1500") {
		t.Errorf("a plan of the measured backfill: %v requests a record from %q, want %v", got, p.Migration.Source, perRecord)
	}
}
