package plan_test

import (
	"math"
	"testing"
	"time"

	"github.com/lakebench/lakebench/history"
	"github.com/lakebench/lakebench/internal/cost"
	"github.com/lakebench/lakebench/internal/price"
	"github.com/lakebench/lakebench/manifest"
	"github.com/lakebench/lakebench/plan"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/store/control"
)

// The families of the workloads' lakes, and the shards of the first.
const (
	tables      = "tbl"
	leases      = "lease"
	tableShards = 8
)

// modeOf is the mode that a variant is named for.
func modeOf(t *testing.T, variant string) control.Mode {
	t.Helper()
	m, err := control.ParseMode(variant)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestModelOfDualWrite: what a mutation costs in each mode, exactly, on both
// sides of the kilobyte that only its v2 form goes beyond.
func TestModelOfDualWrite(t *testing.T) {
	const guardBytes = 200 // the leases of the workload
	doc := measure(t, "dual-write", map[string]string{"item_bytes": "300,1020,4000", "guarded": "false,true", "operations": "2", "tables": "2"})
	compared := 0
	for _, m := range doc.Summary.Metrics {
		mode, size := modeOf(t, m.Variant), coordinate(t, m.Point, "item_bytes")
		c := cost.Mutation(mode, tables, size)
		if m.Point["guarded"] == results.Bool(true) {
			c = cost.GuardedMutation(mode, tables, size, leases, guardBytes)
		}
		want, ok := map[string]float64{
			"requests/op": c.Requests, "wru/op": c.WRU, "rru/op": c.RRU,
			// 2 units of each check of the one item.
			"ceiling-units/s": cost.PartitionWRU / 2,
		}[m.Metric]
		if !ok {
			continue
		}
		compared++
		if m.Value != want {
			t.Errorf("%s at %v: %s measured %v, the model says %v", mode, m.Point, m.Metric, m.Value, want)
		}
	}
	if want := 3*2*4*3 + 3*2; compared != want { // the ceiling is that of one mode
		t.Errorf("%d values compared, want %d", compared, want)
	}
	scale := plan.DefaultScale()
	scale.GuardedShare = 0.25
	standIn(t, scale, doc, "table update")
}

// TestModelOfMetadataMix: of one node, all operations of a kind cost what the
// model says of one, exactly, but for the hashes of v2; of several, refused
// requests come on top.
func TestModelOfMetadataMix(t *testing.T) {
	const lakeTables, records, limit, size = 10, 100, 20, 300
	doc := measure(t, "metadata-mix", map[string]string{
		"concurrency": "1,6", "operations": "150", "tables": "10", "history_records": "100", "page_limit": "20",
	})
	compared := 0
	for _, s := range doc.Series {
		if s.Phase != results.Steady {
			continue
		}
		compared++
		mode := modeOf(t, s.Variant)
		refresh := cost.RefreshV2(lakeTables, tables, tableShards, size, limit)
		switch history := int64(records + lakeTables); mode { // a lease for each table
		case control.ModeV1:
			refresh.Low = cost.RefreshV1(lakeTables, history, size, limit)
			refresh.High = refresh.Low
		case control.ModeDual:
			refresh.Low = cost.RefreshDual(lakeTables, history, size, limit)
			refresh.High = refresh.Low
		case control.ModeV2Authoritative, control.ModeV2Only:
		}
		var low, high cost.Cost
		add := func(operation string, least, most cost.Cost) {
			n := float64(s.Operations[operation].OK)
			low = cost.Cost{Requests: low.Requests + n*least.Requests, RRU: low.RRU + n*least.RRU, WRU: low.WRU + n*least.WRU}
			high = cost.Cost{Requests: high.Requests + n*most.Requests, RRU: high.RRU + n*most.RRU, WRU: high.WRU + n*most.WRU}
		}
		read, cas := cost.PointRead(mode, tables, size), cost.Mutation(mode, tables, size)
		guarded := cost.GuardedMutation(mode, tables, size, leases, size)
		add("read", read, read)
		add("cas", cas, cas)
		add("guarded", guarded, guarded)
		add("refresh", refresh.Low, refresh.High)
		if coordinate(t, s.Point, "concurrency") > 1 {
			// Each refused request is billed and made again, and some look first
			// at what the other one wrote.
			refused := s.Metrics["conflicts/op"] * float64(s.OperationCount())
			high = cost.Cost{Requests: high.Requests + 2*refused, RRU: high.RRU + refused, WRU: high.WRU + refused*guarded.WRU}
		} else if s.Metrics["conflicts/op"] != 0 {
			t.Errorf("%s: one node alone was refused", mode)
		}
		for what, v := range map[string][3]float64{
			"requests": {s.Metrics["requests/op"] * float64(s.OperationCount()), low.Requests, high.Requests},
			"RRU":      {s.RRU, low.RRU, high.RRU},
			"WRU":      {s.WRU, low.WRU, high.WRU},
		} {
			if v[0] < v[1]-1e-6 || v[0] > v[2]+1e-6 {
				t.Errorf("%s at %v: %s measured %v, the model says %v to %v", mode, s.Point, what, v[0], v[1], v[2])
			}
		}
	}
	if compared != 2*4 {
		t.Errorf("%d series compared, want 8", compared)
	}
}

// TestModelOfAppendHistory: a day of a lake is the plan's. What is written is
// exact; what a refresh of v1 reads depends on how many commits chance has
// brought within the retention: six standard deviations either way.
func TestModelOfAppendHistory(t *testing.T) {
	const lakeTables, limit, rate = 50, 20, 0.001
	doc := measure(t, "append-history", map[string]string{
		"days": "1,4", "commits_per_second": "0.001", "operations": "100", "tables": "50", "page_limit": "20", "refreshes": "2",
	})
	lake := history.DefaultConfig()
	lake.CommitsPerSecond = rate
	compared := 0
	for _, m := range doc.Summary.Metrics {
		days := coordinate(t, m.Point, "days")
		lake.Retention = time.Duration(days) * 24 * time.Hour
		s := plan.DefaultScale()
		s.Tables, s.PageLimit, s.CommitsPerSecond, s.Retention = lakeTables, limit, rate, plan.Span(lake.Retention)
		s.Readers, s.RefreshInterval, s.PointReadsPerCommit, s.GuardedShare = 1, plan.Span(time.Minute), 0, 0
		s.LeaseShare, s.TombstoneShare = lake.LeaseShare, lake.TombstoneShare
		low, high := planned(t, s, m.Variant), planned(t, s, m.Variant)
		refreshes := s.RefreshesPerSecond() * 24 * 3600
		if m.Variant == "v1" {
			// A commit leaves two records, and a third now and then.
			off := 6 * math.Sqrt(rate*lake.Retention.Seconds()*4.25)
			records := func(n float64) cost.Cost { return cost.RefreshV1(lakeTables, int64(n), 300, limit) }
			low.RRU = refreshes * records(lake.Steady()-off).RRU
			high.RRU = refreshes * records(lake.Steady()+off).RRU
		} else {
			spread := cost.RefreshV2(lakeTables, tables, tableShards, 300, limit)
			low.RRU, high.RRU = refreshes*spread.Low.RRU, refreshes*spread.High.RRU
		}
		bounds, ok := map[string][2]float64{"rru/day": {low.RRU, high.RRU}, "wru/day": {low.WRU, high.WRU}}[m.Metric]
		if !ok {
			continue
		}
		compared++
		if m.Value < bounds[0]*(1-1e-9) || m.Value > bounds[1]*(1+1e-9) {
			t.Errorf("%s at %v: %s measured %v, the model says %v to %v", m.Variant, m.Point, m.Metric, m.Value, bounds[0], bounds[1])
		}
	}
	if compared != 2*2*2 {
		t.Errorf("%d values compared, want 8", compared)
	}
}

// planned is what a day costs by the plan of a scale.
func planned(t *testing.T, s plan.Scale, layout string) cost.Cost {
	t.Helper()
	p, err := plan.Make(s, price.Default())
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]control.Mode{"v1": control.ModeV1, "v2": control.ModeV2Only}[layout]
	for _, total := range p.Totals {
		if total.Column == column.String() {
			return cost.Cost{RRU: total.RRU * 24 * 3600, WRU: total.WRU * 24 * 3600}
		}
	}
	t.Fatalf("no total of %s", layout)
	return cost.Cost{}
}

// TestModelOfConcurrentCommits: who takes turns makes the requests of a warm
// commit; who does not loses an attempt to each of the others at most, and looks
// for the newest version again.
func TestModelOfConcurrentCommits(t *testing.T) {
	const rounds = 2
	doc := measure(t, "concurrent-commits", map[string]string{"committers": "1,4,9", "rounds": "2"})
	compared := 0
	for _, m := range doc.Summary.Metrics {
		if m.Metric != "requests/op" {
			continue
		}
		compared++
		n := coordinate(t, m.Point, "committers")
		policy, err := manifest.ParseKind(m.Variant)
		if err != nil {
			t.Fatal(err)
		}
		// Behind a hint that all of a round's commits have left behind.
		scan, lost := cost.TipScan(n).Requests, float64(n-1)/2
		bounds := map[manifest.Kind][2]float64{
			manifest.Scan:       {7, (1+lost)*(scan+1) + 1},
			manifest.Serve:      {2, 2 + lost*(scan+1)},
			manifest.Serialized: {2, 2},
			manifest.Probe:      {1, 1 + 1.0/16 + 1/float64(rounds*n)},
		}[policy]
		if n == 1 && m.Variant != "probe" {
			bounds[1] = bounds[0]
		}
		if m.Value < bounds[0] || m.Value > bounds[1] {
			t.Errorf("%s, %d at once: measured %v requests a commit, the model says %v to %v", m.Variant, n, m.Value, bounds[0], bounds[1])
		}
	}
	if compared != 3*4 {
		t.Errorf("%d values compared, want 12", compared)
	}
}
