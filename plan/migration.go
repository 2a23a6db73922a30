package plan

import (
	"math"

	"github.com/lakebench/lakebench/internal/units"
)

// Migration is the bill of moving the lake from v1 to v2
// (docs/spec/metadata-store.md §5).
type Migration struct {
	Records int64 `json:"records"`
	// Backfill reads every record once and creates it in transactions; Verify
	// reads both tables, once before the finalization and once in it.
	Backfill Cost    `json:"backfill"`
	Source   string  `json:"source"` // of Backfill
	Verify   Cost    `json:"verify"`
	OnceUSD  float64 `json:"once_usd"`
	// DualUSDPerDay is what a day costs more while nodes write to both tables and
	// read from v1, AuthoritativeUSDPerDay while they still mirror.
	DualUSDPerDay          float64 `json:"dual_usd_per_day"`
	AuthoritativeUSDPerDay float64 `json:"authoritative_usd_per_day"`
	// SavedUSDPerDay is what v2-only costs less a day than v1.
	SavedUSDPerDay float64 `json:"saved_usd_per_day"`
	// PayBackDays is when OnceUSD and a day of dual writes are saved; -1 is never.
	PayBackDays float64 `json:"pay_back_days"`
}

// The shape of the migrator's transactions: pairs of a check of v1 and a create
// of v2, and the check of the barrier.
const (
	pairsPerTransaction = (TransactionActions - 1) / 2
	backfillPage        = 1000 // the default page size
	// A run looks at both tables, and reads the layout, the barrier, the marker,
	// its own progress and the peers, before it begins and again at its end.
	backfillDescribes = 2
	backfillReads     = 9
)

// Backfill returns what it costs to migrate n records of a size, in batched
// transactions and pages of pageSize, with nobody else writing. Each page is
// cut into transactions of its own, and ends with a progress record of 1 KB at
// most; one more says that the run is complete.
func Backfill(n, itemBytes, pageSize int64, family string) Cost {
	scan := Drain(n, itemBytes, pageSize)
	// Pages that are cut by size hold fewer records than pageSize.
	perPage := min(pageSize, (units.MaxPageBytes+itemBytes-1)/itemBytes)
	pairBytes := 2*itemBytes + bucketBytes(family)
	pairs := min(pairsPerTransaction, max(1, TransactionBytes/pairBytes))
	full, rest := n/perPage, n%perPage
	transactions := float64(full)*math.Ceil(float64(perPage)/float64(pairs)) + math.Ceil(float64(rest)/float64(pairs))
	progress := scan.Requests + 1
	pair := 2*units.Write(itemBytes) + 2*units.Write(itemBytes+bucketBytes(family))
	return Cost{
		Requests:  scan.Requests + transactions + progress + backfillDescribes + backfillReads,
		Evaluated: scan.Evaluated, Returned: scan.Returned, RRU: scan.RRU + backfillReads*units.Read(1, units.Strong),
		WRU: float64(n)*pair + transactions*units.TransactWrite(1) + progress*units.Write(1),
	}
}

// Verify returns what it costs to verify n equal records: a scan of either table,
// and nothing per record.
func Verify(n, itemBytes int64, family string) Cost {
	return Drain(n, itemBytes, 0).plus(Drain(n, itemBytes+bucketBytes(family), 0), 1)
}

// migration makes the bill. A backfill that was measured says what a record takes
// in requests and write units; what it reads is as the rules have it.
func (b bill) migration(s Scale, p Plan, measured []Pattern) Migration {
	n := s.Tables + s.History()
	m := Migration{
		Records:  n,
		Source:   ruleSource,
		Backfill: Backfill(n, s.ItemBytes, backfillPage, "append-operation"),
		Verify:   Verify(n, s.ItemBytes, "append-operation").times(2),
	}
	if x := find(measured, patternBackfill); x.Source != "" {
		perRecord := x.Costs[string(Dual)]
		m.Backfill.Requests, m.Backfill.WRU, m.Source = perRecord.Requests*float64(n), perRecord.WRU*float64(n), x.Source
	}
	m.OnceUSD = b.usd(m.Backfill) + b.usd(m.Verify)
	day := func(column Mode) float64 { return p.usdOf(string(column)) * secondsPerDay / secondsPerMonth }
	m.DualUSDPerDay = day(Dual) - day(V1)
	m.AuthoritativeUSDPerDay = day(Authoritative) - day(V2)
	m.SavedUSDPerDay = day(V1) - day(V2)
	m.PayBackDays = never
	if m.SavedUSDPerDay > 0 {
		m.PayBackDays = (m.OnceUSD + m.DualUSDPerDay) / m.SavedUSDPerDay
	}
	return m
}
