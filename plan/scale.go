package plan

import (
	"errors"
	"fmt"
	"math"
	"time"
)

const (
	secondsPerDay = 24 * 60 * 60
	// hoursPerMonth is a month as AWS's price calculator has it.
	hoursPerMonth   = 730
	secondsPerMonth = hoursPerMonth * 60 * 60
)

// A Scale is the lake that a plan is for: the operator's own numbers.
type Scale struct {
	// Tables is how many tables the catalog lists.
	Tables int64 `json:"tables"`
	// CommitsPerSecond is the mean rate over the whole lake.
	CommitsPerSecond float64 `json:"commits_per_second"`
	// Retention is how long append-operation, manifest and tombstone records stay.
	Retention Span `json:"retention"`
	// Readers is how many nodes refresh their catalog, each every RefreshInterval.
	Readers         int64 `json:"readers"`
	RefreshInterval Span  `json:"refresh_interval"`
	// PageLimit is the Limit of a page; 0 is none.
	PageLimit int64 `json:"page_limit"`
	// ItemBytes is the size of a record as a v1 item, by the sizing rules.
	ItemBytes int64 `json:"item_bytes"`
	// TombstoneShare and LeaseShare are the shares of commits that write one.
	TombstoneShare float64 `json:"tombstone_share"`
	LeaseShare     float64 `json:"lease_share"`
	// GuardedShare is the share of table updates that are guarded mutations.
	GuardedShare float64 `json:"guarded_share"`
	// PointReadsPerCommit are strong reads of single records.
	PointReadsPerCommit float64 `json:"point_reads_per_commit"`
	// FailedShare is the share of mutations whose condition fails and that are
	// tried again: each is billed (docs/facts/dynamodb.md §3.2, row 15).
	FailedShare float64 `json:"failed_share"`
	// HotTableShare is the share of all commits that the busiest table takes.
	HotTableShare float64 `json:"hot_table_share"`
	// PeakFactor is peak rate over mean rate, for everything.
	PeakFactor float64 `json:"peak_factor"`
	// RequestTime is how long one page takes from request to answer: an assumption,
	// which decides how long a refresh takes.
	RequestTime Span `json:"request_time"`
	// TableShards, AppendShards and ManifestShards are the shards of the families
	// tbl, append-operation and lance-manifest.
	TableShards    int64 `json:"table_shards"`
	AppendShards   int64 `json:"append_shards"`
	ManifestShards int64 `json:"manifest_shards"`

	// WALShards is how many shards of a WAL there are; the rates are per shard.
	WALShards        int64   `json:"wal_shards"`
	AppendsPerSecond float64 `json:"appends_per_second"`
	// AppendsPerFlush is how many WAL entries a flush covers.
	AppendsPerFlush float64 `json:"appends_per_flush"`
	// ReadsPerSecond are scans of the fresh tier, which holds Generations.
	ReadsPerSecond float64 `json:"reads_per_second"`
	Generations    int64   `json:"generations"`
	// FlushesPerCompaction is how many generations one compaction takes up.
	FlushesPerCompaction float64 `json:"flushes_per_compaction"`
	// OpensPerDay is how often a shard changes hands; each open replays
	// ReplayedEntries.
	OpensPerDay     float64 `json:"opens_per_day"`
	ReplayedEntries int64   `json:"replayed_entries"`
	// HintLag is how many versions the hint is behind when another process reads it.
	HintLag int64 `json:"hint_lag"`
	// HintEvery is every how many commits the policy probe writes the hint.
	HintEvery int64 `json:"hint_every"`
}

// DefaultScale returns a lake with the retention of docs/notes/metadata-layout.txt,
// seven days, and a scale that we assume: 1,000 tables, 10 commits a second, 50
// readers that refresh every 30 seconds.
func DefaultScale() Scale {
	return Scale{
		Tables: 1000, CommitsPerSecond: 10, Retention: Span(7 * secondsPerDay * time.Second),
		Readers: 50, RefreshInterval: Span(30 * time.Second), PageLimit: 1000, ItemBytes: 300,
		TombstoneShare: 0.05, LeaseShare: 0.02, GuardedShare: 1, PointReadsPerCommit: 1, FailedShare: 0.01,
		HotTableShare: 0.13, PeakFactor: 3, RequestTime: Span(5 * time.Millisecond),
		TableShards: 8, AppendShards: 64, ManifestShards: 32,
		WALShards: 10, AppendsPerSecond: 10, AppendsPerFlush: 600, ReadsPerSecond: 5, Generations: 4,
		FlushesPerCompaction: 4, OpensPerDay: 1, ReplayedEntries: 300, HintEvery: 16,
	}
}

// History returns how many retained records that are no tables the lake holds on
// average once it is older than its retention.
func (s Scale) History() int64 {
	return int64(math.Round(s.CommitsPerSecond * s.Retention.Seconds() * (2 + s.TombstoneShare)))
}

// RefreshesPerSecond is the rate of catalog refreshes of all readers together.
func (s Scale) RefreshesPerSecond() float64 { return float64(s.Readers) / s.RefreshInterval.Seconds() }

// ErrScale is a scale that no lake has.
var ErrScale = errors.New("impossible scale")

// Validate reports the first field that no lake can have.
func (s Scale) Validate() error {
	for _, f := range fields {
		if err := f.check(&s); err != nil {
			return fmt.Errorf("%w: %w", ErrScale, err)
		}
	}
	return nil
}
