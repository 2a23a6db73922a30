package run

import (
	"github.com/lakebench/lakebench/results"
)

// A Figure is a number that the authors of the shard manifest's change have
// published (docs/spec/shard-manifest.md §5), and where a run measures it.
type Figure struct {
	Name, Variant string
	Published     float64
	// Metric is read at the coordinates of at, the last point if several have them. It
	// is multiplied by the parameter times, or divided by the parameter per.
	Metric     string
	At         map[string]string
	Times, Per string
	// Explained says what the measured number is made of, and where a difference may
	// come from.
	Explained string
}

// publishedIn returns the workload's published figures that a document has measured.
func (w *Workload) publishedIn(doc *results.Document) []results.PublishedFigure {
	found := []results.PublishedFigure{}
	for _, f := range w.Published {
		if measured, ok := f.in(doc); ok {
			found = append(found, results.PublishedFigure{Figure: f.Name, Variant: f.Variant, Published: f.Published, Measured: measured, Explained: f.Explained})
		}
	}
	return found
}

// in looks for the figure in a document.
func (f Figure) in(doc *results.Document) (measured float64, ok bool) {
	for _, m := range doc.Summary.Metrics {
		if m.Variant == f.Variant && m.Metric == f.Metric && f.isAt(m.Point) {
			measured, ok = m.Value, true
			if n, there := m.Point[f.Times].Float(); there {
				measured *= n
			}
			if n, there := m.Point[f.Per].Float(); there {
				measured /= n
			}
		}
	}
	return measured, ok
}

func (f Figure) isAt(p results.Point) bool {
	for name, want := range f.At {
		if v, ok := p[name]; !ok || v.String() != want {
			return false
		}
	}
	return true
}
