package plan

import (
	"math"
	"testing"
)

// drainByHand walks the pages of a drain one record at a time, as the rules say
// (docs/facts/dynamodb.md §3.3): it shares nothing with Drain.
func drainByHand(n, itemBytes, limit int64) (requests, units float64) {
	for left := n; ; {
		var taken, bytes int64
		cut := false
		for left > 0 && !cut {
			left, taken, bytes = left-1, taken+1, bytes+itemBytes
			// The limit ends a page even behind the last item; a megabyte only
			// with something behind.
			cut = taken == limit || bytes >= 1<<20 && left > 0
		}
		requests++
		units += math.Max(1, math.Ceil(float64(bytes)/4096))
		if !cut {
			return requests, units
		}
	}
}

func TestDrain(t *testing.T) {
	for _, itemBytes := range []int64{1, 100, 300, 4096, 1 << 18, 399_000} {
		for _, limit := range []int64{0, 1, 7, 100, 1000} {
			for _, n := range []int64{0, 1, 4, 7, 99, 100, 101, 1000, 3500, 7000} {
				requests, rru := drainByHand(n, itemBytes, limit)
				if got := Drain(n, itemBytes, limit); got.Requests != requests || got.RRU != rru || got.Evaluated != float64(n) {
					t.Errorf("%d items of %d B, limit %d: %v requests, %v RRU; want %v, %v", n, itemBytes, limit, got.Requests, got.RRU, requests, rru)
				}
			}
		}
	}
}

// The first issue's figures: 29 requests and 7,424 units, 102 and 7,475 with a
// limit of 1,000.
func TestRefreshV1(t *testing.T) {
	for limit, want := range map[int64][2]float64{0: {29, 7424}, 1000: {102, 7475}} {
		if c := RefreshV1(1000, 100_000, 300, limit); c.Requests != want[0] || c.RRU != want[1] || c.Returned != 1000 || c.Evaluated != 101_000 {
			t.Errorf("limit %d: %+v, want %v", limit, c, want)
		}
	}
}

// The units of docs/spec/metadata-store.md §4, for records of up to 1 KB.
func TestMutation(t *testing.T) {
	for mode, want := range map[Mode][2]float64{V1: {1, 4}, Dual: {6, 8}, Authoritative: {4, 6}, V2: {1, 4}} {
		plain, guarded := Mutation(mode, familyTables, 300), GuardedMutation(mode, familyTables, 300, familyLeases, 300)
		if plain.WRU != want[0] || guarded.WRU != want[1] || plain.Requests != 1 || guarded.Requests != 1 {
			t.Errorf("%s: %v and %v WRU, want %v", mode, plain.WRU, guarded.WRU, want)
		}
	}
	// A record whose v2 form is over a kilobyte, its v1 form not: 2·1 + 2·2 + 2.
	if c := Mutation(Dual, familyTables, 1020); c.WRU != 8 {
		t.Errorf("1,020 B: %v WRU, want 8", c.WRU)
	}
	// A guard of which the same is true: 2·1 + 2·1 on v1, 2·1 + 2·2 on v2.
	for mode, want := range map[Mode]float64{V1: 4, V2: 6} {
		if c := GuardedMutation(mode, familyTables, 300, familyLeases, 1020); c.WRU != want {
			t.Errorf("%s under a guard of 1,020 B: %v WRU, want %v", mode, c.WRU, want)
		}
	}
}

// 49 pairs a transaction at most, in pages of 1,000: 21 transactions a page, each
// with 2 units for the barrier, and a progress record a page and one at the end.
func TestBackfill(t *testing.T) {
	c := Backfill(10_000, 300, 1000, familyTables)
	// The limit ends the tenth page, so an empty one follows.
	const pages, transactions = 11, 10 * 21
	const fixed = 11 // looking at tables and control records
	if c.Requests != pages+transactions+pages+1+fixed || c.WRU != 10_000*4+transactions*2+pages+1 {
		t.Errorf("%+v", c)
	}
	if perItem := c.Requests / 10_000; perItem > 0.05 {
		t.Errorf("%v requests a record, want 0.05 at most", perItem)
	}
}
