package history

import (
	"math"
	"math/rand/v2"
	"sort"
	"time"
)

// tick is the grid of commits: each has one to itself. What a commit writes, and
// what is deleted a lifetime after some commit, falls into the nanoseconds of a
// tick, at offsets that never coincide (see born and dies). So no two operations
// of a lake share an instant, and whether a record is live at an instant does
// not depend on any order of operations.
const tick = time.Microsecond

// born is the offset within the commit's tick at which a record is written.
func born(kind recordKind) time.Duration { return time.Duration(kind) }

// dies is the offset at which it is deleted, within the tick that is a lifetime
// later.
func dies(kind recordKind) time.Duration {
	if kind == kindLease {
		return 100
	}
	return 200 + time.Duration(kind)
}

// A commit is one commit on one table.
type commit struct {
	at        time.Duration // a whole tick
	table     int
	version   uint64 // the table's, after the commit; from 1
	random    uint64 // for its id
	lease     bool
	tombstone bool
}

// writes reports whether the commit writes a record of that kind.
func (c commit) writes(kind recordKind) bool {
	switch kind {
	case kindLease:
		return c.lease
	case kindTombstone:
		return c.tombstone
	default:
		return kind != kindRoot
	}
}

// A source yields a lake's commits in order of time. All sources of one lake
// yield the same ones.
type source struct {
	lake     *Lake
	random   *rand.Rand
	at       time.Duration
	versions []uint64 // of the tables, after the last commit yielded
}

func (l *Lake) source() *source {
	return &source{
		lake:     l,
		random:   rand.New(rand.NewPCG(l.seed, sourceStream)),
		at:       l.begin,
		versions: make([]uint64, l.cfg.Tables),
	}
}

// Streams of randomness under one seed.
const (
	sourceStream = 1
	rankStream   = 2
)

// next returns the next commit. Every draw is made whatever the configuration,
// so that changing a share does not change which tables are committed to.
func (s *source) next() commit {
	cfg := &s.lake.cfg
	gap := math.Min(s.random.ExpFloat64()*s.lake.meanGap, float64(Horizon))
	s.at += max(time.Duration(gap).Round(tick), tick)
	table := s.lake.activity.pick(s.random)
	s.versions[table]++
	return commit{
		at:        s.at,
		table:     table,
		version:   s.versions[table],
		random:    s.random.Uint64(),
		lease:     s.random.Float64() < cfg.LeaseShare,
		tombstone: s.random.Float64() < cfg.TombstoneShare,
	}
}

// activity says how likely a commit is on each table.
type activity struct {
	tables []int    // by rank, the most active first
	bounds []uint64 // running sums of the ranks' weights
}

// weightScale is the weight of the most active table. Weights are whole numbers,
// so that the last bit of a power does not decide about a pick.
const weightScale = 1 << 40

// newActivity ranks the tables by chance, since the busy ones are not the first
// in order of name.
func newActivity(tables int, exponent float64, seed uint64) activity {
	a := activity{
		tables: rand.New(rand.NewPCG(seed, rankStream)).Perm(tables),
		bounds: make([]uint64, tables),
	}
	sum := uint64(0)
	for rank := range a.bounds {
		weight := weightScale * math.Pow(float64(rank+1), -exponent)
		sum += max(uint64(math.Round(weight)), 1)
		a.bounds[rank] = sum
	}
	return a
}

func (a activity) pick(random *rand.Rand) int {
	x := random.Uint64N(a.bounds[len(a.bounds)-1])
	return a.tables[sort.Search(len(a.bounds), func(i int) bool { return a.bounds[i] > x })]
}
