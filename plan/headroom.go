package plan

import (
	"fmt"
	"math"

	"github.com/lakebench/lakebench/internal/cost"
	"github.com/lakebench/lakebench/internal/units"
	"github.com/lakebench/lakebench/manifest"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/keyspace"
)

// Headroom is a load at its peak beside what the service allows.
type Headroom struct {
	What string `json:"what"`
	// Where the load is: a mode, or a policy.
	Column  string  `json:"column"`
	Load    float64 `json:"load"`
	Allowed float64 `json:"allowed"`
	Unit    string  `json:"unit"`
	// Note says what to do when there is none.
	Note string `json:"note,omitempty"`
}

func (h Headroom) share() float64 { return h.Load / h.Allowed }

// headroom lists the loads of the plan, at the peak.
func headroom(s Scale, p Plan) []Headroom {
	var out []Headroom
	for _, t := range p.Totals[:len(control.Modes())] {
		out = append(out, Headroom{"the table's reads", t.Column, t.RRU * s.PeakFactor, cost.TableRRU, "RRU/s", "a default quota: AWS raises it on request"})
	}
	refresh := find(p.Metadata, patternRefresh)
	for _, m := range []control.Mode{control.ModeV1, control.ModeV2Only} {
		took := s.refreshTime(refresh.Costs[m.String()])
		out = append(out, Headroom{"a refresh, page after page", m.String(), took.Seconds(), s.RefreshInterval.Seconds(), "s", "readers cannot keep up with their interval"})
	}
	out = append(out, s.buckets(p.Metadata)...)
	out = append(out, s.barrier(p.Metadata), s.item(), s.transaction())
	return append(out, s.prefixes(p.WAL)...)
}

// buckets are the loads of the busiest bucket of each family on v2. Writes of a
// family of single records spread evenly; updates of tables follow the busiest
// table, which has one bucket.
func (s Scale) buckets(patterns []Pattern) []Headroom {
	mutation := func(family string) float64 { return cost.Mutation(control.ModeV2Only, family, s.ItemBytes).WRU }
	again := 1 + s.FailedShare
	refresh := find(patterns, patternRefresh)
	perShard := refresh.Costs[control.ModeV2Only.String()].RRU / float64(s.TableShards) * refresh.PerSecond
	// Each commit creates a record of these families, and one expires.
	single := func(shards int64) float64 { return 2 * s.CommitsPerSecond / float64(shards) }
	hot := s.CommitsPerSecond * math.Max(s.HotTableShare, 1/float64(s.TableShards))
	update := find(patterns, patternCommit).Costs[control.ModeV2Only.String()].WRU
	return []Headroom{
		{"busiest bucket of tbl: refreshes", control.ModeV2Only.String(), perShard * s.PeakFactor, cost.PartitionRRU, "RRU/s", "refresh less often, or have readers share a catalog: each shard is read by all"},
		{"busiest bucket of tbl: updates", control.ModeV2Only.String(), hot * update * again * s.PeakFactor, cost.PartitionWRU, "WRU/s", "one table is one item: batch its commits"},
		{"busiest bucket of append-operation", control.ModeV2Only.String(), single(s.AppendShards) * mutation(keyspace.Appends) * again * s.PeakFactor, cost.PartitionWRU, "WRU/s", "more shards"},
		{"busiest bucket of lance-manifest", control.ModeV2Only.String(), single(s.ManifestShards) * mutation(keyspace.Manifests) * again * s.PeakFactor, cost.PartitionWRU, "WRU/s", "more shards"},
	}
}

// barrier is the load of the barrier item while dual: every mutation checks it
// (docs/spec/metadata-store.md §4).
func (s Scale) barrier(patterns []Pattern) Headroom {
	mutations := 0.0
	for _, p := range patterns {
		if p.Costs[control.ModeDual.String()].WRU > 0 {
			mutations += p.PerSecond
		}
	}
	return Headroom{
		"the barrier item", control.ModeDual.String(), mutations * (1 + s.FailedShare) * units.TransactWrite(1) * s.PeakFactor, cost.PartitionWRU, "WRU/s",
		"migrate at a quiet hour, or slow the writers down while dual",
	}
}

// item is the largest record in its v2 form beside DynamoDB's limit of an item.
func (s Scale) item() Headroom {
	return Headroom{
		"an item in its v2 form", control.ModeV2Only.String(), float64(s.ItemBytes + int64(keyspace.BucketBytes(keyspace.Appends))), units.MaxItemBytes, "bytes",
		"records over the limit cannot be migrated",
	}
}

// transaction is the largest transaction: a guarded mutation while dual.
func (s Scale) transaction() Headroom {
	return Headroom{
		"the largest transaction", control.ModeDual.String(), float64(3*s.ItemBytes + int64(keyspace.BucketBytes(keyspace.Appends))), units.MaxTransactBytes, "bytes",
		"records over the limit cannot be mirrored",
	}
}

// prefixes are the loads of one shard's prefix on S3, its manifest and its WAL
// being apart.
func (s Scale) prefixes(patterns []Pattern) []Headroom {
	if s.WALShards == 0 {
		return nil
	}
	var writes, reads []Headroom
	for _, policy := range manifest.Kinds() {
		var sum cost.Cost
		for _, p := range patterns {
			sum = sum.Plus(p.Costs[policy.String()], p.PerSecond/float64(s.WALShards))
		}
		writes = append(writes, Headroom{"a WAL shard's prefix: writes and lists", policy.String(), sum.ClassA * s.PeakFactor, cost.PrefixWrites, "/s", "more shards"})
		reads = append(reads, Headroom{"a WAL shard's prefix: reads", policy.String(), sum.ClassB * s.PeakFactor, cost.PrefixReads, "/s", "more shards, or a policy that asks less"})
	}
	return append(writes, reads...)
}

// Advice is a family's number of shards: what its writes need, and what each
// shard costs whoever lists the family.
type Advice struct {
	Family string `json:"family"`
	Shards int64  `json:"shards"`
	// Needed serve the family's peak at half of what a partition allows.
	Needed int64 `json:"needed"`
	// WRU is the family's peak.
	WRU float64 `json:"peak_wru_per_second"`
	// Floor is the requests and units that a drain of the family costs at least:
	// one and one for every shard.
	Floor int64 `json:"drain_floor_requests"`
	// Says is the advice in words.
	Says string `json:"says"`
}

// wanted is the share of a partition's capacity that a plan uses: keys are not
// spread quite evenly, and a burst is not over at once.
const wanted = 0.5

func advice(s Scale) []Advice {
	again := (1 + s.FailedShare) * s.PeakFactor
	write := func(family string) float64 { return cost.Mutation(control.ModeV2Only, family, s.ItemBytes).WRU }
	update := find(s.metadata(), patternCommit).Costs[control.ModeV2Only.String()].WRU
	families := []Advice{
		{Family: keyspace.Tables, Shards: s.TableShards, WRU: s.CommitsPerSecond * update * again},
		{Family: keyspace.Appends, Shards: s.AppendShards, WRU: 2 * s.CommitsPerSecond * write(keyspace.Appends) * again},
		{Family: keyspace.Manifests, Shards: s.ManifestShards, WRU: 2 * s.CommitsPerSecond * write(keyspace.Manifests) * again},
	}
	for i := range families {
		a := &families[i]
		a.Needed = powerOfTwo(a.WRU / (cost.PartitionWRU * wanted))
		a.Floor = a.Shards
		switch {
		case a.Needed > a.Shards:
			a.Says = fmt.Sprintf("too few: %d needed; a drain then costs %d requests at least", a.Needed, a.Needed)
		case a.Family == keyspace.Tables && a.Shards > a.Needed:
			a.Says = fmt.Sprintf("enough; %d would do, and every refresh would cost %d requests less", a.Needed, a.Shards-a.Needed)
		default:
			a.Says = fmt.Sprintf("enough; %d would do", a.Needed)
		}
	}
	return families
}

// powerOfTwo is the smallest power of two that is at least x.
func powerOfTwo(x float64) int64 {
	n := int64(1)
	for float64(n) < x && n < math.MaxInt64/2 {
		n *= 2
	}
	return n
}
