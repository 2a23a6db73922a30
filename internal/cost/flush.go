package cost

// A Profile is what decides the requests of a flush beside the policy
// (docs/facts/memwal.md §2.8 and §7).
type Profile struct {
	Duplicates  bool  // a generation has rows that later ones replace
	UserIndexes int64 // beside the index of the keys
	ForceSeal   bool  // the memtable's seal is forced, which checks the fence first
}

// Flush returns the own part of a flush of a keyed table (docs/facts/memwal.md
// §2.8): the fence check, six objects of the generation, the three lists of the
// real one, which a policy that probes leaves out, the commit, and what the
// profile adds. hints is that of Commit.
func Flush(p Policy, of Profile, hints float64) Cost {
	lists, objects := of.adds()
	c := sum(FenceCheck(p), put.Times(6+objects), Commit(p, hints))
	if !p.Probes() {
		c = c.Plus(list, 3+lists)
	}
	if of.ForceSeal {
		c = c.Plus(FenceCheck(p), 1)
	}
	return c
}

// adds returns the lists and objects that a profile adds: the deletions, two
// objects an index, and for any of these one list and a new description.
func (of Profile) adds() (lists, objects float64) {
	if of.Duplicates {
		objects++
	}
	objects += 2 * float64(of.UserIndexes)
	if objects > 0 {
		lists, objects = 1, objects+1
	}
	return lists, objects
}

// readsOfPass is how often a compaction reads the manifest: four times by itself,
// and once in its commit (an assumption, docs/facts/memwal.md §3, "Compaction").
const readsOfPass = 5

// Compact returns what a pass costs that merges generations into the base: the
// rows of each, a version of the base that updates rows, the shard's commit, and
// the reads of the manifest where they are not served (docs/facts/memwal.md §2.9
// and §3, "Compaction"). hints is that of Commit.
func Compact(p Policy, generations int64, hints float64) Cost {
	c := sum(get.Times(float64(generations)), get, put.Times(4), Commit(p, hints))
	if !p.Serves() {
		c = c.Plus(TipScan(0), readsOfPass-1)
	}
	return c
}
