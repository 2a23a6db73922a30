package plots

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"

	"github.com/lakebench/lakebench/results"
)

var fixed = vg.Point{X: 10, Y: 10}

func numbers(fs ...float64) []results.Value {
	var vs []results.Value
	for _, f := range fs {
		vs = append(vs, results.Number(f))
	}
	return vs
}

func labels(a axis) []string {
	var all []string
	for _, k := range a.ticks {
		if k.label != "" {
			all = append(all, k.label)
		}
	}
	return all
}

func TestAxisKinds(t *testing.T) {
	for name, c := range map[string]struct {
		values      []results.Value
		logarithmic bool
		broken      bool
		ticks       []string
	}{
		"decades with zero":     {numbers(0, 1000, 10_000, 100_000), false, true, []string{"0", "1,000", "10,000", "100,000"}},
		"decades":               {numbers(100, 1_000_000), false, false, []string{"100", "1,000", "10,000", "100,000", "1M"}},
		"narrow":                {numbers(1, 2, 4, 8), false, false, []string{"1", "2", "4", "8"}},
		"narrow, of y":          {numbers(1, 2, 4, 8), true, false, []string{"1", "2", "5"}},
		"all the same, of y":    {numbers(8, 8), true, false, []string{"5", "10", "20"}},
		"between decades, of y": {numbers(75, 80), true, false, []string{"50", "100", "200"}},
		"zeros only, of y":      {numbers(0, 0), true, false, []string{"0"}},
		"words":                 {[]results.Value{results.Number(2), results.Word("adaptive")}, false, false, []string{"2", "adaptive"}},
		"switch":                {[]results.Value{results.Bool(false), results.Bool(true), results.Bool(false)}, false, false, []string{"false", "true"}},
	} {
		a := newAxis("x", c.values, c.logarithmic, short)
		if got := labels(a); !slices.Equal(got, c.ticks) {
			t.Errorf("%s: ticks %v, want %v", name, got, c.ticks)
		}
		if broken := !math.IsNaN(a.breakAt); broken != c.broken {
			t.Errorf("%s: broken %v, want %v", name, broken, c.broken)
		}
	}
}

// Whatever the values, they stay on the axis, in order, and a zero is before the
// break and all else behind it; ticks are where their values are.
func TestAxisKeepsOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fs := rapid.SliceOfN(rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(1e-9, 1e12)), 1, 12).Draw(t, "values")
		a := newAxis("x", numbers(fs...), rapid.Bool().Draw(t, "logarithmic"), short)
		slices.Sort(fs)
		last := -1.0
		for i, f := range fs {
			at := a.place(results.Number(f))
			if at < 0 || at > 1 || at < last-1e-12 {
				t.Fatalf("%v is at %v, after %v", f, at, last)
			}
			if i > 0 && f > fs[i-1]*(1+1e-9) && at <= last {
				t.Fatalf("%v is where %v is", f, fs[i-1])
			}
			if !math.IsNaN(a.breakAt) && (f == 0) != (at < a.breakAt) {
				t.Fatalf("%v is at %v, the break at %v", f, at, a.breakAt)
			}
			last = at
		}
		for _, k := range a.ticks {
			if k.at < 0 || k.at > 1 {
				t.Fatalf("tick %q is at %v", k.label, k.at)
			}
		}
		if len(labels(a)) == 0 {
			t.Fatal("no tick has a label")
		}
	})
}

func TestShort(t *testing.T) {
	for f, want := range map[float64]string{
		0: "0", 0.05: "0.05", 1: "1", 999: "999", 1000: "1,000", 250_000: "250,000", 1e6: "1M", 1.5e6: "1.5M", 2e9: "2G", 1e-5: "1e-05",
	} {
		if got := short(f); got != want {
			t.Errorf("short(%v) = %q, want %q", f, got, want)
		}
	}
}
