package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lakebench/lakebench/internal/render"
	"github.com/lakebench/lakebench/internal/render/format"
	"github.com/lakebench/lakebench/results"
)

// columnsOf returns the metrics that have a column. Those that are zero everywhere
// are left out.
func columnsOf(doc results.Document) []results.Metric {
	var names []string
	for _, m := range doc.Summary.Metrics {
		if m.Value != 0 && !slices.Contains(names, m.Metric) {
			names = append(names, m.Metric)
		}
	}
	doc.Metrics.Sort(names)
	var columns []results.Metric
	for _, name := range names {
		if m := doc.Metrics.Lookup(name); !m.Column.Hidden {
			columns = append(columns, m)
		}
	}
	return columns
}

// costs is the table of what an operation costs: a group of rows for each point, a
// row for each variant. It is nil if nothing was measured.
func costs(doc results.Document) []render.Block {
	rows := rowsOf(doc.Summary.Metrics)
	if len(rows) == 0 {
		return nil
	}
	swept := doc.Summary.Swept()
	t := render.Table{Columns: []render.Column{{}}}
	for i, r := range rows {
		row := render.Row{Cells: []string{r.variant}}
		if i == 0 || r.point.String() != rows[i-1].point.String() {
			row.Group = pointText(r.point, swept)
		}
		t.Rows = append(t.Rows, row)
	}
	for _, m := range columnsOf(doc) {
		t.Columns = append(t.Columns, render.Column{
			Name: nameOf(m), Heading: strings.TrimPrefix(strings.Join(m.Column.Heading[:], "\n"), "\n"), Priority: m.Column.Priority,
		})
		for i, cell := range cellsOf(m, rows) {
			t.Rows[i].Cells = append(t.Rows[i].Cells, cell)
		}
	}
	if note := timesNote(doc, rows); note != "" {
		t.Notes = []string{note}
	}
	if cells, some := disturbances(doc, rows); some {
		t.Columns = append(t.Columns, render.Column{Name: "note", Words: true, Tinted: true})
		for i, cell := range cells {
			t.Rows[i].Cells, t.Rows[i].Level = append(t.Rows[i].Cells, cell), render.Warning
		}
		t.Notes = append(t.Notes, disturbedNote)
	}
	title := "Cost per " + doc.Operation()
	if doc.Repeats > 1 && !doc.Deterministic {
		title += fmt.Sprintf(" (median of %d repeats)", doc.Repeats)
	}
	return []render.Block{render.Section{Title: title, Blocks: []render.Block{t}}}
}

// maxRows bounds the table of costs that a report shows unfolded.
const maxRows = 16

// shortCosts is the table of costs. Where it is long, it is folded, and what the
// workload is about stands before it, a row for each point.
func shortCosts(doc results.Document) []render.Block {
	blocks := costs(doc)
	if blocks == nil || len(rowsOf(doc.Summary.Metrics)) <= maxRows || len(doc.Workload.Focus.Metrics) == 0 {
		return blocks
	}
	m := doc.Metrics.Lookup(doc.Workload.Focus.Metrics[0])
	all := blocks[0].(render.Section)
	all.Title, all.Folded = all.Title+", all metrics", true
	return []render.Block{render.Section{Title: format.Capital(nameOf(m)) + ", by variant", Blocks: []render.Block{byVariant(doc, m)}}, all}
}

// byVariant is a metric with a column for each variant and a row for each point: down
// the rows, the parameter that the workload is about changes first.
func byVariant(doc results.Document, m results.Metric) render.Table {
	rows, swept := rowsOf(doc.Summary.Metrics), doc.Summary.Swept()
	x := doc.Workload.Focus.X
	others := make(map[string]int) // in the order in which they were measured
	for _, r := range rows {
		if key := r.point.Without(x).String(); others[key] == 0 {
			others[key] = len(others) + 1
		}
	}
	slices.SortStableFunc(rows, func(a, b *row) int { return others[a.point.Without(x).String()] - others[b.point.Without(x).String()] })
	if i := slices.Index(swept, x); i >= 0 {
		swept = append(slices.Delete(swept, i, i+1), x)
	}
	cells := cellsOf(m, rows)
	var t render.Table
	if by, some := disturbances(doc, rows); some {
		t.Notes = []string{"* " + disturbedNote}
		for i := range cells {
			if by[i] != "" {
				cells[i] += "*"
			}
		}
	}
	for _, name := range swept {
		t.Columns = append(t.Columns, render.Column{Name: format.Spaced(name)})
	}
	variants := doc.Variants()
	for _, v := range variants {
		t.Columns = append(t.Columns, render.Column{Name: v})
	}
	for i, r := range rows {
		if i == 0 || r.point.String() != rows[i-1].point.String() {
			line := render.Row{Cells: slices.Repeat([]string{"–"}, len(t.Columns))}
			for j, name := range swept {
				line.Cells[j] = results.FormatCoordinate(r.point[name])
			}
			t.Rows = append(t.Rows, line)
		}
		t.Rows[len(t.Rows)-1].Cells[len(swept)+slices.Index(variants, r.variant)] = cells[i]
	}
	return t
}

// nameOf names a metric: what is counted, for what if not for an operation, and the
// scale.
func nameOf(m results.Metric) string {
	return strings.TrimSpace(m.ShortTitle() + " " + m.ScaleNote())
}

// pointText names the coordinates that differ between points.
func pointText(p results.Point, swept []string) string {
	var parts []string
	for _, name := range swept {
		parts = append(parts, format.Spaced(name)+" "+results.FormatCoordinate(p[name]))
	}
	return strings.Join(parts, ", ")
}

// row is a variant at a point, with its metrics.
type row struct {
	variant string
	point   results.Point
	values  map[string]float64
}

// rowsOf collects the rows in the order in which points, then variants, first
// appear.
func rowsOf(metrics []results.MetricSummary) []*row {
	var rows []*row
	at := make(map[string]*row)
	pointOrder := make(map[string]int)
	for _, m := range metrics {
		point := m.Point.String()
		if _, ok := pointOrder[point]; !ok {
			pointOrder[point] = len(pointOrder)
		}
		key := m.Variant + "\x00" + point
		if at[key] == nil {
			at[key] = &row{m.Variant, m.Point, make(map[string]float64)}
			rows = append(rows, at[key])
		}
		at[key].values[m.Metric] = m.Value
	}
	slices.SortStableFunc(rows, func(a, b *row) int {
		return cmp.Compare(pointOrder[a.point.String()], pointOrder[b.point.String()])
	})
	return rows
}

// cellsOf writes a metric of all rows with the same number of decimals.
func cellsOf(m results.Metric, rows []*row) []string {
	var values []float64
	for _, r := range rows {
		if v, ok := r.values[m.Name]; ok {
			values = append(values, m.Scaled(v))
		}
	}
	digits := format.Decimals(values)
	if m.Money && m.Scale > 1 && slices.ContainsFunc(values, func(v float64) bool { return v >= 1 }) {
		digits = 2 // dollars and cents
	}
	cells := make([]string, len(rows))
	for i, r := range rows {
		v, ok := r.values[m.Name]
		switch {
		case !ok:
			cells[i] = "–"
		case m.IsTime():
			cells[i] = format.Duration(v)
		default:
			cells[i] = format.Thousands(m.Scaled(v), digits)
		}
	}
	return cells
}

// timesNote explains the time in the table: whose it is, and how the other time
// differs.
func timesNote(doc results.Document, rows []*row) string {
	ofResponse, ok1 := doc.Metrics.From(results.Source{Time: results.ResponseTime, Percentile: 50})
	ofService, ok2 := doc.Metrics.From(results.Source{Time: results.ServiceTime, Percentile: 50})
	if !ok1 || !ok2 {
		return ""
	}
	var worst, response, service float64
	for _, r := range rows {
		if s := r.values[ofService.Name]; s > 0 && r.values[ofResponse.Name]/s >= worst {
			response, service = r.values[ofResponse.Name], s
			worst = response / service
		}
	}
	note := "Response time includes waiting for a free worker"
	if doc.Clock == results.RealClock && doc.Environment.Backend.Kind == "embedded" {
		note = "Times are those of this machine, not of AWS. " + note
	}
	switch {
	case service == 0:
		return ""
	case worst < 1.01:
		return note + "; nothing waited in this run."
	}
	return fmt.Sprintf("%s. The median differs most from the service time, which does not, at %s and %s.", note, format.Duration(response), format.Duration(service))
}
