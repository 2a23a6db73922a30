package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/lakebench/lakebench/internal/render"
	"github.com/lakebench/lakebench/internal/render/format"
	"github.com/lakebench/lakebench/results"
)

// growth shows how the costs grow, a section for each swept parameter. That there is
// no fit over a parameter is noted once.
func growth(doc results.Document) []render.Block {
	var blocks []render.Block
	noted := ""
	for _, fits := range growths(doc.Summary) {
		s := render.Section{Title: "Growth with " + format.Spaced(fits[0].X) + " (x)"}
		switch {
		case anyFit(fits):
			s.Title += othersNote(doc.Summary, fits[0].Point)
			s.Blocks = []render.Block{fitTable(doc, fits)}
		case fits[0].X != noted:
			noted = fits[0].X
			s.Blocks = []render.Block{text("Undetermined: a fit takes three values or more, and the largest must be ten times the smallest above 0.")}
		default:
			continue
		}
		blocks = append(blocks, s)
	}
	return blocks
}

// fitTable has the fits over one parameter, a row for all variants of a metric that
// grow in the same way.
func fitTable(doc results.Document, fits []results.Growth) render.Table {
	t := render.Table{Columns: []render.Column{{Name: "metric"}, {Name: "variant", Words: true, Priority: 2}, {Name: "class", Words: true, Priority: 3}, {Name: "fit", Words: true}}}
	for _, m := range columnsOf(doc) {
		if !tellsGrowth(m) {
			continue
		}
		name := nameOf(m)
		for _, g := range fits {
			if g.Metric != m.Name {
				continue
			}
			class, fit := string(g.Class), formula(g, m)
			if !isClear(doc, g) {
				class, fit = "unclear", "varies more than it grows"
			}
			if n := len(t.Rows) - 1; name == "" && t.Rows[n].Cells[2] == class && t.Rows[n].Cells[3] == fit {
				t.Rows[n].Cells[1] += ", " + g.Variant
				continue
			}
			t.Rows = append(t.Rows, render.Row{Cells: []string{name, g.Variant, class, fit}})
			name = ""
		}
	}
	return t
}

// anyFit reports whether one of the fits is determined.
func anyFit(fits []results.Growth) bool {
	return slices.ContainsFunc(fits, func(g results.Growth) bool { return g.Class != results.Undetermined })
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

// isClear reports whether a fit tells more than noise. Counts always do. A time is
// noise if the fit misses one value by more than a quarter of the range, if it falls,
// or if it grows with a power that no cost has. The file keeps such a fit; a reader is
// not shown it.
func isClear(doc results.Document, g results.Growth) bool {
	const (
		most        = 0.25
		steep, flat = 1.5, 0.5 // exponents
	)
	if !doc.Metrics.Lookup(g.Metric).IsTime() || g.Class == results.Constant {
		return true
	}
	if g.B < 0 || g.K > steep || g.K < flat {
		return false
	}
	low, high, worst := math.Inf(1), math.Inf(-1), 0.0
	for _, m := range doc.Summary.Metrics {
		x, ok := m.Point[g.X].Float()
		if ok && m.Metric == g.Metric && m.Variant == g.Variant && m.Point.Without(g.X).String() == g.Point.String() {
			low, high, worst = min(low, m.Value), max(high, m.Value), max(worst, math.Abs(g.At(x)-m.Value))
		}
	}
	return worst <= most*(high-low)
}

// formula writes a + b·x^k in the units of the cost table.
func formula(g results.Growth, m results.Metric) string {
	write := func(v float64) string { return format.Significant(m.Scaled(v)) }
	if m.IsTime() {
		write = format.Duration
	}
	if g.B == 0 {
		return write(g.A)
	}
	power := "x"
	if k := format.Significant(g.K); k != "1" {
		power = "x^" + k
	}
	sign := " + "
	if g.B < 0 {
		sign = " - "
	}
	slope := write(math.Abs(g.B)) + "·"
	if slope == "1·" {
		slope = ""
	}
	return write(g.A) + sign + slope + power
}

// crossovers has a sentence for each pair of variants that names where the cheaper
// one changes. Variants with the same crossovers share a sentence.
func crossovers(doc results.Document) []render.Block {
	type statement struct{ dear, where string }
	var order []statement
	cheaper := make(map[statement][]string)
	for _, p := range pairsOf(doc) {
		s := statement{p.dear, p.where(doc)}
		if cheaper[s] == nil {
			order = append(order, s)
		}
		cheaper[s] = append(cheaper[s], p.cheap)
	}
	var sentences render.List
	for _, s := range order {
		verb := " costs less than "
		if len(cheaper[s]) > 1 {
			verb = " cost less than "
		}
		sentences = append(sentences, render.Paragraph{Text: format.List(cheaper[s]) + verb + s.dear + " " + s.where + "."})
	}
	if len(sentences) == 0 {
		return nil
	}
	return []render.Block{render.Section{Title: "Crossover, by the fits and within the measured range", Blocks: []render.Block{sentences}}}
}

// pair holds the crossovers of two variants in one direction, over one parameter.
type pair struct {
	dear, cheap string
	crossovers  []results.Crossover
}

func pairsOf(doc results.Document) []*pair {
	var pairs []*pair
	at := make(map[string]*pair)
	columns := columnsOf(doc)
	for _, c := range doc.Summary.Crossover {
		if !clearBoth(doc, c) || !slices.ContainsFunc(columns, func(m results.Metric) bool { return m.Name == c.Metric && tellsGrowth(m) }) {
			continue
		}
		key := fmt.Sprint(c.Variants, c.X, c.Point)
		if at[key] == nil {
			at[key] = &pair{dear: c.Variants[0], cheap: c.Variants[1]}
			pairs = append(pairs, at[key])
		}
		at[key].crossovers = append(at[key].crossovers, c)
	}
	return pairs
}

// clearBoth reports whether the fits of both variants of a crossover are clear.
func clearBoth(doc results.Document, c results.Crossover) bool {
	return !slices.ContainsFunc(doc.Summary.Growth, func(g results.Growth) bool {
		return g.Metric == c.Metric && g.X == c.X && slices.Contains(c.Variants[:], g.Variant) && g.Point.String() == c.Point.String() && !isClear(doc, g)
	})
}

// where names the metrics in which the second variant is cheaper, and from which
// value of the parameter. Metrics with one value share it, and the parameter is named
// once.
func (p *pair) where(doc results.Document) string {
	const throughout = "throughout"
	var values []string
	nouns := make(map[string][]string)
	for _, c := range p.crossovers {
		from := throughout
		if c.From > lowest(doc.Summary, c) {
			from = format.Significant(c.From)
		}
		if nouns[from] == nil {
			values = append(values, from)
		}
		nouns[from] = append(nouns[from], doc.Metrics.Lookup(c.Metric).ShortTitle())
	}
	x := p.crossovers[0]
	var clauses []string
	named := false
	for _, value := range values {
		from := "from " + value
		switch {
		case value == throughout:
			from = value
		case !named:
			from = "from " + coordinate(x.X, value)
			named = true
		}
		clauses = append(clauses, "in "+format.List(nouns[value])+" "+from)
	}
	return strings.Join(clauses, ", ") + othersNote(doc.Summary, x.Point)
}

// lowest is the smallest value of the crossover's parameter that was measured.
func lowest(sum results.Summary, c results.Crossover) float64 {
	lo := math.Inf(1)
	for _, m := range sum.Metrics {
		if v, ok := m.Point[c.X].Float(); ok {
			lo = min(lo, v)
		}
	}
	return lo
}

// coordinate writes the value of a parameter: "30 days", but "concurrency 16".
func coordinate(name, value string) string {
	if strings.HasSuffix(name, "s") {
		return value + " " + format.Spaced(name)
	}
	return format.Spaced(name) + " " + value
}
