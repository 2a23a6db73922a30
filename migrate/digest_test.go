package migrate

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lakebench/lakebench/internal/digest"
)

// TestSides: equal sets in any order are equal; one record more, less or other is
// found in its partition and no other.
func TestSides(t *testing.T) {
	var a, b side
	rng := rand.New(rand.NewPCG(2, 0))
	order := rng.Perm(20_000)
	for i := range order {
		a.add("", fmt.Sprintf("k%d", i), fmt.Append(nil, i))
		b.add("", fmt.Sprintf("k%d", order[i]), fmt.Append(nil, order[i]))
	}
	if d := unequal(&a, &b); len(d) != 0 || a.items() != 20_000 {
		t.Errorf("%d partitions differ, %d items", len(d), a.items())
	}
	for _, change := range []func(s *side){
		func(s *side) { s.add("", "more", nil) },
		// One value is another: counts and keys are as before.
		func(s *side) {
			s[partition("k7")] = digest.Set{}
			for i := range order {
				if key := fmt.Sprintf("k%d", i); partition(key) == partition("k7") {
					value := fmt.Append(nil, i)
					if key == "k7" {
						value = []byte("other")
					}
					s.add("", key, value)
				}
			}
		},
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
		if a[i].Count > 0 {
			used++
		}
	}
	if used < partitions*95/100 {
		t.Errorf("%d of %d partitions are in use", used, partitions)
	}
}
