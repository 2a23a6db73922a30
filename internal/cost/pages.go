package cost

import (
	"math"

	"github.com/lakebench/lakebench/internal/units"
)

// Pages cuts a sequence of items into pages as Query and Scan do, with strong
// consistency (docs/facts/dynamodb.md §3.3). A page ends with the item that
// reaches Limit, and another page follows even if nothing is left. It also ends
// with the item that reaches or crosses 1 MB, which belongs to it; then another
// follows only if something is left. The bytes of a page are summed before they
// are rounded up, and an empty page costs one block (§3.2, rows 4, 7 and 8).
type Pages struct {
	// Limit is the most items of a page; 0 is none.
	Limit int64

	items, bytes int64 // of the open page
	closed       Cost  // of all others
}

// Add adds the next item.
func (p *Pages) Add(itemBytes int64) {
	if p.bytes >= units.MaxPageBytes {
		p.close()
	}
	p.items++
	p.bytes += itemBytes
	if p.items == p.Limit {
		p.close()
	}
}

func (p *Pages) close() {
	p.closed = p.closed.Plus(page(p.items, p.bytes), 1)
	p.items, p.bytes = 0, 0
}

// Total returns what reading all pages costs, the last one included, which may be
// empty. Items may be added after it.
func (p *Pages) Total() Cost { return p.closed.Plus(page(p.items, p.bytes), 1) }

// page is what one page costs.
func page(items, bytes int64) Cost {
	return Cost{Requests: 1, Evaluated: float64(items), Returned: float64(items), RRU: units.Read(bytes, units.Strong)}
}

// PageItems returns how many items of equal size a full page has, and whether the
// limit ends it (0: no limit).
func PageItems(itemBytes, limit int64) (items int64, byLimit bool) {
	itemBytes = max(itemBytes, 1)
	items = (units.MaxPageBytes + itemBytes - 1) / itemBytes
	if limit > 0 && limit <= items {
		return limit, true
	}
	return items, false
}

// Drain returns what Pages cost of n items of equal size, 0 being no limit.
func Drain(n, itemBytes, limit int64) Cost {
	most, byLimit := PageItems(itemBytes, limit)
	full, rest := n/most, n%most
	c := page(most, most*itemBytes).Times(float64(full))
	if rest > 0 || full == 0 || byLimit {
		c = c.Plus(page(rest, rest*itemBytes), 1)
	}
	return c
}

// LeastRead returns the least that handing over items costs, whatever the layout:
// pages without a limit of items of their mean size, and one rounded sum of their
// bytes.
func LeastRead(items, bytes float64, c units.Consistency) Cost {
	size := int64(bytes / math.Max(items, 1))
	return Cost{
		Requests:  Drain(int64(math.Ceil(items)), size, 0).Requests,
		Evaluated: items, Returned: items,
		RRU: units.Read(int64(math.Ceil(bytes)), c),
	}
}
