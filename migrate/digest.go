package migrate

import (
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
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

// A digest is a 256-bit number. The sum of the digests of some records, modulo
// 2^256, does not depend on their order, and tells sets of records apart: the two
// scans come in orders that have nothing to do with each other. To find another set
// with the same count and sum is as hard as a generalized birthday problem on
// SHA-256, and data does not look for one.
type digest [4]uint64 // the least significant part first

// digestOf is the digest of a record. The key's length keeps it apart from the
// value.
func digestOf(key string, value []byte) digest {
	h := sha256.New()
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(len(key)))
	_, _ = h.Write(n[:]) // a hash never fails, here and below
	_, _ = h.Write([]byte(key))
	_, _ = h.Write(value)
	var sum [sha256.Size]byte
	h.Sum(sum[:0])
	var d digest
	for i := range d {
		d[i] = binary.LittleEndian.Uint64(sum[8*i:])
	}
	return d
}

func (d *digest) add(o digest) {
	var carry uint64
	for i := range d {
		d[i], carry = bits.Add64(d[i], o[i], carry)
	}
}

// A part is the records of one partition on one side.
type part struct {
	count int64
	sum   digest
}

// A side is one layout's records, in 40 bytes a partition whatever their number.
type side [partitions]part

func (s *side) add(key string, value []byte) {
	p := &s[partition(key)]
	p.count++
	p.sum.add(digestOf(key, value))
}

func (s *side) items() (n int64) {
	for i := range s {
		n += s[i].count
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
