package growth

import "math"

// mostRoundings is by how many steps counts may leave a line: what an operation
// writes is rounded up in two records at most.
const mostRoundings = 2

// steps looks for a rising line that all counts are within a step or two of, and for
// the stairs themselves where their unit is known.
//
// The line's band is known to be narrower than that, not how the counts lie in it. So
// the evidence is how narrow it is in comparison with the range, and the samples left
// out are in the band of the others by the same rule.
func (s *series) steps(units []float64) (candidate, bool) {
	one, step, ok := s.divisors()
	if !ok {
		return candidate{}, false
	}
	c, width := s.band()
	free := float64(len(s.samples) - 2)
	found := candidate{Steps, s.rated(c), free * math.Log(s.span/max(width/2, 1e-9*s.span))}
	switch {
	case c.B <= 0 || width >= max(mostRoundings*one, step) || found.evidence < evidence:
		return candidate{}, false
	case c.B >= one && s.whole(): // at every x a step or more: there are no stairs to see
		return candidate{}, false
	}
	for _, unit := range units {
		if c, ok := s.stairs(unit); ok {
			found.curve = c
			break
		}
	}
	return found, true
}

// divisors returns the largest number that all counts are multiples of, 1 for most, and
// the largest one that their differences are multiples of; false for averages and times,
// which have none.
func (s *series) divisors() (one, step float64, ok bool) {
	for _, p := range s.samples {
		one, step = divisor(math.Abs(p.Y), one), divisor(math.Abs(p.Y-s.samples[0].Y), step)
	}
	return one, step, s.exact && one > smallestStep
}

// smallestStep is a part of the largest value. What is less is rounding.
const smallestStep = 1e-7

// divisor returns the greatest common divisor of two values.
func divisor(a, b float64) float64 {
	for b > smallestStep/10 {
		rest := math.Mod(a, b)
		if b-rest < smallestStep/10 {
			rest = 0
		}
		a, b = b, rest
	}
	return a
}

// whole reports whether all x are whole numbers.
func (s *series) whole() bool {
	for _, p := range s.samples {
		if p.X != math.Trunc(p.X) {
			return false
		}
	}
	return true
}

// band returns the line in the middle of the narrowest band around all samples, and the
// band's width. Its edge goes through two samples.
func (s *series) band() (Curve, float64) {
	var best Curve
	width := math.Inf(1)
	for i, p := range s.samples {
		for _, q := range s.samples[i+1:] {
			slope := (q.Y - p.Y) / (q.X - p.X)
			lo, hi := math.Inf(1), math.Inf(-1)
			for _, r := range s.samples {
				lo, hi = min(lo, r.Y-slope*r.X), max(hi, r.Y-slope*r.X)
			}
			if hi-lo < width {
				width = hi - lo
				best = Curve{Form: Power, A: (lo + hi) / 2, B: slope, K: 1}
			}
		}
	}
	return best, width
}

// stairs looks for A + B·ceil((x + offset)/unit) through all samples. Where an offset
// is needed it is a third parameter; the smallest is taken.
func (s *series) stairs(unit float64) (Curve, bool) {
	offsets := []float64{0}
	if len(s.samples) > fewestPoints {
		for _, p := range s.samples {
			left := math.Ceil(p.X/unit)*unit - p.X // up to the next step
			offsets = append(offsets, left, left+1)
		}
	}
	best, found := Curve{}, false
	heights := make([]float64, len(s.samples))
	for _, offset := range offsets {
		c := Curve{Form: Stairs, Unit: unit, Offset: offset}
		for i, p := range s.samples {
			heights[i] = c.term(p.X)
		}
		a, b, ok := s.through(heights)
		if ok && b > 0 && offset < unit && (!found || offset < best.Offset) {
			c.A, c.B = a, b
			best, found = c, true
		}
	}
	return best, found
}
