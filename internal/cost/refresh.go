package cost

import (
	"math"

	"github.com/lakebench/lakebench/internal/units"
	"github.com/lakebench/lakebench/store/keyspace"
)

// RefreshV1 returns what a catalog refresh costs on v1: a scan of every retained
// record, which returns the tables alone (docs/spec/metadata-store.md §2).
func RefreshV1(tables, history, itemBytes, limit int64) Cost {
	c := Drain(tables+history, itemBytes, limit)
	c.Returned = float64(tables)
	return c
}

// RefreshDual returns what a catalog refresh costs in mode dual: the scan of v1,
// and before it MarkerRead (docs/spec/metadata-store.md §4).
func RefreshDual(tables, history, itemBytes, limit int64) Cost {
	return RefreshV1(tables, history, itemBytes, limit).Plus(MarkerRead(), 1)
}

// MarkerRead returns what a node in mode dual pays before a drain: a strong read
// of the completion marker, which is not there yet, so that nothing that begins
// after the marker reads v1 (docs/spec/metadata-store.md §4).
func MarkerRead() Cost { return read(0) }

// A Spread is a cost that key hashes decide: Even if they spread the keys evenly,
// and bounds that hold in all but one case in a hundred million.
type Spread struct{ Low, Even, High Cost }

// RefreshV2 returns what a catalog refresh costs on v2: a query of each shard of
// the family, whose records, of itemBytes as v1 items, are all tables
// (docs/spec/metadata-store.md §3).
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
	even := Drain(whole, size, limit).Times(float64(int64(shards)-rest)).Plus(Drain(whole+1, size, limit), float64(rest))
	return Spread{Low: low, Even: even, High: high}
}

func bucketBytes(family string) int64 { return int64(keyspace.BucketBytes(family)) }
