// Package generation is the content of an L0 generation: what a memtable becomes
// when it is flushed.
//
// The public system writes a Lance dataset there. lakebench has a format of its
// own with as many objects of the same kinds (docs/spec/shard-manifest.md §1), below
// a directory {8 random hex digits}_gen_{number}/:
//
//	data/{name}.arrow                          the rows in the order in which they were written, an Arrow IPC stream
//	_transactions/0-{name}.txn                 what made it, JSON
//	_versions/18446744073709551614.manifest    version 1, in the naming of the public format: what there is, JSON
//	bloom_filter.bin                           which keys may be there
//	_pk_index/page_data.bin, page_lookup.bin   where the newest row of a key is
//	_deletions/0-1-{name}.bin                  rows that a later row of the same key replaces, if there are any
//	_indices/{name}/page_data.bin, …           a user's index: where rows of a value are
//
// An object is written once and never changed after a manifest lists
// its directory, so what was read of it may be kept for ever. Each object's
// length and checksum are where it is referred to, so what is damaged is found
// when it is read, and never misread.
package generation

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"

	"github.com/lakebench/lakebench/wal/entry"
)

// ErrDamaged is why an object of a generation cannot be used.
var ErrDamaged = errors.New("damaged")

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

// VersionPath is the path of a generation's description: the name of version 1,
// which is 2⁶⁴−1 less the version.
const VersionPath = "_versions/18446744073709551614.manifest"

// Config is how generations are built.
type Config struct {
	// BloomBytes is the size of the Bloom filter.
	BloomBytes int
	// PageRows is how many entries a page of an index holds.
	PageRows int
}

// DefaultConfig has the filter's size in the public system (docs/facts/memwal.md §1).
func DefaultConfig() Config { return Config{BloomBytes: 32768, PageRows: 256} }

// Validate names the first setting that is out of range.
func (c Config) Validate() error {
	switch {
	case c.BloomBytes < 8:
		return fmt.Errorf("generation: BloomBytes is %d, expected at least 8", c.BloomBytes)
	case c.PageRows < 1:
		return fmt.Errorf("generation: PageRows is %d, expected at least 1", c.PageRows)
	}
	return nil
}

// An Object is one object of a generation; its path is below the directory.
type Object struct {
	Path string
	Body []byte
}

// A Reference is how an object is referred to.
type Reference struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
	CRC32 uint32 `json:"crc32"` // IEEE
}

func (o Object) reference() Reference {
	return Reference{Path: o.Path, Bytes: int64(len(o.Body)), CRC32: crc32.ChecksumIEEE(o.Body)}
}

// Check reports whether body has the length and checksum of the reference.
func (r Reference) Check(body []byte) error {
	switch {
	case int64(len(body)) != r.Bytes:
		return damaged("%d bytes, expected %d", len(body), r.Bytes)
	case crc32.ChecksumIEEE(body) != r.CRC32:
		return damaged("the checksum is not that of what was written")
	}
	return nil
}

// A Version describes a generation: what its objects are.
type Version struct {
	Format     string         `json:"format"`
	Generation uint64         `json:"generation"`
	Rows       int            `json:"rows"` // replaced ones included
	Data       Reference      `json:"data"`
	Bloom      Reference      `json:"bloom"`
	KeyIndex   IndexReference `json:"key_index"`
	// Deletions is nil while no row is replaced.
	Deletions   *Reference       `json:"deletions,omitempty"`
	UserIndexes []IndexReference `json:"user_indexes,omitempty"`
}

// An IndexReference refers to the two objects of an index.
type IndexReference struct {
	Pages  Reference `json:"pages"`
	Lookup Reference `json:"lookup"`
}

// format is the name of this format and its version.
const format = "lakebench-generation-1"

// Encode returns the object that describes the generation.
func (v Version) Encode() (Object, error) {
	body, err := json.Marshal(v)
	return Object{VersionPath, body}, err
}

// DecodeVersion reads what Encode has written, strictly.
func DecodeVersion(body []byte) (Version, error) {
	var v Version
	if err := strictJSON(body, &v); err != nil {
		return Version{}, damaged("not the description of a generation of lakebench: %v", err)
	}
	if v.Format != format {
		return Version{}, damaged("its format is %q, expected %q", v.Format, format)
	}
	return v, nil
}

// Built is a generation that is still to be written.
type Built struct {
	// First describes the generation without what is added below, and Last with
	// all of it; they are one if nothing is added.
	First, Last       Version
	Data, Transaction Object
	Bloom             Object
	KeyIndex          []Object
	Deletions         *Object
	UserIndexes       []Object
	// Contents is what a reader need not read again.
	Contents *Contents
}

// Amended reports whether the description changes after the first one: that there
// are replaced rows or user indexes.
func (b *Built) Amended() bool { return b.Deletions != nil || len(b.UserIndexes) > 0 }

// Build makes a generation of rows, which are in the order in which they were
// written. names is where the objects' names come from.
func Build(number uint64, rows []entry.Row, userIndexes int, cfg Config, names *rand.Rand) (*Built, error) {
	data, err := entry.EncodeRows(rows)
	if err != nil {
		return nil, err
	}
	b := &Built{Data: Object{"data/" + newName(names) + ".arrow", data}}
	newest, replaced := split(rows)
	bloom := newBloom(cfg.BloomBytes)
	for key := range newest {
		bloom.add(key)
	}
	b.Bloom = Object{"bloom_filter.bin", bloom}
	keys := buildIndex("_pk_index/", entriesOf(newest), cfg.PageRows)
	b.KeyIndex = keys.objects()
	b.First = Version{
		Format: format, Generation: number, Rows: len(rows), Data: b.Data.reference(),
		Bloom: b.Bloom.reference(), KeyIndex: keys.reference(),
	}
	if b.Transaction, err = transaction(number, b.First.Data, len(rows), names); err != nil {
		return nil, err
	}
	b.Last = b.First
	if len(replaced) > 0 {
		b.Deletions = &Object{"_deletions/0-1-" + newName(names) + ".bin", encodeDeletions(replaced)}
		ref := b.Deletions.reference()
		b.Last.Deletions = &ref
	}
	for range userIndexes {
		index := buildIndex("_indices/"+newName(names)+"/", entriesOfValues(rows, newest), cfg.PageRows)
		b.UserIndexes = append(b.UserIndexes, index.objects()...)
		b.Last.UserIndexes = append(b.Last.UserIndexes, index.reference())
	}
	b.Contents = &Contents{Version: b.Last, Replaced: setOf(replaced), Bloom: bloom, Lookup: keys.lookup}
	return b, nil
}

// transaction is what made the generation: its only one.
func transaction(number uint64, data Reference, rows int, names *rand.Rand) (Object, error) {
	body, err := json.Marshal(struct {
		Operation  string    `json:"operation"`
		Generation uint64    `json:"generation"`
		Data       Reference `json:"data"`
		Rows       int       `json:"rows"`
	}{"create", number, data, rows})
	return Object{"_transactions/0-" + newName(names) + ".txn", body}, err
}

// split tells the newest row of each key from those that a later one replaces.
func split(rows []entry.Row) (newest map[string]uint32, replaced []uint32) {
	newest = make(map[string]uint32, len(rows))
	for i, r := range rows {
		if before, ok := newest[r.Key]; ok {
			replaced = append(replaced, before)
		}
		newest[r.Key] = uint32(i)
	}
	return newest, replaced
}

// Directory returns a new directory's name for a generation: a failed attempt's
// is never used again, so no object in it ever changes.
func Directory(number uint64, names *rand.Rand) string {
	return fmt.Sprintf("%08x_gen_%d", names.Uint32(), number)
}

// newName returns 16 random bytes in hex.
func newName(names *rand.Rand) string {
	var b [16]byte
	for i := range b {
		b[i] = byte(names.Uint32())
	}
	return hex.EncodeToString(b[:])
}
