package results

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/lakebench/lakebench/internal/render/texttab"
)

// quantity writes so much of a parameter: "30 days", but "concurrency 16".
func quantity(name, value string) string {
	if strings.HasSuffix(name, "s") {
		return value + " " + texttab.Spaced(name)
	}
	return texttab.Spaced(name) + " " + value
}

// FormatCoordinate writes the value of a parameter for people.
func FormatCoordinate(v Value) string {
	if f, ok := v.Float(); ok {
		return texttab.Thousands(f, texttab.Decimals([]float64{f}))
	}
	return v.String()
}

// growth writes the fits of the columns of the cost table, variants that grow
// alike in one line.
func (t *terminal) growth(doc Document) {
	sum := doc.Summary
	said := "" // the parameter of which it has been said that there is no fit
	for _, fits := range growths(sum) {
		title := "Growth with " + texttab.Spaced(fits[0].X) + " (x)"
		switch {
		case anyFit(fits):
			t.Title(title + othersNote(sum, fits[0].Point))
			t.fits(doc, fits)
		case fits[0].X != said:
			said = fits[0].X
			t.Title(title)
			t.Paragraph(texttab.Plain, "  undetermined: "+undetermined, "  ")
		}
	}
}

// undetermined says why there is no fit.
const undetermined = "a fit takes three values or more, the largest ten times the smallest above 0"

// anyFit says whether there is a fit among fits.
func anyFit(fits []Growth) bool {
	return slices.ContainsFunc(fits, func(g Growth) bool { return g.Class != Undetermined })
}

// growths groups the fits by parameter and by the coordinates that were kept.
func growths(sum Summary) [][]Growth {
	type place struct{ x, others string }
	var places []place
	for _, g := range sum.Growth {
		if p := (place{g.X, g.Point.String()}); !slices.Contains(places, p) {
			places = append(places, p)
		}
	}
	var groups [][]Growth
	for _, p := range places {
		groups = append(groups, slices.DeleteFunc(slices.Clone(sum.Growth), func(g Growth) bool { return g.X != p.x || g.Point.String() != p.others }))
	}
	return groups
}

// othersNote names the coordinates that were kept, if there is more than one
// choice of them.
func othersNote(sum Summary, others Point) string {
	var parts []string
	for _, name := range sortedKeys(others) {
		for _, m := range sum.Metrics {
			if m.Point[name] != others[name] {
				parts = append(parts, texttab.Spaced(name)+" "+FormatCoordinate(others[name]))
				break
			}
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " at " + texttab.List(parts)
}

func (t *terminal) fits(doc Document, fits []Growth) {
	columns := fitColumns(doc, fits)
	if texttab.Width(columns) > t.Width {
		columns = columns[:3] // the class matters more than the formula
	}
	for i := range columns[0].Cells {
		t.Line(texttab.Row(columns, i))
	}
}

// fitColumns are metric, variants, class and formula of fits over one parameter.
func fitColumns(doc Document, fits []Growth) []*texttab.Column {
	metrics, variants, classes, formulas := &texttab.Column{Left: true}, &texttab.Column{Left: true}, &texttab.Column{Left: true}, &texttab.Column{Left: true}
	for _, m := range columnsOf(doc) {
		if !tellsGrowth(m) {
			continue
		}
		heading := "  " + strings.TrimSpace(strings.Join(m.Column.Heading[:], " "))
		for _, g := range fits {
			if g.Metric != m.Name {
				continue
			}
			class, text := string(g.Class), formula(g, m)
			if !isClear(doc, g) {
				class, text = "unclear", "varies more than it grows"
			}
			if n := len(classes.Cells) - 1; heading == "" && classes.Cells[n] == class && formulas.Cells[n] == text {
				variants.Cells[n] += ", " + g.Variant
				continue
			}
			metrics.Cells = append(metrics.Cells, heading)
			variants.Cells = append(variants.Cells, g.Variant)
			classes.Cells = append(classes.Cells, class)
			formulas.Cells = append(formulas.Cells, text)
			heading = ""
		}
	}
	return []*texttab.Column{metrics, variants, classes, formulas}
}

// tellsGrowth reports whether the growth of a metric is told: of times, the
// median's.
func tellsGrowth(m Metric) bool { return !m.IsTime() || m.From.Percentile == 50 }

// isClear says that a fit tells more than noise. Counts are what they are; times
// whose fit misses one of them by more than a quarter of all their difference
// vary more than they grow. The file keeps such a fit, but a reader should not be
// told of it.
func isClear(doc Document, g Growth) bool {
	const most = 0.25
	if !doc.Metrics.Lookup(g.Metric).IsTime() || g.Class == Constant {
		return true
	}
	var samples []sample
	for _, m := range doc.Summary.Metrics {
		x, ok := m.Point[g.X].Float()
		if ok && m.Metric == g.Metric && m.Variant == g.Variant && m.Point.Without(g.X).String() == g.Point.String() {
			samples = append(samples, sample{x, m.Value})
		}
	}
	lo, hi := yRange(samples)
	fitted := curve{g.A, g.B, g.K}
	return !slices.ContainsFunc(samples, func(s sample) bool { return math.Abs(fitted.at(s.x)-s.y) > most*(hi-lo) })
}

// formula writes a + b·x^k in the units of the cost table.
func formula(g Growth, m Metric) string {
	write := func(v float64) string { return texttab.Significant(m.Scaled(v)) }
	if m.IsTime() {
		write = texttab.Duration
	}
	if g.B == 0 {
		return write(g.A)
	}
	power := "x"
	if k := texttab.Significant(g.K); k != "1" {
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

// crossovers writes a sentence for each two variants: from where on one is
// cheaper in what. Variants of which the same is said share a sentence.
func (t *terminal) crossovers(doc Document) {
	sentences := crossoverSentences(doc)
	if len(sentences) == 0 {
		return
	}
	t.Title("Crossover, by the fits and within what was measured")
	for _, s := range sentences {
		t.Paragraph(texttab.Plain, "  "+s, "    ")
	}
}

func crossoverSentences(doc Document) []string {
	type statement struct{ dear, said string }
	var order []statement
	cheaper := make(map[statement][]string)
	for _, p := range pairsOf(doc) {
		s := statement{p.dear, p.sentence(doc)}
		if cheaper[s] == nil {
			order = append(order, s)
		}
		cheaper[s] = append(cheaper[s], p.cheap)
	}
	var sentences []string
	for _, s := range order {
		verb := " costs less than "
		if len(cheaper[s]) > 1 {
			verb = " cost less than "
		}
		sentences = append(sentences, texttab.List(cheaper[s])+verb+s.dear+" "+s.said+".")
	}
	return sentences
}

// pair holds the crossovers of two variants in one direction, over one parameter.
type pair struct {
	dear, cheap string
	crossovers  []Crossover
}

func pairsOf(doc Document) []*pair {
	var pairs []*pair
	at := make(map[string]*pair)
	columns := columnsOf(doc)
	for _, c := range doc.Summary.Crossover {
		if !clearBoth(doc, c) || !slices.ContainsFunc(columns, func(m Metric) bool { return m.Name == c.Metric && tellsGrowth(m) }) {
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

// clearBoth says that the fits of both variants of a crossover are clear.
func clearBoth(doc Document, c Crossover) bool {
	return !slices.ContainsFunc(doc.Summary.Growth, func(g Growth) bool {
		return g.Metric == c.Metric && g.X == c.X && slices.Contains(c.Variants[:], g.Variant) && g.Point.String() == c.Point.String() && !isClear(doc, g)
	})
}

// sentence says in what the second variant is cheaper from where on; metrics with
// one place share it, and the parameter is named once.
func (p *pair) sentence(doc Document) string {
	const throughout = "throughout"
	var places []string
	nouns := make(map[string][]string)
	for _, c := range p.crossovers {
		place := throughout
		if c.From > lowest(doc.Summary, c) {
			place = texttab.Significant(c.From)
		}
		if nouns[place] == nil {
			places = append(places, place)
		}
		nouns[place] = append(nouns[place], doc.Metrics.Lookup(c.Metric).ShortTitle())
	}
	x := p.crossovers[0]
	var clauses []string
	named := false
	for _, place := range places {
		from := "from " + place
		switch {
		case place == throughout:
			from = place
		case !named:
			from = "from " + quantity(x.X, place) + " on"
			named = true
		}
		clauses = append(clauses, "in "+texttab.List(nouns[place])+" "+from)
	}
	return strings.Join(clauses, ", ") + othersNote(doc.Summary, x.Point)
}

// lowest is the smallest value of the crossover's parameter that was measured.
func lowest(sum Summary, c Crossover) float64 {
	lo := math.Inf(1)
	for _, m := range sum.Metrics {
		if v, ok := m.Point[c.X].Float(); ok {
			lo = min(lo, v)
		}
	}
	return lo
}
