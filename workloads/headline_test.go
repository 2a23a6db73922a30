package workloads

import (
	"testing"

	"github.com/lakebench/lakebench/results"
)

// described is a document with a summary alone.
func described(t *testing.T, workload string, summary ...results.MetricSummary) *results.Document {
	t.Helper()
	w, err := Find(workload)
	if err != nil {
		t.Fatal(err)
	}
	doc := &results.Document{Workload: results.Workload{Name: workload}, Metrics: w.AllMetrics(), Summary: results.Summary{Metrics: summary}}
	w.Describe(doc)
	return doc
}

// of is one metric of a variant at a point.
func of(variant, metric string, value float64, at map[string]float64) results.MetricSummary {
	p := results.Point{}
	for name, v := range at {
		p[name] = results.Number(v)
	}
	return results.MetricSummary{Variant: variant, Metric: metric, Value: value, Point: p}
}

func TestHeadlines(t *testing.T) {
	days := func(n float64) map[string]float64 { return map[string]float64{"days": n} }
	records := func(n, writers float64) map[string]float64 {
		return map[string]float64{"records": n, "writers": writers}
	}
	appends := func(n float64) map[string]float64 { return map[string]float64{"group_commit": n, "entries": 16} }
	for name, tt := range map[string]struct {
		doc  *results.Document
		want string
	}{
		"nothing": {described(t, "append-history"), "append-history measured nothing."},
		"money": {
			described(t, "append-history", of("v1", "usd/day", 2, days(1)), of("v1", "usd/day", 60, days(30)), of("v2", "usd/day", 1, days(1)), of("v2", "usd/day", 1, days(30))),
			"With 30 days of history, a day of the lake costs $60 on v1 and $1 on v2. With 1 day of history, it costs $2 on v1 and $1 on v2.",
		},
		"money of a million": {
			described(t, "dual-write", of("dual", "usd/op", 12.5e-6, map[string]float64{"item_bytes": 4000})),
			"With 4,000 bytes in an item, a mutation costs $12.50 per million on dual.",
		},
		"another parameter varies, and the smallest point has the same": {
			described(t, "migration", of("single", "requests/item", 9, records(10, 0)), of("single", "requests/item", 3, records(100, 0)),
				of("single", "requests/item", 5, records(10, 4)), of("single", "requests/item", 4, records(100, 4))),
			"With 100 records (writers 4), the backfill of one takes 4 requests on single. With 10 records, it takes 5 on single.",
		},
		"one request, alike": {
			described(t, "wal-append", of("scan", "requests/op", 1, appends(1)), of("serve", "requests/op", 1, appends(1)), of("probe", "requests/op", 2, appends(1))),
			"With 1 append in an entry, an append takes 1 request on scan and serve and 2 on probe.",
		},
	} {
		if got := tt.doc.Headline; got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// A figure is taken from the point that it is about, and a count is multiplied or
// divided as its name says.
func TestPublishedFigures(t *testing.T) {
	at := func(polls float64) results.Point {
		return results.Point{"generations": results.Number(0), "manifest_polls": results.Number(polls), "duplicates": results.Bool(true), "user_indexes": results.Number(0)}
	}
	flushes := described(t, "flush",
		results.MetricSummary{Variant: "scan", Point: at(0), Metric: "requests/op", Value: 29},
		results.MetricSummary{Variant: "scan", Point: at(20), Metric: "requests/op", Value: 129},
		results.MetricSummary{Variant: "serve", Point: at(20), Metric: "requests/op", Value: 24},
		results.MetricSummary{Variant: "serve", Point: at(20), Metric: "usd/op", Value: 1})
	if got := flushes.Published; len(got) != 2 || got[0].Published != 132 || got[0].Measured != 129 || got[1].Published != 24 || got[1].Measured != 24 {
		t.Errorf("%+v", got)
	}
	per := described(t, "wal-replay", of("scan", "requests/op", 264, map[string]float64{"entries": 30, "hint_lag": 0}))
	if got := per.Published; len(got) != 1 || got[0].Measured != 8.8 {
		t.Errorf("%+v", got)
	}
	times := described(t, "concurrent-commits", of("serve", "scans/op", 3, map[string]float64{"committers": 8}))
	if got := times.Published; len(got) != 1 || got[0].Measured != 24 {
		t.Errorf("%+v", got)
	}
	if got := described(t, "catalog-refresh").Published; got == nil || len(got) != 0 {
		t.Errorf("%+v, expected an empty list", got)
	}
}
