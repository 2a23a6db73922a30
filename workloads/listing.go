package workloads

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
)

// A listing identifies a set of keys and values: two sets have one listing if
// and only if they are equal (but for a collision of SHA-256).
type listing struct {
	entries int
	digest  [sha256.Size]byte
}

func listingOf(entries map[string][]byte) listing {
	h := sha256.New()
	var length [8]byte
	part := func(b []byte) {
		binary.BigEndian.PutUint64(length[:], uint64(len(b)))
		h.Write(length[:])
		h.Write(b)
	}
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		part([]byte(key))
		part(entries[key])
	}
	return listing{len(entries), [sha256.Size]byte(h.Sum(nil))}
}

func (l listing) String() string {
	return fmt.Sprintf("%d entries, digest %x", l.entries, l.digest[:6])
}
