package cost_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/lakebench/lakebench/internal/cost"
	"github.com/lakebench/lakebench/internal/units"
)

// drainByHand walks the pages of a drain one record at a time, as the rules say
// (docs/facts/dynamodb.md §3.3): it shares nothing with package cost.
func drainByHand(n, itemBytes, limit int64) (requests, rru float64) {
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
		rru += math.Max(1, math.Ceil(float64(bytes)/4096))
		if !cut {
			return requests, rru
		}
	}
}

// Both forms of the page rule, for one size and for any, are the rule.
func TestPagesOfEqualItems(t *testing.T) {
	for _, itemBytes := range []int64{1, 100, 300, 4096, 1 << 18, 399_000} {
		for _, limit := range []int64{0, 1, 7, 100, 1000} {
			for _, n := range []int64{0, 1, 4, 7, 99, 100, 101, 1000, 3500, 7000} {
				requests, rru := drainByHand(n, itemBytes, limit)
				pages := cost.Pages{Limit: limit}
				for range n {
					pages.Add(itemBytes)
				}
				for form, got := range map[string]cost.Cost{"Drain": cost.Drain(n, itemBytes, limit), "Pages": pages.Total()} {
					if got.Requests != requests || got.RRU != rru || got.Evaluated != float64(n) {
						t.Errorf("%s of %d items of %d B, limit %d: %v requests, %v RRU; want %v, %v", form, n, itemBytes, limit, got.Requests, got.RRU, requests, rru)
					}
				}
			}
		}
	}
}

func TestPages(t *testing.T) {
	of := func(n int, itemBytes int64) (sizes []int64) {
		for range n {
			sizes = append(sizes, itemBytes)
		}
		return sizes
	}
	for _, tt := range []struct {
		name          string
		limit         int64
		sizes         []int64
		requests, rru float64
	}{
		{"nothing costs a block", 0, nil, 1, 1}, // §3.2, rows 7 and 8
		{"one sum, one rounding", 0, of(100, 300), 1, 8},
		{"100,000 × 300 B", 0, of(100_000, 300), 29, 28*257 + 155}, // row 9
		{"the crossing item is included", 0, of(11, 100<<10), 1, 275},
		{"the crossing item is included, more behind", 0, of(12, 100<<10), 2, 275 + 25},
		{"1 MiB, nothing behind", 0, of(4, 256<<10), 1, 256},
		{"1 MiB, more behind", 0, of(5, 256<<10), 2, 256 + 64},
		{"limit not reached", 10, of(9, 300), 1, 1},
		{"limit reached at the end", 10, of(10, 300), 2, 1 + 1},
		{"limit", 10, of(25, 300), 3, 3},
		{"1 MB before the limit", 1000, of(12, 200<<10), 2, 300 + 300},
		{"limit and 1 MB at once", 4, of(4, 256<<10), 2, 256 + 1},
	} {
		p := cost.Pages{Limit: tt.limit}
		for _, n := range tt.sizes {
			p.Add(n)
		}
		for _, form := range []string{"first", "second"} {
			if got := p.Total(); got.Requests != tt.requests || got.RRU != tt.rru {
				t.Errorf("%s: the %s total is %+v, want %v requests and %v RRU", tt.name, form, got, tt.requests, tt.rru)
			}
		}
	}
}

// Whatever the sizes: nothing that a drain hands over costs less than LeastRead.
func TestNoDrainIsBelowTheLeastRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(1, 20_000).Draw(t, "items")
		itemBytes := rapid.Int64Range(1, units.MaxItemBytes).Draw(t, "bytes")
		limit := rapid.Int64Range(0, 2000).Draw(t, "limit")
		got := cost.Drain(n, itemBytes, limit)
		least := cost.LeastRead(float64(n), float64(n*itemBytes), units.Strong)
		if least.Requests > got.Requests || least.RRU > got.RRU || least.Evaluated != got.Evaluated {
			t.Errorf("a drain costs %+v, at least %+v", got, least)
		}
	})
	// 1,000 tables of 300 B: 293 KB in one page, 74 blocks, half as many units when
	// eventually consistent.
	if got := cost.LeastRead(1000, 300_000, units.Strong); got.Requests != 1 || got.RRU != 74 {
		t.Errorf("1,000 × 300 B: %+v, want 1 request and 74 RRU", got)
	}
	if got := cost.LeastRead(1000, 300_000, units.Eventual); got.RRU != 37 {
		t.Errorf("1,000 × 300 B, eventually consistent: %+v, want 37 RRU", got)
	}
	// Four items of a quarter of a megabyte and one byte: the fourth crosses 1 MB
	// and belongs to the page.
	if got := cost.LeastRead(4, 4*(256<<10+1), units.Strong); got.Requests != 1 {
		t.Errorf("4 items that cross 1 MB: %v requests, want 1", got.Requests)
	}
}
