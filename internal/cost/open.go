package cost

import (
	"math"
	"math/bits"
)

// FoldedEntries is how many entries an open reads in search of the end of a log
// before it looks for it beyond them (docs/spec/shard-manifest.md §2, "probe").
const FoldedEntries = 64

// An Opening is a shard that is opened.
type Opening struct {
	// Entries is how many entries of the log no generation holds, at least 1.
	Entries int64
	// HintLag is how many versions the hint is behind.
	HintLag int64
	// HintEvery is how many versions the hint may lag behind under a policy that
	// probes.
	HintEvery int64
	// FlushedBefore: the manifest names a position of the log.
	FlushedBefore bool
	// CursorPerEntry: replay commits its position after every entry, as before the
	// change.
	CursorPerEntry bool
}

// Open returns what it costs to claim a shard, to fence it, and to replay its log
// (docs/facts/memwal.md §2.7).
func Open(p Policy, o Opening) Cost {
	if p.Probes() {
		return openByProbes(o)
	}
	entries := float64(o.Entries)
	claim := sum(TipScan(o.HintLag), put, put)
	// The end of the log, the sentinel behind it, and the sentinel read like an
	// entry.
	fence := sum(findEnd(o), put, get)
	if !p.Serves() {
		fence = fence.Plus(TipScan(0), 1) // a look for the tip before the sentinel
	}
	commits := 1.0
	if !p.Serves() || o.CursorPerEntry {
		commits = entries + 1 // for every entry, and the sentinel
	}
	return sum(claim, fence, get.Times(entries), missing, Commit(p, 1).Times(commits))
}

// findEnd returns what it costs to find the end of the log behind the position
// that the manifest names: each entry behind it, one by one, until one is missing;
// or, where the manifest names none, a miss and the whole list (docs/facts/memwal.md
// §2.5).
func findEnd(o Opening) Cost {
	if o.FlushedBefore {
		return sum(head, head.Times(float64(o.Entries)), missing)
	}
	return sum(missing, list.Times(math.Max(1, math.Ceil(float64(o.Entries)/ListedKeys))))
}

// openByProbes is Open under the policy probe (docs/spec/shard-manifest.md §2):
// the hint and the version that it names, the newest one, the claim; the entries
// and their end; the sentinel, the end behind it, and a commit.
func openByProbes(o Opening) Cost {
	tip := search(o.HintLag, func(there int64) int64 { return max(1, 2*there) })
	end := missing
	if o.Entries >= FoldedEntries {
		end = o.endBeyondFolded()
	}
	lag := o.HintLag
	claim, commit := o.commit(&lag), o.commit(&lag)
	return sum(get, get, tip, claim, get.Times(float64(o.Entries)), end, put, missing, commit)
}

// endBeyondFolded is the search for the end of a log whose manifest knows of no entry
// that was not replayed: a page of its listing and, if that is full, doubling from the
// highest position in it.
func (o Opening) endBeyondFolded() Cost {
	n := o.Entries
	if o.FlushedBefore {
		n++ // the entry of the flushed row is still there
	}
	if n < ListedKeys {
		return list
	}
	return sum(list, search(n-highestListed(n), func(there int64) int64 { return 2*there + 1 }))
}

// highestListed returns the highest of the positions 1 to n that the first page of a
// listing has. It lists names, which are the positions' bits from the lowest to the
// highest.
func highestListed(n int64) int64 {
	highest, keys := int64(0), 0
	width := bits.Len64(uint64(n))
	for i := uint64(1); keys < ListedKeys; i++ {
		if p := int64(bits.Reverse64(i) >> (64 - width)); p <= n {
			highest = max(highest, p)
			keys++
		}
	}
	return highest
}

// commit is a commit of an open whose hint is lag versions behind: the hint is
// written with a version that is HintEvery ahead of it.
func (o Opening) commit(lag *int64) Cost {
	if *lag++; *lag < o.HintEvery {
		return put
	}
	*lag = 0
	return sum(put, put)
}

// search returns what it costs to find the end of a sequence that goes on for n
// beyond what is known to be there: next says how far to ask behind what was
// there, until nothing is; from there the distance is halved.
func search(n int64, next func(there int64) int64) Cost {
	var c Cost
	ask := func(at int64) bool {
		if at <= n {
			c = c.Plus(get, 1)
			return true
		}
		c = c.Plus(missing, 1)
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
