package compare

import (
	"slices"
	"strings"

	"github.com/lakebench/lakebench/internal/render/format"
	"github.com/lakebench/lakebench/results"
)

// A Namer says where something was measured, with no more words than tell places
// apart: parameters that are the same everywhere are left out.
type Namer struct{ vary []string }

// NewNamer returns a namer for the places of all documents.
func NewNamer(docs ...results.Document) Namer {
	first := map[string]results.Value{}
	var n Namer
	for _, d := range docs {
		for i := range d.Series {
			for name, v := range d.Series[i].Point {
				if seen, ok := first[name]; !ok {
					first[name] = v
				} else if seen != v && !slices.Contains(n.vary, name) {
					n.vary = append(n.vary, name)
				}
			}
		}
	}
	slices.Sort(n.vary)
	return n
}

// Place names a variant at a point in a phase: "v1 · history records 1,000 ·
// steady". Each of them may be missing.
func (n Namer) Place(variant string, p results.Point, phase results.Phase) string {
	var parts []string
	if variant != "" {
		parts = append(parts, variant)
	}
	for _, name := range n.vary {
		if v, ok := p[name]; ok {
			parts = append(parts, format.Spaced(name)+" "+results.FormatCoordinate(v))
		}
	}
	if phase != "" {
		parts = append(parts, string(phase))
	}
	return strings.Join(parts, " · ")
}
