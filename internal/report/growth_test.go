package report

import (
	"strings"
	"testing"

	"github.com/lakebench/lakebench/internal/render"
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
	if doc.Summary, err = results.Summarize(&doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// That there is no fit over a parameter is said once, not at every value of the
// others.
func TestNoFitIsSaidOnce(t *testing.T) {
	double, one := func(x float64) float64 { return 2 * x }, func(float64) float64 { return 1 }
	doc := measured(t, "requests/item", "writers", []float64{0, 4}, double, one)
	more := measured(t, "requests/item", "writers", []float64{0, 2, 4}, double, one)
	doc.Series = append(doc.Series, more.Series...)
	var err error
	if doc.Summary, err = results.Summarize(&doc); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(table(t, doc, render.TextOptions{Width: 80}), "Growth with writers (x)"); got != 1 {
		t.Errorf("noted %d times, expected once", got)
	}
}
