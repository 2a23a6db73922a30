package history

import (
	"fmt"
	"math"
	"time"

	"github.com/lakebench/lakebench/internal/units"
	"github.com/lakebench/lakebench/store/keyspace"
)

// Bounds of a configuration, chosen so that every time and every sum of weights
// fits 63 bits.
const (
	// MaxTables bounds Config.Tables: a table's number has six digits.
	MaxTables = 1_000_000
	// MaxCommitsPerSecond bounds Config.CommitsPerSecond: no two commits share a
	// microsecond.
	MaxCommitsPerSecond = 100_000
	// MaxRootKeys bounds Config.RootKeys: a setting's number has two digits.
	MaxRootKeys = 100
	// MaxRetention bounds Config.Retention and Config.LeaseHold.
	MaxRetention = 10 * 365 * 24 * time.Hour
	// Horizon is where every stream ends.
	Horizon = 100 * 365 * 24 * time.Hour
)

// Config describes a lake. Its zero value is not valid; start from
// DefaultConfig.
type Config struct {
	// Tables is the number of tables, from 1 to MaxTables. They exist from the
	// start and for ever.
	Tables int `json:"tables"`
	// ZipfExponent skews the commits over the tables: the r-th most active one
	// gets a share proportional to 1/r^ZipfExponent. 0 is uniform; at most 4.
	ZipfExponent float64 `json:"zipf_exponent"`
	// CommitsPerSecond is the rate of commits over all tables. Their gaps are
	// exponential (a Poisson process).
	CommitsPerSecond float64 `json:"commits_per_second"`
	// Retention is how long append-operation, manifest and tombstone records
	// live; then each is deleted by its exact value. A multiple of a microsecond.
	Retention time.Duration `json:"retention_ns"`
	// ItemBytes is the size of every record as a v1 item {pk, value}, by
	// DynamoDB's sizing rules (docs/spec/results.md §2, item_bytes).
	ItemBytes int `json:"item_bytes"`
	// RootKeys is the number of keys without a slash, written once at the start.
	RootKeys int `json:"root_keys"`
	// LeaseShare is the share of commits that hold a lease, from 0 to 1;
	// LeaseHold is for how long. A multiple of a microsecond.
	LeaseShare float64       `json:"lease_share"`
	LeaseHold  time.Duration `json:"lease_hold_ns"`
	// TombstoneShare is the share of commits that leave a tombstone, from 0 to 1.
	TombstoneShare float64 `json:"tombstone_share"`
}

// DefaultConfig returns a lake of 1,000 tables with one commit a second, seven
// days of retention and items of 300 bytes.
func DefaultConfig() Config {
	return Config{
		Tables:           1000,
		ZipfExponent:     1,
		CommitsPerSecond: 1,
		Retention:        7 * 24 * time.Hour,
		ItemBytes:        300,
		RootKeys:         3,
		LeaseShare:       0.02,
		LeaseHold:        time.Minute,
		TombstoneShare:   0.05,
	}
}

// Validate reports the first field that is out of range.
func (c Config) Validate() error {
	if err := c.validateTraffic(); err != nil {
		return err
	}
	longest := longestKey()
	// The v2 form of the same record is the larger one, and must fit as well.
	lo, hi := keyspace.ItemBytes(longest, 0), units.MaxItemBytes-keyspace.BucketBytes(keyspace.Appends)
	if c.ItemBytes < lo || c.ItemBytes > hi {
		return fmt.Errorf("history: item_bytes is %d, expected %d to %d: attribute names take %d bytes and the longest key %d; v2 adds %d to a limit of %d",
			c.ItemBytes, lo, hi, keyspace.ItemBytes(0, 0), longest, keyspace.BucketBytes(keyspace.Appends), units.MaxItemBytes)
	}
	return nil
}

func (c Config) validateTraffic() error {
	if c.Tables < 1 || c.Tables > MaxTables {
		return fmt.Errorf("history: tables is %d, expected 1 to %d", c.Tables, MaxTables)
	}
	if c.RootKeys < 0 || c.RootKeys > MaxRootKeys {
		return fmt.Errorf("history: root_keys is %d, expected 0 to %d", c.RootKeys, MaxRootKeys)
	}
	// Written so that NaN fails too.
	if !(c.ZipfExponent >= 0 && c.ZipfExponent <= 4) {
		return fmt.Errorf("history: zipf_exponent is %v, expected 0 to 4", c.ZipfExponent)
	}
	if !(c.CommitsPerSecond > 0 && c.CommitsPerSecond <= MaxCommitsPerSecond) {
		return fmt.Errorf("history: commits_per_second is %v, expected more than 0 and at most %d", c.CommitsPerSecond, MaxCommitsPerSecond)
	}
	for _, share := range []struct {
		name  string
		value float64
	}{{"lease_share", c.LeaseShare}, {"tombstone_share", c.TombstoneShare}} {
		if !(share.value >= 0 && share.value <= 1) {
			return fmt.Errorf("history: %s is %v, expected 0 to 1", share.name, share.value)
		}
	}
	for _, life := range []struct {
		name  string
		value time.Duration
	}{{"retention", c.Retention}, {"lease_hold", c.LeaseHold}} {
		if life.value < tick || life.value > MaxRetention || life.value%tick != 0 {
			return fmt.Errorf("history: %s is %v, expected %v to %v in whole microseconds", life.name, life.value, tick, MaxRetention)
		}
	}
	return nil
}

// reachedAt is the part of the first retention after which a lake made by
// ForRecords has the records that were asked for. Less than all of it, so that
// chance in the arrivals does not put off the instant for long.
const reachedAt = 0.8

// ForRecords returns c with the rate of commits at which the lake first holds n
// records that are no tables after about four fifths of its first retention.
// Everything else, and so the tables, stays the same. With n = 0 it returns c.
func (c Config) ForRecords(n int64) Config {
	if n > 0 {
		c.CommitsPerSecond = float64(n) / (reachedAt * c.Retention.Seconds() * (2 + c.TombstoneShare))
		c.CommitsPerSecond = min(c.CommitsPerSecond, MaxCommitsPerSecond)
	}
	return c
}

// Steady returns how many records that are no tables are live on average once
// the lake is older than its retention.
func (c Config) Steady() float64 {
	perCommit := c.Retention.Seconds()*(2+c.TombstoneShare) + c.LeaseHold.Seconds()*c.LeaseShare
	return float64(c.RootKeys) + c.CommitsPerSecond*perCommit
}

// meanGap returns the mean time between commits, in nanoseconds.
func (c Config) meanGap() float64 {
	return math.Min(float64(time.Second)/c.CommitsPerSecond, float64(Horizon))
}
