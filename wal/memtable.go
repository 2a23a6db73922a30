package wal

import "slices"

// A memtable holds the rows of entries that no generation holds yet.
type memtable struct {
	generation uint64 // the one that it will be flushed to
	rows       []Row  // in the order in which they were written
	newest     map[string]int
	// last is the position of the last entry; sentinels behind rows are among them,
	// so that no reader looks at them again.
	last uint64
}

func newMemtable(generation uint64) *memtable {
	return &memtable{generation: generation, newest: map[string]int{}}
}

func (m *memtable) add(rows []Row, position uint64) {
	for _, r := range rows {
		m.newest[r.Key] = len(m.rows)
		m.rows = append(m.rows, r)
	}
	m.last = position
}

// memtables are the active one, which appends go to, and those that wait to be
// flushed, the oldest first.
type memtables struct {
	active *memtable
	frozen []*memtable
}

// freeze puts the active memtable in line for a flush, unless it is empty.
func (t *memtables) freeze() {
	if len(t.active.rows) > 0 {
		t.frozen = append(t.frozen, t.active)
		t.active = newMemtable(t.active.generation + 1)
	}
}

// replay adds an entry that was read. Entries that name another generation than
// the active one begin a memtable: an entry never spans two.
func (t *memtables) replay(rows []Row, position, generation uint64) {
	if generation > t.active.generation {
		t.freeze()
		t.active.generation = generation
	}
	t.active.add(rows, position)
}

// flushed drops the oldest memtable, which is in a generation now.
func (t *memtables) flushed() { t.frozen = slices.Clone(t.frozen[1:]) }

// get returns the newest row of a key.
func (t *memtables) get(key string) (Row, bool) {
	if i, ok := t.active.newest[key]; ok {
		return t.active.rows[i], true
	}
	for _, m := range slices.Backward(t.frozen) {
		if i, ok := m.newest[key]; ok {
			return m.rows[i], true
		}
	}
	return Row{}, false
}

// newest returns the newest row of every key, tombstones included.
func (t *memtables) newest() map[string]Row {
	all := map[string]Row{}
	for _, m := range t.frozen {
		m.newestInto(all)
	}
	t.active.newestInto(all)
	return all
}

func (m *memtable) newestInto(all map[string]Row) {
	for key, i := range m.newest {
		all[key] = m.rows[i]
	}
}
