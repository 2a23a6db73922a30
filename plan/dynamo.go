package plan

import (
	"math"

	"github.com/lakebench/lakebench/internal/units"
)

// A Cost is what one operation costs. Counts are means, and so not whole.
type Cost struct {
	Requests  float64 `json:"requests"`
	Evaluated float64 `json:"evaluated"`
	Returned  float64 `json:"returned"`
	RRU       float64 `json:"rru"`
	WRU       float64 `json:"wru"`
	ClassA    float64 `json:"s3_class_a"`
	ClassB    float64 `json:"s3_class_b"`
	// Misses are the requests among Requests that found nothing: billed all the
	// same.
	Misses float64 `json:"misses"`
}

// plus returns the cost of n times o on top of c.
func (c Cost) plus(o Cost, n float64) Cost {
	return Cost{
		Requests: c.Requests + n*o.Requests, Evaluated: c.Evaluated + n*o.Evaluated, Returned: c.Returned + n*o.Returned,
		RRU: c.RRU + n*o.RRU, WRU: c.WRU + n*o.WRU,
		ClassA: c.ClassA + n*o.ClassA, ClassB: c.ClassB + n*o.ClassB, Misses: c.Misses + n*o.Misses,
	}
}

// times returns the cost of n times c.
func (c Cost) times(n float64) Cost { return Cost{}.plus(c, n) }

// bucketBytes is what the attribute "bucket" adds to an item of v2, for a family
// and its shards (docs/spec/metadata-store.md §3).
func bucketBytes(family string) int64 {
	return int64(len("bucket") + len(family) + len("#00"))
}

// Drain returns what it costs to read n items of equal size with strong
// consistency, page by page: a page ends with the item that reaches limit (0: no
// limit) or 1 MB, its bytes are summed and then rounded up, and one that ends at
// the limit has another behind it even if that one is empty (Developer Guide,
// "Paginating table query results"; docs/facts/dynamodb.md §3.3).
func Drain(n, itemBytes, limit int64) Cost {
	page := (units.MaxPageBytes + itemBytes - 1) / itemBytes
	byLimit := limit > 0 && limit <= page
	if byLimit {
		page = limit
	}
	full, rest := n/page, n%page
	c := Cost{
		Evaluated: float64(n), Returned: float64(n),
		Requests: float64(full), RRU: float64(full) * units.Read(page*itemBytes, units.Strong),
	}
	if rest > 0 || full == 0 || byLimit {
		c.Requests++
		c.RRU += units.Read(rest*itemBytes, units.Strong)
	}
	return c
}

// RefreshV1 returns what a catalog refresh costs on v1: a scan of every retained
// record, of which the tables come back.
func RefreshV1(tables, history, itemBytes, limit int64) Cost {
	c := Drain(tables+history, itemBytes, limit)
	c.Returned = float64(tables)
	return c
}

// RefreshDual returns what a catalog refresh costs a node that is in mode dual:
// the scan of v1, and before it a strong read of the completion marker, so that
// nothing that begins after the marker reads v1 (package store/dual).
func RefreshDual(tables, history, itemBytes, limit int64) Cost {
	return RefreshV1(tables, history, itemBytes, limit).plus(markerRead, 1)
}

// markerRead is a read of a record that is not there yet, which costs as the smallest one.
var markerRead = Cost{Requests: 1, RRU: units.Read(0, units.Strong)}

// A Spread is a cost that key hashes decide: Even if they spread the keys evenly,
// and the bounds that hold it but for one case in a hundred million.
type Spread struct{ Low, Even, High Cost }

// RefreshV2 returns what a catalog refresh costs on v2: a query of each shard of
// the family, whose records of item bytes (as v1 items) are all tables.
func RefreshV2(tables int64, family string, shards int, itemBytes, limit int64) Spread {
	size := itemBytes + bucketBytes(family)
	mean := float64(tables) / float64(shards)
	// Six standard deviations of a binomial count, one shard of shards.
	off := 6 * math.Sqrt(mean*(1-1/float64(shards)))
	least := max(0, int64(math.Floor(mean-off)))
	most := min(tables, int64(math.Ceil(mean+off)))
	// Rounding adds less than a unit to a page, and makes an empty one cost a unit.
	exact := float64(tables*size) / units.ReadBlock
	low := Cost{Requests: float64(shards) * Drain(least, size, limit).Requests}
	low.RRU = math.Ceil(max(exact, low.Requests))
	high := Cost{Requests: float64(shards) * Drain(most, size, limit).Requests}
	high.RRU = math.Floor(exact + high.Requests)
	for _, c := range []*Cost{&low, &high} {
		c.Evaluated, c.Returned = float64(tables), float64(tables)
	}
	whole, rest := tables/int64(shards), tables%int64(shards)
	even := Drain(whole, size, limit).times(float64(int64(shards)-rest)).plus(Drain(whole+1, size, limit), float64(rest))
	return Spread{Low: low, Even: even, High: high}
}

// A Mode is a column of the metadata store's plan (docs/spec/metadata-store.md §4).
type Mode string

// The modes, in the order of a migration.
const (
	V1            Mode = "v1"
	Dual          Mode = "dual"
	Authoritative Mode = "v2-authoritative"
	V2            Mode = "v2-only"
)

// Modes returns the modes in their order.
func Modes() []Mode { return []Mode{V1, Dual, Authoritative, V2} }

// readsV2 says which layout a mode's reads go to.
func (m Mode) readsV2() bool { return m == Authoritative || m == V2 }

// Mutation returns what one CAS or Delete of an item costs: one request in every
// mode, each action of a transaction twice the units of a plain write, rounded up
// by item (docs/spec/metadata-store.md §4).
func Mutation(m Mode, family string, itemBytes int64) Cost {
	v1, v2 := units.Write(itemBytes), units.Write(itemBytes+bucketBytes(family))
	c := Cost{Requests: 1}
	switch m {
	case V1:
		c.WRU = v1
	case Dual:
		c.WRU = 2*v1 + 2*v2 + units.TransactWrite(1) // the barrier's check
	case Authoritative:
		c.WRU = 2*v1 + 2*v2
	case V2:
		c.WRU = v2
	}
	return c
}

// GuardedMutation returns what one GuardedMutate costs: a transaction in every
// mode, which checks the guard in the layout that the mode reads
// (docs/spec/metadata-store.md §4).
func GuardedMutation(m Mode, family string, itemBytes int64, guardFamily string, guardBytes int64) Cost {
	c := Mutation(m, family, itemBytes)
	if m == V1 || m == V2 {
		c.WRU *= 2
	}
	if m.readsV2() {
		guardBytes += bucketBytes(guardFamily)
	}
	c.WRU += 2 * units.Write(guardBytes)
	return c
}

// PointRead returns what one strong point read costs.
func PointRead(m Mode, family string, itemBytes int64) Cost {
	if m.readsV2() {
		itemBytes += bucketBytes(family)
	}
	return Cost{Requests: 1, Evaluated: 1, Returned: 1, RRU: units.Read(itemBytes, units.Strong)}
}
