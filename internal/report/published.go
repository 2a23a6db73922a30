package report

import (
	"math"

	"github.com/lakebench/lakebench/internal/render"
	"github.com/lakebench/lakebench/internal/render/format"
	"github.com/lakebench/lakebench/results"
)

// published is a table of the published figures that the run has measured, each with
// its explanation. It is nil if there are none.
func published(doc results.Document) []render.Block {
	if len(doc.Published) == 0 {
		return nil
	}
	t := render.Table{Columns: []render.Column{
		{Name: "figure"}, {Name: "variant", Words: true, Priority: 1}, {Name: "published", Priority: 4}, {Name: "measured", Priority: 3}, {Name: "difference", Priority: 2},
		{Name: "explained by", Words: true},
	}}
	for _, f := range doc.Published {
		difference := twoDecimals(f.Measured - f.Published)
		switch {
		case difference == "0":
			difference = "none"
		case f.Measured > f.Published:
			difference = "+" + difference
		}
		t.Rows = append(t.Rows, render.Row{Cells: []string{f.Figure, f.Variant, twoDecimals(f.Published), twoDecimals(f.Measured), difference, f.Explained}})
	}
	return []render.Block{render.Section{Title: "Published figures", Blocks: []render.Block{t}}}
}

// twoDecimals writes a number with at most two decimals.
func twoDecimals(v float64) string {
	v = math.Round(100*v) / 100
	return format.Thousands(v, format.Decimals([]float64{v}))
}
