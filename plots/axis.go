package plots

import (
	"math"
	"slices"
	"strconv"

	"github.com/lakebench/lakebench/results"
)

// axis places values on a length of 0 to 1, and says what is written beside it.
type axis struct {
	label string
	place func(v results.Value) float64
	ticks []tick
	// breakAt is where the axis is broken between zero and the smallest other
	// value; NaN if it is not.
	breakAt float64
	// curves are drawn as lines; categories stand side by side.
	category bool
}

type tick struct {
	at    float64
	label string // "" for a minor one
}

// Where things are on an axis: some room at both ends, and for a zero, which no
// logarithm has, a place of its own before the break.
const (
	firstPlace    = 0.05
	lastPlace     = 0.96
	brokenAt      = 0.12
	firstLogPlace = 0.19
)

// newAxis makes the axis for values: logarithmic for numbers over a wide range,
// linear over a narrow one (unless always logarithmic), and one place for each
// if some are no numbers.
func newAxis(label string, values []results.Value, logarithmic bool, format func(float64) string) axis {
	var numbers []float64
	for _, v := range values {
		f, ok := v.Float()
		if !ok || f < 0 {
			return categoryAxis(label, values)
		}
		numbers = append(numbers, f)
	}
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	positive := slices.DeleteFunc(slices.Clone(numbers), func(f float64) bool { return f == 0 })
	if len(positive) == 0 || !logarithmic && numbers[0] > 0 && numbers[len(numbers)-1] < 10*numbers[0] {
		return linearAxis(label, numbers, format)
	}
	return logAxis(label, positive, len(positive) < len(numbers), format)
}

func categoryAxis(label string, values []results.Value) axis {
	a := axis{label: label, breakAt: math.NaN(), category: true}
	var distinct []results.Value
	for _, v := range values {
		if !slices.Contains(distinct, v) {
			distinct = append(distinct, v)
		}
	}
	slot := 1 / float64(len(distinct))
	a.place = func(v results.Value) float64 { return slot * (float64(slices.Index(distinct, v)) + 0.5) }
	for _, v := range distinct {
		a.ticks = append(a.ticks, tick{a.place(v), v.String()})
	}
	return a
}

// linearAxis has a tick at each value.
func linearAxis(label string, numbers []float64, format func(float64) string) axis {
	lo, hi := numbers[0], numbers[len(numbers)-1]
	a := axis{label: label, breakAt: math.NaN()}
	at := func(f float64) float64 {
		if hi == lo {
			return (firstPlace + lastPlace) / 2
		}
		return firstPlace + (lastPlace-firstPlace)*(f-lo)/(hi-lo)
	}
	a.place = placeNumber(at)
	for _, f := range numbers {
		a.ticks = append(a.ticks, tick{at(f), format(f)})
	}
	return a
}

func placeNumber(at func(float64) float64) func(results.Value) float64 {
	return func(v results.Value) float64 {
		f, _ := v.Float() // newAxis has seen that all are numbers
		return at(f)
	}
}

// logAxis places positive, sorted numbers by their logarithm, and zero before a
// break.
func logAxis(label string, positive []float64, zero bool, format func(float64) string) axis {
	lo, hi := math.Log10(positive[0]), math.Log10(positive[len(positive)-1])
	if hi-lo < 0.5 { // too near to each other to fill an axis
		lo, hi = lo-0.5, hi+0.5
	}
	start := firstPlace
	a := axis{label: label, breakAt: math.NaN()}
	if zero {
		start, a.breakAt = firstLogPlace, brokenAt
	}
	at := func(f float64) float64 {
		if f <= 0 {
			return firstPlace
		}
		return start + (lastPlace-start)*(math.Log10(f)-lo)/(hi-lo)
	}
	a.place = placeNumber(at)
	if zero {
		a.ticks = append(a.ticks, tick{at(0), format(0)})
	}
	a.ticks = append(a.ticks, logTicks(at, lo, hi, start-0.03, format)...)
	return a
}

// logTicks labels the decades, and 2 and 5 of each where there are few, leaving
// out what is left of from or beyond the end.
func logTicks(at func(float64) float64, lo, hi, from float64, format func(float64) string) []tick {
	labelled := []float64{1}
	if hi-lo < 1.5 {
		labelled = []float64{1, 2, 5}
	}
	var ticks []tick
	for decade := math.Floor(lo) - 1; decade <= math.Ceil(hi); decade++ {
		for digit := 1.0; digit < 10; digit++ {
			v := digit * math.Pow10(int(decade))
			switch p := at(v); {
			case p < from || p > 1:
			case slices.Contains(labelled, digit):
				ticks = append(ticks, tick{p, format(v)})
			default:
				ticks = append(ticks, tick{p, ""})
			}
		}
	}
	return ticks
}

// short writes the number of a tick: with a comma for thousands, with M and G
// beyond.
func short(f float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e9, "G"}, {1e6, "M"}} {
		if f >= unit.size {
			return strconv.FormatFloat(f/unit.size, 'g', 4, 64) + unit.name
		}
	}
	if f >= 1000 {
		whole := strconv.FormatFloat(f, 'f', 0, 64)
		return whole[:len(whole)-3] + "," + whole[len(whole)-3:]
	}
	return strconv.FormatFloat(f, 'g', 6, 64)
}
