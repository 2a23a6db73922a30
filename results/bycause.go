package results

import (
	"slices"

	"github.com/lakebench/lakebench/internal/cause"
)

// ByCause has the requests of an operation of each variant at one point, by cause.
type ByCause struct {
	Point    Point
	Variants []string
	// Causes are in the order of an operation, more or less.
	Causes []string
	// Counts are requests per operation, by variant and cause.
	Counts map[string]map[string]float64
}

// RequestsByCause breaks down the last point of a run, which is the largest of a
// sweep. ok is false if all requests have one cause.
func RequestsByCause(doc Document) (requests ByCause, ok bool) {
	series := slices.DeleteFunc(slices.Clone(doc.Series), func(s Series) bool { return s.Phase != Steady })
	if len(series) == 0 {
		return ByCause{}, false
	}
	b := ByCause{Point: series[len(series)-1].Point, Counts: map[string]map[string]float64{}}
	operations := map[string]float64{}
	for _, s := range series {
		if s.Point.String() == b.Point.String() {
			b.add(s)
			operations[s.Variant] += float64(s.OperationCount())
		}
	}
	for variant, counts := range b.Counts {
		for label := range counts {
			counts[label] /= max(operations[variant], 1)
		}
	}
	slices.SortStableFunc(b.Causes, func(x, y string) int { return causePlace(x) - causePlace(y) })
	return b, len(b.Causes) > 1
}

func (b *ByCause) add(s Series) {
	if b.Counts[s.Variant] == nil {
		b.Variants = append(b.Variants, s.Variant)
		b.Counts[s.Variant] = map[string]float64{}
	}
	for _, a := range s.Attempts {
		if a.Cause == string(cause.Setup) {
			continue // part of nothing
		}
		b.Counts[s.Variant][a.Cause] += float64(a.Count)
		if !slices.Contains(b.Causes, a.Cause) {
			b.Causes = append(b.Causes, a.Cause)
		}
	}
}

// Total is the requests of a variant's operation.
func (b *ByCause) Total(variant string) (sum float64) {
	for _, n := range b.Counts[variant] {
		sum += n
	}
	return sum
}

var causeOrder = []cause.Label{
	cause.Hint, cause.Probe, cause.ManifestBody, cause.Fence, cause.Commit, cause.WAL, cause.Data, cause.Index, cause.Base,
	cause.Point, cause.List, cause.Mutate, cause.Control,
}

func causePlace(label string) int {
	if i := slices.Index(causeOrder, cause.Label(label)); i >= 0 {
		return i
	}
	return len(causeOrder)
}
