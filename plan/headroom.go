package plan

import (
	"fmt"
	"math"

	"github.com/lakebench/lakebench/internal/units"
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
	for _, t := range p.Totals[:len(Modes())] {
		out = append(out, Headroom{"the table's reads", t.Column, t.RRU * s.PeakFactor, TableRRU, "RRU/s", "a default quota: AWS raises it on request"})
	}
	refresh := find(p.Metadata, patternRefresh)
	for _, m := range []Mode{V1, V2} {
		took := s.refreshTime(refresh.Costs[string(m)])
		out = append(out, Headroom{"a refresh, page after page", string(m), took.Seconds(), s.RefreshInterval.Seconds(), "s", "readers cannot keep up with their interval"})
	}
	out = append(out, s.buckets(p.Metadata)...)
	out = append(out, s.barrier(p.Metadata), s.item(), s.transaction())
	return append(out, s.prefixes(p.WAL)...)
}

// buckets are the loads of the busiest bucket of each family on v2. Writes of a
// family of single records spread evenly; updates of tables follow the busiest
// table, which has one bucket.
func (s Scale) buckets(patterns []Pattern) []Headroom {
	mutation := func(family string) float64 { return Mutation(V2, family, s.ItemBytes).WRU }
	again := 1 + s.FailedShare
	refresh := find(patterns, patternRefresh)
	perShard := refresh.Costs[string(V2)].RRU / float64(s.TableShards) * refresh.PerSecond
	// Each commit creates a record of these families, and one expires.
	single := func(shards int64) float64 { return 2 * s.CommitsPerSecond / float64(shards) }
	hot := s.CommitsPerSecond * math.Max(s.HotTableShare, 1/float64(s.TableShards))
	update := find(patterns, patternCommit).Costs[string(V2)].WRU
	return []Headroom{
		{"busiest bucket of tbl: refreshes", string(V2), perShard * s.PeakFactor, PartitionRRU, "RRU/s", "refresh less often, or have readers share a catalog: each shard is read by all"},
		{"busiest bucket of tbl: updates", string(V2), hot * update * again * s.PeakFactor, PartitionWRU, "WRU/s", "one table is one item: batch its commits"},
		{"busiest bucket of append-operation", string(V2), single(s.AppendShards) * mutation("append-operation") * again * s.PeakFactor, PartitionWRU, "WRU/s", "more shards"},
		{"busiest bucket of lance-manifest", string(V2), single(s.ManifestShards) * mutation("lance-manifest") * again * s.PeakFactor, PartitionWRU, "WRU/s", "more shards"},
	}
}

// barrier is the load of the barrier item while dual: every mutation checks it
// (docs/spec/metadata-store.md §4).
func (s Scale) barrier(patterns []Pattern) Headroom {
	mutations := 0.0
	for _, p := range patterns {
		if p.Costs[string(Dual)].WRU > 0 {
			mutations += p.PerSecond
		}
	}
	return Headroom{
		"the barrier item", string(Dual), mutations * (1 + s.FailedShare) * units.TransactWrite(1) * s.PeakFactor, PartitionWRU, "WRU/s",
		"migrate at a quiet hour, or slow the writers down while dual",
	}
}

// item is the largest record in its v2 form beside DynamoDB's limit of an item.
func (s Scale) item() Headroom {
	return Headroom{
		"an item in its v2 form", string(V2), float64(s.ItemBytes + bucketBytes("append-operation")), units.MaxItemBytes, "bytes",
		"records over the limit cannot be migrated",
	}
}

// transaction is the largest transaction: a guarded mutation while dual.
func (s Scale) transaction() Headroom {
	return Headroom{
		"the largest transaction", string(Dual), float64(3*s.ItemBytes + bucketBytes("append-operation")), TransactionBytes, "bytes",
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
	for _, policy := range Policies() {
		var sum Cost
		for _, p := range patterns {
			sum = sum.plus(p.Costs[string(policy)], p.PerSecond/float64(s.WALShards))
		}
		writes = append(writes, Headroom{"a WAL shard's prefix: writes and lists", string(policy), sum.ClassA * s.PeakFactor, PrefixWrites, "/s", "more shards"})
		reads = append(reads, Headroom{"a WAL shard's prefix: reads", string(policy), sum.ClassB * s.PeakFactor, PrefixReads, "/s", "more shards, or a policy that asks less"})
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
	write := func(family string) float64 { return Mutation(V2, family, s.ItemBytes).WRU }
	update := find(s.metadata(), patternCommit).Costs[string(V2)].WRU
	families := []Advice{
		{Family: familyTables, Shards: s.TableShards, WRU: s.CommitsPerSecond * update * again},
		{Family: "append-operation", Shards: s.AppendShards, WRU: 2 * s.CommitsPerSecond * write("append-operation") * again},
		{Family: "lance-manifest", Shards: s.ManifestShards, WRU: 2 * s.CommitsPerSecond * write("lance-manifest") * again},
	}
	for i := range families {
		a := &families[i]
		a.Needed = powerOfTwo(a.WRU / (PartitionWRU * wanted))
		a.Floor = a.Shards
		switch {
		case a.Needed > a.Shards:
			a.Says = fmt.Sprintf("too few: %d needed; a drain then costs %d requests at least", a.Needed, a.Needed)
		case a.Family == familyTables && a.Shards > a.Needed:
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
