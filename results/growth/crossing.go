package growth

import (
	"cmp"
	"math"
	"slices"
)

// A Crossing is the last change of order of two series.
type Crossing struct {
	// Between are the measured x next to the change: at the first one series is
	// dearer, from the second on the other.
	Between [2]float64
	// FirstFalls reports whether the first series is the cheaper one from there on.
	FirstFalls bool
	// Changes is how often the order changes.
	Changes int
}

// Cross compares two series at the x that both have. There is a crossing only where
// measured points confirm it: each series is the dearer one at some point, and from
// the last change on they are never equal.
func Cross(a, b []Sample) (Crossing, bool) {
	var found Crossing
	before, beforeX, equal := 0, 0.0, false // the order last seen, where, and whether a point since has none
	for _, p := range pairs(a, b) {
		order := p.order()
		if order == 0 {
			equal = true
			continue
		}
		if before != 0 && order != before && p.x > beforeX { // two values at one x have no order
			found, equal = Crossing{[2]float64{beforeX, p.x}, order < 0, found.Changes + 1}, false
		}
		before, beforeX = order, p.x
	}
	return found, found.Changes > 0 && !equal
}

// pair are two series at one x.
type pair struct {
	x    float64
	a, b Sample
}

// order is 1 where a is dearer, -1 where b is, and 0 where the margins do not tell.
func (p pair) order() int {
	d, margin := p.a.Y-p.b.Y, p.a.Margin+p.b.Margin+1e-9*max(math.Abs(p.a.Y), math.Abs(p.b.Y))
	switch {
	case d > margin:
		return 1
	case d < -margin:
		return -1
	}
	return 0
}

// pairs returns both series where both have a finite value, by x.
func pairs(a, b []Sample) []pair {
	var all []pair
	for _, p := range a {
		i := slices.IndexFunc(b, func(q Sample) bool { return q.X == p.X })
		if i >= 0 && !math.IsNaN(p.Y-b[i].Y) && !math.IsInf(p.Y-b[i].Y, 0) {
			all = append(all, pair{p.X, p, b[i]})
		}
	}
	slices.SortFunc(all, func(p, q pair) int { return cmp.Compare(p.x, q.x) })
	return all
}

// At returns the smallest x of a crossing from which the curve of the cheaper series
// stays below the dearer one's, a whole number if whole is set; false if the curves do
// not cross there once.
func (c Crossing) At(dear, cheap Curve, whole bool) (float64, bool) {
	below := func(x float64) bool {
		d, y := dear.At(x), cheap.At(x)
		return y < d-1e-9*math.Abs(d) // less is rounding of the fits
	}
	lo, hi := c.Between[0], c.Between[1]
	if below(lo) || !below(hi) {
		return 0, false
	}
	const steps = 4096
	last, next := lo, hi
	for i := steps - 1; i > 0; i-- {
		x := lo + (hi-lo)*math.Pow(float64(i)/steps, 3) // finer towards lo
		if !below(x) {
			last = x
			break
		}
		next = x
	}
	for next-last > 1e-9*hi && !(whole && math.Ceil(next) == math.Ceil(last)) {
		if mid := (last + next) / 2; below(mid) {
			next = mid
		} else {
			last = mid
		}
	}
	if whole {
		for next = math.Floor(last); !below(next); next++ {
		}
	}
	return next, true
}
