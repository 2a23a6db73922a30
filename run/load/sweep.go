package load

import "iter"

// An Axis is a swept parameter and its values, in the order in which they are
// measured.
type Axis struct {
	Name   string
	Values []any
}

// Point is one value of every axis.
type Point map[string]any

// Points yields every combination of the axes' values. The last axis moves
// fastest, so what the first one stands for is set up the fewest times.
func Points(axes []Axis) iter.Seq[Point] {
	return func(yield func(Point) bool) {
		at := make([]int, len(axes))
		for {
			p := make(Point, len(axes))
			for i, a := range axes {
				p[a.Name] = a.Values[at[i]]
			}
			if !yield(p) || !next(at, axes) {
				return
			}
		}
	}
}

// Count returns how many points Points yields.
func Count(axes []Axis) int {
	n := 1
	for _, a := range axes {
		n *= len(a.Values)
	}
	return n
}

// next counts at up like an odometer; false after the last combination.
func next(at []int, axes []Axis) bool {
	for i := len(at) - 1; i >= 0; i-- {
		if at[i]++; at[i] < len(axes[i].Values) {
			return true
		}
		at[i] = 0
	}
	return false
}
