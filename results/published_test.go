package results

import (
	"bytes"
	"strings"
	"testing"
)

// A figure is taken from the point that it is about, and a count is multiplied or
// divided as its name says.
func TestPublishedFigures(t *testing.T) {
	at := func(generations, polls float64) Point {
		return Point{"generations": Number(generations), "manifest_polls": Number(polls), "duplicates": Bool(true), "user_indexes": Number(0)}
	}
	doc := Document{Workload: Workload{Name: "flush"}, Summary: Summary{Metrics: []MetricSummary{
		{Variant: "scan", Point: at(0, 0), Metric: "requests/op", Value: 29},
		{Variant: "scan", Point: at(0, 20), Metric: "requests/op", Value: 129},
		{Variant: "serve", Point: at(0, 20), Metric: "requests/op", Value: 24},
		{Variant: "serve", Point: at(0, 20), Metric: "usd/op", Value: 1},
	}}}
	got := Published(doc)
	if len(got) != 2 || got[0].Published != 132 || got[0].Measured != 129 || got[1].Published != 24 || got[1].Measured != 24 {
		t.Errorf("%+v", got)
	}
	per := Document{Workload: Workload{Name: "wal-replay"}, Summary: Summary{Metrics: []MetricSummary{
		{Variant: "scan", Point: Point{"entries": Number(30), "hint_lag": Number(0)}, Metric: "requests/op", Value: 264},
	}}}
	if got := Published(per); len(got) != 1 || got[0].Measured != 8.8 {
		t.Errorf("%+v", got)
	}
	times := Document{Workload: Workload{Name: "concurrent-commits"}, Summary: Summary{Metrics: []MetricSummary{
		{Variant: "serve", Point: Point{"committers": Number(8)}, Metric: "scans/op", Value: 3},
	}}}
	if got := Published(times); len(got) != 1 || got[0].Measured != 24 {
		t.Errorf("%+v", got)
	}
	if got := Published(Document{Workload: Workload{Name: "catalog-refresh"}}); got != nil {
		t.Errorf("%+v", got)
	}
}

// Requests are broken down at the last point, per operation, without those of
// setting up.
func TestRequestsByCause(t *testing.T) {
	series := func(variant string, n float64, attempts ...Attempt) Series {
		return Series{
			Variant: variant, Point: Point{"n": Number(n)}, Phase: Steady,
			Operations: map[string]Operations{"read": {Count: 2, OK: 2}}, Attempts: attempts,
		}
	}
	doc := Document{Series: []Series{
		series("scan", 1, Attempt{Cause: "hint", Count: 100}),
		series("scan", 2, Attempt{Cause: "data", Count: 4}, Attempt{Cause: "hint", Count: 2}, Attempt{Cause: "setup", Count: 50}),
		series("scan", 2, Attempt{Cause: "data", Count: 2}, Attempt{Cause: "hint", Count: 2}),
		series("serve", 2, Attempt{Cause: "data", Count: 4}),
	}}
	b, ok := RequestsByCause(doc)
	if !ok || strings.Join(b.Causes, " ") != "hint data" || b.Counts["scan"]["data"] != 1.5 || b.Counts["scan"]["hint"] != 1 || b.Total("serve") != 2 {
		t.Errorf("%+v, %v", b, ok)
	}
	if _, ok := RequestsByCause(Document{Series: doc.Series[:1]}); ok {
		t.Error("one cause is broken down")
	}
	var out bytes.Buffer
	if err := WriteTable(&out, doc, TableOptions{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "Requests by cause, per read") {
		t.Errorf("the breakdown is missing:\n%s", out.String())
	}
}
