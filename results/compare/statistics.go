package compare

import (
	"cmp"
	"math"
	"slices"

	"golang.org/x/perf/benchmath"

	"github.com/lakebench/lakebench/results"
)

// kind is how a metric is compared.
type kind int

const (
	sampled kind = iota
	exact
	incomparable
)

// kinds are the ways of comparing the metrics of two results.
type kinds struct{ counts, times kind }

// kindsOf decides by what the results say of themselves. On the virtual clock of
// one Go version and platform times are as exact as counts, unless the results are
// aligned: with other parameters other times are drawn. Times of different clocks have
// nothing in common.
func kindsOf(old, next results.Document, aligned bool) kinds {
	var k kinds
	if old.Deterministic && next.Deterministic {
		k.counts = exact
	}
	switch a, b := old.Environment, next.Environment; {
	case old.Clock != next.Clock:
		k.times = incomparable
	case old.Clock == results.VirtualClock && !aligned && a.Go == b.Go && a.OS == b.OS && a.Arch == b.Arch:
		k.times = exact
	}
	return k
}

func (k kinds) of(m results.Metric) kind {
	if m.IsTime() {
		return k.times
	}
	return k.counts
}

// pValue is that of the U test, which assumes nothing of the distribution.
func pValue(old, next []sample) float64 {
	if smallestP(len(old), len(next)) == 1 {
		return 1 // whatever the values
	}
	t := benchmath.DefaultThresholds
	return benchmath.AssumeNothing.Compare(benchmath.NewSample(sorted(old), &t), benchmath.NewSample(sorted(next), &t)).P
}

// smallestP is the p of n against m values all of which are on one side: two of
// the ways to choose n of n+m.
func smallestP(n, m int) float64 {
	p := 2.0
	for i := range min(n, m) {
		p *= float64(i+1) / float64(n+m-i)
	}
	return min(p, 1)
}

// TooFew reports whether no row could have been significant.
type TooFew struct {
	// Rows are how many were tested together, Least is the smallest p that any of
	// them can have, and Alpha/Rows what it would have to be.
	Rows  int     `json:"rows"`
	Least float64 `json:"least"`
	Alpha float64 `json:"alpha"`
	// Need is how many repeats a side would do.
	Need int `json:"need"`
}

// Test tells which of the rows to test together are significant, by the method of
// Holm: the k-th smallest p of m has to be at most alpha/(m-k+1), and so have all
// before it. It returns nil unless none of them could have been.
func (c *Comparison) Test(alpha float64, which func(*Row) bool) *TooFew {
	var rows []*Row
	least := 1.0
	for i := range c.Rows {
		if r := &c.Rows[i]; r.Change == Unclear && which(r) {
			rows = append(rows, r)
			least = min(least, smallestP(r.OldRepeats, r.NewRepeats))
		}
	}
	slices.SortStableFunc(rows, func(a, b *Row) int { return cmp.Compare(a.P, b.P) })
	for i, r := range rows {
		if r.P > alpha/float64(len(rows)-i) {
			break
		}
		r.Change = Different
	}
	if len(rows) == 0 || least <= alpha/float64(len(rows)) {
		return nil
	}
	return &TooFew{Rows: len(rows), Least: least, Alpha: alpha, Need: repeatsFor(alpha / float64(len(rows)))}
}

// repeatsFor is how many repeats a side make a p as small as that possible.
func repeatsFor(p float64) int {
	n := 1
	for smallestP(n, n) > p && n < math.MaxInt16 {
		n++
	}
	return n
}
