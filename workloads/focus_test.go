package workloads

import (
	"reflect"
	"slices"
	"testing"

	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/run"
)

// TestFocus: what reports show first is a swept parameter, and metrics that have
// pictures. A document carries it, with the texts of the workload and of the variants
// that were measured.
func TestFocus(t *testing.T) {
	for _, w := range All() {
		doc := results.Document{Series: []results.Series{{Variant: w.Variants[1].Name}}}
		if w.Describe(&doc); doc.Workload.Summary != w.Summary || !reflect.DeepEqual(doc.Workload.Focus, w.Focus) || !slices.Equal(doc.Workload.Variants, w.Variants[1:2]) {
			t.Errorf("%s: a document carries %+v", w.Name, doc.Workload)
		}
		if !slices.ContainsFunc(w.Params, func(p run.Param) bool { return p.Name == w.Focus.X && p.Swept }) {
			t.Errorf("%s: focus.x is %q: expected a swept parameter", w.Name, w.Focus.X)
		}
		for _, name := range w.Focus.Metrics {
			if m := w.AllMetrics().Lookup(name); !w.AllMetrics().Declares(name) || m.Column.Hidden || m.Undrawn {
				t.Errorf("%s: focus.metrics has %q: expected a metric that has a picture", w.Name, name)
			}
		}
		if w.Summary == "" || len(w.Focus.Metrics) == 0 {
			t.Errorf("%s has no summary, or no metric to show first", w.Name)
		}
		for _, v := range w.Variants {
			if v.Doc == "" {
				t.Errorf("%s: nothing describes variant %s", w.Name, v.Name)
			}
		}
	}
}
