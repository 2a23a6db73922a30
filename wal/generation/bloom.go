package generation

import "hash/fnv"

// A Bloom tells that a key is not in a generation, or that it may be.
type Bloom []byte

// bloomHashes is how many bits stand for a key: with ten bits a key (26,000 keys
// at the default size) one absent key in a hundred is taken for a present one.
const bloomHashes = 7

func newBloom(size int) Bloom { return make(Bloom, size) }

func (b Bloom) add(key string) {
	for i := range b.bits(key) {
		b[i/8] |= 1 << (i % 8)
	}
}

// MayHold reports whether the key may be in the generation.
func (b Bloom) MayHold(key string) bool {
	for i := range b.bits(key) {
		if b[i/8]&(1<<(i%8)) == 0 {
			return false
		}
	}
	return true
}

// bits yields the places of a key's bits, by double hashing (Kirsch and
// Mitzenmacher, "Less Hashing, Same Performance", 2006).
func (b Bloom) bits(key string) func(yield func(uint64) bool) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(key)) // never fails
	first := mix(h.Sum64())
	step := mix(first) | 1
	return func(yield func(uint64) bool) {
		for i := range uint64(bloomHashes) {
			if !yield((first + i*step) % (8 * uint64(len(b)))) {
				return
			}
		}
	}
}

// mix spreads a number over all bits (Steele, Lea and Flood, "Fast Splittable
// Pseudorandom Number Generators", 2014: the finalizer of SplitMix64).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
