package results

import (
	"fmt"
	"math"
	"slices"
)

// Summarize puts the repeats of every steady series together and fits what they
// say over each swept parameter. Times are read from the merged histograms; it
// fails if those cannot be read or merged.
func Summarize(doc *Document) (Summary, error) {
	declared := doc.Metrics
	metrics, err := summarizeMetrics(declared, doc.Series)
	if err != nil {
		return Summary{}, err
	}
	s := Summary{Metrics: metrics, Disturbed: disturbances(doc)}
	undisturbed := slices.DeleteFunc(slices.Clone(metrics), func(m MetricSummary) bool {
		_, disturbed := s.Disturbance(m.Variant, m.Point)
		return disturbed
	})
	all := curves(undisturbed)
	for _, c := range all {
		var class Class
		c.fitted, class = fit(c.samples, declared.Lookup(c.metric).Assume)
		s.Growth = append(s.Growth, Growth{c.variant, c.others, c.metric, c.x, c.fitted.a, c.fitted.b, c.fitted.k, class})
		straight := line(c.samples)
		s.Slopes = append(s.Slopes, Slope{c.variant, c.others, c.metric, c.x, straight.b, straight.a})
	}
	s.Crossover = crossovers(declared, all)
	return s, nil
}

// group are the repeats of one variant at one point.
type group struct {
	variant string
	point   Point
	series  []*Series
}

// groups collects the steady series in the order in which they were measured.
func groups(series []Series) []*group {
	var all []*group
	at := make(map[string]*group)
	for i := range series {
		s := &series[i]
		if s.Phase != Steady {
			continue
		}
		key := s.Variant + "\x00" + s.Point.String()
		g := at[key]
		if g == nil {
			g = &group{variant: s.Variant, point: s.Point}
			at[key] = g
			all = append(all, g)
		}
		g.series = append(g.series, s)
	}
	return all
}

func summarizeMetrics(declared Metrics, series []Series) ([]MetricSummary, error) {
	var all []MetricSummary
	for _, g := range groups(series) {
		var merged times
		if len(g.series) > 1 { // a single repeat has merged its own
			var err error
			if merged, err = mergeTimes(g.series...); err != nil {
				return nil, fmt.Errorf("summarize %s at %v: %w", g.variant, g.point, err)
			}
		}
		for _, name := range g.metrics(declared) {
			values := g.values(name)
			m := MetricSummary{Variant: g.variant, Point: g.point, Metric: name, Repeats: len(values),
				Value: median(values), Min: values[0], Max: values[len(values)-1]}
			if v, ok := merged.value(declared.Lookup(name).From); ok {
				m.Value = v
			}
			all = append(all, m)
		}
	}
	return all, nil
}

// metrics names the metrics that any repeat has, in the order of tables.
func (g *group) metrics(declared Metrics) []string {
	var names []string
	for _, s := range g.series {
		for name := range s.Metrics {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	declared.Sort(names)
	return names
}

// values returns a metric of all repeats that have it, sorted.
func (g *group) values(metric string) []float64 {
	var values []float64
	for _, s := range g.series {
		if v, ok := s.Metrics[metric]; ok {
			values = append(values, v)
		}
	}
	slices.Sort(values)
	return values
}

// measured is a metric of one variant over the values of one parameter, all
// other coordinates kept.
type measured struct {
	variant, metric, x string
	others             Point
	samples            []sample
	fitted             curve
}

// curves returns what was measured at two or more values of a parameter, in the
// order of metrics.
func curves(metrics []MetricSummary) []*measured {
	var all []*measured
	for _, x := range sweptNumbers(metrics) {
		at := make(map[string]*measured)
		for _, m := range metrics {
			v, ok := m.Point[x].Float()
			if !ok || v < 0 {
				continue
			}
			others := m.Point.Without(x)
			key := m.Variant + "\x00" + others.String() + "\x00" + m.Metric
			c := at[key]
			if c == nil {
				c = &measured{variant: m.Variant, metric: m.Metric, x: x, others: others}
				at[key] = c
				all = append(all, c)
			}
			c.samples = append(c.samples, sample{v, m.Value})
		}
	}
	return slices.DeleteFunc(all, func(c *measured) bool { return len(c.samples) < 2 })
}

// sweptNumbers names the parameters with two numbers or more, sorted.
func sweptNumbers(metrics []MetricSummary) []string {
	values := make(map[string]map[float64]bool)
	for _, m := range metrics {
		for name, v := range m.Point {
			if f, ok := v.Float(); ok {
				if values[name] == nil {
					values[name] = make(map[float64]bool)
				}
				values[name][f] = true
			}
		}
	}
	return slices.DeleteFunc(sortedKeys(values), func(name string) bool { return len(values[name]) < 2 })
}

// crossovers compares every two variants that were measured over the same
// parameter at the same other coordinates.
func crossovers(declared Metrics, all []*measured) []Crossover {
	var found []Crossover
	before := make(map[string][]*measured) // those already seen of a place
	for _, b := range all {
		if declared.Lookup(b.metric).Better != LowerIsBetter {
			continue
		}
		place := b.metric + "\x00" + b.x + "\x00" + b.others.String()
		for _, a := range before[place] {
			if c, ok := crossover(a, b); ok {
				found = append(found, c)
			}
		}
		before[place] = append(before[place], b)
	}
	return found
}

// crossover finds from where on one of two variants is the cheaper one, whichever
// it is, within what was measured of both.
func crossover(a, b *measured) (Crossover, bool) {
	loA, hiA, wholeA := a.span()
	loB, hiB, wholeB := b.span()
	lo, hi := max(loA, loB), min(hiA, hiB)
	if lo >= hi {
		return Crossover{}, false
	}
	for _, try := range []struct {
		dear, cheap         curve
		dearName, cheapName string
	}{
		{a.fitted, b.fitted, a.variant, b.variant},
		{b.fitted, a.fitted, b.variant, a.variant},
	} {
		if from, ok := crossing(try.dear, try.cheap, lo, hi, wholeA && wholeB); ok {
			return Crossover{Point: a.others, Metric: a.metric, X: a.x, From: from, Variants: [2]string{try.dearName, try.cheapName}}, true
		}
	}
	return Crossover{}, false
}

// span returns the range of x, and whether all of them are whole numbers.
func (m *measured) span() (lo, hi float64, whole bool) {
	lo, hi, whole = math.Inf(1), math.Inf(-1), true
	for _, s := range m.samples {
		lo, hi = min(lo, s.x), max(hi, s.x)
		whole = whole && s.x == math.Trunc(s.x)
	}
	return lo, hi, whole
}
