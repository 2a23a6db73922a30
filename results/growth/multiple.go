package growth

import "math"

// Multiple returns the factor by which all values of a are multiplied in b; false if
// there is none, or no value but 0.
func Multiple(a, b []Sample) (factor float64, ok bool) {
	if len(a) != len(b) {
		return 0, false
	}
	for i, p := range a {
		q := b[i]
		if p.X != q.X {
			return 0, false
		}
		if factor == 0 && p.Y != 0 {
			factor = q.Y / p.Y
		}
		if !(math.Abs(factor*p.Y-q.Y) <= 1e-9*math.Abs(q.Y)) {
			return 0, false
		}
	}
	return factor, factor > 0 && !math.IsInf(factor, 0)
}
