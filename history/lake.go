package history

import (
	"errors"
	"fmt"
	"iter"
	"time"
)

// A Lake is one history. It is immutable: any number of streams may be read at
// once.
type Lake struct {
	cfg      Config
	seed     uint64
	names    []string // of the tables
	activity activity
	meanGap  float64       // nanoseconds
	begin    time.Duration // the tick before which no commit comes
}

// New returns the lake of a configuration and a seed.
func New(cfg Config, seed uint64) (*Lake, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	l := &Lake{
		cfg:      cfg,
		seed:     seed,
		names:    make([]string, cfg.Tables),
		activity: newActivity(cfg.Tables, cfg.ZipfExponent, seed),
		meanGap:  cfg.meanGap(),
	}
	for table := range l.names {
		l.names[table] = tableName(table)
	}
	// Setting up takes a nanosecond a record; commits begin on the next tick.
	l.begin = time.Duration(cfg.Tables + cfg.RootKeys).Truncate(tick)
	return l, nil
}

// Config returns the lake's configuration.
func (l *Lake) Config() Config { return l.cfg }

// Seed returns the lake's seed, with which Value gives its records' values.
func (l *Lake) Seed() uint64 { return l.seed }

// Live yields the records that are live at an instant: exactly those that
// remain when all operations with Op.At ≤ at have been applied, in no particular
// order. It needs memory for the tables only, and the time of reading the
// commits up to at.
func (l *Lake) Live(at time.Duration) iter.Seq[Record] {
	return func(yield func(Record) bool) {
		at := min(at, Horizon)
		s := l.source()
		versions := make([]uint64, l.cfg.Tables)
		for c := s.next(); c.at <= at; c = s.next() {
			if c.at+born(kindTable) <= at {
				versions[c.table] = c.version
			}
			for _, kind := range retained {
				if c.writes(kind) && c.at+born(kind) <= at && at < l.expiry(kind, c) && !yield(l.record(kind, c)) {
					return
				}
			}
		}
		for table, version := range versions {
			if l.tableBorn(table) <= at && !yield(l.record(kindTable, commit{table: table, version: version})) {
				return
			}
		}
		for number := range l.cfg.RootKeys {
			if l.rootBorn(number) <= at && !yield(Record{Key: rootKey(number), ItemBytes: l.cfg.ItemBytes}) {
				return
			}
		}
	}
}

// expiry returns when the record of that kind written by c is deleted.
func (l *Lake) expiry(kind recordKind, c commit) time.Duration {
	life := l.cfg.Retention
	if kind == kindLease {
		life = l.cfg.LeaseHold
	}
	return c.at + life + dies(kind)
}

func (l *Lake) tableBorn(table int) time.Duration { return time.Duration(table) }

func (l *Lake) rootBorn(number int) time.Duration {
	return time.Duration(l.cfg.Tables + number)
}

// record returns the record of that kind written by c. Only tables are written
// more than once.
func (l *Lake) record(kind recordKind, c commit) Record {
	r := Record{Key: l.key(kind, c), ItemBytes: l.cfg.ItemBytes}
	if kind == kindTable {
		r.Version = c.version
	}
	return r
}

// ErrOutOfReach is the sentinel of ReachError.
var ErrOutOfReach = errors.New("history: more records than the lake holds")

// A ReachError reports that a lake never holds as many records as were asked for.
type ReachError struct {
	Records int64   // asked for
	Steady  float64 // what it holds on average
	Config  Config
}

func (e *ReachError) Error() string {
	return fmt.Sprintf("history: %d records beside the tables are never live: %g commits/s kept for %v leave about %.0f; raise commits_per_second to %.3g",
		e.Records, e.Config.CommitsPerSecond, e.Config.Retention, e.Steady, e.Config.ForRecords(e.Records).CommitsPerSecond)
}

// Unwrap makes errors.Is(err, ErrOutOfReach) true.
func (e *ReachError) Unwrap() error { return ErrOutOfReach }

// patience is for how many retentions FirstInstant waits for chance to bring a
// count that is near the average.
const patience = 4

// FirstInstant returns the first instant at which all tables and exactly n other
// records are live. Records come and go one at a time, so every count up to the
// largest has such an instant; the tables are the same at all of them. The error
// is a *ReachError if the lake does not hold n: see Config.ForRecords.
func (l *Lake) FirstInstant(n int64) (time.Duration, error) {
	if n < 0 {
		return 0, fmt.Errorf("history: %d records asked for, expected 0 or more", n)
	}
	unreached := &ReachError{Records: n, Steady: l.cfg.Steady(), Config: l.cfg}
	if float64(n) > unreached.Steady {
		return 0, unreached
	}
	live := int64(0)
	for s := range l.steps(patience * l.cfg.Retention) {
		if s.kind != kindTable {
			if s.act == Create {
				live++
			} else {
				live--
			}
		}
		if live == n && s.at >= l.tableBorn(l.cfg.Tables-1) {
			return s.at, nil
		}
	}
	return 0, unreached
}
