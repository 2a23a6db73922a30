package stats

import "github.com/lakebench/lakebench/internal/units"

// Walk is what reading a set of items from its first page to its last costs.
type Walk struct {
	Requests int64 `json:"requests"`
	// RRU are read request units, strongly consistent; eventually consistent
	// reads cost half.
	RRU float64 `json:"rru"`
}

func (w *Walk) add(o Walk) {
	w.Requests += o.Requests
	w.RRU += o.RRU
}

// pages cuts a sequence of items into pages as Query and Scan do
// (docs/facts/dynamodb.md §3.3): a page ends with the limit-th item or with the one
// that crosses 1 MiB, which belongs to it; either is followed by another request,
// even if nothing is left. The bytes of a page are summed before they are rounded
// up, and an empty page costs as much as one block.
type pages struct {
	limit int64 // 0: none
	items int64 // of the open page
	bytes int64
	walk  Walk // of the closed pages
}

func (p *pages) add(size int) {
	if p.bytes == units.MaxPageBytes {
		p.close()
	}
	p.items++
	p.bytes += int64(size)
	if p.items == p.limit || p.bytes > units.MaxPageBytes {
		p.close()
	}
}

func (p *pages) close() {
	p.walk.add(Walk{Requests: 1, RRU: units.Read(p.bytes, units.Strong)})
	p.items, p.bytes = 0, 0
}

// total returns the cost of the walk, the last page included, which may be
// empty.
func (p *pages) total() Walk {
	last := *p
	last.close()
	return last.walk
}
