package plan

import (
	"math"

	"github.com/lakebench/lakebench/internal/cost"
	"github.com/lakebench/lakebench/manifest"
)

// wal returns the access patterns of the WAL, per lake.
func (s Scale) wal() []Pattern {
	n := float64(s.WALShards)
	flushes := n * s.AppendsPerSecond / s.AppendsPerFlush
	hints := 1 / float64(s.HintEvery)
	opening := cost.Opening{
		Entries: max(1, s.ReplayedEntries), // an open without entries costs no less
		HintLag: s.HintLag, HintEvery: s.HintEvery,
	}
	return []Pattern{
		byPolicy(patternFreshRead, n*s.ReadsPerSecond, func(p manifest.Kind) cost.Cost { return cost.FreshRead(p, s.Generations, s.HintLag) }),
		byPolicy(patternAppend, n*s.AppendsPerSecond, func(manifest.Kind) cost.Cost { return cost.Append() }),
		byPolicy(patternFlush, flushes, func(p manifest.Kind) cost.Cost { return cost.Flush(p, cost.Profile{}, hints) }),
		byPolicy(patternCompaction, flushes/s.FlushesPerCompaction, func(p manifest.Kind) cost.Cost {
			return cost.Compact(p, int64(math.Round(s.FlushesPerCompaction)), hints)
		}),
		byPolicy(patternOpen, n*s.OpensPerDay/secondsPerDay, func(p manifest.Kind) cost.Cost { return cost.Open(p, opening) }),
	}
}

func byPolicy(name string, perSecond float64, of func(manifest.Kind) cost.Cost) Pattern {
	x := Pattern{Name: name, PerSecond: perSecond, Costs: map[string]cost.Cost{}, Source: ruleSource}
	for _, p := range manifest.Kinds() {
		x.Costs[p.String()] = of(p)
	}
	return x
}
