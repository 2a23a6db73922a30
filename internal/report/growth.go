package report

import (
	"math"
	"slices"

	"github.com/lakebench/lakebench/internal/render"
	"github.com/lakebench/lakebench/internal/render/format"
	"github.com/lakebench/lakebench/results"
	fits "github.com/lakebench/lakebench/results/growth"
)

// growth shows how the costs grow, a section for each swept parameter. That the points
// over a parameter are too few is said once.
func growth(doc results.Document) []render.Block {
	var blocks []render.Block
	noted := ""
	for _, all := range growths(doc.Summary) {
		s := render.Section{Title: "Growth with " + format.Spaced(all[0].X) + " (x)"}
		switch {
		case !tooFew(all):
			s.Title += othersNote(doc.Summary, all[0].Point)
			s.Blocks = fitted(doc, all)
		case all[0].X != noted:
			noted = all[0].X
			s.Blocks = []render.Block{text("Too few points: a class takes three values at least, one more than its model has parameters, and the largest must be ten times the smallest above 0.")}
		default:
			continue
		}
		blocks = append(blocks, s)
	}
	inconclusive := func(m results.Metric) bool { return m.IsTime() && !doc.Conclusive(m) }
	if len(blocks) > 0 && slices.ContainsFunc(columnsOf(doc), inconclusive) {
		blocks = append(blocks, text("Times on the real clock are fitted from five repeats on."))
	}
	return blocks
}

// tooFew reports whether there are too few points for every fit.
func tooFew(all []results.Growth) bool {
	return !slices.ContainsFunc(all, func(g results.Growth) bool { return g.Class != fits.TooFewPoints })
}

// fitted has the fits over one parameter: a table with a row for all variants of a metric
// that grow in the same way, and below it the metrics that have no fit for any variant.
func fitted(doc results.Document, all []results.Growth) []render.Block {
	t := render.Table{Columns: []render.Column{
		{Name: "metric"}, {Name: "variant", Words: true, Priority: 2}, {Name: "class", Words: true, Priority: 3},
		{Name: "off by at most", Heading: "off by\nat most", Priority: 1}, {Name: "fit", Words: true},
	}}
	without := map[fits.Class][]string{}
	for _, m := range columnsOf(doc) {
		of := growthOf(all, m)
		switch {
		case len(of) == 0:
		case slices.ContainsFunc(of, func(g results.Growth) bool { return g.Fit != nil || g.Class != of[0].Class }):
			t.Rows = append(t.Rows, fitRows(of, m)...)
		default:
			without[of[0].Class] = append(without[of[0].Class], nameOf(m))
		}
	}
	var blocks []render.Block
	if len(t.Rows) > 0 {
		blocks = append(blocks, t)
	}
	for _, c := range []struct {
		class fits.Class
		label string
	}{{fits.Undetermined, "Undetermined"}, {fits.TooFewPoints, "Too few points"}} {
		if names := without[c.class]; len(names) > 0 {
			blocks = append(blocks, text("%s: %s.", c.label, format.List(names)))
		}
	}
	return blocks
}

// growthOf returns how the variants of a metric grow, if that is told of the metric.
func growthOf(all []results.Growth, m results.Metric) []results.Growth {
	if !tellsGrowth(m) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(all), func(g results.Growth) bool { return g.Metric != m.Name })
}

// fitRows has a row for all variants of a metric that grow in the same way.
func fitRows(of []results.Growth, m results.Metric) []render.Row {
	var rows []render.Row
	name := nameOf(m)
	for _, g := range of {
		cells := []string{name, g.Variant, string(g.Class), "–", "–"}
		if g.Fit != nil {
			cells[3], cells[4] = residual(g.Fit.Residual), formula(*g.Fit, g.Class, m)
		}
		if n := len(rows) - 1; n >= 0 && slices.Equal(rows[n].Cells[2:], cells[2:]) {
			rows[n].Cells[1] += ", " + g.Variant
			continue
		}
		rows = append(rows, render.Row{Cells: cells})
		name = ""
	}
	return rows
}

// growths groups the fits by parameter and by the coordinates that were kept.
func growths(sum results.Summary) [][]results.Growth {
	type place struct{ x, others string }
	var places []place
	for _, g := range sum.Growth {
		if p := (place{g.X, g.Point.String()}); !slices.Contains(places, p) {
			places = append(places, p)
		}
	}
	var groups [][]results.Growth
	for _, p := range places {
		groups = append(groups, slices.DeleteFunc(slices.Clone(sum.Growth), func(g results.Growth) bool { return g.X != p.x || g.Point.String() != p.others }))
	}
	return groups
}

// othersNote names the coordinates that were kept, if there is more than one
// choice of them.
func othersNote(sum results.Summary, others results.Point) string {
	var parts []string
	for _, name := range others.Names() {
		for _, m := range sum.Metrics {
			if m.Point[name] != others[name] {
				parts = append(parts, format.Spaced(name)+" "+results.FormatCoordinate(others[name]))
				break
			}
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " at " + format.List(parts)
}

// tellsGrowth reports whether the growth of a metric is told: of times, the
// median's.
func tellsGrowth(m results.Metric) bool { return !m.IsTime() || m.From.Percentile == 50 }

// formula writes a fit in the units of the cost table.
func formula(c fits.Curve, class fits.Class, m results.Metric) string {
	write := func(v float64) string { return format.Significant(m.Scaled(v)) }
	if m.IsTime() {
		write = format.Duration
	}
	if c.B == 0 {
		return write(c.A)
	}
	term, after := "x", ""
	switch {
	case c.Form == fits.XTimesLog:
		term = "x·ln x"
	case c.Form == fits.Logarithm:
		term = "ln x"
	case c.Form == fits.Stairs && c.Offset == 0:
		term = "⌈x/" + format.Significant(c.Unit) + "⌉"
	case c.Form == fits.Stairs: // the offset is one of several: the line in the middle of the stairs
		c.A, c.B = c.A+c.B*(c.Offset/c.Unit+0.5), c.B/c.Unit
		after = ", in steps of " + format.Significant(c.Unit)
	case class == fits.Steps:
		after = ", in steps"
	case format.Significant(c.K) != "1":
		term = "x^" + format.Significant(c.K)
	}
	sign := " + "
	if c.B < 0 {
		sign = " - "
	}
	slope := write(math.Abs(c.B)) + "·"
	if slope == "1·" {
		slope = ""
	}
	fixed := write(c.A) + sign
	if c.A == 0 && c.B > 0 {
		fixed = ""
	}
	return fixed + slope + term + after
}

// residual writes the largest distance of a value from its fit, as a part of the value.
func residual(part float64) string {
	const least = 0.0001
	switch {
	case part == 0:
		return "0"
	case part < least:
		return "< 0.01 %"
	}
	return format.Significant(100*part) + " %"
}
