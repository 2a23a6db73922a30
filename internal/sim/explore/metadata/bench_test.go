package metadata_test

import (
	"testing"

	"github.com/lakebench/lakebench/internal/sim/checker"
	"github.com/lakebench/lakebench/internal/sim/explore"
	"github.com/lakebench/lakebench/internal/sim/explore/metadata"
	"github.com/lakebench/lakebench/internal/sim/explore/simulated"
	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/store"
)

// BenchmarkSchedule is one schedule of the shipped scenario, checks included: 8
// actors, 200 operations each. 1,000 of them must not take longer than a minute
// on the direct transport, so an iteration has 60 ms of one core.
func BenchmarkSchedule(b *testing.B) {
	for _, transport := range []simulated.Transport{simulated.Direct, simulated.SDK} {
		for _, layout := range []store.Layout{store.V1, store.V2} {
			b.Run(string(transport)+"/"+layout.String(), func(b *testing.B) {
				cfg, err := metadata.Default()
				if err != nil {
					b.Fatal(err)
				}
				cfg.Layout, cfg.Services.Transport = layout, transport
				s := cfg.Scenario(metadata.Name)
				b.ReportAllocs()
				var requests int64
				for seed := uint64(0); b.Loop(); seed++ {
					run, err := s.Run(b.Context(), explore.Case{Seed: seed, Policy: task.Random{}, Faults: s.Faults, Operations: s.Operations}, false)
					if err != nil || run.Checks[1].Verdict != checker.Passed {
						b.Fatal(err, run)
					}
					requests += run.Requests
				}
				b.ReportMetric(float64(requests)/b.Elapsed().Seconds(), "requests/s")
			})
		}
	}
}
