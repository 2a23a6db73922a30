package growth

import "math"

// The exponents that a power may have, and those that are near 1. An exponent at a
// bound is no answer: the best one is beyond.
const (
	minExponent, maxExponent = 0.1, 4
	exponentStep             = 0.05 // of the coarse search
	exponentDecimals         = 1e4  // four decimals: last bits of sums do not show
	linearFrom, linearTo     = 0.9, 1.1
)

// A model is a family of curves y = a + b·term(x).
type model struct {
	form       Form
	parameters int
	from, to   float64 // exponents; equal if it is given
	origin     bool    // a is 0
}

// models are all families but the constant, the exact line and steps.
var models = []model{
	{Power, 2, 1, 1, false},
	{XTimesLog, 2, 0, 0, false},
	{Logarithm, 2, 0, 0, false},
	{Power, 2, -1, -1, false},
	{Power, 2, minExponent, maxExponent, true},
	{Power, 2, -maxExponent, -minExponent, true},
	{Power, 3, minExponent, maxExponent, false},
	{Power, 3, -maxExponent, -minExponent, false},
}

// boundary reports whether an exponent is one at which the search ended.
func (m model) boundary(k float64) bool {
	const near = 2 / exponentDecimals
	return m.from < m.to && (k < m.from+near || k > m.to-near)
}

// fit returns the curve with the least squares of residuals over scales; false if the
// model does not exist for the samples.
//
// For a given exponent the best a and b have a closed form, so the squares are a
// function of the exponent alone. It may have several minima: it is walked in fixed
// steps, and the golden section narrows the best step down. Nothing depends on a start
// value or on chance.
func (m model) fit(samples []Sample, scales []float64) (Curve, bool) {
	if samples[0].X == 0 && (m.form == Logarithm || m.from < 0) {
		return Curve{}, false
	}
	r := regression{m, samples, scales, samples[len(samples)-1].X, make([]float64, len(samples))}
	k := m.from
	if m.from < m.to {
		least := math.Inf(1)
		for i := 0.0; m.from+i*exponentStep <= m.to; i++ {
			if squares := r.squares(m.from + i*exponentStep); squares < least {
				k, least = m.from+i*exponentStep, squares
			}
		}
		k = golden(r.squares, max(k-exponentStep, m.from), min(k+exponentStep, m.to))
		k = math.Round(k*exponentDecimals) / exponentDecimals
	}
	c := r.curve(k)
	return c, !math.IsNaN(c.A) && !math.IsInf(c.A, 0) && !math.IsNaN(c.B) && !math.IsInf(c.B, 0)
}

// A regression is a model, and the samples that it is fitted to, whose largest x is
// top: powers are of x/top, so that neither a huge power nor a tiny b costs digits.
type regression struct {
	model
	samples []Sample
	scales  []float64
	top     float64
	terms   []float64 // of the exponent tried last
}

// solve returns the best coefficients of the scaled terms for an exponent.
func (r *regression) solve(k float64) (a, b float64) {
	c := Curve{Form: r.form, K: k}
	var weight, meanU, meanY float64
	for i, p := range r.samples {
		x := p.X
		if r.form == Power {
			x /= r.top
		}
		r.terms[i] = c.term(x)
		w := 1 / (r.scales[i] * r.scales[i])
		weight, meanU, meanY = weight+w, meanU+w*r.terms[i], meanY+w*p.Y
	}
	meanU, meanY = meanU/weight, meanY/weight
	if r.origin {
		meanU, meanY = 0, 0
	}
	var uu, uy float64
	for i, p := range r.samples {
		w, u := 1/(r.scales[i]*r.scales[i]), r.terms[i]-meanU
		uu, uy = uu+w*u*u, uy+w*u*(p.Y-meanY)
	}
	if uu > 0 {
		b = uy / uu
	}
	return meanY - b*meanU, b
}

// squares is the sum that the best curve with an exponent leaves.
func (r *regression) squares(k float64) (squares float64) {
	a, b := r.solve(k)
	for i, p := range r.samples {
		off := (a + b*r.terms[i] - p.Y) / r.scales[i]
		squares += off * off
	}
	return squares
}

// curve is the best one with an exponent.
func (r *regression) curve(k float64) Curve {
	a, b := r.solve(k)
	if r.form == Power {
		b /= math.Pow(r.top, k)
	}
	return Curve{Form: r.form, A: a, B: b, K: k}
}

// golden narrows a minimum of f between lo and hi by the golden section.
func golden(f func(float64) float64, lo, hi float64) float64 {
	const ratio = 0.6180339887498949 // (√5 − 1) / 2
	x1, x2 := hi-ratio*(hi-lo), lo+ratio*(hi-lo)
	f1, f2 := f(x1), f(x2)
	for hi-lo > 1e-6 {
		if f1 <= f2 {
			hi, x2, f2 = x2, x1, f1
			x1 = hi - ratio*(hi-lo)
			f1 = f(x1)
		} else {
			lo, x1, f1 = x1, x2, f2
			x2 = lo + ratio*(hi-lo)
			f2 = f(x2)
		}
	}
	return (lo + hi) / 2
}
