package explore

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lakebench/lakebench/internal/backend/fault"
)

// What is left of random items fails, and does not without any one of them,
// whatever it is that fails.
func TestMinimize(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 0))
		items := make([]int, 1+rng.IntN(40))
		for i := range items {
			items[i] = i
		}
		// A part fails if it holds one of some sets: failures are not monotone when
		// a part that holds another number does not fail.
		needed := make([][]int, 1+rng.IntN(3))
		for i := range needed {
			for range rng.IntN(4) {
				needed[i] = append(needed[i], items[rng.IntN(len(items))])
			}
		}
		heals := rng.IntN(2 * len(items)) // unless it is too large
		fails := func(part []int) bool {
			return len(part) == len(items) || !slices.Contains(part, heals) && slices.ContainsFunc(needed, func(set []int) bool {
				return !slices.ContainsFunc(set, func(n int) bool { return !slices.Contains(part, n) })
			})
		}
		best := items
		minimize(items, func(part []int) ([]int, bool) {
			if fails(part) {
				best = part
			}
			return best, fails(part)
		})
		if !fails(best) {
			t.Fatalf("seed %d: %v does not fail", seed, best)
		}
		for i := range best {
			if part := slices.Concat(best[:i], best[i+1:]); fails(part) {
				t.Fatalf("seed %d: %v fails, and so does %v", seed, best, part)
			}
		}
	}
}

func TestJoined(t *testing.T) {
	parse := func(text string) fault.Rules {
		rules, err := fault.Parse("test", text)
		if err != nil {
			t.Fatal(err)
		}
		return rules
	}
	for text, want := range map[string]string{
		"":                   "",
		"on any nth 1 : cut": "on any nth 1 : cut\n",
		"on any nth 1 : cut\non any nth 2 : cut\non any nth 3 : cut":     "on any nth 1..3 : cut\n",
		"on any nth 1 : cut\non any nth 3 : cut":                         "on any nth 1 : cut\non any nth 3 : cut\n",
		"on any nth 2 : cut\non any nth 1 : cut":                         "on any nth 2 : cut\non any nth 1 : cut\n",
		"on any nth 1 : cut\non any nth 2 : cut 5":                       "on any nth 1 : cut\non any nth 2 : cut 5\n",
		"on any actor \"a\" nth 1 : cut\non any actor \"b\" nth 2 : cut": "on any actor \"a\" nth 1 : cut\non any actor \"b\" nth 2 : cut\n",
		"on any : cut\non any nth 1 : cut":                               "on any : cut\non any nth 1 : cut\n",
		"on any nth 1..2 : cut\non any nth 3..4 : cut":                   "on any nth 1..4 : cut\n",
	} {
		if got := joined(parse(text)).String(); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestPerActor(t *testing.T) {
	rules, err := fault.Parse("test", `on dynamodb p 0.5 : throttle
on dynamodb nth 3 : throttle
on dynamodb actor "a" p 0.25 : conflict`)
	if err != nil {
		t.Fatal(err)
	}
	got, origin := perActor(rules, []string{"a", "b"})
	const want = `on dynamodb actor "a" p 0.5 : throttle
on dynamodb actor "b" p 0.5 : throttle
on dynamodb nth 3 : throttle
on dynamodb actor "a" p 0.25 : conflict
`
	if got.String() != want || fmt.Sprint(origin) != "[0 0 1 2]" {
		t.Errorf("got\n%v%v\nwant\n%s[0 0 1 2]", got, origin, want)
	}
}
