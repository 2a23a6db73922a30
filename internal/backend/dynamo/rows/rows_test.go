package rows

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// entry is a row as a plain value; the model of a table is a sorted slice.
type entry struct {
	partition, sort string
	size            int
	attributes      string
}

// compareEntries is table order, computed anew: hash, partition key, sort key.
func compareEntries(a, b entry) int {
	hash := func(e entry) uint64 {
		sum := sha256.Sum256([]byte(e.partition))
		return binary.BigEndian.Uint64(sum[:8])
	}
	return cmp.Or(cmp.Compare(hash(a), hash(b)), strings.Compare(a.partition, b.partition), strings.Compare(a.sort, b.sort))
}

func (e entry) row() Row { return NewRow(e.partition, e.sort, e.size, []byte(e.attributes)) }

func entryOf(r Row) entry {
	return entry{r.Partition(), r.Sort(), r.Size(), r.Attributes()}
}

func entriesOf(walk func(yield func(Row) bool)) []entry {
	var got []entry
	walk(func(r Row) bool {
		got = append(got, entryOf(r))
		return true
	})
	return got
}

// Few different keys, so that they meet; all bytes, so that no length or end
// mark is taken for a key.
var (
	partitions = rapid.SampledFrom([]string{"a", "b", "ab", "a\x00", "\xff", "\xff\xff", strings.Repeat("p", 2048)})
	sorts      = rapid.StringOfN(rapid.RuneFrom([]rune{0, 'a', 'b', 0xff}), 0, 4, -1)
)

// A table under any sequence of writes is its model.
func TestTableIsSortedSlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := NewTable()
		var model []entry
		find := func(e entry) (int, bool) { return slices.BinarySearchFunc(model, e, compareEntries) }
		for range rapid.IntRange(0, 200).Draw(t, "writes") {
			e := entry{partitions.Draw(t, "partition"), sorts.Draw(t, "sort"), rapid.IntRange(0, 409_600).Draw(t, "size"), rapid.String().Draw(t, "attributes")}
			at, found := find(e)
			if rapid.Bool().Draw(t, "delete") {
				old, was := table.Delete(NewKey(e.partition, e.sort))
				checkOld(t, old, was, model, at, found)
				if found {
					model = slices.Delete(model, at, at+1)
				}
				continue
			}
			old, was := table.Set(e.row())
			checkOld(t, old, was, model, at, found)
			if found {
				model[at] = e
			} else {
				model = slices.Insert(model, at, e)
			}
		}
		checkTable(t, table, model)
	})
}

func checkOld(t *rapid.T, old Row, was bool, model []entry, at int, found bool) {
	if was != found || found && entryOf(old) != model[at] {
		t.Fatalf("replaced %q (%v), want the model's %v", old, was, found)
	}
}

func checkTable(t *rapid.T, table *Table, model []entry) {
	bytes := int64(0)
	for _, e := range model {
		bytes += int64(e.size)
		if got, ok := table.Get(NewKey(e.partition, e.sort)); !ok || entryOf(got) != e {
			t.Fatalf("Get %v: %q, %v", e, got, ok)
		}
	}
	if table.Len() != len(model) || table.Bytes() != bytes {
		t.Fatalf("%d rows of %d bytes, want %d of %d", table.Len(), table.Bytes(), len(model), bytes)
	}
	g := Range{partitions.Draw(t, "partition"), sorts.Draw(t, "low"), sorts.Draw(t, "high")}
	start := sorts.Draw(t, "after")
	after := NewKey(g.Partition, start)
	var within, behind, before []entry
	for _, e := range model {
		if e.partition != g.Partition || e.sort < g.Low || g.High != "" && e.sort >= g.High {
			continue
		}
		if !g.Contains(e.row()) {
			t.Fatalf("%+v does not contain %v", g, e)
		}
		within = append(within, e)
		if e.sort > start {
			behind = append(behind, e)
		}
		if e.sort < start {
			before = append(before, e)
		}
	}
	check := func(name string, walk func(yield func(Row) bool), want []entry) {
		if got := entriesOf(walk); !slices.Equal(got, want) {
			t.Fatalf("%s of %+v from %q: %v, want %v", name, g, start, got, want)
		}
	}
	check("Forward", func(y func(Row) bool) { table.Forward(g, "", y) }, within)
	if g.Contains(after) {
		check("Forward", func(y func(Row) bool) { table.Forward(g, after, y) }, behind)
	}
	slices.Reverse(within)
	check("Backward", func(y func(Row) bool) { table.Backward(g, "", y) }, within)
	if g.Contains(after) {
		slices.Reverse(before)
		check("Backward", func(y func(Row) bool) { table.Backward(g, after, y) }, before)
	}
	checkScan(t, table, model)
}

// checkScan walks a table by segments, in pieces.
func checkScan(t *rapid.T, table *Table, model []entry) {
	total := rapid.IntRange(1, 20).Draw(t, "segments")
	piece := rapid.IntRange(1, 10).Draw(t, "piece")
	var got []entry
	for segment := range total {
		var after Row
		for more := true; more; {
			more = false
			n := 0
			table.Scan(segment, total, after, func(r Row) bool {
				got = append(got, entryOf(r))
				after = r
				n++
				more = n == piece
				return !more
			})
		}
	}
	if !slices.Equal(got, model) {
		t.Fatalf("%d segments in pieces of %d: %v, want %v", total, piece, got, model)
	}
}

// Segments are next to each other and cover the hash space; each hash is in the
// segment whose bounds it is between.
func TestSegmentsCoverHashSpace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total := rapid.IntRange(1, 1_000_000).Draw(t, "total")
		segment := rapid.IntRange(0, total-1).Draw(t, "segment")
		first, last := SegmentHashes(segment, total)
		if Segment(first, total) != segment || Segment(last, total) != segment {
			t.Fatalf("bounds %#x and %#x of segment %d are in segments %d and %d", first, last, segment, Segment(first, total), Segment(last, total))
		}
		if first > 0 && Segment(first-1, total) != segment-1 {
			t.Fatalf("the hash before segment %d is in segment %d", segment, Segment(first-1, total))
		}
		if (segment == 0) != (first == 0) || (segment == total-1) != (last == math.MaxUint64) {
			t.Fatalf("segment %d of %d is from %#x to %#x", segment, total, first, last)
		}
		hash := rapid.Uint64().Draw(t, "hash")
		if got := Segment(hash, total); got < 0 || got >= total {
			t.Fatalf("hash %#x is in segment %d of %d", hash, got, total)
		}
	})
}

func TestSameKey(t *testing.T) {
	row := NewRow("p", "s", 7, []byte("attributes"))
	for _, c := range []struct {
		other Row
		want  bool
	}{
		{NewKey("p", "s"), true},
		{NewKey("ps", ""), false},
		{NewKey("p", ""), false},
		{"", false},
	} {
		if row.SameKey(c.other) != c.want || c.other.SameKey(row) != c.want {
			t.Errorf("SameKey of %q: want %v", c.other, c.want)
		}
	}
}
