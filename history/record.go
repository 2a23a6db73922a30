package history

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/lakebench/lakebench/internal/units"
	"github.com/lakebench/lakebench/store/keyspace"
)

// A Record is one live record: its key and its size. Its value follows from
// those and a seed, see Value.
type Record struct {
	Key string
	// Version counts the values that the key has had, from 0.
	Version uint64
	// ItemBytes is the size of the record as a v1 item, by DynamoDB's sizing
	// rules.
	ItemBytes int
}

// Why a record cannot be held by both layouts.
var (
	ErrKeyLength    = errors.New("key length")
	ErrKeyEncoding  = errors.New("key is not UTF-8")
	ErrItemTooLarge = errors.New("item too large for v2")
)

// ValueBytes returns the length of the record's value: what {pk, value} needs
// to have ItemBytes. It is 0 for an item that was smaller than that without any
// value (one whose attributes have shorter names, say).
func (r Record) ValueBytes() int {
	return max(0, r.ItemBytes-keyspace.ItemBytes(len(r.Key), 0))
}

// StoredBytes returns the size of the v1 item {pk, value} that stands for the
// record: ItemBytes, unless the key and the attributes' names alone are more.
func (r Record) StoredBytes() int {
	return keyspace.ItemBytes(len(r.Key), r.ValueBytes())
}

// V2Bytes returns the size of the same record in the v2 layout.
func (r Record) V2Bytes() int {
	return r.StoredBytes() + keyspace.BucketBytes(keyspace.Family(r.Key))
}

// Storable returns nil if both layouts can hold the record, else ErrKeyLength,
// ErrKeyEncoding or ErrItemTooLarge with the limit (docs/spec/metadata-store.md §1).
func (r Record) Storable() error {
	if n := len(r.Key); n < 1 || n > units.MaxSortKeyBytes {
		return fmt.Errorf("%w: %d bytes, expected 1 to %d", ErrKeyLength, n, units.MaxSortKeyBytes)
	}
	if !utf8.ValidString(r.Key) {
		return ErrKeyEncoding
	}
	if n := r.V2Bytes(); n > units.MaxItemBytes {
		return fmt.Errorf("%w: %d bytes, expected at most %d", ErrItemTooLarge, n, units.MaxItemBytes)
	}
	return nil
}

// Value returns the record's value: bytes that follow from seed, key and
// version. Two versions of a key differ if the value has at least 8 bytes.
func Value(seed uint64, r Record) []byte {
	return AppendValue(make([]byte, 0, r.ValueBytes()), seed, r)
}

// AppendValue appends the record's value to dst.
func AppendValue(dst []byte, seed uint64, r Record) []byte {
	state := hashKey(seed, r.Key) + r.Version*versionStep
	n := r.ValueBytes()
	for ; n >= 8; n -= 8 {
		state += splitMixStep
		dst = binary.LittleEndian.AppendUint64(dst, mix(state))
	}
	if n > 0 {
		var last [8]byte
		binary.LittleEndian.PutUint64(last[:], mix(state+splitMixStep))
		dst = append(dst, last[:n]...)
	}
	return dst
}

// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
// generators", 2014): the state walks by an odd step, and each word is a
// bijection of the state. Versions are spaced by another odd number, so the
// first words of two versions differ.
const (
	splitMixStep = 0x9e3779b97f4a7c15
	versionStep  = 0xd1342543de82ef95
)

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// hashKey is FNV-1a over the key, from a basis that depends on the seed.
func hashKey(seed uint64, key string) uint64 {
	h := mix(seed) ^ 0xcbf29ce484222325
	for i := range len(key) {
		h = (h ^ uint64(key[i])) * 0x100000001b3
	}
	return h
}
