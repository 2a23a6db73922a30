package workloads

import (
	"github.com/lakebench/lakebench/results"
)

// A figure is a number that the authors of the shard manifest's change have
// published (docs/spec/shard-manifest.md §5), and where a run measures it.
type figure struct {
	name, variant string
	published     float64
	// metric is read at the coordinates of at, the last point if several have them. It
	// is multiplied by the parameter times, or divided by the parameter per.
	metric     string
	at         map[string]string
	times, per string
	// explained says what the measured number is made of, and where a difference may
	// come from.
	explained string
}

// publishedIn returns the workload's published figures that a document has measured.
func (w *Workload) publishedIn(doc *results.Document) []results.PublishedFigure {
	found := []results.PublishedFigure{}
	for _, f := range w.published {
		if measured, ok := f.in(doc); ok {
			found = append(found, results.PublishedFigure{Figure: f.name, Variant: f.variant, Published: f.published, Measured: measured, Explained: f.explained})
		}
	}
	return found
}

// in looks for the figure in a document.
func (f figure) in(doc *results.Document) (measured float64, ok bool) {
	for _, m := range doc.Summary.Metrics {
		if m.Variant == f.variant && m.Metric == f.metric && f.isAt(m.Point) {
			measured, ok = m.Value, true
			if n, there := m.Point[f.times].Float(); there {
				measured *= n
			}
			if n, there := m.Point[f.per].Float(); there {
				measured /= n
			}
		}
	}
	return measured, ok
}

func (f figure) isAt(p results.Point) bool {
	for name, want := range f.at {
		if v, ok := p[name]; !ok || v.String() != want {
			return false
		}
	}
	return true
}
