package results

import "math"

// sample is a metric at one value of a swept parameter.
type sample struct{ x, y float64 }

// curve is y = a + b·x^k; k > 0, or b = 0.
type curve struct{ a, b, k float64 }

func (c curve) at(x float64) float64 {
	if c.b == 0 {
		return c.a
	}
	return c.a + c.b*math.Pow(x, c.k)
}

// At returns what the fit says at x.
func (g Growth) At(x float64) float64 { return curve{g.A, g.B, g.K}.at(x) }

// The exponents that a fit may have. Costs that grow faster than the fourth
// power, or start to grow so late that they look like it, are fitted with it.
const (
	minExponent      = 0.02
	maxExponent      = 4
	exponentStep     = 0.02 // of the coarse search; divides 1
	exponentDecimals = 1e4  // exponents are rounded to four decimals
)

// The bounds of the classes (docs/spec/results.md §2, "Growth").
const (
	linearFrom, linearTo = 0.9, 1.1
	fewestPoints         = 3
	smallestRange        = 10    // largest x over smallest x above 0
	timeTolerance        = 0.01  // of the largest time
	countTolerance       = 1e-12 // rounding of divisions, not a difference
)

// fit returns the growth of the samples, which have two different x or more,
// none negative, and its class.
//
// For a given exponent the best a and b have a closed form, so the sum of squares
// is a function of k alone. That function may have several minima: it is walked
// in fixed steps, and the golden section narrows the best step down. Nothing
// depends on a start value or on chance, and k is rounded to where the last bits
// of a sum cannot show.
func fit(samples []sample, assume Assumption) (curve, Class) {
	if !determined(samples) {
		return line(samples), Undetermined
	}
	tolerance := countTolerance
	if assume == Time {
		tolerance = timeTolerance
	}
	if lo, hi := yRange(samples); hi-lo <= tolerance*math.Abs(hi) {
		return curve{a: (lo + hi) / 2}, Constant
	}
	r := newRegression(samples)
	best := minExponent
	least := r.squares(best)
	for i := 1.0; i*exponentStep <= maxExponent; i++ {
		k := i * exponentStep
		if squares := r.squares(k); squares < least {
			best, least = k, squares
		}
	}
	k := golden(r.squares, max(best-exponentStep, minExponent), min(best+exponentStep, maxExponent))
	k = math.Round(k*exponentDecimals) / exponentDecimals
	c := r.curve(k)
	switch {
	case k < linearFrom:
		return c, Sublinear
	case k <= linearTo:
		return c, Linear
	}
	return c, Superlinear
}

// line fits the straight line: a is the fixed part, b the slope.
func line(samples []sample) curve { return newRegression(samples).curve(1) }

// determined reports whether the samples are many and wide enough for an exponent.
// A sample at 0 is a point but widens nothing: it tells a, not k.
func determined(samples []sample) bool {
	lo, hi := math.Inf(1), 0.0
	for _, s := range samples {
		hi = max(hi, s.x)
		if s.x > 0 {
			lo = min(lo, s.x)
		}
	}
	return len(samples) >= fewestPoints && hi >= smallestRange*lo
}

func yRange(samples []sample) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, s := range samples {
		lo, hi = min(lo, s.y), max(hi, s.y)
	}
	return lo, hi
}

// A regression is the least-squares fit of y = a + b·x^k to samples, each weighted
// by 1/max(y, 1). x is scaled to 0..1 and both sides are centred, so that neither
// a huge x^k nor a tiny b costs digits. What does not depend on k is worked out
// once: a fit tries some two hundred exponents.
type regression struct {
	samples []sample
	weights []float64
	weight  float64 // the sum of weights
	scale   float64 // the largest x
	meanY   float64
	us      []float64 // (x/scale)^k of the exponent tried last
}

func newRegression(samples []sample) *regression {
	r := &regression{samples: samples, weights: make([]float64, len(samples)), us: make([]float64, len(samples))}
	for i, s := range samples {
		r.scale = max(r.scale, s.x)
		r.weights[i] = weight(s)
		r.weight += r.weights[i]
		r.meanY += r.weights[i] * s.y
	}
	r.meanY /= r.weight
	return r
}

// slope is the best one for an exponent, of the scaled x, and their mean.
func (r *regression) slope(k float64) (slope, meanU float64) {
	for i, s := range r.samples {
		r.us[i] = math.Pow(s.x/r.scale, k)
		meanU += r.weights[i] * r.us[i]
	}
	meanU /= r.weight
	var uu, uy float64
	for i, s := range r.samples {
		w, u := r.weights[i], r.us[i]-meanU
		uu += w * u * u
		uy += w * u * (s.y - r.meanY)
	}
	if uu > 0 {
		slope = uy / uu
	}
	return slope, meanU
}

// squares is the weighted sum of squares that the best fit with an exponent
// leaves.
func (r *regression) squares(k float64) (squares float64) {
	slope, meanU := r.slope(k)
	for i, s := range r.samples {
		off := s.y - r.meanY - slope*(r.us[i]-meanU)
		squares += r.weights[i] * off * off
	}
	return squares
}

// curve is the best fit with an exponent.
func (r *regression) curve(k float64) curve {
	slope, meanU := r.slope(k)
	_, top := yRange(r.samples)
	return curve{a: tidy(r.meanY-slope*meanU, top), b: tidy(slope/math.Pow(r.scale, k), 0), k: k}
}

func weight(s sample) float64 { return 1 / max(s.y, 1) }

// tidy rounds a coefficient to twelve significant digits, so that it reads 2 and
// not 2.000000000000001, and what subtraction left of a zero to zero: a
// coefficient that small beside the largest value.
func tidy(v, largest float64) float64 {
	if math.Abs(v) <= countTolerance*largest {
		return 0
	}
	digits := 11 - math.Floor(math.Log10(math.Abs(v)))
	if unit := math.Pow(10, digits); !math.IsInf(unit, 0) && unit > 0 {
		return math.Round(v*unit) / unit
	}
	return v
}

// golden narrows a minimum of f between lo and hi by the golden section.
func golden(f func(float64) float64, lo, hi float64) float64 {
	const ratio = 0.6180339887498949 // (√5 − 1) / 2
	x1, x2 := hi-ratio*(hi-lo), lo+ratio*(hi-lo)
	f1, f2 := f(x1), f(x2)
	for hi-lo > 1e-9 {
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

// crossing returns the smallest x in lo..hi from which on the curve cheap stays
// below the curve dear, whole numbers only if whole is set; false if it is not
// below at hi.
func crossing(dear, cheap curve, lo, hi float64, whole bool) (float64, bool) {
	below := func(x float64) bool {
		d, c := dear.at(x), cheap.at(x)
		return c < d-1e-9*math.Abs(d) // less than that is rounding of the fits
	}
	if !below(hi) {
		return 0, false
	}
	if dear.b == 0 && cheap.b == 0 {
		return lo, true // as at hi, so everywhere
	}
	// Two such curves cross twice at most, so between steps this fine there is
	// no crossing back and forth.
	const steps = 4096
	last, next := math.NaN(), lo
	for i := steps; i >= 0; i-- {
		x := lo + (hi-lo)*math.Pow(float64(i)/steps, 3) // finer towards lo
		if !below(x) {
			last = x
			break
		}
		next = x
	}
	if math.IsNaN(last) {
		return lo, true
	}
	for next-last > 1e-9*hi && !(whole && math.Ceil(next) == math.Ceil(last)) {
		mid := (last + next) / 2
		if below(mid) {
			next = mid
		} else {
			last = mid
		}
	}
	if !whole {
		return next, true
	}
	for next = math.Floor(last); !below(next); next++ {
	}
	return next, true
}
