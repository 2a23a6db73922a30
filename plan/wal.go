package plan

import "math"

// A Policy is a column of the WAL's plan: how the manifest of a shard is found
// (docs/spec/shard-manifest.md §2).
type Policy string

// The policies.
const (
	Scan       Policy = "scan"
	Serve      Policy = "serve"
	Serialized Policy = "serialized"
	Probe      Policy = "probe"
)

// Policies returns the policies, from the first to the last.
func Policies() []Policy { return []Policy{Scan, Serve, Serialized, Probe} }

// scanBatch is how many versions a scan asks for at once.
const scanBatch = 2

// get, head and put are single requests.
var (
	get     = Cost{Requests: 1, ClassB: 1}
	head    = Cost{Requests: 1, ClassB: 1}
	missing = Cost{Requests: 1, ClassB: 1, Misses: 1}
	put     = Cost{Requests: 1, ClassA: 1}
	list    = Cost{Requests: 1, ClassA: 1}
)

// sum adds costs up.
func sum(costs ...Cost) Cost {
	var c Cost
	for _, o := range costs {
		c = c.plus(o, 1)
	}
	return c
}

// TipScan returns what it costs to find a shard's newest manifest with a hint
// that is lag versions behind: the hint, the version it names, batches of
// versions until a whole one is missing, and the manifest (docs/facts/memwal.md §2.1).
func TipScan(lag int64) Cost {
	batches := math.Ceil(float64(lag)/scanBatch) + 1
	found := float64(lag)
	return sum(get, head, head.times(found), missing.times(batches*scanBatch-found), get)
}

// FreshRead returns what a scan of the fresh tier's generations costs.
func FreshRead(p Policy, generations, lag int64) Cost {
	data := get.times(float64(generations))
	if p == Scan {
		return sum(TipScan(lag), data)
	}
	return data
}

// fenceCheck is what it costs to see that nobody else has claimed the shard.
func fenceCheck(p Policy) Cost {
	if p == Probe {
		return missing // is there a version after the one that is held?
	}
	return TipScan(0)
}

// commit is what a warm commit to the manifest costs.
func commit(p Policy, hintEvery int64) Cost {
	switch p {
	case Scan:
		return sum(TipScan(0), put, put)
	case Probe:
		return sum(put, put.times(1/float64(hintEvery)))
	default:
		return sum(put, put)
	}
}

// Flush returns the own part of a flush of a keyed table without duplicates and
// user indexes (docs/facts/memwal.md §2.8): the fence check, six objects of the
// generation, the three lists of the real one, which probe leaves out, and the
// commit.
func Flush(p Policy, hintEvery int64) Cost {
	c := sum(fenceCheck(p), put.times(6), commit(p, hintEvery))
	if p != Probe {
		c = c.plus(list, 3)
	}
	return c
}

// Compact returns what a pass costs that merges generations into the base: the
// rows of each, a version of the base that updates rows, the shard's commit, and
// under scan the five reads of the manifest that a pass makes (docs/facts/memwal.md
// §3, "Compaction").
func Compact(p Policy, generations, hintEvery int64) Cost {
	c := sum(get.times(float64(generations)), get, put.times(4), commit(p, hintEvery))
	if p == Scan {
		c = c.plus(TipScan(0), 4) // its commit has the fifth
	}
	return c
}

// foldedEntries is how many entries an open reads in search of the end of a log
// before it looks for it by doubling (docs/spec/shard-manifest.md §2, "probe").
const foldedEntries = 64

// Open returns what it costs to claim a shard that was not flushed before, to fence
// it, and to replay entries, at least one, with a hint that is lag versions behind
// (docs/facts/memwal.md §2.7).
func Open(p Policy, entries, lag, hintEvery int64) Cost {
	k := float64(entries)
	replay := get.times(k)
	if p == Probe {
		claim := sum(get, get, search(lag, func(there int64) int64 { return max(1, 2*there) }), put)
		if lag >= hintEvery {
			claim = claim.plus(put, 1)
		}
		end := missing
		if entries >= foldedEntries {
			end = search(entries-foldedEntries, func(there int64) int64 { return 2*there + 1 })
		}
		return sum(claim, replay, end, put, missing, put)
	}
	claim := sum(TipScan(lag), put, put)
	// The entry that the manifest names is none, so the log is listed; the
	// sentinel is put behind it, and read like an entry.
	fence := sum(missing, list.times(math.Max(1, math.Ceil(k/listed))), put, get)
	if p == Scan {
		// A look for the tip before the sentinel, and the cursor's commit for every
		// entry and the sentinel.
		return sum(claim, TipScan(0), fence, replay, missing, commit(Scan, hintEvery).times(k+1))
	}
	return sum(claim, fence, replay, missing, commit(p, hintEvery))
}

// listed is how many keys a list returns at most (ListObjectsV2, API reference).
const listed = 1000

// search returns what it costs to find the end of a sequence that goes on for n
// beyond what is known to be there: next says how far to ask behind what was
// there, until nothing is; from there the distance is halved.
func search(n int64, next func(there int64) int64) Cost {
	var c Cost
	ask := func(at int64) bool {
		if at <= n {
			c = c.plus(get, 1)
			return true
		}
		c = c.plus(missing, 1)
		return false
	}
	there, absent := int64(0), int64(0)
	for absent == 0 {
		if at := next(there); ask(at) {
			there = at
		} else {
			absent = at
		}
	}
	for absent-there > 1 {
		if middle := there + (absent-there)/2; ask(middle) {
			there = middle
		} else {
			absent = middle
		}
	}
	return c
}

// Append returns what it costs to write a WAL entry.
func Append() Cost { return put }

// wal returns the access patterns of the WAL, per lake.
func (s Scale) wal() []Pattern {
	n := float64(s.WALShards)
	flushes := n * s.AppendsPerSecond / s.AppendsPerFlush
	replayed := max(1, s.ReplayedEntries) // an open without entries costs no less
	return []Pattern{
		byPolicy(patternFreshRead, n*s.ReadsPerSecond, func(p Policy) Cost { return FreshRead(p, s.Generations, s.HintLag) }),
		byPolicy(patternAppend, n*s.AppendsPerSecond, func(Policy) Cost { return Append() }),
		byPolicy(patternFlush, flushes, func(p Policy) Cost { return Flush(p, s.HintEvery) }),
		byPolicy(patternCompaction, flushes/s.FlushesPerCompaction, func(p Policy) Cost {
			return Compact(p, int64(math.Round(s.FlushesPerCompaction)), s.HintEvery)
		}),
		byPolicy(patternOpen, n*s.OpensPerDay/secondsPerDay, func(p Policy) Cost { return Open(p, replayed, s.HintLag, s.HintEvery) }),
	}
}

func byPolicy(name string, perSecond float64, cost func(Policy) Cost) Pattern {
	x := Pattern{Name: name, PerSecond: perSecond, Costs: map[string]Cost{}, Source: ruleSource}
	for _, p := range Policies() {
		x.Costs[string(p)] = cost(p)
	}
	return x
}
