package workloads

import (
	"slices"
	"testing"

	"github.com/lakebench/lakebench/run"
)

// TestFocus: what reports show first is a swept parameter, and metrics that have
// pictures.
func TestFocus(t *testing.T) {
	for _, w := range All() {
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
