package report

import (
	"io"
	"maps"
	"testing"

	"github.com/lakebench/lakebench/internal/render"
	"github.com/lakebench/lakebench/internal/resultstest"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/run"
	"github.com/lakebench/lakebench/workloads"
)

// fullRun is a run of a workload with default parameters, with made-up values of every
// metric.
func fullRun(t testing.TB, w *run.Workload) results.Document {
	t.Helper()
	params, err := w.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	points := []results.Point{{}}
	for _, p := range w.Params {
		if !p.Swept {
			continue
		}
		var longer []results.Point
		for _, at := range points {
			for _, v := range params[p.Name] {
				next := maps.Clone(at)
				if next[p.Name], err = results.ValueOf(v); err != nil {
					t.Fatal(err)
				}
				longer = append(longer, next)
			}
		}
		points = longer
	}
	doc := resultstest.CatalogRefresh(1, 0)
	some := doc.Series[0]
	doc.Workload.Name, doc.Series, doc.Metrics, doc.Clock = w.Name, nil, w.AllMetrics(), results.VirtualClock
	for i, at := range points {
		for j, v := range w.Variants {
			s := some
			s.Variant, s.Point, s.Metrics = v.Name, at, map[string]float64{}
			for k, m := range doc.Metrics {
				s.Metrics[m.Name] = 1234.5 + float64((i*31+j*17+k*7)%101)*98.7
			}
			doc.Series = append(doc.Series, s)
		}
	}
	if doc.Summary, err = results.Summarize(&doc); err != nil {
		t.Fatal(err)
	}
	w.Describe(&doc)
	return doc
}

// largestRun is the full run that has the most series.
func largestRun(t testing.TB) results.Document {
	t.Helper()
	var largest results.Document
	for _, w := range workloads.All() {
		if doc := fullRun(t, w); len(doc.Series) > len(largest.Series) {
			largest = doc
		}
	}
	return largest
}

// TestSizeOfAFullRun: the report of a run with default parameters can be sent: two
// megabytes at most.
func TestSizeOfAFullRun(t *testing.T) {
	doc := largestRun(t)
	if n := len(htmlOf(t, doc)); n > 2<<20 {
		t.Errorf("the report of %d series of %s is %d bytes", len(doc.Series), doc.Workload.Name, n)
	}
}

// BenchmarkFullRun builds that report; it is to take three seconds at most.
func BenchmarkFullRun(b *testing.B) {
	doc := largestRun(b)
	for b.Loop() {
		p, err := Results(Draw(doc))
		if err != nil {
			b.Fatal(err)
		}
		if err := render.HTML(io.Discard, p); err != nil {
			b.Fatal(err)
		}
	}
}
