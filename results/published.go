package results

import (
	"fmt"
	"math"

	"github.com/lakebench/lakebench/internal/render/texttab"
)

// A PublishedFigure is a number that somebody has published, beside what a run
// measured.
type PublishedFigure struct {
	Figure    string  `json:"figure"`
	Variant   string  `json:"variant"`
	Published float64 `json:"published"`
	Measured  float64 `json:"measured"`
	// Explained says what the measured number is made of, and where a difference
	// may come from.
	Explained string `json:"explained"`
}

// PublishedGrid returns the published figures as a table, without rows if there is nothing.
func PublishedGrid(doc Document) Grid {
	g := Grid{Title: "Published figures", Heads: []string{"", "policy", "published", "measured", "explained by"}, Words: []int{1, 4}}
	for _, f := range doc.Published {
		g.Rows = append(g.Rows, GridRow{Cells: []string{f.Figure, f.Variant, shortNumber(f.Published), shortNumber(f.Measured), f.Explained}})
	}
	return g
}

// shortNumber has two decimals at most.
func shortNumber(v float64) string {
	v = math.Round(100*v) / 100
	return texttab.Thousands(v, texttab.Decimals([]float64{v}))
}

// published writes the figures, each with its explanation below it.
func (t *terminal) published(doc Document) {
	all := doc.Published
	if len(all) == 0 {
		return
	}
	t.Title("Published figures")
	columns := []*texttab.Column{
		{Heading: [2]string{"", ""}, Left: true}, {Heading: [2]string{"", "policy"}, Left: true},
		{Heading: [2]string{"", "published"}}, {Heading: [2]string{"", "measured"}},
	}
	for _, f := range all {
		for i, cell := range []string{"  " + f.Figure, f.Variant, shortNumber(f.Published), shortNumber(f.Measured)} {
			columns[i].Cells = append(columns[i].Cells, cell)
		}
	}
	t.Line(texttab.Headings(columns)[1])
	for i, f := range all {
		t.Line(texttab.Row(columns, i))
		t.Paragraph(texttab.Dim, fmt.Sprintf("    explained by: %s", f.Explained), "      ")
	}
}
