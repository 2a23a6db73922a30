package rows

import (
	"cmp"
	"strings"

	"github.com/tidwall/btree"
)

// degree of the tree: nodes of up to 127 rows. Wider nodes cost more memory
// moves on insertion, narrower ones more memory per row.
const degree = 64

// afterAll is a sort key behind every stored one: keys have at most 1,024 bytes.
var afterAll = strings.Repeat("\xff", 1025)

// Table are the items of one table. It has no lock of its own.
type Table struct {
	tree  *btree.BTreeG[Row]
	bytes int64
}

// NewTable returns an empty table.
func NewTable() *Table {
	return &Table{tree: btree.NewBTreeGOptions(less, btree.Options{Degree: degree, NoLocks: true})}
}

// Len is the number of items.
func (t *Table) Len() int { return t.tree.Len() }

// Bytes is the sum of the items' sizes by DynamoDB's sizing rules.
func (t *Table) Bytes() int64 { return t.bytes }

// Get returns the item with key's keys.
func (t *Table) Get(key Row) (Row, bool) { return t.tree.Get(key) }

// Set stores row in the place of the item with the same keys, which it returns.
func (t *Table) Set(row Row) (old Row, replaced bool) {
	old, replaced = t.tree.Set(row)
	t.bytes += int64(row.Size())
	if replaced {
		t.bytes -= int64(old.Size())
	}
	return old, replaced
}

// Delete removes the item with key's keys and returns it.
func (t *Table) Delete(key Row) (old Row, found bool) {
	old, found = t.tree.Delete(key)
	if found {
		t.bytes -= int64(old.Size())
	}
	return old, found
}

// A Range is a part of one partition by sort key: Low <= key < High, in the
// stored form. An empty High is no bound.
type Range struct {
	Partition, Low, High string
}

// Contains reports whether a row lies in the range.
func (g *Range) Contains(row Row) bool {
	return row.Partition() == g.Partition && row.Sort() >= g.Low && g.belowHigh(row)
}

func (g *Range) belowHigh(row Row) bool { return g.High == "" || row.Sort() < g.High }

// Forward calls yield for the range's rows in order of the sort key, beginning
// behind the row or key after unless that is empty, until yield returns false.
// after must lie in the range.
func (t *Table) Forward(g Range, after Row, yield func(Row) bool) {
	from := after
	if from == "" {
		from = NewKey(g.Partition, g.Low)
	}
	begun := false
	t.tree.Ascend(from, func(row Row) bool {
		if row.Partition() != g.Partition || !g.belowHigh(row) {
			return false
		}
		if !begun {
			begun = true
			if row.SameKey(after) {
				return true
			}
		}
		return yield(row)
	})
}

// Backward is Forward from the range's end to its beginning.
func (t *Table) Backward(g Range, after Row, yield func(Row) bool) {
	from := after
	if from == "" {
		from = NewKey(g.Partition, cmp.Or(g.High, afterAll))
	}
	begun := false
	t.tree.Descend(from, func(row Row) bool {
		if row.Partition() != g.Partition || row.Sort() < g.Low {
			return false
		}
		if !begun {
			begun = true
			if row.SameKey(after) || !g.belowHigh(row) {
				return true
			}
		}
		return yield(row)
	})
}

// Scan calls yield for the rows of a segment in table order, beginning behind
// the row or key after unless that is empty, until yield returns false.
func (t *Table) Scan(segment, total int, after Row, yield func(Row) bool) {
	from := after
	if from == "" {
		from = first(segmentStart(segment, total))
	}
	begun := false
	t.tree.Ascend(from, func(row Row) bool {
		if Segment(row.Hash(), total) != segment {
			return false
		}
		if !begun {
			begun = true
			if row.SameKey(after) {
				return true
			}
		}
		return yield(row)
	})
}
