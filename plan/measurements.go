package plan

import (
	"math"

	"github.com/lakebench/lakebench/internal/cost"
	"github.com/lakebench/lakebench/manifest"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/store/control"
)

// A measurement says what a workload's result tells of a pattern.
type measurement struct {
	workload, pattern string
	// x is the swept parameter that the scale's own value is put in for, at is that
	// value; along it a fit stands in for a value that was not measured.
	x  string
	at func(Scale) float64
	// nearest takes the largest measured x up to at in the place of a fit.
	nearest bool
	// shares are the points that an operation's cost is a mean of.
	shares func(Scale) []share
	// columns are those of the plan that a variant is measured for.
	columns map[string][]string
	// unlike says why the workload measures another lake than the scale's; nil is
	// never.
	unlike func(Scale) string
	// metrics say which part of a cost each is.
	metrics map[string]func(*cost.Cost) *float64
}

// A share is the coordinates that must be as the scale has them, and how much of
// the operations are there. A coordinate that is not named must have one value.
type share struct {
	part   float64
	others results.Point
}

func all(others results.Point) func(Scale) []share {
	return func(Scale) []share { return []share{{1, others}} }
}

// perOperation are the parts of a cost of an operation.
func perOperation() map[string]func(*cost.Cost) *float64 {
	return map[string]func(*cost.Cost) *float64{
		"requests/op":   func(c *cost.Cost) *float64 { return &c.Requests },
		"evaluated/op":  func(c *cost.Cost) *float64 { return &c.Evaluated },
		"returned/op":   func(c *cost.Cost) *float64 { return &c.Returned },
		"rru/op":        func(c *cost.Cost) *float64 { return &c.RRU },
		"wru/op":        func(c *cost.Cost) *float64 { return &c.WRU },
		"s3-class-a/op": func(c *cost.Cost) *float64 { return &c.ClassA },
		"s3-class-b/op": func(c *cost.Cost) *float64 { return &c.ClassB },
	}
}

// measurements lists the workloads that measure one pattern of the plan by itself.
func measurements() []measurement {
	policies, modes := map[string][]string{}, map[string][]string{}
	for _, p := range names(manifest.Kinds()) {
		policies[p] = []string{p}
	}
	for _, m := range names(control.Modes()) {
		modes[m] = []string{m}
	}
	generations := func(s Scale) float64 { return float64(s.Generations) }
	return []measurement{
		{
			workload: "catalog-refresh", pattern: patternRefresh,
			x: "history_records", at: func(s Scale) float64 { return float64(s.History()) },
			shares: func(s Scale) []share {
				return []share{{1, results.Point{
					"tables": results.Number(s.Tables), "page_limit": results.Number(s.PageLimit), "item_bytes": results.Number(s.ItemBytes),
				}}}
			},
			columns: map[string][]string{"v1": {control.ModeV1.String(), control.ModeDual.String()}, "v2": {control.ModeV2Authoritative.String(), control.ModeV2Only.String()}}, metrics: perOperation(),
		},
		{
			workload: "dual-write", pattern: patternCommit,
			x: "item_bytes", at: func(s Scale) float64 { return float64(s.ItemBytes) },
			shares: func(s Scale) []share {
				return []share{
					{1 - s.GuardedShare, results.Point{"guarded": results.Bool(false)}},
					{s.GuardedShare, results.Point{"guarded": results.Bool(true)}},
				}
			},
			columns: modes, metrics: perOperation(),
		},
		{
			workload: "migration", pattern: patternBackfill,
			x: "records", at: func(s Scale) float64 { return float64(s.Tables + s.History()) }, nearest: true,
			shares: all(results.Point{"page_size": results.Number(backfillPage), "writers": results.Number(0)}), columns: map[string][]string{"batched": {control.ModeDual.String()}},
			metrics: map[string]func(*cost.Cost) *float64{
				"requests/item": func(c *cost.Cost) *float64 { return &c.Requests },
				"wru/item":      func(c *cost.Cost) *float64 { return &c.WRU },
			},
		},
		{
			workload: "fresh-read", pattern: patternFreshRead, x: "generations", at: generations, shares: all(nil), columns: policies, metrics: perOperation(),
			unlike: func(s Scale) string {
				if s.HintLag == 0 {
					return ""
				}
				return "it is measured with a hint that is exact; set hint_lag=0, or leave the pattern to the rules"
			},
		},
		{
			workload: "wal-append", pattern: patternAppend, x: "entries", at: func(s Scale) float64 { return s.AppendsPerFlush },
			shares: all(results.Point{"group_commit": results.Number(1)}), columns: policies, metrics: perOperation(),
		},
		{workload: "flush", pattern: patternFlush, x: "generations", at: generations, shares: all(nil), columns: policies, metrics: perOperation()},
		{
			workload: "compaction", pattern: patternCompaction, x: "generations", at: func(s Scale) float64 { return math.Round(s.FlushesPerCompaction) },
			shares: all(nil), columns: policies, metrics: perOperation(),
		},
		{
			workload: "wal-replay", pattern: patternOpen, x: "entries", at: func(s Scale) float64 { return float64(max(1, s.ReplayedEntries)) },
			shares:  func(s Scale) []share { return []share{{1, results.Point{"hint_lag": results.Number(s.HintLag)}}} },
			columns: policies, metrics: perOperation(),
		},
	}
}

// elsewhere says of the other workloads what a plan takes their counts from
// instead.
func elsewhere() map[string]string {
	return map[string]string{
		"append-history":     "it has a day of everything together, beside which the plan's totals can be held; catalog-refresh and dual-write measure its parts",
		"metadata-mix":       "it has operations of all kinds together; catalog-refresh and dual-write measure each by itself, and its conflicts/op is what failed_share can be set to",
		"concurrent-commits": "commits are parts of flushes and compactions, which flush and compaction measure",
		"failover":           "it has an open and an append together; wal-replay and wal-append measure each by itself",
	}
}
