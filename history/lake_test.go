package history

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lakebench/lakebench/store/keyspace"
)

// small is a lake that lives through many retentions in few operations.
func small() Config {
	return Config{
		Tables: 7, ZipfExponent: 1, CommitsPerSecond: 2, Retention: 10 * time.Second, ItemBytes: 120,
		RootKeys: 2, LeaseShare: 0.3, LeaseHold: 700 * time.Millisecond, TombstoneShare: 0.25,
	}
}

func mustNew(t testing.TB, cfg Config, seed uint64) *Lake {
	t.Helper()
	l, err := New(cfg, seed)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// apply replays an operation on a model of the store and fails if what it
// expects is not what is there.
func apply(t interface{ Fatalf(string, ...any) }, live map[string]Record, op Op) {
	found, exists := live[op.Record.Key]
	expected, expects := op.Before()
	if exists != expects || found != expected {
		t.Fatalf("%v %s %q expects %+v (%t), found %+v (%t)", op.At, op.Kind, op.Record.Key, expected, expects, found, exists)
	}
	if after, keeps := op.After(); keeps {
		live[after.Key] = after
	} else {
		delete(live, op.Record.Key)
	}
}

func collect(t interface{ Fatalf(string, ...any) }, l *Lake, at time.Duration) map[string]Record {
	live := map[string]Record{}
	for r := range l.Live(at) {
		if _, twice := live[r.Key]; twice {
			t.Fatalf("%q is live twice at %v", r.Key, at)
		}
		live[r.Key] = r
	}
	return live
}

// Hit every instant of interest: the ones at which an operation happens and the
// nanoseconds around it.
func TestLiveIsWhatTheStreamLeaves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := Config{
			Tables:           rapid.IntRange(1, 20).Draw(t, "tables"),
			ZipfExponent:     rapid.Float64Range(0, 2).Draw(t, "zipf"),
			CommitsPerSecond: rapid.SampledFrom([]float64{0.1, 3, 5000, MaxCommitsPerSecond}).Draw(t, "rate"),
			Retention:        time.Duration(rapid.IntRange(1, 50_000).Draw(t, "retention µs")) * tick,
			ItemBytes:        100,
			RootKeys:         rapid.IntRange(0, 3).Draw(t, "roots"),
			LeaseShare:       rapid.Float64Range(0, 1).Draw(t, "leases"),
			LeaseHold:        time.Duration(rapid.IntRange(1, 50_000).Draw(t, "hold µs")) * tick,
			TombstoneShare:   rapid.Float64Range(0, 1).Draw(t, "tombstones"),
		}
		l, err := New(cfg, rapid.Uint64().Draw(t, "seed"))
		if err != nil {
			t.Fatal(err)
		}
		stop := rapid.IntRange(1, 400).Draw(t, "operations")
		live, last := map[string]Record{}, time.Duration(-1)
		for op := range l.Ops(0, Horizon) {
			if op.At <= last {
				t.Fatalf("%v comes after %v", op.At, last)
			}
			if stop--; stop == 0 {
				if diff := cmp.Diff(live, collect(t, l, op.At-1)); diff != "" {
					t.Fatalf("just before %v (-stream +live):\n%s", op.At, diff)
				}
				apply(t, live, op)
				if diff := cmp.Diff(live, collect(t, l, op.At)); diff != "" {
					t.Fatalf("at %v (-stream +live):\n%s", op.At, diff)
				}
				return
			}
			apply(t, live, op)
			last = op.At
		}
	})
}

// The same for every operation of one lake in which deletions often fall into
// the microsecond of a commit.
func TestLiveAtEveryOperation(t *testing.T) {
	cfg := small()
	cfg.CommitsPerSecond, cfg.Retention, cfg.LeaseHold = MaxCommitsPerSecond, 50*tick, 7*tick
	l := mustNew(t, cfg, 13)
	live, last := map[string]Record{}, time.Duration(-1)
	for op := range l.Ops(0, 2*time.Millisecond) {
		if op.At <= last {
			t.Fatalf("%v comes after %v", op.At, last)
		}
		last = op.At
		apply(t, live, op)
		if diff := cmp.Diff(live, collect(t, l, op.At)); diff != "" {
			t.Fatalf("at %v (-stream +live):\n%s", op.At, diff)
		}
	}
}

func TestOpsFromAnInstantContinueTheLiveSet(t *testing.T) {
	l := mustNew(t, small(), 5)
	const from, until = 25 * time.Second, 60 * time.Second
	live := collect(t, l, from-1)
	for op := range l.Ops(from, until) {
		if op.At < from || op.At >= until {
			t.Fatalf("operation at %v, expected %v to %v", op.At, from, until)
		}
		apply(t, live, op)
	}
	if diff := cmp.Diff(live, collect(t, l, until-1)); diff != "" {
		t.Error(diff)
	}
}

// The lifetimes are exact deletes: each record that a commit leaves goes after
// its lifetime, within the microsecond that belongs to its commit.
func TestExpiry(t *testing.T) {
	cfg := small()
	l := mustNew(t, cfg, 3)
	born := map[string]time.Duration{}
	deleted := map[string]int{}
	for op := range l.Ops(0, 200*time.Second) {
		switch family := keyspace.Family(op.Record.Key); op.Kind {
		case Create:
			born[op.Record.Key] = op.At
		case Update:
		case Delete:
			life := cfg.Retention
			if family == keyspace.Leases {
				life = cfg.LeaseHold
			}
			if late := op.At - born[op.Record.Key] - life; late < 0 || late >= tick {
				t.Fatalf("%q lived %v longer than %v", op.Record.Key, late, life)
			}
			delete(born, op.Record.Key)
			deleted[family]++
		}
	}
	for _, family := range []string{keyspace.Appends, keyspace.Manifests, keyspace.Leases, keyspace.Tombstones} {
		if deleted[family] == 0 {
			t.Errorf("no %s record expired", family)
		}
	}
	for key, at := range born {
		switch keyspace.Family(key) {
		case keyspace.Tables, keyspace.Root:
		case keyspace.Leases:
			if at < 200*time.Second-cfg.LeaseHold-tick {
				t.Errorf("%q of %v was never released", key, at)
			}
		default:
			if at < 200*time.Second-cfg.Retention-tick {
				t.Errorf("%q of %v never expired", key, at)
			}
		}
	}
}

func TestCommitLeavesOneAppendAndOneManifestRecord(t *testing.T) {
	l := mustNew(t, small(), 11)
	appended, version := "", map[string]uint64{}
	commits := 0
	for op := range l.Ops(tick, 100*time.Second) {
		family := keyspace.Family(op.Record.Key)
		if op.Kind == Delete {
			continue
		}
		_, rest, _ := strings.Cut(op.Record.Key, "/")
		table, id, _ := strings.Cut(rest, "/")
		switch family {
		case keyspace.Appends:
			appended = table
		case keyspace.Manifests:
			version[table]++
			if want := fmt.Sprintf("%020d", version[table]); table != appended || id != want {
				t.Fatalf("manifest %q after append on %q, expected version %s", op.Record.Key, appended, want)
			}
		case keyspace.Tables:
			if op.Kind != Update || op.Record.Version != version[rest] || rest != appended {
				t.Fatalf("%s %q version %d after append on %q and manifest %d", op.Kind, op.Record.Key, op.Record.Version, appended, version[rest])
			}
			commits++
		}
	}
	// 2 commits a second for 100 seconds: 200 expected, 14 the standard deviation.
	if commits < 130 || commits > 270 {
		t.Errorf("%d commits, expected about 200", commits)
	}
}

func TestFirstInstantHoldsExactlyTheCount(t *testing.T) {
	for _, seed := range []uint64{0, 1, 2, 99} {
		l := mustNew(t, small(), seed)
		for _, n := range []int64{0, 1, 2, 3, 10, 30, 40} {
			at, err := l.FirstInstant(n)
			if err != nil {
				t.Fatal(err)
			}
			// Brute force: the first operation after which the count is right.
			want, live := time.Duration(-1), map[string]Record{}
			for op := range l.Ops(0, Horizon) {
				apply(t, live, op)
				if len(live) == l.cfg.Tables+int(n) && tablesOf(live) == l.cfg.Tables {
					want = op.At
					break
				}
			}
			got := collect(t, l, at)
			if at != want || tablesOf(got) != l.cfg.Tables || len(got) != l.cfg.Tables+int(n) {
				t.Errorf("seed %d, %d records: at %v with %d records and %d tables, expected at %v", seed, n, at, len(got), tablesOf(got), want)
			}
		}
	}
}

func tablesOf(live map[string]Record) int {
	n := 0
	for key := range live {
		if keyspace.Family(key) == keyspace.Tables {
			n++
		}
	}
	return n
}

// The sweep of catalog-refresh: exact at each point, and the tables the same.
func TestForRecordsReachesEveryCount(t *testing.T) {
	counts := []int64{0, 1, 1000, 10_000, 100_000}
	if !testing.Short() {
		counts = append(counts, 1_000_000)
	}
	var tables []string
	for _, n := range counts {
		cfg := DefaultConfig().ForRecords(n)
		l := mustNew(t, cfg, 7)
		at, err := l.FirstInstant(n)
		if err != nil {
			t.Fatal(err)
		}
		if n >= 1000 && (at < cfg.Retention*7/10 || at > cfg.Retention*9/10) {
			t.Errorf("%d records at %v, expected about four fifths of %v", n, at, cfg.Retention)
		}
		others, names := int64(0), []string{}
		for r := range l.Live(at) {
			if r.StoredBytes() != cfg.ItemBytes {
				t.Fatalf("%q is stored in %d bytes, expected %d", r.Key, r.StoredBytes(), cfg.ItemBytes)
			}
			if keyspace.Family(r.Key) == keyspace.Tables {
				names = append(names, r.Key)
			} else {
				others++
			}
		}
		if others != n {
			t.Errorf("%d records beside the tables, expected %d", others, n)
		}
		slices.Sort(names)
		if tables == nil {
			tables = names
		}
		if !slices.Equal(tables, names) || len(names) != cfg.Tables {
			t.Errorf("%d records: the %d tables differ from those at 0 records", n, len(names))
		}
	}
}

func TestFirstInstantOutOfReach(t *testing.T) {
	l := mustNew(t, small(), 1) // steady: 2 + 2·(10·2.25 + 0.7·0.3) = 47.42
	if got := l.cfg.Steady(); math.Abs(got-47.42) > 1e-9 {
		t.Errorf("steady count %v, expected 47.42", got)
	}
	_, err := l.FirstInstant(48)
	var reach *ReachError
	if !errors.Is(err, ErrOutOfReach) || !errors.As(err, &reach) || reach.Records != 48 {
		t.Errorf("error %v, expected a ReachError", err)
	}
	if _, err := l.FirstInstant(-1); err == nil {
		t.Error("a negative count was accepted")
	}
}

// Under one seed a larger count means the same commits, only faster.
func TestRateDoesNotChangeWhichTables(t *testing.T) {
	picks := func(cfg Config) (tables []int) {
		s := mustNew(t, cfg, 4).source()
		for range 500 {
			tables = append(tables, s.next().table)
		}
		return tables
	}
	want := picks(DefaultConfig())
	faster := DefaultConfig().ForRecords(1_000_000)
	faster.LeaseShare, faster.TombstoneShare, faster.ItemBytes = 0.5, 0, 5000
	if diff := cmp.Diff(want, picks(faster)); diff != "" {
		t.Error(diff)
	}
}

func TestZipfShape(t *testing.T) {
	const commits, tables = 50_000, 50
	for _, exponent := range []float64{0, 0.8, 1, 1.5} {
		cfg := DefaultConfig()
		cfg.Tables, cfg.ZipfExponent = tables, exponent
		l := mustNew(t, cfg, 21)
		counts := map[int]float64{}
		source := l.source()
		for range commits {
			counts[source.next().table]++
		}
		harmonic := 0.0
		for rank := range tables {
			harmonic += math.Pow(float64(rank+1), -exponent)
		}
		chi2 := 0.0
		for rank, table := range l.activity.tables {
			expected := commits * math.Pow(float64(rank+1), -exponent) / harmonic
			chi2 += (counts[table] - expected) * (counts[table] - expected) / expected
		}
		// 49 degrees of freedom: 85.4 is exceeded once in 1,000 times.
		if chi2 > 85.4 {
			t.Errorf("exponent %v: chi-squared %.1f over %d tables", exponent, chi2, tables)
		}
	}
}

func TestRateOfCommits(t *testing.T) {
	for _, rate := range []float64{0.001, 1, 1000, 20_000} {
		cfg := DefaultConfig()
		cfg.CommitsPerSecond = rate
		s := mustNew(t, cfg, 8).source()
		begin := s.at
		const n = 100_000
		for range n {
			s.next()
		}
		// The relative standard deviation of the sum is 1/sqrt(n), 0.3 %.
		if got := n / (s.at - begin).Seconds(); math.Abs(got/rate-1) > 0.02 {
			t.Errorf("%v commits/s, expected %v", got, rate)
		}
	}
}

// Memory is that of the tables, not that of the records that go by.
func TestStreamNeedsNoMemoryForRecords(t *testing.T) {
	cfg := DefaultConfig()
	cfg.CommitsPerSecond = 1000
	cfg.Retention = time.Minute // 120,000 live records
	l := mustNew(t, cfg, 1)
	var base uint64
	n := 0
	for range l.Ops(0, 3*time.Minute) {
		switch n++; n {
		case 2000:
			base = liveHeap()
		case 600_000:
			if grown := int64(liveHeap()) - int64(base); grown > 1<<20 {
				t.Errorf("heap grew by %d bytes between operation 2,000 and 600,000", grown)
			}
		}
	}
	if n < 600_000 {
		t.Fatalf("only %d operations", n)
	}
}

func liveHeap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestValidate(t *testing.T) {
	for _, tt := range []struct {
		want string
		edit func(*Config)
	}{
		{"", func(*Config) {}},
		{"tables is 0", func(c *Config) { c.Tables = 0 }},
		{"tables is 1000001", func(c *Config) { c.Tables = MaxTables + 1 }},
		{"root_keys is -1", func(c *Config) { c.RootKeys = -1 }},
		{"root_keys is 101", func(c *Config) { c.RootKeys = 101 }},
		{"zipf_exponent is NaN", func(c *Config) { c.ZipfExponent = math.NaN() }},
		{"zipf_exponent is -1", func(c *Config) { c.ZipfExponent = -1 }},
		{"commits_per_second is 0", func(c *Config) { c.CommitsPerSecond = 0 }},
		{"commits_per_second is NaN", func(c *Config) { c.CommitsPerSecond = math.NaN() }},
		{"commits_per_second is 1e+06", func(c *Config) { c.CommitsPerSecond = 1e6 }},
		{"retention is 0s", func(c *Config) { c.Retention = 0 }},
		{"retention is 1.5µs", func(c *Config) { c.Retention = 1500 }},
		{"lease_hold is -1s", func(c *Config) { c.LeaseHold = -time.Second }},
		{"lease_share is 1.1", func(c *Config) { c.LeaseShare = 1.1 }},
		{"tombstone_share is -0.1", func(c *Config) { c.TombstoneShare = -0.1 }},
		// append-operation/ + impressions_000008 + / + 36 = 72, + pk + value = 79
		{"item_bytes is 78, expected 79 to 409575: attribute names take 7 bytes and the longest key 72", func(c *Config) { c.ItemBytes = 78 }},
		{"", func(c *Config) { c.ItemBytes = 79 }},
		// 409,600 less bucket + append-operation#63
		{"", func(c *Config) { c.ItemBytes = 409_575 }},
		{"item_bytes is 409576", func(c *Config) { c.ItemBytes = 409_576 }},
	} {
		cfg := DefaultConfig()
		tt.edit(&cfg)
		err := cfg.Validate()
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("unexpected error %v", err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("error %v, expected one with %q", err, tt.want)
		}
	}
	if _, err := New(Config{}, 1); err == nil {
		t.Error("New accepted the zero configuration")
	}
}

var replaySeed = flag.Uint64("history.seed", 0, "seed of TestRandomLakes; 0: a fixed one")

// One long random walk per run, beside the many short ones of rapid.
func TestRandomLakes(t *testing.T) {
	seed := *replaySeed
	if seed == 0 {
		seed = 20_260_101
	}
	random := rand.New(rand.NewPCG(seed, 0))
	for range 5 {
		cfg := small()
		cfg.Tables = 1 + random.IntN(40)
		cfg.CommitsPerSecond = 1 + 50*random.Float64()
		cfg.Retention = time.Duration(1+random.IntN(20)) * time.Second
		l := mustNew(t, cfg, random.Uint64())
		until := time.Duration(random.Int64N(int64(3 * cfg.Retention)))
		live := map[string]Record{}
		for op := range l.Ops(0, until+1) {
			apply(t, live, op)
		}
		if diff := cmp.Diff(live, collect(t, l, until)); diff != "" {
			t.Fatalf("replay: go test ./history -run TestRandomLakes -history.seed=%d\n%s", seed, diff)
		}
	}
}
