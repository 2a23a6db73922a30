package results

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"

	"github.com/lakebench/lakebench/internal/units"
	"github.com/lakebench/lakebench/results/growth"
)

// Summarize puts the repeats of every steady series together and concludes from them,
// over each swept parameter, how metrics grow and where variants change their order.
// Only what is conclusive and undisturbed takes part. Times are read from the merged
// histograms; it fails if those cannot be read or merged.
func Summarize(doc *Document) (Summary, error) {
	metrics, margins, err := summarizeMetrics(doc)
	if err != nil {
		return Summary{}, err
	}
	s := Summary{Metrics: metrics, Disturbed: disturbances(doc)}
	kept := func(m MetricSummary) bool {
		_, disturbed := s.Disturbance(m.Variant, m.Point)
		return !disturbed && doc.Conclusive(doc.Metrics.Lookup(m.Metric))
	}
	all := curves(metrics, margins, kept)
	for i, c := range all {
		c.classify(doc.Metrics, all[:i])
		s.Growth = append(s.Growth, c.growth())
		slope, fixed := growth.Line(c.samples)
		s.Slopes = append(s.Slopes, Slope{c.variant, c.others, c.metric, c.x, slope, fixed})
	}
	s.Crossover = crossovers(doc.Metrics, all)
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

// summarizeMetrics returns, beside each metric, how far it may be from the true value.
// A count may be off by half of the difference between repeats, and by any amount if
// concurrent clients made it and too few repeats show how much that changes it. A time may
// be off by its confidence interval: of the percentile among its samples, and of repeats
// on the real clock.
func summarizeMetrics(doc *Document) (all []MetricSummary, margins []float64, err error) {
	for _, g := range groups(doc.Series) {
		merged, err := mergeTimes(g.series...)
		if err != nil {
			return nil, nil, fmt.Errorf("summarize %s at %v: %w", g.variant, g.point, err)
		}
		for _, name := range g.metrics(doc.Metrics) {
			about, values := doc.Metrics.Lookup(name), g.values(name)
			m := MetricSummary{Variant: g.variant, Point: g.point, Metric: name, Repeats: len(values),
				Value: median(values), Min: values[0], Max: values[len(values)-1]}
			if v, ok := merged.value(about.From); ok && len(g.series) > 1 {
				m.Value = v
			}
			off := (m.Max - m.Min) / 2
			switch {
			case about.IsTime():
				off = max(merged.margin(about.From, m.Value), spread(doc.Clock, m.Value, values))
			case g.interleaved() && len(values) < conclusiveRepeats:
				off = math.Inf(1)
			}
			all, margins = append(all, m), append(margins, off)
		}
	}
	return all, margins, nil
}

// The confidence of the intervals of times, and how many standard deviations that is.
const (
	timeConfidence = 0.9
	timeDeviations = 1.645
)

// spread is how far a time may be from the true one by its repeats, if they are enough;
// values are sorted.
func spread(clock Clock, value float64, values []float64) float64 {
	if clock != RealClock || len(values) < conclusiveRepeats {
		return 0
	}
	s := benchmath.AssumeNothing.Summary(benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds), timeConfidence)
	return max(value-s.Lo, s.Hi-value)
}

// interleaved reports whether clients ran concurrently in any of the repeats.
func (g *group) interleaved() bool {
	return slices.ContainsFunc(g.series, func(s *Series) bool { return s.Interleaved })
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
	samples            []growth.Sample
	class              growth.Class
	fitted             growth.Curve
}

// curves returns what was measured at two or more values of a parameter, in the
// order of metrics.
func curves(metrics []MetricSummary, margins []float64, kept func(MetricSummary) bool) []*measured {
	var all []*measured
	for _, x := range sweptNumbers(metrics) {
		at := make(map[string]*measured)
		for i, m := range metrics {
			v, ok := m.Point[x].Float()
			if !ok || v < 0 || !kept(m) {
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
			c.samples = append(c.samples, growth.Sample{X: v, Y: m.Value, Margin: margins[i]})
		}
	}
	all = slices.DeleteFunc(all, func(c *measured) bool { return len(c.samples) < 2 })
	for _, c := range all {
		c.settle()
	}
	return all
}

// settle takes counts of concurrent clients that are the same at every point for exact:
// the order of requests does not change them.
func (m *measured) settle() {
	y := m.samples[0].Y
	if slices.ContainsFunc(m.samples, func(s growth.Sample) bool { return s.Y != y }) {
		return
	}
	for i := range m.samples {
		if math.IsInf(m.samples[i].Margin, 1) {
			m.samples[i].Margin = 0
		}
	}
}

// classify decides how a metric grows. One that is an earlier one times a constant, as
// dollars are of one unit, grows as that one does.
func (m *measured) classify(declared Metrics, earlier []*measured) {
	about := declared.Lookup(m.metric)
	for _, e := range earlier {
		if about.IsTime() || declared.Lookup(e.metric).IsTime() || e.variant != m.variant || e.x != m.x || e.others.String() != m.others.String() {
			continue
		}
		if factor, ok := growth.Multiple(e.samples, m.samples); ok {
			m.class, m.fitted = e.class, e.fitted.Times(factor)
			return
		}
	}
	m.class, m.fitted = growth.Classify(m.samples, stairs(about, m.x)...)
}

// stairs is the unit in which DynamoDB rounds up the bytes of an item, for its units
// over a parameter that counts such bytes.
func stairs(about Metric, x string) []float64 {
	switch {
	case !strings.HasSuffix(x, "_bytes"):
		return nil
	case about.From.Quantity == QuantityWRU:
		return []float64{units.WriteBlock}
	case about.From.Quantity == QuantityRRU:
		return []float64{units.ReadBlock}
	}
	return nil
}

func (m *measured) growth() Growth {
	g := Growth{Variant: m.variant, Point: m.others, Metric: m.metric, X: m.x, Class: m.class}
	if m.class.Determined() {
		fitted := m.fitted
		g.Fit = &fitted
	}
	return g
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

// crossover finds the last change of order of two variants. Fits add the value at
// which it happens, if both are determined.
func crossover(a, b *measured) (Crossover, bool) {
	crossing, ok := growth.Cross(a.samples, b.samples)
	if !ok {
		return Crossover{}, false
	}
	dear, cheap := a, b
	if crossing.FirstFalls {
		dear, cheap = b, a
	}
	found := Crossover{Point: a.others, Metric: a.metric, X: a.x, Between: crossing.Between, Changes: crossing.Changes, Variants: [2]string{dear.variant, cheap.variant}}
	if a.class.Determined() && b.class.Determined() {
		found.At, _ = crossing.At(dear.fitted, cheap.fitted, a.whole() && b.whole())
	}
	return found, true
}

// whole reports whether all x are whole numbers.
func (m *measured) whole() bool {
	return !slices.ContainsFunc(m.samples, func(s growth.Sample) bool { return s.X != math.Trunc(s.X) })
}
