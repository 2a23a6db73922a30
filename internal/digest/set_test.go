package digest

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// A sum is that of the SHA-256 of the empty domain's length in 8 bytes, each key's
// likewise, key and value, read as a number whose first byte is the least, modulo 2^256: against arithmetic of any
// size. The order does not matter.
func TestSum(t *testing.T) {
	modulus := new(big.Int).Lsh(big.NewInt(1), 256)
	want := new(big.Int)
	var s Set
	for i := range 1000 {
		key, value := fmt.Sprintf("k%d", i), fmt.Appendf(nil, "value %d", i)
		s.Add(key, value)
		b := append(append(binary.BigEndian.AppendUint64(make([]byte, 8), uint64(len(key))), key...), value...)
		sum := sha256.Sum256(b)
		slices.Reverse(sum[:])
		want.Mod(want.Add(want, new(big.Int).SetBytes(sum[:])), modulus)
		got := new(big.Int)
		for j := 3; j >= 0; j-- {
			got.Lsh(got, 64).Or(got, new(big.Int).SetUint64(s.sum[j]))
		}
		if got.Cmp(want) != 0 || s.Count != int64(i+1) {
			t.Fatalf("after %d records: %d of sum %v, want %v", i+1, s.Count, got, want)
		}
	}
	var again Set
	for _, i := range rand.New(rand.NewPCG(1, 0)).Perm(1000) {
		again.Add(fmt.Sprintf("k%d", i), fmt.Appendf(nil, "value %d", i))
	}
	if again != s {
		t.Errorf("in another order: %v, %v", again, s)
	}
}

func TestSetsDiffer(t *testing.T) {
	sets := []Set{
		{}, Of(map[string][]byte{"ab": []byte("c")}), Of(map[string][]byte{"a": []byte("bc")}), Of(map[string][]byte{"ab": nil}),
		Of(map[string][]byte{"ab": []byte("c"), "b": nil}), Of(map[string][]byte{"": nil}),
	}
	for _, r := range [][3]string{{"a", "b", ""}, {"ab", "", ""}, {"", "ab", "c\x00"}, {"a", "", "bc"}, {"a", "bc", ""}} {
		var s Set
		s.AddOf(r[0], r[1], []byte(r[2]))
		sets = append(sets, s)
	}
	for i := range sets {
		for j := range i {
			if sets[i] == sets[j] {
				t.Errorf("sets %d and %d are equal: %v", j, i, sets[i])
			}
		}
	}
}
