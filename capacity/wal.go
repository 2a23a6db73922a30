package capacity

import "math"

// A Policy is a column of the WAL's plan: how the manifest of a shard is found
// (spec/shard-manifest.md §2).
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
// versions until a whole one is missing, and the manifest (facts/memwal.md §2.1).
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
// user indexes (facts/memwal.md §2.8): the fence check, six objects of the
// generation, the three lists of the real one, which probe leaves out, and the
// commit.
func Flush(p Policy, hintEvery int64) Cost {
	c := sum(fenceCheck(p), put.times(6), commit(p, hintEvery))
	if p != Probe {
		c = c.plus(list, 3)
	}
	return c
}

// Append returns what it costs to write a WAL entry.
func Append() Cost { return put }

// wal returns the access patterns of the WAL, per lake.
func (s Scale) wal() []Pattern {
	n := float64(s.WALShards)
	flushes := n * s.AppendsPerSecond / s.AppendsPerFlush
	return []Pattern{
		byPolicy(patternFreshRead, n*s.ReadsPerSecond, func(p Policy) Cost { return FreshRead(p, s.Generations, s.HintLag) }),
		byPolicy("append", n*s.AppendsPerSecond, func(Policy) Cost { return Append() }),
		byPolicy("flush", flushes, func(p Policy) Cost { return Flush(p, s.HintEvery) }),
	}
}

func byPolicy(name string, perSecond float64, cost func(Policy) Cost) Pattern {
	x := Pattern{Name: name, PerSecond: perSecond, Costs: map[string]Cost{}, Source: ruleSource}
	for _, p := range Policies() {
		x.Costs[string(p)] = cost(p)
	}
	return x
}
