package workloads

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/lakebench/lakebench/history"
	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/run"
	"github.com/lakebench/lakebench/store/keyspace"
)

// TestDayCostsWhatTheRulesSay works a day's cost out from the lake's rates and
// from how many records are live: at items of 300 bytes every write and every
// expiry costs one unit in both layouts.
func TestDayCostsWhatTheRulesSay(t *testing.T) {
	const operations, tables, rate = 500, 60, 0.02
	doc := run1(t, embedded(t, appendHistory(), map[string]string{
		"days": "1,2", "commits_per_second": "0.02", "operations": "500", "tables": "60", "refreshes": "1", "refresh_seconds": "300", "readers": "3",
	}))
	// Append, manifest and table; a lease of 2 %, a tombstone of 5 %; all but the
	// table expire.
	wru := rate * 86_400 * (3 + 0.07 + 2 + 0.07)
	for days, point := range map[int]string{1: "commits_per_second=0.02 days=1", 2: "commits_per_second=0.02 days=2"} {
		cfg := history.DefaultConfig()
		cfg.Tables, cfg.CommitsPerSecond, cfg.Retention = tables, rate, time.Duration(days)*24*time.Hour
		live := liveAfter(t, cfg, operations)
		_, v1 := v1Cost(live, 300, 1000)
		_, v2 := v2Cost(shardsOf(tablesOf(t, cfg)), 300, 1000)
		for variant, refresh := range map[string]float64{"v1": v1, "v2": v2} {
			rru := refresh * 3 * 86_400 / 300
			m := at(t, doc, variant, point)
			for name, want := range map[string]float64{"wru/day": wru, "rru/day": rru, "usd/day": rru*0.125e-6 + wru*0.625e-6} {
				if math.Abs(m[name]-want) > 1e-9*want {
					t.Errorf("%s at %s: %s is %v, expected %v", variant, point, name, m[name], want)
				}
			}
			// A refresh after 500 operations, each of one request.
			refreshRequests := 8.0
			if variant == "v1" {
				refreshRequests, _ = v1Cost(live, 300, 1000)
			}
			if got, want := m["requests/op"], (operations+refreshRequests)/(operations+1); math.Abs(got-want) > 1e-12 {
				t.Errorf("%s at %s: %v requests/op, expected %v", variant, point, got, want)
			}
		}
	}
}

// liveAfter returns how many records are live n operations after the first
// retention.
func liveAfter(t *testing.T, cfg history.Config, n int) int {
	t.Helper()
	lake, err := history.New(cfg, 1)
	if err != nil {
		t.Fatal(err)
	}
	var last time.Duration
	for op := range lake.Ops(cfg.Retention, history.Horizon) {
		if last = op.At; n == 1 {
			break
		}
		n--
	}
	live := 0
	for range lake.Live(last) {
		live++
	}
	return live
}

func tablesOf(t *testing.T, cfg history.Config) map[string][]byte {
	t.Helper()
	lake, err := history.New(cfg, 1)
	if err != nil {
		t.Fatal(err)
	}
	tables := map[string][]byte{}
	for r := range lake.Live(time.Hour) {
		if keyspace.Family(r.Key) == "tbl" {
			tables[r.Key] = nil
		}
	}
	return tables
}

// TestRepeatsGoOn: every repeat plays the next stretch of the history, and the
// tables end where it does.
func TestRepeatsGoOn(t *testing.T) {
	cfg := embedded(t, appendHistory(), map[string]string{"days": "1", "commits_per_second": "0.01", "operations": "300", "tables": "30"})
	cfg.Repeats = 3
	doc := run1(t, cfg)
	for _, c := range doc.Checks {
		if c.Status != results.Passed {
			t.Errorf("check %q: %s: %s", c.Name, c.Status, c.Detail)
		}
	}
	if len(doc.Series) != 6 || !doc.Deterministic {
		t.Errorf("%d series, deterministic %v; expected six of a deterministic run", len(doc.Series), doc.Deterministic)
	}
}

// TestLostWriteIsNoticed: a table that does not end as the history does makes the
// run invalid.
func TestLostWriteIsNoticed(t *testing.T) {
	cfg := embedded(t, appendHistory(), map[string]string{"days": "1", "commits_per_second": "0.01", "operations": "300", "tables": "30"})
	cfg.Variants = cfg.Variants[:1]
	var opened *backend.Backend
	cfg.Open = func(ctx context.Context) (b *backend.Backend, err error) {
		opened, err = backend.Open(ctx, backend.DefaultConfig())
		return opened, err
	}
	cfg.Progress = func(p run.Progress) {
		if p.Stage == "measuring v1, steady" && p.Done == 10 {
			removeOne(t, opened, "lake-setting-01") // which nothing refers to
		}
	}
	wantInvalid(t, cfg, checkEnd)
}
