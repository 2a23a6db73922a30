package plan

import (
	"math"
	"slices"

	"github.com/lakebench/lakebench/internal/cost"
	"github.com/lakebench/lakebench/manifest"
	"github.com/lakebench/lakebench/store/control"
)

// Billing is a mode's month on demand, and on provisioned capacity.
type Billing struct {
	Column   string  `json:"column"`
	OnDemand float64 `json:"on_demand_usd_month"`
	// AtMean is provisioned for the mean rate at the target utilisation, with an
	// auto scaling that follows at once; AtPeak is provisioned for the peak all
	// day.
	AtMean float64 `json:"provisioned_at_mean_usd_month"`
	AtPeak float64 `json:"provisioned_at_peak_usd_month"`
	// BreakEven is the share of provisioned capacity in use from which on that
	// mode is the cheaper one.
	BreakEven float64 `json:"break_even_utilisation"`
}

// targetUtilisation is the default target of DynamoDB's auto scaling (Developer
// Guide, "Managing throughput capacity automatically with auto scaling").
const targetUtilisation = 0.7

func (b bill) billing(s Scale, p Plan) []Billing {
	var out []Billing
	for _, t := range p.Totals[:len(control.Modes())] {
		hour := b.prices.DynamoDBProvisioned(t.RRU, t.WRU)
		x := Billing{
			Column: t.Column, OnDemand: t.USD,
			AtMean: hour * hoursPerMonth / targetUtilisation,
			AtPeak: hour * hoursPerMonth * math.Max(s.PeakFactor, 1/targetUtilisation),
		}
		if t.USD > 0 {
			x.BreakEven = hour * hoursPerMonth / t.USD
		}
		out = append(out, x)
	}
	return out
}

// Waste is money that buys nothing.
type Waste struct {
	What   string  `json:"what"`
	Column string  `json:"column"`
	USD    float64 `json:"usd_month"`
	// Share is of the column's total.
	Share float64 `json:"share"`
}

func (b bill) waste(s Scale, p Plan) []Waste {
	var out []Waste
	add := func(what, column string, usd float64) {
		if usd > 0 {
			out = append(out, Waste{what, column, usd, usd / p.usdOf(column)})
		}
	}
	refresh := find(p.Metadata, patternRefresh)
	for _, m := range control.Modes() {
		column := m.String()
		c := refresh.Costs[column]
		over := cost.Cost{RRU: c.RRU * (c.Evaluated - c.Returned) / math.Max(c.Evaluated, 1)}
		add("records read and dropped by the filter", column, b.month(over, refresh.PerSecond))
	}
	for _, m := range control.Modes() {
		var failed cost.Cost
		for _, x := range p.Metadata {
			failed = failed.Plus(cost.Cost{WRU: x.Costs[m.String()].WRU}, x.PerSecond*s.FailedShare)
		}
		add("conditions that failed, tried again (not in the totals)", m.String(), b.month(failed, 1))
	}
	for _, both := range [][2]control.Mode{{control.ModeDual, control.ModeV1}, {control.ModeV2Authoritative, control.ModeV2Only}} {
		var extra cost.Cost
		for _, x := range p.Metadata {
			extra = extra.Plus(cost.Cost{WRU: x.Costs[both[0].String()].WRU - x.Costs[both[1].String()].WRU}, x.PerSecond)
		}
		add("writing both tables", both[0].String(), b.month(extra, 1))
	}
	for _, policy := range manifest.Kinds() {
		var misses cost.Cost
		for _, x := range p.WAL {
			misses = misses.Plus(cost.Cost{ClassB: x.Costs[policy.String()].Misses}, x.PerSecond)
		}
		add("requests for objects that are not there (404)", policy.String(), b.month(misses, 1))
	}
	return out
}

func assumptions(s Scale, p Plan) []string {
	out := []string{
		"Dollars are for a month of 730 hours at the mean rates; headroom is at the peak.",
		"The lake is older than its retention: as many records expire as are created.",
		"Keys are spread evenly over their shards, but for the busiest table.",
		"Reads are strongly consistent. A refresh takes its pages one after the other, " + s.RequestTime.String() + " each.",
		"S3 bills a request that finds nothing, or fails its condition, as any other.",
	}
	measured := false
	for _, x := range slices.Concat(p.Metadata, p.WAL) {
		if x.Source != ruleSource {
			measured = true
			out = append(out, x.Name+": "+x.Source+".")
		}
	}
	if measured {
		out = append(out, "Growth, crossover, advice and sensitivity are by the documented rules, also of what was measured.")
	}
	if p.Migration.Source != ruleSource {
		out = append(out, patternBackfill+": "+p.Migration.Source+".")
	}
	return out
}

func notModelled() []string {
	return []string{
		"storage, which doubles while both tables are kept", "backups, streams, global tables", "data transfer",
		"reserved capacity, savings plans, free tier, taxes, support", "requests of other programs on the same tables or buckets",
		"burst and adaptive capacity, the ramp-up of new tables and prefixes", "retries after throttling",
	}
}
