package plan

import (
	"github.com/lakebench/lakebench/internal/cost"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/keyspace"
)

// Migration is the bill of moving the lake from v1 to v2
// (docs/spec/metadata-store.md §5).
type Migration struct {
	Records int64 `json:"records"`
	// Backfill reads every record once and creates it in transactions; Verify
	// reads both tables, once before the finalization and once in it.
	Backfill cost.Cost `json:"backfill"`
	Source   string    `json:"source"` // of Backfill
	Verify   cost.Cost `json:"verify"`
	OnceUSD  float64   `json:"once_usd"`
	// DualUSDPerDay is what a day costs more while nodes write to both tables and
	// read from v1, AuthoritativeUSDPerDay while they still mirror.
	DualUSDPerDay          float64 `json:"dual_usd_per_day"`
	AuthoritativeUSDPerDay float64 `json:"authoritative_usd_per_day"`
	// SavedUSDPerDay is what v2-only costs less a day than v1.
	SavedUSDPerDay float64 `json:"saved_usd_per_day"`
	// PayBackDays is when OnceUSD and a day of dual writes are saved; -1 is never.
	PayBackDays float64 `json:"pay_back_days"`
}

// backfillPage is the migrator's default page size.
const backfillPage = 1000

// migration makes the bill. A backfill that was measured says what a record takes
// in requests and write units; what it reads is as the rules have it.
func (b bill) migration(s Scale, p Plan, measured []Pattern) Migration {
	n := s.Tables + s.History()
	m := Migration{
		Records:  n,
		Source:   ruleSource,
		Backfill: cost.Backfill(cost.Copy{Records: n, ItemBytes: s.ItemBytes, Family: keyspace.Appends, PageSize: backfillPage, Pairs: cost.MaxPairs}),
		Verify:   cost.Verify(n, s.ItemBytes, keyspace.Appends).Times(2),
	}
	if x := find(measured, patternBackfill); x.Source != "" {
		perRecord := x.Costs[control.ModeDual.String()]
		m.Backfill.Requests, m.Backfill.WRU, m.Source = perRecord.Requests*float64(n), perRecord.WRU*float64(n), x.Source
	}
	m.OnceUSD = b.usd(m.Backfill) + b.usd(m.Verify)
	day := func(column control.Mode) float64 { return p.usdOf(column.String()) * secondsPerDay / secondsPerMonth }
	m.DualUSDPerDay = day(control.ModeDual) - day(control.ModeV1)
	m.AuthoritativeUSDPerDay = day(control.ModeV2Authoritative) - day(control.ModeV2Only)
	m.SavedUSDPerDay = day(control.ModeV1) - day(control.ModeV2Only)
	m.PayBackDays = never
	if m.SavedUSDPerDay > 0 {
		m.PayBackDays = (m.OnceUSD + m.DualUSDPerDay) / m.SavedUSDPerDay
	}
	return m
}
