package plots

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lakebench/lakebench/internal/render/format"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/results/growth"
)

// chart is a metric over a swept parameter: one curve for each variant, all
// other parameters kept.
type chart struct {
	metric results.Metric
	x      string        // the parameter
	others results.Point // what was kept
	curves []curve
	floor  []dot // the least that the rules allow; may be empty
	figure bool  // of numbers that are in no result
}

// curve is a variant.
type curve struct {
	variant string
	of      string       // of several results, the variant without the result's name
	class   growth.Class // "" if there is no fit
	look    look         // the same in all charts of a document
	dots    []dot
}

// dot is a measured value.
type dot struct {
	x results.Value
	y float64
}

// charted reports whether a metric is drawn.
func charted(m results.Metric) bool { return !m.Column.Hidden && !m.Undrawn }

// dotsOf are the dots of a variant.
func (c *chart) dotsOf(variant string) []dot {
	for _, v := range c.curves {
		if v.variant == variant {
			return v.dots
		}
	}
	return nil
}

// sameAs reports whether two charts show the same values over the same parameter.
func (c *chart) sameAs(d *chart) bool {
	return c.x == d.x && len(c.curves) == len(d.curves) &&
		!slices.ContainsFunc(c.curves, func(v curve) bool { return !slices.Equal(v.dots, d.dotsOf(v.variant)) })
}

// isFlat reports whether nothing changes along the x axis.
func (c *chart) isFlat() bool {
	for _, v := range c.curves {
		if slices.ContainsFunc(v.dots, func(d dot) bool { return d.y != v.dots[0].y }) {
			return false
		}
	}
	return true
}

// chartsOf collects the charts of a document, metrics in the order of tables.
// A metric that is zero everywhere, and a parameter of one value, have none.
func chartsOf(doc results.Document) []*chart {
	var all []*chart
	look := looksOf(variantsOf(doc.Summary.Metrics))
	for _, x := range doc.Summary.Swept() {
		at := make(map[string]*chart)
		for _, m := range doc.Summary.Metrics {
			about := doc.Metrics.Lookup(m.Metric)
			if !charted(about) || doc.Clock == results.RealClock && !doc.Conclusive(about) {
				continue // what the clock of one machine says is in the table only
			}
			others := m.Point.Without(x)
			key := m.Metric + "\x00" + others.String()
			c := at[key]
			if c == nil {
				c = &chart{metric: about, x: x, others: others}
				at[key] = c
				all = append(all, c)
			}
			c.add(m, look[m.Variant], doc.Summary.Growth)
		}
	}
	all = slices.DeleteFunc(all, func(c *chart) bool { return c.empty() })
	for _, c := range all {
		c.addFloor(doc)
	}
	names := make([]string, 0, len(all))
	for _, c := range all {
		names = append(names, c.metric.Name)
	}
	doc.Metrics.Sort(names)
	slices.SortStableFunc(all, func(a, b *chart) int {
		return cmp.Compare(slices.Index(names, a.metric.Name), slices.Index(names, b.metric.Name))
	})
	return all
}

// variantsOf names the variants in the order in which they were measured.
func variantsOf(metrics []results.MetricSummary) []string {
	var names []string
	for _, m := range metrics {
		if !slices.Contains(names, m.Variant) {
			names = append(names, m.Variant)
		}
	}
	return names
}

func (c *chart) add(m results.MetricSummary, l look, growth []results.Growth) {
	i := slices.IndexFunc(c.curves, func(v curve) bool { return v.variant == m.Variant })
	if i < 0 {
		i = len(c.curves)
		c.curves = append(c.curves, curve{variant: m.Variant, class: c.class(m.Variant, growth), look: l})
	}
	c.curves[i].dots = append(c.curves[i].dots, dot{m.Point[c.x], m.Value})
}

func (c *chart) class(variant string, growth []results.Growth) growth.Class {
	for _, g := range growth {
		if g.Variant == variant && g.Metric == c.metric.Name && g.X == c.x && g.Point.String() == c.others.String() {
			return g.Class
		}
	}
	return ""
}

// showsClass reports whether the legend tells how a curve grows. Of times it does
// not: on a busy machine their fit is one of noise.
func (c *chart) showsClass(v curve) bool {
	return v.class != "" && v.class.Determined() && !c.metric.IsTime()
}

// empty says that there is nothing to see: no parameter varies, or all is zero.
func (c *chart) empty() bool {
	values, some := make(map[results.Value]bool), false
	for _, v := range c.curves {
		for _, d := range v.dots {
			values[d.x] = true
			some = some || d.y != 0
		}
	}
	return len(values) < 2 || !some
}

// addFloor adds the least that the rules allow where every value has one.
func (c *chart) addFloor(doc results.Document) {
	var floor []dot
	for _, d := range c.curves[0].dots {
		p := c.others.Without(c.x)
		p[c.x] = d.x
		y, ok := results.Floor(doc, p, c.metric)
		if !ok {
			return
		}
		floor = append(floor, dot{d.x, y})
	}
	c.floor = floor
}

// title names the metric in words, its unit included.
func (c *chart) title(operation string) string {
	switch {
	case c.metric.Money && c.metric.Scale == 1e6 && operation == results.PerOperation:
		return "Cost of a million operations"
	case c.metric.Money && c.metric.Scale == 1e6:
		return "Cost of a million " + operation + " operations"
	case c.metric.Per == results.PerOperation:
		return format.Capital(c.metric.Noun) + " per " + operation
	}
	return format.Capital(c.metric.Title())
}

// fileName is the metric and the parameter, and of the others those that vary in
// the document: requests-per-op-by-history_records.
func (c *chart) fileName(vary []string) string {
	return portable(strings.ReplaceAll(c.metric.Name, "/", "-per-") + c.suffix(vary))
}

// suffix tells charts of one metric apart.
func (c *chart) suffix(vary []string) string {
	s := "-by-" + c.x
	for _, name := range vary {
		if v, ok := c.others[name]; ok {
			s += fmt.Sprintf("-%s=%v", name, v)
		}
	}
	return s
}

// portable replaces what a file name should not hold, anywhere.
func portable(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("-_.=", r) || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' {
			return r
		}
		return '_'
	}, name)
}
