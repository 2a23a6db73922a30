// Package rows keeps the items of one table in memory: in order, compact, and
// without knowing what an attribute is.
//
// An item is one immutable string, so the garbage collector sees one object
// without pointers per item, and a row may be read at any time without a lock.
// Order is that of the service: by a hash of the partition key first, by sort key
// within a partition. So table order is not key order, on purpose: code that only
// works on sorted scans breaks here, not on AWS.
package rows

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/bits"
	"strings"
)

// A Row is one stored item, or a key to look one up:
//
//	hash of the partition key   8 bytes, big-endian
//	partition key               2 bytes length, then the key
//	sort key                    2 bytes length, then the key (empty without one)
//	item size                   3 bytes, by DynamoDB's sizing rules
//	attributes                  the rest; empty in a key
//
// Keys are stored in a form whose byte order is their sort order.
type Row string

const (
	hashBytes   = 8
	sizeBytes   = 3
	lengthBytes = 2

	// overhead is what a row holds besides its keys and attributes.
	overhead = hashBytes + 2*lengthBytes + sizeBytes
)

// NewRow returns the row of an item of the given size (by DynamoDB's rules, which
// allow 409,600 bytes). Keys are at most 65,535 bytes long.
func NewRow[B ~string | ~[]byte](partition, sort B, size int, attributes []byte) Row {
	var b strings.Builder
	b.Grow(overhead + len(partition) + len(sort) + len(attributes))
	var hash [hashBytes]byte
	binary.BigEndian.PutUint64(hash[:], Hash(partition))
	b.Write(hash[:])
	writeKey(&b, partition)
	writeKey(&b, sort)
	b.Write([]byte{byte(size >> 16), byte(size >> 8), byte(size)})
	b.Write(attributes)
	return Row(b.String())
}

// NewKey returns a row without attributes, good for looking up and comparing.
func NewKey[B ~string | ~[]byte](partition, sort B) Row { return NewRow(partition, sort, 0, nil) }

// first is a key before all keys with the given hash or a larger one.
func first(hash uint64) Row {
	var b [overhead]byte
	binary.BigEndian.PutUint64(b[:], hash)
	return Row(b[:])
}

func writeKey[B ~string | ~[]byte](b *strings.Builder, key B) {
	b.WriteByte(byte(len(key) >> 8))
	b.WriteByte(byte(len(key)))
	b.WriteString(string(key))
}

// Hash places a partition key in scan order: the first 8 bytes of its SHA-256,
// big-endian. AWS does not publish which hash it uses. Nothing may depend on it except
// that it is fixed and scatters keys.
func Hash[B ~string | ~[]byte](partition B) uint64 {
	sum := sha256.Sum256([]byte(partition))
	return binary.BigEndian.Uint64(sum[:])
}

// Join returns the row that Split has split. ok is false if the two are not the parts
// of a row.
func Join[B ~string | ~[]byte](identity, contents B) (row Row, ok bool) {
	row = Row(string(identity) + string(contents))
	ok = len(identity) >= hashBytes+2*lengthBytes && len(contents) >= sizeBytes
	ok = ok && row.sortStart()+lengthBytes <= len(identity) && row.end() == len(identity)
	return row, ok
}

// Split returns the row in two parts: what names the item, and the rest of it.
func (r Row) Split() (identity, contents string) {
	end := r.end()
	return string(r[:end]), string(r[end:])
}

// Hash returns the place of the row's partition in scan order.
func (r Row) Hash() uint64 {
	return uint64(r[0])<<56 | uint64(r[1])<<48 | uint64(r[2])<<40 | uint64(r[3])<<32 |
		uint64(r[4])<<24 | uint64(r[5])<<16 | uint64(r[6])<<8 | uint64(r[7])
}

// Size returns the item's size in bytes by DynamoDB's sizing rules.
func (r Row) Size() int {
	size := r[r.end():]
	return int(size[0])<<16 | int(size[1])<<8 | int(size[2])
}

// Partition returns the partition key as stored.
func (r Row) Partition() string {
	n := length(r[hashBytes:])
	return string(r[hashBytes+lengthBytes : hashBytes+lengthBytes+n])
}

// Sort returns the sort key as stored, empty without one.
func (r Row) Sort() string {
	at := r.sortStart()
	n := length(r[at:])
	return string(r[at+lengthBytes : at+lengthBytes+n])
}

// Attributes returns what follows the keys and the size.
func (r Row) Attributes() string { return string(r[r.end()+sizeBytes:]) }

// Identity names the item within its table: equal for a row and its key.
func (r Row) Identity() string { return string(r[:r.end()]) }

// SameKey reports whether both are of one item of a table. The empty row is of none.
func (r Row) SameKey(other Row) bool {
	return r != "" && other != "" && r.Identity() == other.Identity()
}

func (r Row) sortStart() int { return hashBytes + lengthBytes + length(r[hashBytes:]) }

// end returns where the keys end.
func (r Row) end() int {
	at := r.sortStart()
	return at + lengthBytes + length(r[at:])
}

func length(r Row) int { return int(r[0])<<8 | int(r[1]) }

// less is the order of a table.
func less(a, b Row) bool {
	if x, y := a.Hash(), b.Hash(); x != y {
		return x < y
	}
	// Two partitions with one hash lie one after the other, whole.
	if x, y := a.Partition(), b.Partition(); x != y {
		return x < y
	}
	return a.Sort() < b.Sort()
}

// Segment returns in which of total equal parts of the hash space a hash lies: a
// parallel scan's segment, or a physical partition.
func Segment(hash uint64, total int) int {
	part, _ := bits.Mul64(hash, uint64(total))
	return int(part)
}

// SegmentHashes are the smallest and the largest hash of a segment.
func SegmentHashes(segment, total int) (first, last uint64) {
	first = segmentStart(segment, total)
	if segment == total-1 {
		return first, math.MaxUint64
	}
	return first, segmentStart(segment+1, total) - 1
}

func segmentStart(segment, total int) uint64 {
	start, rest := bits.Div64(uint64(segment), 0, uint64(total))
	if rest > 0 {
		start++
	}
	return start
}
