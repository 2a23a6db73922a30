package results

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// points are measured values of f at each x.
func points(f func(x float64) float64, xs ...float64) []sample {
	var s []sample
	for _, x := range xs {
		s = append(s, sample{x, f(x)})
	}
	return s
}

// Data made by a formula gives the formula back.
func TestFitFindsTheFormula(t *testing.T) {
	xs := []float64{0, 1000, 10_000, 100_000}
	for _, c := range []struct {
		a, b, k float64
		class   Class
	}{
		{2, 0.001, 1, Linear},
		{0, 0.074, 1, Linear},
		{1e9, 1e-3, 1, Linear}, // b tiny beside a
		{75, 1e-12, 2.5, Superlinear},
		{5, 3, 0.5, Sublinear},
		{5, 3, 0.89, Sublinear},
		{5, 3, 0.9, Linear},
		{5, 3, 1.1, Linear},
		{5, 3, 1.1001, Superlinear},
		{5, 1e-5, 2, Superlinear},
		{1e6, -3, 1, Linear}, // falls
	} {
		got, class := fit(points(func(x float64) float64 { return c.a + c.b*math.Pow(x, c.k) }, xs...), Exact)
		if class != c.class || !near(got.k, c.k, 1e-4) || !near(got.b, c.b, 1e-3) || math.Abs(got.a-c.a) > 1e-6*math.Abs(c.a)+1e-3 {
			t.Errorf("a, b, k = %v, %v, %v: fitted %+v, %s; want %s", c.a, c.b, c.k, got, class, c.class)
		}
	}
}

func near(got, want, relative float64) bool { return math.Abs(got-want) <= relative*math.Abs(want) }

func TestFitClasses(t *testing.T) {
	decades := []float64{0, 1000, 10_000, 100_000}
	for name, c := range map[string]struct {
		samples []sample
		assume  Assumption
		want    Class
	}{
		"same count":                    {points(func(float64) float64 { return 8 }, decades...), Exact, Constant},
		"nothing":                       {points(func(float64) float64 { return 0 }, decades...), Exact, Constant},
		"a count one more in a million": {points(func(x float64) float64 { return 1e6 + math.Min(x, 1) }, decades...), Exact, Sublinear},
		"time within 1 %":               {points(func(x float64) float64 { return 1e6 + 1e4*math.Min(x, 1) }, decades...), Time, Constant},
		"time beyond 1 %":               {points(func(x float64) float64 { return 1e6 + 1.02e4*math.Min(x, 1) }, decades...), Time, Sublinear},
		"two points":                    {points(func(x float64) float64 { return x }, 1, 1000), Exact, Undetermined},
		"same count at two points":      {points(func(float64) float64 { return 8 }, 1, 1000), Exact, Undetermined},
		"less than tenfold":             {points(func(x float64) float64 { return x }, 100, 500, 999), Exact, Undetermined},
		"just tenfold":                  {points(func(x float64) float64 { return x }, 100, 500, 1000), Exact, Linear},
		// From 0 the range is infinite, but one step from 0 tells no exponent.
		"tenfold from zero only": {points(func(x float64) float64 { return x }, 0, 500, 1000), Exact, Undetermined},
		"logarithm":              {points(math.Log1p, decades...), Exact, Sublinear},
		"n log n":                {points(func(x float64) float64 { return x * math.Log1p(x) }, 0, 10, 100, 1000), Exact, Superlinear},
		"square root":            {points(math.Sqrt, decades...), Exact, Sublinear},
		// Pages of a v1 scan of 1,000 tables and x records: full ones of 1,000 items
		// and one more; without a page limit ones of 1 MiB, 3,496 items of 300 bytes.
		"pages by limit": {points(func(x float64) float64 { return math.Floor((1000+x)/1000) + 1 }, decades...), Exact, Linear},
		"pages by size":  {points(func(x float64) float64 { return math.Ceil((1000 + x) / 3496) }, decades...), Exact, Linear},
		"pages by size, finer": {points(func(x float64) float64 { return math.Ceil((1000 + x) / 3496) },
			0, 1000, 3000, 10_000, 30_000, 100_000, 1e6), Exact, Linear},
	} {
		if got, class := fit(c.samples, c.assume); class != c.want {
			t.Errorf("%s: fitted %+v, %s; want %s", name, got, class, c.want)
		}
	}
}

// A fit does not depend on the order of the samples, and if x is counted in
// other units (thousands, say) the curve is the same.
func TestFitInvariances(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := noisy(t)
		want, class := fit(samples, Exact)
		shuffled := append([]sample(nil), samples...)
		seed := rapid.Uint64().Draw(t, "seed")
		r := rand.New(rand.NewPCG(seed, 0))
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		var scaled []sample
		for _, s := range shuffled {
			scaled = append(scaled, sample{s.x * 1024, s.y})
		}
		got, gotClass := fit(scaled, Exact)
		if math.Abs(got.k-want.k) > 2/exponentDecimals || gotClass != class && !atBound(want.k) {
			t.Fatalf("scaled: %+v %s, was %+v %s", got, gotClass, want, class)
		}
	})
}

// atBound reports whether k is so near to the bound of a class that rounding decides.
func atBound(k float64) bool {
	return math.Abs(k-linearFrom) < 1e-3 || math.Abs(k-linearTo) < 1e-3
}

// noisy draws samples along a power law, with noise.
func noisy(t *rapid.T) []sample {
	a := rapid.Float64Range(0, 1e4).Draw(t, "a")
	b := rapid.Float64Range(0.01, 10).Draw(t, "b")
	k := rapid.Float64Range(0.3, 2).Draw(t, "k")
	var samples []sample
	for i, x := range []float64{0, 1, 10, 100, 1000} {
		noise := rapid.Float64Range(0.95, 1.05).Draw(t, fmt.Sprint("noise", i))
		samples = append(samples, sample{x, (a + b*math.Pow(x, k)) * noise})
	}
	return samples
}

// The second method: the normal equations, solved by Cramer's rule as a textbook
// writes them, for every exponent in steps of the rounding. No fit leaves less
// than fit does.
func TestFitIsTheBestOfAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := noisy(t)
		got, _ := fit(samples, Exact)
		left := func(c curve) float64 {
			var sum float64
			for _, s := range samples {
				r := s.y - c.a - c.b*math.Pow(s.x, c.k)
				sum += r * r / math.Max(s.y, 1)
			}
			return sum
		}
		mine := left(got)
		for step := 200; step <= 40_000; step += 41 {
			k := float64(step) / exponentDecimals
			var s0, s1, s2, t0, t1 float64
			for _, s := range samples {
				w, u := 1/math.Max(s.y, 1), math.Pow(s.x, k)
				s0, s1, s2 = s0+w, s1+w*u, s2+w*u*u
				t0, t1 = t0+w*s.y, t1+w*u*s.y
			}
			det := s0*s2 - s1*s1
			c := curve{a: (t0*s2 - t1*s1) / det, b: (s0*t1 - s1*t0) / det, k: k}
			if theirs := left(c); theirs < mine*(1-1e-6)-1e-9 {
				t.Fatalf("%+v leaves %v, %+v leaves %v", got, mine, c, theirs)
			}
		}
	})
}

func TestCrossing(t *testing.T) {
	for name, c := range map[string]struct {
		dear, cheap curve
		lo, hi      float64
		whole       bool
		want        float64
		ok          bool
	}{
		// 2 + x/1000 > 8 from 6,000 on, there both cost 8.
		"line over constant":        {curve{2, 0.001, 1}, curve{8, 0, 0}, 0, 1e5, false, 6000, true},
		"line over constant, whole": {curve{2, 0.001, 1}, curve{8, 0, 0}, 0, 1e5, true, 6001, true},
		// 75 + 0.074·x > 80 from 67.57 on.
		"between whole numbers": {curve{75, 0.074, 1}, curve{80, 0, 0}, 0, 1e5, true, 68, true},
		"fraction":              {curve{75, 0.074, 1}, curve{80, 0, 0}, 0, 1e5, false, 5 / 0.074, true},
		"from the start":        {curve{9, 1, 1}, curve{8, 0, 0}, 0, 1e5, true, 0, true},
		"from the first whole":  {curve{8, 1, 1}, curve{8, 0, 0}, 0, 1e5, true, 1, true},
		"never":                 {curve{2, 0.001, 1}, curve{8, 0, 0}, 0, 5999, true, 0, false},
		"equal":                 {curve{8, 0, 0}, curve{8, 0, 0}, 0, 1e5, true, 0, false},
		"the other way":         {curve{8, 0, 0}, curve{2, 0.001, 1}, 0, 1e5, true, 0, false},
		// √x·10 > x until 100, so the square root is cheaper from 100 on.
		"two powers": {curve{0, 1, 1}, curve{0, 10, 0.5}, 0, 1e6, true, 101, true},
		// 10·x is less than x² + 21 below 3 and above 7.
		"two crossings":      {curve{21, 1, 2}, curve{0, 10, 1}, 0, 100, true, 8, true},
		"measured from 1000": {curve{2, 0.001, 1}, curve{8, 0, 0}, 10_000, 1e5, true, 10_000, true},
	} {
		got, ok := crossing(c.dear, c.cheap, c.lo, c.hi, c.whole)
		if ok != c.ok || !near(got, c.want, 1e-6) {
			t.Errorf("%s: %v, %v; want %v, %v", name, got, ok, c.want, c.ok)
		}
	}
}
