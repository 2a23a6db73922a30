package results

import (
	"slices"
	"strings"

	"github.com/lakebench/lakebench/internal/render/texttab"
)

// Context says in a line what was run, and where.
func Context(doc Document) string { return context(doc) }

// A Grid is a table of a result for readers who do not sit at a terminal.
type Grid struct {
	Title string
	Heads []string
	// Words are the columns of words, beside the first.
	Words []int
	Rows  []GridRow
	Notes []string
}

// A GridRow is a row, and the heading above it, which is empty if it is that of
// the row before. A heading alone has no cells.
type GridRow struct {
	Group string
	Cells []string
}

// Markdown returns the grid's table, without its title and notes; a group takes a
// row of its own. It is empty if there are no rows.
func (g Grid) Markdown() string {
	if len(g.Rows) == 0 {
		return ""
	}
	rule := make([]string, len(g.Heads))
	for i := range rule {
		rule[i] = "---:"
		if i == 0 || slices.Contains(g.Words, i) {
			rule[i] = ":---"
		}
	}
	lines := []string{markdownRow(g.Heads), markdownRow(rule)}
	for _, r := range g.Rows {
		if r.Group != "" {
			heading := make([]string, len(g.Heads))
			heading[0] = "**" + r.Group + "**"
			lines = append(lines, markdownRow(heading))
		}
		if r.Cells != nil {
			lines = append(lines, markdownRow(r.Cells))
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

// markdownRow writes cells, none of which ends its row early.
func markdownRow(cells []string) string {
	escaped := make([]string, len(cells))
	for i, c := range cells {
		escaped[i] = strings.ReplaceAll(c, "|", `\|`)
	}
	return "| " + strings.Join(escaped, " | ") + " |"
}

// CostGrid returns what an operation costs: a row for each variant at each point.
// It has no rows if nothing was measured.
func CostGrid(doc Document) Grid {
	g := Grid{Title: "Cost per " + operationName(doc.Series) + repeatsNote(doc), Heads: []string{""}}
	rows := rowsOf(doc.Summary.Metrics)
	var columns []*texttab.Column
	for _, m := range columnsOf(doc) {
		columns = append(columns, metricColumn(m, rows))
		head := strings.TrimSpace(strings.Join(m.Column.Heading[:], " "))
		if m.IsTime() {
			head = m.Noun // two columns share their first line
		}
		g.Heads = append(g.Heads, head)
	}
	swept := sweptParams(doc.Series)
	for i, r := range rows {
		row := GridRow{Cells: []string{r.variant}}
		if i == 0 || r.point.String() != rows[i-1].point.String() {
			row.Group = pointText(r.point, swept)
		}
		for _, c := range columns {
			row.Cells = append(row.Cells, c.Cells[i])
		}
		g.Rows = append(g.Rows, row)
	}
	if note := timesNote(doc, rows); note != "" {
		g.Notes = append(g.Notes, note)
	}
	return g
}

// GrowthGrids returns how costs grow, a grid for each swept parameter.
func GrowthGrids(doc Document) []Grid {
	var grids []Grid
	said := "" // as in the terminal's
	for _, fits := range growths(doc.Summary) {
		g := Grid{Title: "Growth with " + texttab.Spaced(fits[0].X) + " (x)"}
		if !anyFit(fits) {
			if fits[0].X != said {
				said = fits[0].X
				g.Notes = []string{"Undetermined: " + undetermined + "."}
				grids = append(grids, g)
			}
			continue
		}
		g.Title += othersNote(doc.Summary, fits[0].Point)
		g.Heads, g.Words = []string{"", "variant", "class", "fit"}, []int{1, 2, 3}
		columns := fitColumns(doc, fits)
		for i := range columns[0].Cells {
			var row GridRow
			for _, c := range columns {
				row.Cells = append(row.Cells, strings.TrimSpace(c.Cells[i]))
			}
			g.Rows = append(g.Rows, row)
		}
		grids = append(grids, g)
	}
	return grids
}

// Crossovers says, a sentence for each two variants, from where on which costs
// less, by the fits and within what was measured.
func Crossovers(doc Document) []string { return crossoverSentences(doc) }

// Ledgers returns the sums of the three ledgers over all series.
func Ledgers(doc Document) []string { return ledgerSums(doc.Series) }
