package plan

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/lakebench/lakebench/internal/cost"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/store/control"
)

// ErrMeasured is a result that a plan cannot be made from.
var ErrMeasured = errors.New("this result says nothing of the plan")

// Measured returns the patterns of a scale as a result has them. A value between
// or beyond those that were measured comes from the result's fit, which the
// pattern's source says.
func Measured(s Scale, doc *results.Document) ([]Pattern, error) {
	var known []string
	for _, m := range measurements() {
		if m.workload == doc.Workload.Name {
			p, err := m.patternOf(s, doc)
			return []Pattern{p}, err
		}
		known = append(known, m.workload)
	}
	why := "it is of a workload that this version does not know"
	if other, ok := elsewhere()[doc.Workload.Name]; ok {
		why = other
	}
	return nil, fmt.Errorf("%w: it is of workload %s: %s; a plan is made from %s", ErrMeasured, doc.Workload.Name, why, strings.Join(known, ", "))
}

// usable refuses what nothing should be planned with.
func (m measurement) usable(s Scale, doc *results.Document) error {
	if doc.Partial {
		return fmt.Errorf("%w: it is partial: the run was interrupted", ErrMeasured)
	}
	for _, c := range doc.Checks {
		if c.Status == results.Failed {
			return fmt.Errorf("%w: its check %q failed", ErrMeasured, c.Name)
		}
	}
	if m.unlike != nil && m.unlike(s) != "" {
		return fmt.Errorf("%w: %s", ErrMeasured, m.unlike(s))
	}
	return nil
}

func (m measurement) patternOf(s Scale, doc *results.Document) (Pattern, error) {
	if err := m.usable(s, doc); err != nil {
		return Pattern{}, err
	}
	p := Pattern{Name: m.pattern, Costs: map[string]cost.Cost{}}
	x := m.at(s)
	if m.nearest {
		x = m.largest(doc, x)
	}
	fitted := false
	for _, variant := range slices.Sorted(maps.Keys(m.columns)) {
		var c cost.Cost
		for _, sh := range m.shares(s) {
			if sh.part == 0 {
				continue
			}
			there, fit, err := m.cost(doc, variant, sh.others, x)
			if err != nil {
				return Pattern{}, err
			}
			there.Misses = there.Requests * misses(doc, variant, sh.others)
			c, fitted = c.Plus(there, sh.part), fitted || fit
		}
		for _, column := range m.columns[variant] {
			p.Costs[column] = c
		}
	}
	if m.pattern == patternRefresh {
		p.Costs[control.ModeDual.String()] = p.Costs[control.ModeDual.String()].Plus(cost.MarkerRead(), 1)
	}
	p.Source = fmt.Sprintf("measured in run %s (%s, seed %d)", doc.RunID, doc.Environment.Backend.Kind, doc.Seed)
	switch {
	case m.nearest:
		p.Source += fmt.Sprintf(", as at %s %s", m.x, plain(x))
	case fitted:
		p.Source += fmt.Sprintf(", by its fit at %s %s, measured up to %s", m.x, plain(x), plain(m.largest(doc, math.Inf(1))))
	}
	return p, nil
}

// cost reads every part of a cost.
func (m measurement) cost(doc *results.Document, variant string, others results.Point, x float64) (c cost.Cost, fitted bool, err error) {
	for _, metric := range slices.Sorted(maps.Keys(m.metrics)) {
		v, fit, err := m.value(doc, variant, metric, others, x)
		if err != nil {
			return cost.Cost{}, false, err
		}
		*m.metrics[metric](&c) = v
		fitted = fitted || fit
	}
	return c, fitted, nil
}

// value is that of a metric as it was measured, or as its fit has it.
func (m measurement) value(doc *results.Document, variant, metric string, others results.Point, x float64) (v float64, fitted bool, err error) {
	var measured []results.MetricSummary
	for _, e := range doc.Summary.Metrics {
		if f, ok := e.Point[m.x].Float(); ok && f == x && e.Variant == variant && e.Metric == metric && agrees(e.Point, others) {
			measured = append(measured, e)
		}
	}
	var fits []results.Growth
	for _, g := range doc.Summary.Growth {
		if g.X == m.x && g.Variant == variant && g.Metric == metric && agrees(g.Point, others) && g.Fit != nil {
			fits = append(fits, g)
		}
	}
	switch {
	case len(measured) > 1:
		return 0, false, ambiguous(measured[0].Point, measured[1].Point)
	case len(measured) == 1:
		return measured[0].Value, false, nil
	case len(fits) > 1:
		return 0, false, ambiguous(fits[0].Point, fits[1].Point)
	case len(fits) == 1:
		return fits[0].Fit.At(x), true, nil
	}
	at := m.x + "=" + plain(x)
	if len(others) > 0 {
		at += " " + others.String()
	}
	return 0, false, fmt.Errorf("%w: %s was measured neither at %s nor with a fit over %s, but at %s; measure that scale, or plan for the measured one",
		ErrMeasured, variant, at, m.x, m.found(doc, variant, others))
}

// found lists the coordinates that a variant was measured at, of those that the
// scale decides.
func (m measurement) found(doc *results.Document, variant string, others results.Point) string {
	values := map[string][]string{}
	for _, e := range doc.Summary.Metrics {
		for name, v := range e.Point {
			_, asked := others[name]
			if text := v.String(); e.Variant == variant && (asked || name == m.x) && !slices.Contains(values[name], text) {
				values[name] = append(values[name], text)
			}
		}
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		parts = append(parts, name+"="+strings.Join(values[name], ","))
	}
	if len(parts) == 0 {
		return "no point"
	}
	return strings.Join(parts, " ")
}

// misses is the share of a variant's requests that found nothing, over all points
// that agree.
func misses(doc *results.Document, variant string, others results.Point) float64 {
	var absent, all int64
	for _, s := range doc.Series {
		if s.Phase != results.Steady || s.Variant != variant || !agrees(s.Point, others) {
			continue
		}
		all += s.Requests()
		for _, a := range s.Attempts {
			if a.Outcome == "absent" {
				absent += a.Count
			}
		}
	}
	return float64(absent) / math.Max(float64(all), 1)
}

// ambiguous is about two points between which the scale does not decide.
func ambiguous(a, b results.Point) error {
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if a[name] != b[name] {
			return fmt.Errorf("%w: it was measured at %s=%s and at %s, between which no scale decides; measure one of them", ErrMeasured, name, a[name], b[name])
		}
	}
	return fmt.Errorf("%w: it has the point %s twice", ErrMeasured, a)
}

// agrees reports whether a point has these coordinates.
func agrees(p, others results.Point) bool {
	for name, want := range others {
		if p[name] != want {
			return false
		}
	}
	return true
}

// largest is the largest value of the swept parameter that was measured, up to
// most.
func (m measurement) largest(doc *results.Document, most float64) float64 {
	found := 0.0
	for _, e := range doc.Summary.Metrics {
		if f, ok := e.Point[m.x].Float(); ok && f <= most {
			found = math.Max(found, f)
		}
	}
	return found
}
