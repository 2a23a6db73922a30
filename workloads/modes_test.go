package workloads

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/internal/backend/latency"
	"github.com/lakebench/lakebench/internal/meter"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/run"
)

// run1 runs a configuration that must be valid.
func run1(t *testing.T, cfg run.Config) *results.Document {
	t.Helper()
	doc, err := run.Run(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// onVirtualTimes opens services whose requests take the built-in times.
func onVirtualTimes(ctx context.Context) (*backend.Backend, error) {
	times, err := latency.Default()
	if err != nil {
		return nil, err
	}
	cfg := backend.DefaultConfig()
	cfg.ServiceTimes = &times
	return backend.Open(ctx, cfg)
}

// at returns the steady metrics of a variant at a point, which is written as
// Point.String does.
func at(t *testing.T, doc *results.Document, variant, point string) map[string]float64 {
	t.Helper()
	for _, s := range doc.Series {
		if s.Variant == variant && s.Phase == results.Steady && s.Point.String() == point {
			return s.Metrics
		}
	}
	t.Fatalf("no steady series of %s at %s", variant, point)
	return nil
}

// mutationUnits is the table of docs/spec/metadata-store.md §4, for items of up to a
// KB: CAS or Delete, GuardedMutate.
var mutationUnits = map[string][2]float64{
	"v1": {1, 4}, "dual": {6, 8}, "v2-authoritative": {4, 6}, "v2-only": {1, 4},
}

// mutationCost works the units of a mutation out for any size: what is written
// costs its started KB, twice that in a transaction; a check costs two for each
// started KB of what it reads, the barrier is absent, and the lease is small
// (docs/facts/dynamodb.md §3.2, 18 to 21).
func mutationCost(variant string, guarded bool, itemBytes int) float64 {
	kb := func(n int) float64 { return math.Ceil(float64(n) / 1024) }
	v1, v2 := kb(itemBytes), kb(itemBytes+len("bucket")+len("tbl#07"))
	guard, barrier := 0.0, 2.0
	if guarded {
		guard = 2
	}
	switch variant {
	case "dual":
		return 2*v1 + 2*v2 + barrier + guard
	case "v2-authoritative":
		return 2*v1 + 2*v2 + guard
	case "v1":
		v2 = v1
	}
	if guarded {
		return 2*v2 + guard
	}
	return v2
}

// TestMutationsCostWhatTheSpecSays: one request in every mode, and the units of
// the table.
func TestMutationsCostWhatTheSpecSays(t *testing.T) {
	doc := run1(t, embedded(t, dualWrite(), map[string]string{"item_bytes": "300,1012,1013,1025,4000", "operations": "7", "tables": "3"}))
	for variant, small := range mutationUnits {
		for i, guarded := range []bool{false, true} {
			for _, size := range []int{300, 1012, 1013, 1025, 4000} {
				want := mutationCost(variant, guarded, size)
				if size <= 1012 && want != small[i] {
					t.Errorf("the test's own model says %v for %s, the spec %v", want, variant, small[i])
				}
				m := at(t, doc, variant, fmt.Sprintf("guarded=%v item_bytes=%d", guarded, size))
				if m["requests/op"] != 1 || m["wru/op"] != want || m["rru/op"] != 0 || math.Abs(m["usd/op"]-want*0.625e-6) > 1e-15 {
					t.Errorf("%s, guarded %v, %d bytes: %v requests, %v write and %v read units, $%v; expected 1, %v, 0, $%v",
						variant, guarded, size, m["requests/op"], m["wru/op"], m["rru/op"], m["usd/op"], want, want*0.625e-6)
				}
				ceiling, has := m["ceiling-units/s"]
				// A partition's 1,000 units a second, two for each check
				// (docs/spec/metadata-store.md §4).
				if has != (variant == "dual") || has && ceiling != 500 {
					t.Errorf("%s: ceiling by units %v (%v), expected 500 for dual alone", variant, ceiling, has)
				}
			}
		}
	}
}

// TestConflictCeiling: a mutation in each transaction's time. On the real clock
// that is the built-in one, 10 ms and 40 µs for each started KB; on the virtual
// clock what it took there.
func TestConflictCeiling(t *testing.T) {
	set := map[string]string{"item_bytes": "300", "guarded": "false", "operations": "5", "tables": "3"}
	cfg := embedded(t, dualWrite(), set)
	// v1 and v2 items of 300 and 312 bytes are written.
	if got, want := metrics(t, run1(t, cfg), "dual")["ceiling-conflicts/s"], 1/(0.010+0.000_040); math.Abs(got-want) > 1e-9 {
		t.Errorf("%v mutations a second, expected %v", got, want)
	}
	cfg = embedded(t, dualWrite(), set)
	cfg.Virtual = true
	cfg.Open = func(ctx context.Context) (*backend.Backend, error) {
		b := backend.DefaultConfig()
		b.ServiceTimes = &latency.Table{Date: "2026-01-01", Sources: []string{"a test"}, Services: map[string]latency.Service{
			"dynamodb": {Default: latency.Profile{Distribution: latency.Constant, MedianUS: 4000}},
		}}
		return backend.Open(ctx, b)
	}
	// The histogram keeps three digits.
	if got := metrics(t, run1(t, cfg), "dual")["ceiling-conflicts/s"]; math.Abs(got-250) > 0.5 {
		t.Errorf("%v mutations a second at 4 ms each, expected 250", got)
	}
}

// TestBarrierSerializesMutations: where checks of one item conflict, many nodes
// together do not get more mutations through than the ceiling says; where they do
// not, they do.
func TestBarrierSerializesMutations(t *testing.T) {
	const transaction = 10 * time.Millisecond
	rate := func(conflict bool) float64 {
		cfg := embedded(t, metadataMix(), map[string]string{
			"concurrency": "32", "operations": "300", "tables": "200", "history_records": "0",
			"reads": "0", "cas": "100", "guarded": "0", "refreshes": "0",
		})
		cfg.Virtual = true
		cfg.Variants, _ = cfg.Workload.PickVariants([]string{"dual"})
		cfg.Open = func(ctx context.Context) (*backend.Backend, error) {
			b := backend.DefaultConfig()
			b.Dynamo.CommitDelay, b.Dynamo.ChecksConflict = transaction, conflict
			return backend.Open(ctx, b)
		}
		var began, ended time.Duration
		through := 0
		cfg.Trace = func(r meter.TraceRecord) {
			if r.Phase != meter.PhaseSteady {
				return
			}
			if began == 0 {
				began = r.At
			}
			if ended = r.At + r.Took; r.Outcome == "ok" {
				through++
			}
		}
		run1(t, cfg)
		return float64(through) / (ended - began).Seconds()
	}
	if got, most := rate(true), 1/transaction.Seconds(); got > 1.01*most || got < most/4 {
		t.Errorf("%.1f mutations a second, expected at most %.1f and not much less", got, most)
	}
	if got, least := rate(false), 3/transaction.Seconds(); got < least {
		t.Errorf("%.1f mutations a second where checks do not conflict, expected more than %.1f", got, least)
	}
}

// mixModel is what metadata-mix costs with one node, by the rules and the counts
// of its operations.
func mixModel(variant string, ops map[string]results.Operations, items, limit int) (requests, rru, wru float64) {
	refreshRequests, refreshUnits := v1Cost(items, 300, limit)
	if variant == "v2-authoritative" || variant == "v2-only" {
		// So few tables are a page in each shard, of one unit.
		refreshRequests, refreshUnits = 8, 8
	}
	if variant == "dual" { // it looks for the marker first
		refreshRequests, refreshUnits = refreshRequests+1, refreshUnits+1
	}
	n := func(name string) float64 { return float64(ops[name].Count) }
	units := mutationUnits[variant]
	return n("read") + n("cas") + n("guarded") + n("refresh")*refreshRequests,
		n("read") + n("refresh")*refreshUnits,
		n("cas")*units[0] + n("guarded")*units[1]
}

// TestMixCostsWhatTheRulesSay: alone, a node gets everything through at once.
func TestMixCostsWhatTheRulesSay(t *testing.T) {
	doc := run1(t, embedded(t, metadataMix(), map[string]string{"concurrency": "1", "operations": "600", "tables": "40", "history_records": "120", "page_limit": "70"}))
	if !doc.Deterministic {
		t.Error("a run with one node is not called deterministic")
	}
	for _, s := range doc.Series {
		requests, rru, wru := mixModel(s.Variant, s.Operations, 200, 70)
		if float64(s.Requests()) != requests || s.RRU != rru || s.WRU != wru || s.Metrics["conflicts/op"] != 0 {
			t.Errorf("%s: %d requests, %v read and %v write units, %v conflicts; expected %v, %v, %v, 0",
				s.Variant, s.Requests(), s.RRU, s.WRU, s.Metrics["conflicts/op"], requests, rru, wru)
		}
		// Six standard deviations of a binomial count.
		for name, share := range map[string]float64{"read": 0.60, "cas": 0.25, "guarded": 0.10, "refresh": 0.05} {
			if got := float64(s.Operations[name].Count) / 600; math.Abs(got-share) > 6*math.Sqrt(share*(1-share)/600) {
				t.Errorf("%s: %v of the operations are %s, expected %v", s.Variant, got, name, share)
			}
		}
	}
}

// TestMixConflicts: what is asked does not depend on how many ask at a time; what
// is refused is asked once more.
func TestMixConflicts(t *testing.T) {
	cfg := embedded(t, metadataMix(), map[string]string{"concurrency": "1,8", "operations": "400", "tables": "20", "history_records": "20"})
	cfg.Virtual = true
	cfg.Seed = 5
	cfg.Open = onVirtualTimes
	doc := run1(t, cfg)
	for variant := range mutationUnits {
		alone, together := at(t, doc, variant, "concurrency=1"), at(t, doc, variant, "concurrency=8")
		conflicts := together["conflicts/op"]
		if conflicts <= 0 || math.Abs(together["requests/op"]-alone["requests/op"]-conflicts) > 1e-9 {
			t.Errorf("%s: %v conflicts/op, requests/op from %v to %v; expected them to make the difference", variant, conflicts, alone["requests/op"], together["requests/op"])
		}
	}
}

// TestConcurrentRunsAreNotDeterministic: but each point tells for itself whether
// an endpoint can be held against it.
func TestConcurrentRunsAreNotDeterministic(t *testing.T) {
	set := map[string]string{"concurrency": "1,3", "operations": "60", "tables": "5", "history_records": "5"}
	shadow, err := run.MeasureShadow(t.Context(), embedded(t, metadataMix(), set))
	if err != nil {
		t.Fatal(err)
	}
	if shadow.Document.Deterministic {
		t.Error("a run with three nodes at a time is called deterministic")
	}
	doc := run1(t, embedded(t, metadataMix(), set))
	for i := range doc.Summary.Metrics {
		if m := &doc.Summary.Metrics[i]; m.Point.String() == "concurrency=3" {
			m.Value++
		}
	}
	if d, err := shadow.Compare(doc); err != nil || len(d) > 0 || !passed(doc) {
		t.Errorf("differences %v, %v; want none where several work at a time", d, err)
	}
}
