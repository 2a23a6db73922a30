package cost_test

import (
	"testing"

	"github.com/lakebench/lakebench/internal/cost"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/keyspace"
)

// 101,000 records of 300 B (docs/spec/results.md §2): 29 requests and 7,424 units, 102 and 7,475 with a
// limit of 1,000.
func TestRefreshV1(t *testing.T) {
	for limit, want := range map[int64][2]float64{0: {29, 7424}, 1000: {102, 7475}} {
		if c := cost.RefreshV1(1000, 100_000, 300, limit); c.Requests != want[0] || c.RRU != want[1] || c.Returned != 1000 || c.Evaluated != 101_000 {
			t.Errorf("limit %d: %+v, want %v", limit, c, want)
		}
	}
}

// The units of docs/spec/metadata-store.md §4, for records of up to 1 KB.
func TestMutation(t *testing.T) {
	for mode, want := range map[control.Mode][2]float64{
		control.ModeV1: {1, 4}, control.ModeDual: {6, 8}, control.ModeV2Authoritative: {4, 6}, control.ModeV2Only: {1, 4},
	} {
		plain, guarded := cost.Mutation(mode, keyspace.Tables, 300), cost.GuardedMutation(mode, keyspace.Tables, 300, keyspace.Leases, 300)
		if plain.WRU != want[0] || guarded.WRU != want[1] || plain.Requests != 1 || guarded.Requests != 1 {
			t.Errorf("%s: %v and %v WRU, want %v", mode, plain.WRU, guarded.WRU, want)
		}
	}
	// A record whose v2 form is over a kilobyte, its v1 form not: 2·1 + 2·2 + 2.
	if c := cost.Mutation(control.ModeDual, keyspace.Tables, 1020); c.WRU != 8 {
		t.Errorf("1,020 B: %v WRU, want 8", c.WRU)
	}
	// A guard of which the same is true: 2·1 + 2·1 on v1, 2·1 + 2·2 on v2.
	for mode, want := range map[control.Mode]float64{control.ModeV1: 4, control.ModeV2Only: 6} {
		if c := cost.GuardedMutation(mode, keyspace.Tables, 300, keyspace.Leases, 1020); c.WRU != want {
			t.Errorf("%s under a guard of 1,020 B: %v WRU, want %v", mode, c.WRU, want)
		}
	}
}

// 49 pairs a transaction at most, in pages of 1,000: 21 transactions a page, each
// with 2 units for the barrier, and a progress record a page and one at the end.
func TestBackfill(t *testing.T) {
	c := cost.Backfill(cost.Copy{Records: 10_000, ItemBytes: 300, Family: keyspace.Tables, PageSize: 1000, Pairs: cost.MaxPairs})
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
