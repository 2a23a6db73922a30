package migrate

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/lakebench/lakebench/internal/digest"
)

// partitions is into how many parts keys are hashed to be compared
// (docs/spec/metadata-store.md §5). A part that is not equal is read again, so
// more of them make that cheaper.
const partitions = 4096

// partition is that of a key: the first bits of its SHA-256.
func partition(key string) int {
	sum := sha256.Sum256([]byte(key))
	return int(binary.BigEndian.Uint16(sum[:]) >> 4)
}

// A side is one layout's records, in 40 bytes a partition whatever their number.
// The two scans come in orders that have nothing to do with each other.
type side [partitions]digest.Set

// add adds a record of a domain: "" for one that both layouts can hold, and another
// for each that only one of them can, so that it equals no record of the other.
func (s *side) add(domain, key string, value []byte) {
	s[partition(key)].AddOf(domain, key, value)
}

func (s *side) items() (n int64) {
	for i := range s {
		n += s[i].Count
	}
	return n
}

// unequal are the partitions in which two sides differ.
func unequal(a, b *side) map[int]bool {
	differ := make(map[int]bool)
	for i := range a {
		if a[i] != b[i] {
			differ[i] = true
		}
	}
	return differ
}
