package cost

import "math"

// A Policy is how a shard's store finds its manifest (docs/spec/shard-manifest.md
// §2). A manifest.Kind is one.
type Policy interface {
	// Serves reports whether reads and commits begin with the version that the
	// store holds; else each looks for the newest one.
	Serves() bool
	// Probes reports whether a look at storage begins with the version that is held
	// or hinted, and the hint is written now and then.
	Probes() bool
}

// scanBatch is how many versions a scan asks for at once: the default
// (docs/spec/shard-manifest.md §2).
const scanBatch = 2

// Single requests.
var (
	get     = Cost{Requests: 1, ClassB: 1}
	head    = Cost{Requests: 1, ClassB: 1}
	missing = Cost{Requests: 1, ClassB: 1, Misses: 1}
	put     = Cost{Requests: 1, ClassA: 1}
	list    = Cost{Requests: 1, ClassA: 1}
)

// TipScan returns what it costs to find a shard's newest manifest with a hint
// that is lag versions behind: the hint, the version it names, batches of
// versions until a whole one is missing, and the manifest (docs/facts/memwal.md
// §2.1).
func TipScan(lag int64) Cost {
	batches := math.Ceil(float64(lag)/scanBatch) + 1
	found := float64(lag)
	return sum(get, head, head.Times(found), missing.Times(batches*scanBatch-found), get)
}

// FenceCheck returns what it costs to see that no other node has claimed the
// shard, with an exact hint (docs/spec/shard-manifest.md §2).
func FenceCheck(p Policy) Cost {
	if p.Probes() {
		return missing // is there a version after the one that is held?
	}
	return TipScan(0)
}

// Commit returns what a commit to the manifest costs whose version no other commit
// takes. hints is the share of commits that write the hint under a policy that
// probes, from 0 to 1: one in HintEvery, on average; the others write it with each
// (docs/facts/memwal.md §2.2 and §2.3, docs/spec/shard-manifest.md §2).
func Commit(p Policy, hints float64) Cost {
	switch {
	case p.Probes():
		return put.Plus(put, hints)
	case p.Serves():
		return sum(put, put)
	default:
		return sum(TipScan(0), put, put)
	}
}

// FreshRead returns what a scan of the fresh tier's generations costs whose
// manifests are known, with a hint that is lag versions behind
// (docs/spec/shard-manifest.md §5).
func FreshRead(p Policy, generations, lag int64) Cost {
	data := get.Times(float64(generations))
	if p.Serves() {
		return data
	}
	return sum(TipScan(lag), data)
}

// Append returns what it costs to write a WAL entry (docs/facts/memwal.md §2.5).
func Append() Cost { return put }
