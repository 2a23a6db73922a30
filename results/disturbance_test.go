package results_test

import (
	"maps"
	"testing"

	"github.com/lakebench/lakebench/internal/resultstest"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/results/growth"
)

// A failure that no fault explains keeps its point out of fits, crossovers and what a
// reader may conclude; what protocols expect does not.
func TestDisturbedSeries(t *testing.T) {
	for name, c := range map[string]struct {
		attempts []results.Attempt
		retries  int64
		faults   string
		want     map[string]int64
	}{
		"lost":                  {[]results.Attempt{{Outcome: "reply-lost", Cause: "list", Count: 2}}, 2, "", map[string]int64{"reply-lost": 2, "retries": 2}},
		"throttled":             {[]results.Attempt{{Outcome: "throttled", Cause: "list", Count: 1}}, 0, "", map[string]int64{"throttled": 1}},
		"unknown":               {[]results.Attempt{{Outcome: "other", Cause: "list", Count: 1}}, 0, "", map[string]int64{"other": 1}},
		"retried":               {nil, 3, "", map[string]int64{"retries": 3}},
		"injected":              {[]results.Attempt{{Outcome: "throttled", Cause: "list", Count: 1}}, 1, "on dynamodb Scan nth 3 : throttle", nil},
		"set-up":                {[]results.Attempt{{Outcome: "server-error", Cause: "setup", Count: 1}}, 0, "", nil},
		"expected":              {[]results.Attempt{{Outcome: "absent", Cause: "list", Count: 5}, {Outcome: "condition-failed", Cause: "mutate", Count: 5}}, 0, "", nil},
		"conflicts, then again": {[]results.Attempt{{Outcome: "conflict", Cause: "mutate", Count: 4}}, 4, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			doc := resultstest.CatalogRefresh(1, 0, 1000, 10_000, 100_000)
			doc.Environment.Backend.Settings = map[string]string{results.FaultsSetting: c.faults}
			s := &doc.Series[0]
			s.Attempts, s.Retries = append(s.Attempts, c.attempts...), c.retries
			s.Metrics["rru/op"] = 1e6
			var err error
			if doc.Summary, err = results.Summarize(&doc); err != nil {
				t.Fatal(err)
			}
			d, found := doc.Summary.Disturbance(s.Variant, s.Point)
			if found != (c.want != nil) || !maps.Equal(d.Counts, c.want) {
				t.Errorf("disturbed by %v, want %v", d.Counts, c.want)
			}
			for _, g := range doc.Summary.Growth {
				// v1 reads 75 units at 0 records and 74 more for each 1,000; the first point has a
				// wrong count here, without which the others are a line.
				if linear := g.Class == growth.Linear; g.Variant == s.Variant && g.Metric == "rru/op" && linear != (c.want != nil) {
					t.Errorf("class %s with a wrong count at a point that is disturbed by %v", g.Class, c.want)
				}
			}
		})
	}
}

// Times of the real clock are conclusive from five repeats on; counts and modelled
// times always are.
func TestConclusive(t *testing.T) {
	count, time := results.Metric{Assume: results.Exact}, results.Metric{Assume: results.Time}
	for _, c := range []struct {
		clock   results.Clock
		repeats int
		metric  results.Metric
		want    bool
	}{
		{results.RealClock, 1, count, true}, {results.RealClock, 1, time, false}, {results.RealClock, 4, time, false},
		{results.RealClock, 5, time, true}, {results.VirtualClock, 1, time, true}, {results.VirtualClock, 1, count, true},
	} {
		doc := results.Document{Clock: c.clock, Repeats: c.repeats}
		if got := doc.Conclusive(c.metric); got != c.want {
			t.Errorf("%s clock, %d repeats, %s: %v, want %v", c.clock, c.repeats, c.metric.Assume, got, c.want)
		}
	}
}
