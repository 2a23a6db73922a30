package growth

import (
	"flag"
	"math"
	"math/rand/v2"
	"testing"
)

var seed = flag.Uint64("growth.seed", 1, "seed of the random series")

// family is a model that random series are made by.
type family struct {
	class Class
	// exact families are counts: they are tried without noise only.
	exact bool
	// curve returns a random member.
	curve func(r *rand.Rand) func(x float64) float64
}

// between draws a number whose logarithm is spread evenly.
func between(r *rand.Rand, lo, hi float64) float64 {
	return lo * math.Pow(hi/lo, r.Float64())
}

// power draws exponents, and a part that does not grow: none, or a tenth of to ten times
// what grows.
func power(lo, hi float64) func(r *rand.Rand) func(x float64) float64 {
	return func(r *rand.Rand) func(x float64) float64 {
		k, b := lo+(hi-lo)*r.Float64(), between(r, 0.01, 100)
		a := b * between(r, 0.1, 10) * float64(r.IntN(2))
		return func(x float64) float64 { return a + b*math.Pow(x, k) }
	}
}

var families = []family{
	{Constant, true, func(r *rand.Rand) func(x float64) float64 {
		a := math.Round(between(r, 1, 1e6))
		return func(float64) float64 { return a }
	}},
	{Linear, true, func(r *rand.Rand) func(x float64) float64 {
		a, b := float64(r.IntN(1000)), float64(1+r.IntN(100))
		return func(x float64) float64 { return a + b*x }
	}},
	{Steps, true, func(r *rand.Rand) func(x float64) float64 {
		a, b, unit := float64(r.IntN(10)), float64(1+r.IntN(3)), float64(3+r.IntN(50))
		return func(x float64) float64 { return a + b*math.Ceil(x/unit) }
	}},
	{XLogX, false, func(r *rand.Rand) func(x float64) float64 {
		a, b := float64(r.IntN(10)), between(r, 0.1, 10)
		return func(x float64) float64 { return a + b*x*math.Log(max(x, 1)) }
	}},
	{NearLinear, false, power(0.95, 1.05)},
	{Sublinear, false, power(0.3, 0.8)},
	{Superlinear, false, power(1.3, 3)},
	{Bounded, false, func(r *rand.Rand) func(x float64) float64 {
		a, k := between(r, 1, 100), -0.7-r.Float64()
		b := a * (0.3 + 0.6*r.Float64())
		return func(x float64) float64 { return a - b*math.Pow(x, k) }
	}},
	{Falls, false, func(r *rand.Rand) func(x float64) float64 {
		b, k := between(r, 1, 100), -0.5-r.Float64()
		a := b * r.Float64() * float64(r.IntN(2)) / 10
		return func(x float64) float64 { return a + b*math.Pow(x, k) }
	}},
}

// places returns n whole numbers from about 1 on, over two to four decades.
func places(r *rand.Rand, n int) []float64 {
	top := between(r, 100, 10_000)
	var xs []float64
	for i := range n {
		x := math.Round(math.Pow(top, float64(i)/float64(n-1)) * (1 + 0.2*r.Float64()))
		if i > 0 {
			x = max(x, xs[i-1]+1)
		}
		xs = append(xs, x)
	}
	return xs
}

// Of the series of each family at least 99 % get their class or none, with noise and
// without, and those without noise mostly get it.
func TestRandomSeries(t *testing.T) {
	const tries = 300
	t.Logf("go test ./results/growth -run '^TestRandomSeries$' -growth.seed %d", *seed)
	r := rand.New(rand.NewPCG(*seed, 0))
	for _, noise := range []float64{0, 0.005, 0.02, 0.05} {
		for _, f := range families {
			if f.exact && noise > 0 {
				continue
			}
			wrong, right := 0, 0
			for range tries {
				at := f.curve(r)
				var samples []Sample
				for _, x := range places(r, 5+r.IntN(6)) {
					y := at(x)
					samples = append(samples, Sample{X: x, Y: y * (1 + noise*r.NormFloat64()), Margin: 0})
				}
				switch got, c := Classify(samples); {
				case got == f.class || likewise(f.class, got):
					right++
				case got != Undetermined && got != TooFewPoints:
					if wrong++; wrong < 3 {
						t.Logf("%s is called %s, %+v: %v", f.class, got, c, samples)
					}
				}
			}
			t.Logf("noise %g, %s: %d right, %d wrong of %d", noise, f.class, right, wrong, tries)
			if wrong > tries/100 || noise == 0 && right < tries/2 {
				t.Errorf("noise %g, %s: %d right, %d wrong of %d", noise, f.class, right, wrong, tries)
			}
		}
	}
}

// likewise reports whether a class is as right as the one that a series was made with.
func likewise(want, got Class) bool {
	switch want {
	case Steps: // stairs whose points all lie on one line are that line
		return got == Linear || got == NearLinear
	case NearLinear: // of exponent 1
		return got == Linear
	default:
		return false
	}
}
