// Package growth decides how a measured quantity grows with a parameter, among
// models that can be wrong, and between which measured points two quantities
// change their order.
//
// It knows samples and what may be assumed of them, and nothing of documents. The
// rules are those of docs/spec/results.md §2, "Growth" and "Crossover".
package growth

import (
	"cmp"
	"math"
	"slices"
)

// Class is how a quantity grows with a parameter. Scripts rely on the names.
type Class string

// The classes. Constant, Linear and Steps hold exactly for counts.
const (
	Constant Class = "constant"
	// Linear counts lie on a rising line, times within their margins.
	Linear Class = "linear"
	// Steps lie within a step or two of a rising line: what rounding to whole pages or
	// units makes of one.
	Steps Class = "steps"
	// NearLinear grows with a power of 0.9 to 1.1, or by a line, within a residual.
	NearLinear Class = "near-linear"
	XLogX      Class = "x-log-x"
	// Sublinear and Superlinear grow with a power below 0.9 or above 1.1; Sublinear
	// also with the logarithm.
	Sublinear   Class = "sublinear"
	Superlinear Class = "superlinear"
	// Bounded grows towards a ceiling.
	Bounded Class = "bounded"
	// Falls becomes less, to a floor or without one.
	Falls Class = "falls"
	// Undetermined: no model holds, or several do.
	Undetermined Class = "undetermined"
	// TooFewPoints: no model could have been wrong.
	TooFewPoints Class = "too-few-points"
)

// Classes returns all classes.
func Classes() []Class {
	return []Class{Constant, Linear, Steps, NearLinear, XLogX, Sublinear, Superlinear, Bounded, Falls, Undetermined, TooFewPoints}
}

// Determined reports whether the class is a statement, so that there is a curve.
func (c Class) Determined() bool { return c != Undetermined && c != TooFewPoints }

// A Sample is a quantity at one value of a parameter.
type Sample struct {
	X, Y float64
	// Margin is how far Y may be from the true value: 0 for an exact count, and infinite
	// if that is not known.
	Margin float64
}

// Limits of what is taken for an answer.
const (
	fewestPoints  = 3
	smallestRange = 10 // the largest x over the smallest above 0
	rounding      = 1e-12
	// evidence is the least that a model must have: the logarithm of how unlikely it
	// would be to fit as well by chance. It is about one in 500.
	evidence = 6.2
	// lead is by how much evidence a model must beat those of other classes.
	lead = 4.6 // one in 100
	// worstResidual and worstPrediction are parts of the smaller one of a value and
	// the range of all.
	worstResidual   = 0.1
	worstPrediction = 0.2
	// smallestScale is the least part of the range that residuals are held against.
	smallestScale = 0.001
)

// Classify returns the class of samples and, where that is determined, the curve.
// Steps of a known unit, such as 1,024 bytes, are looked for where units has it.
//
// The answer does not depend on the order of the samples, nor on the scale of Y.
func Classify(samples []Sample, units ...float64) (Class, Curve) {
	s, ok := newSeries(samples)
	switch {
	case !ok:
		return Undetermined, Curve{}
	case !s.wide():
		return TooFewPoints, Curve{}
	case s.vague():
		return Undetermined, Curve{}
	}
	if c, ok := s.constant(); ok {
		return Constant, s.original(c)
	}
	if c, ok := s.line(); ok && s.exact {
		return s.classOf(c), s.original(c)
	}
	if best, ok := s.contest(units); ok {
		return best.class, s.original(best.curve)
	}
	if len(s.samples) == fewestPoints {
		return TooFewPoints, Curve{}
	}
	return Undetermined, Curve{}
}

// series is what is to be classified: sorted by x, one sample for each, and scaled
// so that the largest |y| is 1. That is what makes the answer scale-free.
type series struct {
	samples []Sample
	largest float64   // |y| as measured
	span    float64   // of y
	scales  []float64 // what residuals are held against, by sample
	exact   bool
}

// newSeries refuses what no model can describe: what is not finite, a negative x,
// and two values at one x.
func newSeries(samples []Sample) (*series, bool) {
	s := &series{samples: slices.Clone(samples), exact: true}
	slices.SortFunc(s.samples, func(a, b Sample) int { return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y)) })
	for _, p := range s.samples {
		for _, v := range []float64{p.X, p.Y} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, false
			}
		}
		if p.X < 0 || !(p.Margin >= 0) {
			return nil, false
		}
		s.largest = max(s.largest, math.Abs(p.Y))
		s.exact = s.exact && p.Margin == 0
	}
	if s.largest == 0 {
		s.largest = 1
	}
	lo, hi := 1.0, -1.0
	for i := range s.samples {
		p := &s.samples[i]
		p.Y, p.Margin = p.Y/s.largest, p.Margin/s.largest
		lo, hi = min(lo, p.Y), max(hi, p.Y)
	}
	s.span = hi - lo
	s.samples = slices.CompactFunc(s.samples, func(a, b Sample) bool { return a.X == b.X && math.Abs(a.Y-b.Y) <= rounding })
	for i, p := range s.samples {
		if i > 0 && s.samples[i-1].X == p.X {
			return nil, false
		}
		s.scales = append(s.scales, max(min(math.Abs(p.Y), s.span), smallestScale*s.span))
	}
	return s, true
}

// wide reports whether the samples are enough for any statement. A sample at 0 is a
// point but widens nothing: it tells a fixed part, no exponent.
func (s *series) wide() bool {
	n := len(s.samples)
	if n < fewestPoints {
		return false
	}
	least := s.samples[0].X
	if least == 0 {
		least = s.samples[1].X
	}
	return s.samples[n-1].X >= smallestRange*least
}

// vague reports whether a sample may be so far from the true value that any model would do.
func (s *series) vague() bool {
	return slices.ContainsFunc(s.samples, func(p Sample) bool { return p.Margin > worstResidual*math.Abs(p.Y) })
}

// constant returns the value that is within the margins of all samples, and within 1 %
// of them: wide margins must not hide growth.
func (s *series) constant() (Curve, bool) {
	lo, hi := math.Inf(-1), math.Inf(1)
	for _, p := range s.samples {
		lo, hi = max(lo, p.Y-p.Margin-rounding/2), min(hi, p.Y+p.Margin+rounding/2)
	}
	if lo > hi {
		return Curve{}, false
	}
	c := s.rated(Curve{Form: Power, A: (lo + hi) / 2})
	return c, c.Residual <= 0.01
}

// line returns the line through all samples.
func (s *series) line() (Curve, bool) {
	xs := make([]float64, len(s.samples))
	for i, p := range s.samples {
		xs[i] = p.X
	}
	a, b, ok := s.through(xs)
	return Curve{Form: Power, A: a, B: b, K: 1}, ok
}

// through returns the line y = a + b·u if it goes through all samples.
func (s *series) through(us []float64) (a, b float64, ok bool) {
	n := len(us) - 1
	if us[n] == us[0] {
		return 0, 0, false
	}
	b = (s.samples[n].Y - s.samples[0].Y) / (us[n] - us[0])
	a = s.samples[0].Y - b*us[0]
	for i, p := range s.samples {
		if math.Abs(a+b*us[i]-p.Y) > 4*rounding {
			return 0, 0, false
		}
	}
	return a, b, true
}

// classOf returns the class that a curve stands for.
func (s *series) classOf(c Curve) Class {
	rises := c.B > 0 == (c.K >= 0)
	switch {
	case !rises:
		return Falls
	case c.K < 0:
		return Bounded
	case c.Form == XTimesLog:
		return XLogX
	case c.Form == Logarithm || c.K < linearFrom:
		return Sublinear
	case c.K > linearTo:
		return Superlinear
	case c.K == 1 && s.within(c):
		return Linear
	}
	return NearLinear
}

// within reports whether a curve is within the margins of all samples. Without
// margins those are the samples themselves.
func (s *series) within(c Curve) bool {
	for _, p := range s.samples {
		if math.Abs(c.At(p.X)-p.Y) > max(p.Margin, 4*rounding) {
			return false
		}
	}
	return true
}

// A candidate is a model fitted to the series.
type candidate struct {
	class    Class
	curve    Curve
	evidence float64
}

// contest returns the model with the most evidence, if it has enough, and enough more
// than those of every other class, and if it holds. Counts are rounded by rules, so
// steps give way only to a model that is as good as exact.
func (s *series) contest(units []float64) (candidate, bool) {
	const asExact = 0.001
	steps, inSteps := s.steps(units)
	var best candidate
	var of model
	var all []candidate
	for _, m := range models {
		c, ok := s.try(m)
		if !ok || inSteps && c.curve.Residual > asExact {
			continue
		}
		if c.evidence > best.evidence {
			best, of = c, m
		}
		all = append(all, c)
	}
	if inSteps && best.evidence-steps.evidence < lead {
		return steps, true
	}
	for _, c := range all {
		if c.class != best.class && best.evidence-c.evidence < lead {
			return candidate{}, false
		}
	}
	return best, best.evidence >= evidence && s.near(best.curve) && s.predicts(of)
}

// try fits a model. It is no candidate if its exponent is a bound of the search, or if
// it has too little evidence even for a rival.
func (s *series) try(m model) (candidate, bool) {
	c, ok := m.fit(s.samples, s.scales)
	free := float64(len(s.samples) - m.parameters)
	if !ok || free < 1 || c.B == 0 || m.boundary(c.K) {
		return candidate{}, false
	}
	var squares float64
	for i, p := range s.samples {
		off := (c.At(p.X) - p.Y) / s.scales[i]
		squares += off * off
	}
	// A residual of 0 would be infinite evidence, and so would rounding.
	typical := max(math.Sqrt(squares/free), 1e-9)
	found := candidate{s.classOf(c), s.rated(c), free * math.Log(1/typical)}
	return found, found.evidence >= evidence-lead
}

// near reports whether a curve is near all samples.
func (s *series) near(c Curve) bool {
	for i, p := range s.samples {
		if !(math.Abs(c.At(p.X)-p.Y) <= worstResidual*s.scales[i]) {
			return false
		}
	}
	return true
}

// predicts reports whether a model that is fitted to all samples but one is near that
// one, whichever it is.
func (s *series) predicts(m model) bool {
	for i, p := range s.samples {
		rest, scales := slices.Delete(slices.Clone(s.samples), i, i+1), slices.Delete(slices.Clone(s.scales), i, i+1)
		c, ok := m.fit(rest, scales)
		if !ok || !(math.Abs(c.At(p.X)-p.Y) <= worstPrediction*s.scales[i]) {
			return false
		}
	}
	return true
}
