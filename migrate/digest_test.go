package migrate

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"
)

// number is a digest as a number.
func (d digest) number() *big.Int {
	n := new(big.Int)
	for i := len(d) - 1; i >= 0; i-- {
		n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(d[i]))
	}
	return n
}

// TestDigestSum: sums are modulo 2^256, against arithmetic of any size.
func TestDigestSum(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	modulus := new(big.Int).Lsh(big.NewInt(1), 256)
	for range 1000 {
		var a, b digest
		for i := range a {
			a[i], b[i] = rng.Uint64(), rng.Uint64()
			if rng.IntN(3) == 0 {
				a[i] = ^uint64(0) // carries over and over
			}
		}
		want := new(big.Int).Add(a.number(), b.number())
		want.Mod(want, modulus)
		sum := a
		sum.add(b)
		if got := sum.number(); got.Cmp(want) != 0 {
			t.Fatalf("%v + %v = %v, want %v", a, b, got, want)
		}
	}
}

// TestDigest: SHA-256 of the key's length in 8 bytes, the key and the value.
func TestDigest(t *testing.T) {
	sum := sha256.Sum256([]byte("\x00\x00\x00\x00\x00\x00\x00\x02abc"))
	var want digest
	for i := range want {
		want[i] = binary.LittleEndian.Uint64(sum[8*i:])
	}
	if got := digestOf("ab", []byte("c")); got != want {
		t.Errorf("%v, want %v", got, want)
	}
	if digestOf("ab", []byte("c")) == digestOf("a", []byte("bc")) {
		t.Error("key and value run into each other")
	}
}

// TestSides: equal sets in any order are equal; one record more, less or other is
// found in its partition and no other.
func TestSides(t *testing.T) {
	var a, b side
	rng := rand.New(rand.NewPCG(2, 0))
	order := rng.Perm(20_000)
	for i := range order {
		a.add(fmt.Sprintf("k%d", i), fmt.Append(nil, i))
		b.add(fmt.Sprintf("k%d", order[i]), fmt.Append(nil, order[i]))
	}
	if d := unequal(&a, &b); len(d) != 0 || a.items() != 20_000 {
		t.Errorf("%d partitions differ, %d items", len(d), a.items())
	}
	for _, change := range []func(s *side){
		func(s *side) { s.add("more", nil) },
		// The same key twice, with other values: counts and keys are as before.
		func(s *side) { s[partition("k7")].sum.add(digestOf("k7", []byte("other"))) },
	} {
		c := b
		change(&c)
		if d := unequal(&a, &c); len(d) != 1 {
			t.Errorf("%d partitions differ, want 1", len(d))
		}
	}
	// Every partition is in use: 20,000 keys miss one with a chance of 4096·e^-4.9.
	used := 0
	for i := range a {
		if a[i].count > 0 {
			used++
		}
	}
	if used < partitions*95/100 {
		t.Errorf("%d of %d partitions are in use", used, partitions)
	}
}
