package generation

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"slices"
	"sort"

	"github.com/lakebench/lakebench/wal/entry"
)

// An indexEntry is the row in which a term is.
type indexEntry struct {
	term string
	row  uint32
}

func entriesOf(newest map[string]uint32) []indexEntry {
	out := make([]indexEntry, 0, len(newest))
	for key, row := range newest {
		out = append(out, indexEntry{key, row})
	}
	return out
}

// entriesOfValues are the values of the rows that count.
func entriesOfValues(rows []entry.Row, newest map[string]uint32) []indexEntry {
	var out []indexEntry
	for _, row := range newest {
		if r := rows[row]; r.Value != nil {
			out = append(out, indexEntry{string(r.Value), row})
		}
	}
	return out
}

// A Page is where a part of an index is, and with which term it begins.
type Page struct {
	First  []byte `json:"first"`
	Offset int64  `json:"offset"` // in the pages' object
	Bytes  int64  `json:"bytes"`
	CRC32  uint32 `json:"crc32"` // IEEE
}

// A Lookup is the list of an index's pages, in the order of their terms.
type Lookup []Page

// index is an index that has been built.
type index struct {
	pages, lookupObject Object
	lookup              Lookup
}

// buildIndex sorts the entries and cuts them into pages: each entry is the length
// of its term (a varint), the term, and the row (four bytes, little-endian).
func buildIndex(dir string, entries []indexEntry, pageRows int) index {
	slices.SortFunc(entries, func(a, b indexEntry) int {
		return cmp.Or(cmp.Compare(a.term, b.term), cmp.Compare(a.row, b.row))
	})
	x := index{lookup: Lookup{}}
	var body []byte
	for page := range slices.Chunk(entries, pageRows) {
		from := len(body)
		for _, e := range page {
			body = binary.AppendUvarint(body, uint64(len(e.term)))
			body = append(body, e.term...)
			body = binary.LittleEndian.AppendUint32(body, e.row)
		}
		x.lookup = append(x.lookup, Page{
			First: []byte(page[0].term), Offset: int64(from), Bytes: int64(len(body) - from), CRC32: crc32.ChecksumIEEE(body[from:]),
		})
	}
	lookup, err := json.Marshal(x.lookup)
	if err != nil {
		panic(err) // numbers and bytes
	}
	x.pages, x.lookupObject = Object{dir + "page_data.bin", body}, Object{dir + "page_lookup.bin", lookup}
	return x
}

func (x index) objects() []Object { return []Object{x.pages, x.lookupObject} }

func (x index) reference() IndexReference {
	return IndexReference{Pages: x.pages.reference(), Lookup: x.lookupObject.reference()}
}

// DecodeLookup reads the list of an index's pages.
func DecodeLookup(body []byte) (Lookup, error) {
	l := Lookup{}
	if err := strictJSON(body, &l); err != nil {
		return nil, damaged("not the list of an index's pages: %v", err)
	}
	return l, nil
}

// Find returns the page that a term is in if it is in the index at all.
func (l Lookup) Find(term string) (Page, bool) {
	i := sort.Search(len(l), func(i int) bool { return string(l[i].First) > term })
	if i == 0 {
		return Page{}, false
	}
	return l[i-1], true
}

// Row reads a page and returns the row of a term that the page has once.
func (p Page) Row(body []byte, term string) (row uint32, found bool, err error) {
	if err := (Reference{Bytes: p.Bytes, CRC32: p.CRC32}).Check(body); err != nil {
		return 0, false, err
	}
	for len(body) > 0 {
		size, n := binary.Uvarint(body)
		if n <= 0 || size > uint64(len(body)-n) || uint64(len(body)-n)-size < 4 {
			return 0, false, damaged("a page of an index ends within an entry")
		}
		at := string(body[n : n+int(size)])
		row, body = binary.LittleEndian.Uint32(body[n+int(size):]), body[n+int(size)+4:]
		if at == term {
			return row, true, nil
		}
	}
	return 0, false, nil
}
