package workloads

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"testing"

	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/internal/price"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/results/growth"
	"github.com/lakebench/lakebench/run"
)

// embedded returns the configuration of a run on the embedded services.
func embedded(t *testing.T, w *run.Workload, set map[string]string) run.Config {
	t.Helper()
	p, err := w.Resolve(set)
	if err != nil {
		t.Fatal(err)
	}
	return run.Config{
		Workload: w, Params: p, Variants: w.Variants, Seed: 1, Repeats: 1, Prices: price.Default(),
		Open:  func(ctx context.Context) (*backend.Backend, error) { return backend.Open(ctx, backend.DefaultConfig()) },
		RunID: "test",
	}
}

// metrics returns the steady metrics of a variant at the only point.
func metrics(t *testing.T, doc *results.Document, variant string) map[string]float64 {
	t.Helper()
	for _, s := range doc.Series {
		if s.Variant == variant && s.Phase == results.Steady {
			return s.Metrics
		}
	}
	t.Fatalf("no steady series of %s", variant)
	return nil
}

// v1Cost is what one refresh of v1 costs by the rules, worked out from sizes
// alone: a page ends with the item that reaches the limit or crosses 1 MB, is
// rounded up to 4 KB (docs/facts/dynamodb.md §3.2 and §3.3), and a page that ends
// exactly at the limit has a cursor even if it is the last item.
func v1Cost(items, itemBytes, limit int) (requests, units float64) {
	for left := items; ; {
		page := min(left, (1<<20)/itemBytes+1)
		more := page < left
		if limit > 0 && limit <= page {
			page, more = limit, true
		}
		requests++
		units += math.Max(1, math.Ceil(float64(page*itemBytes)/4096))
		left -= page
		if !more {
			return requests, units
		}
	}
}

// v2Cost is the same for v2, shard by shard, given how many tables each holds.
// An item of v2 has the attribute "bucket" with a value like "tbl#07" more.
func v2Cost(tables map[int]int, itemBytes, limit int) (requests, units float64) {
	size := itemBytes + len("bucket") + len("tbl#07")
	for shard := range 8 {
		for left := tables[shard]; ; {
			page := min(left, (1<<20)/size+1)
			more := page < left
			if limit > 0 && limit <= page {
				page, more = limit, true
			}
			requests++
			units += math.Max(1, math.Ceil(float64(page*size)/4096))
			left -= page
			if !more {
				break
			}
		}
	}
	return requests, units
}

// shardsOf spreads keys as docs/spec/metadata-store.md §3 says.
func shardsOf(keys map[string][]byte) map[int]int {
	shards := map[int]int{}
	for key := range keys {
		sum := sha256.Sum256([]byte(key))
		shards[int(binary.BigEndian.Uint64(sum[:8])%8)]++
	}
	return shards
}

func generatedTables(t *testing.T, tables, records, itemBytes int64) map[string][]byte {
	t.Helper()
	keys := map[string][]byte{}
	for r, err := range generated(tables, records, itemBytes, 1) {
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Key) > 4 && r.Key[:4] == "tbl/" {
			keys[r.Key] = nil
		}
	}
	if int64(len(keys)) != tables {
		t.Fatalf("%d tables generated, expected %d", len(keys), tables)
	}
	return keys
}

// TestCatalogRefreshCostsWhatTheRulesSay holds every count of a run against the
// rules worked out from the sizes alone.
func TestCatalogRefreshCostsWhatTheRulesSay(t *testing.T) {
	for _, tt := range []struct {
		tables, records, itemBytes int64
		limit                      string
		// The figures that the first issue states, where it does.
		v1Requests, v1Units, v2Requests float64
	}{
		{tables: 1000, records: 100_000, itemBytes: 300, limit: "0", v1Requests: 29, v1Units: 7424, v2Requests: 8},
		{tables: 1000, records: 100_000, itemBytes: 300, limit: "1000", v1Requests: 102, v1Units: 7475, v2Requests: 8},
		{tables: 1000, records: 0, itemBytes: 300, limit: "1000", v2Requests: 8},
		{tables: 300, records: 1234, itemBytes: 1000, limit: "7"},
		{tables: 1, records: 1, itemBytes: 5000, limit: "1"},
		{tables: 50, records: 500, itemBytes: 400, limit: "550"},
	} {
		if testing.Short() && tt.records > 10_000 {
			continue
		}
		cfg := embedded(t, catalogRefresh(), map[string]string{
			"tables": text(tt.tables), "history_records": text(tt.records), "item_bytes": text(tt.itemBytes),
			"page_limit": tt.limit, "refreshes": "2",
		})
		doc, err := run.Run(t.Context(), cfg)
		if err != nil {
			t.Fatalf("%+v: %v", tt, err)
		}
		limit := int(cfg.Params["page_limit"][0].(int64))
		items := int(tt.tables + tt.records)
		requests, units := v1Cost(items, int(tt.itemBytes), limit)
		if tt.v1Requests != 0 && (requests != tt.v1Requests || units != tt.v1Units) {
			t.Errorf("%+v: the test's own model says %v requests and %v units", tt, requests, units)
		}
		expect(t, doc, "v1", map[string]float64{
			"requests/op": requests, "rru/op": units, "wru/op": 0, "retries/op": 0,
			"evaluated/op": float64(items), "returned/op": float64(tt.tables), "usd/op": units * 0.125e-6,
		})
		keys := generatedTables(t, tt.tables, tt.records, tt.itemBytes)
		requests, units = v2Cost(shardsOf(keys), int(tt.itemBytes), limit)
		if tt.v2Requests != 0 && requests != tt.v2Requests {
			t.Errorf("%+v: the test's own model says %v requests for v2", tt, requests)
		}
		for _, variant := range []string{"v2", "v2-parallel"} {
			expect(t, doc, variant, map[string]float64{
				"requests/op": requests, "rru/op": units, "wru/op": 0, "retries/op": 0,
				"evaluated/op": float64(tt.tables), "returned/op": float64(tt.tables), "usd/op": units * 0.125e-6,
			})
		}
		for _, c := range doc.Checks {
			if c.Status != results.Passed {
				t.Errorf("%+v: check %q: %s: %s", tt, c.Name, c.Status, c.Detail)
			}
		}
	}
}

func expect(t *testing.T, doc *results.Document, variant string, want map[string]float64) {
	t.Helper()
	got := metrics(t, doc, variant)
	for name, w := range want {
		if g, ok := got[name]; !ok || math.Abs(g-w) > 1e-12*math.Max(1, w) {
			t.Errorf("%s %s: %v, expected %v (have %v)", variant, name, g, w, maps.Keys(got))
		}
	}
}

func text(n int64) string { return results.Number(n).String() }

func TestEventualReadsCostHalf(t *testing.T) {
	set := map[string]string{"tables": "100", "history_records": "1000", "refreshes": "1", "consistency": "eventual"}
	doc, err := run.Run(t.Context(), embedded(t, catalogRefresh(), set))
	if err != nil {
		t.Fatal(err)
	}
	_, units := v1Cost(1100, 300, 1000)
	expect(t, doc, "v1", map[string]float64{"rru/op": units / 2})
}

func TestGrowthClasses(t *testing.T) {
	set := map[string]string{"tables": "100", "history_records": "0,1000,10000", "refreshes": "1"}
	doc, err := run.Run(t.Context(), embedded(t, catalogRefresh(), set))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]growth.Class{"v1": growth.Linear, "v2": growth.Constant, "v2-parallel": growth.Constant}
	for _, g := range doc.Summary.Growth {
		if g.Metric == "requests/op" && g.X == "history_records" {
			if g.Class != want[g.Variant] {
				t.Errorf("%s requests/op is %s, expected %s", g.Variant, g.Class, want[g.Variant])
			}
			delete(want, g.Variant)
		}
	}
	if len(want) > 0 {
		t.Errorf("no growth of requests/op for %v", want)
	}
}

func TestInterruptKeepsWhatWasMeasured(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("stopped by the test")
	cfg := embedded(t, catalogRefresh(), map[string]string{"tables": "10", "history_records": "0,10,20", "refreshes": "1"})
	cfg.Progress = func(p run.Progress) {
		if p.Point == 3 {
			cancel(why)
		}
	}
	doc, err := run.Run(ctx, cfg)
	if !errors.Is(err, why) {
		t.Fatalf("error is %v", err)
	}
	if doc == nil || !doc.Partial || len(doc.Series) != 2*3*2 {
		t.Fatalf("document %+v, expected the two phases of three variants at two points, marked partial", doc)
	}
}
