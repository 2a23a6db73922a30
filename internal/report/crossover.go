package report

import (
	"fmt"
	"slices"

	"github.com/lakebench/lakebench/internal/render"
	"github.com/lakebench/lakebench/internal/render/format"
	"github.com/lakebench/lakebench/results"
)

// crossovers has a table for each swept parameter with the measured values between which
// the order of two variants changes, a row for each metric and all variants of which the
// same is true.
func crossovers(doc results.Document) []render.Block {
	type place struct{ x, others string }
	var blocks []render.Block
	tables := map[place]*render.Table{}
	var order []results.Crossover
	for _, m := range columnsOf(doc) {
		for _, c := range doc.Summary.Crossover {
			if c.Metric != m.Name || !tellsGrowth(m) {
				continue
			}
			at := place{c.X, c.Point.String()}
			if tables[at] == nil {
				tables[at] = &render.Table{Columns: []render.Column{
					{Name: "metric"}, {Name: "cheaper below", Heading: "cheaper\nbelow", Words: true}, {Name: "between"},
					{Name: "from, by the fits", Heading: "from, by\nthe fits", Priority: 1}, {Name: "cheaper above", Heading: "cheaper\nabove", Words: true},
				}}
				order = append(order, c)
			}
			addCrossover(tables[at], c, m.ShortTitle())
		}
	}
	for _, c := range order {
		title := "Crossover over " + format.Spaced(c.X) + othersNote(doc.Summary, c.Point)
		blocks = append(blocks, render.Section{Title: title, Blocks: []render.Block{*tables[place{c.X, c.Point.String()}]}})
	}
	return blocks
}

// addCrossover adds a row, or the cheaper variant to the row of another.
func addCrossover(t *render.Table, c results.Crossover, metric string) {
	between := format.Significant(c.Between[0]) + " and " + format.Significant(c.Between[1])
	if c.Changes > 1 {
		between += fmt.Sprintf(" (the last of %d changes)", c.Changes)
	}
	at := "–"
	if c.At > 0 {
		at = format.Significant(c.At)
	}
	cells := []string{metric, c.Variants[0], between, at, c.Variants[1]}
	for i := range t.Rows {
		if old := t.Rows[i].Cells; slices.Equal(old[:4], cells[:4]) {
			old[4] += ", " + c.Variants[1]
			return
		}
	}
	t.Rows = append(t.Rows, render.Row{Cells: cells})
}
