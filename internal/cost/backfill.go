package cost

import (
	"math"

	"github.com/lakebench/lakebench/internal/units"
)

// What a backfill does beside its pages and transactions: a run looks at both
// tables, and reads the layout, the barrier, the marker, its own progress and the
// peers, before it begins and again at its end.
const (
	backfillDescribes = 2
	backfillReads     = 9
)

// MaxPairs is how many records one transaction creates at most: each takes a
// check of v1 and a put into v2, and one action checks the barrier
// (docs/spec/metadata-store.md §5).
const MaxPairs = (units.MaxTransactItems - 1) / 2

// A Copy is what a backfill copies, and how.
type Copy struct {
	Records   int64
	ItemBytes int64 // of a record as a v1 item
	Family    string
	PageSize  int64 // most records of a page
	Pairs     int64 // most records of a transaction, up to MaxPairs
}

// Transactions returns how many transactions the copy makes: each page is cut into
// transactions of its own, by number of pairs and by bytes.
func (c Copy) Transactions() float64 {
	perPage, _ := PageItems(c.ItemBytes, c.PageSize)
	pairBytes := max(1, 2*c.ItemBytes+bucketBytes(c.Family))
	pairs := float64(min(c.Pairs, max(1, units.MaxTransactBytes/pairBytes)))
	full, rest := c.Records/perPage, c.Records%perPage
	return float64(full)*math.Ceil(float64(perPage)/pairs) + math.Ceil(float64(rest)/pairs)
}

// Backfill returns what the copy costs without concurrent writes. Each page ends
// with a progress record of at most 1 KB, and one more says that the run is
// complete (docs/spec/metadata-store.md §5).
func Backfill(c Copy) Cost {
	scan, transactions := Drain(c.Records, c.ItemBytes, c.PageSize), c.Transactions()
	progress := scan.Requests + 1
	pair := units.TransactWrite(c.ItemBytes) + units.TransactWrite(c.ItemBytes+bucketBytes(c.Family))
	return Cost{
		Requests:  scan.Requests + transactions + progress + backfillDescribes + backfillReads,
		Evaluated: scan.Evaluated, Returned: scan.Returned,
		RRU: scan.RRU + backfillReads*units.Read(1, units.Strong),
		WRU: float64(c.Records)*pair + transactions*BarrierCheck + progress*units.Write(1),
	}
}

// Verify returns what it costs to compare n records of equal size that do not
// differ: a scan of either table (docs/spec/metadata-store.md §5).
func Verify(n, itemBytes int64, family string) Cost {
	return Drain(n, itemBytes, 0).Plus(Drain(n, itemBytes+bucketBytes(family), 0), 1)
}
