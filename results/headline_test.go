package results_test

import (
	"strings"
	"testing"

	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/workloads"
)

// measured is a document of two variants with one metric over a parameter.
func measured(t *testing.T, metric, x string, at []float64, v1, v2 func(x float64) float64) results.Document {
	t.Helper()
	doc := results.Document{Repeats: 1, Metrics: workloads.Metrics(), Workload: results.Workload{Name: "w"}}
	for _, f := range []struct {
		variant string
		cost    func(float64) float64
	}{{"v1", v1}, {"v2", v2}} {
		for _, v := range at {
			doc.Series = append(doc.Series, results.Series{
				Variant: f.variant, Point: results.Point{x: results.Number(v), "other": results.Number(len(at))}, Phase: results.Steady,
				Operations: map[string]results.Operations{"write": {Count: 1, OK: 1}},
				Metrics:    map[string]float64{metric: f.cost(v), "requests/op": 1},
			})
		}
	}
	var err error
	if doc.Summary, err = results.Summarize(doc.Metrics, doc.Series); err != nil {
		t.Fatal(err)
	}
	return doc
}

// A workload that is about a day or an item says what that costs; a parameter is
// named so that it can be read.
func TestHeadlineSaysWhatTheWorkloadIsAbout(t *testing.T) {
	double, one := func(x float64) float64 { return 2 * x }, func(float64) float64 { return 1 }
	for name, tt := range map[string]struct {
		doc  results.Document
		want string
	}{
		"a day":      {measured(t, "usd/day", "days", []float64{1, 7, 30}, double, one), "At 30 days a day costs $60 on v1, 60 times the $1 on v2: v1 grows linearly and v2 stays constant."},
		"an item":    {measured(t, "requests/item", "records", []float64{1, 10}, double, one), "At 10 records an item costs 20 requests on v1, 20 times the 1 on v2."},
		"what falls": {measured(t, "requests/item", "records", []float64{10, 100, 1000}, func(x float64) float64 { return 5 - x/500 }, one), "At 1000 records an item costs 3 requests on v1, 3 times the 1 on v2: v1 falls and v2 stays constant."},
		"what grows alike": {measured(t, "usd/day", "days", []float64{1, 7, 30}, func(x float64) float64 { return 4 * x }, double),
			"At 30 days a day costs $120 on v1, 2 times the $60 on v2: both grow linearly."},
		"what is alike":  {measured(t, "usd/day", "days", []float64{1, 7, 30}, one, one), "At 30 days a day costs $1 on v1 and v2 alike: both stay constant."},
		"times of a run": {measured(t, "p50-ns", "days", []float64{1, 7, 30}, double, one), "At 30 days a write costs 1 request on v1 and v2 alike: both stay constant."},
		"a parameter":    {measured(t, "usd/op", "concurrency", []float64{4, 16}, double, one), "At concurrency 16 a write costs $32000000.00 per million on v1"},
	} {
		got := strings.Join(strings.Fields(strings.Split(table(t, tt.doc, results.TableOptions{}), "\nw ·")[0]), " ")
		if !strings.HasPrefix(strings.ReplaceAll(got, ",000", "000"), tt.want) {
			t.Errorf("%s: %q, expected %q", name, got, tt.want)
		}
	}
}

// That there is no fit over a parameter is said once, not at every value of the
// others.
func TestNoFitIsSaidOnce(t *testing.T) {
	double, one := func(x float64) float64 { return 2 * x }, func(float64) float64 { return 1 }
	doc := measured(t, "requests/item", "writers", []float64{0, 4}, double, one)
	more := measured(t, "requests/item", "writers", []float64{0, 2, 4}, double, one)
	doc.Series = append(doc.Series, more.Series...)
	var err error
	if doc.Summary, err = results.Summarize(doc.Metrics, doc.Series); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(table(t, doc, results.TableOptions{}), "Growth with writers (x)"); got != 1 {
		t.Errorf("said %d times, expected once", got)
	}
	titles := map[string]int{}
	for _, g := range results.GrowthGrids(doc) {
		titles[g.Title]++
	}
	if titles["Growth with writers (x)"] != 1 {
		t.Errorf("for a report: %v, expected once", titles)
	}
}
