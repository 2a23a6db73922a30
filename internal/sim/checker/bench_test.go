package checker

import (
	"fmt"
	"testing"
)

// A history as the explorer's scenarios make them: 8 actors, 200 operations
// each, on keys tied together by guards.
func BenchmarkCheck(b *testing.B) {
	for _, keys := range []int{1, 20, 100} {
		b.Run(fmt.Sprintf("keys=%d", keys), func(b *testing.B) {
			h := randomHistory(shape{seed: 1, actors: 8, operations: 1600, keys: keys, values: 1 << 30, unknown: 0.01})
			b.ReportAllocs()
			var steps int64
			for b.Loop() {
				res, err := Check(b.Context(), h, DefaultLimits())
				if err != nil || res.Verdict != Passed {
					b.Fatal(res.Verdict, res.Detail, err)
				}
				steps = res.Steps
			}
			b.ReportMetric(float64(steps), "steps/op")
		})
	}
}

// The cost of a step in a search that finds nothing, which is what the limits
// are about.
func BenchmarkStep(b *testing.B) {
	h := hardHistory(12)
	limits := Limits{Steps: 1_000_000, Bytes: 1 << 40}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Check(b.Context(), h, limits); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(int64(b.N)*limits.Steps), "ns/step")
}
