// Package digest tells sets of records apart by their number and one hash each.
package digest

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
)

// A Set identifies a set of keys and values, in whatever order they were added:
// by their number and the sum of their digests modulo 2^256. Two sets are equal if
// and only if their contents are, but for a collision: to find another set with the
// same count and sum is as hard as a generalized birthday problem on SHA-256, and
// data does not look for one.
type Set struct {
	Count int64
	sum   [4]uint64 // the least significant part first
}

// Of returns the set of entries.
func Of(entries map[string][]byte) (s Set) {
	for key, value := range entries {
		s.Add(key, value)
	}
	return s
}

// Add adds a record.
func (s *Set) Add(key string, value []byte) { s.AddOf("", key, value) }

// AddOf adds a record of a domain: it equals no record of another domain, whatever
// their keys and values. The lengths keep domain, key and value apart.
func (s *Set) AddOf(domain, key string, value []byte) {
	h := sha256.New()
	for _, part := range []string{domain, key} {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(part)))
		_, _ = h.Write(n[:]) // a hash never fails, here and below
		_, _ = h.Write([]byte(part))
	}
	_, _ = h.Write(value)
	var sum [sha256.Size]byte
	h.Sum(sum[:0])
	var carry uint64
	for i := range s.sum {
		s.sum[i], carry = bits.Add64(s.sum[i], binary.LittleEndian.Uint64(sum[8*i:]), carry)
	}
	s.Count++
}

func (s Set) String() string { return fmt.Sprintf("%d records (%016x…)", s.Count, s.sum[3]) }
