package growth

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// The class, the exponent and the residual do not depend on the scale of y or on the
// order of the samples.
func TestScaleAndOrderDoNotMatter(t *testing.T) {
	all := read(t)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom(all).Draw(t, "series")
		factor := rapid.Float64Range(1e-9, 1e9).Draw(t, "factor")
		other := scaled(n.samples, factor)
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		r.Shuffle(len(other), func(i, j int) { other[i], other[j] = other[j], other[i] })
		class, c := n.classify()
		got, d := Classify(other, n.units...)
		if got != class || d.Form != c.Form || math.Abs(d.K-c.K) > 2/exponentDecimals || d.Unit != c.Unit ||
			math.Abs(d.Residual-c.Residual) > 0.01*c.Residual || math.Abs(d.B-c.B*factor) > 1e-3*math.Abs(d.B) {
			t.Fatalf("%s times %g: %s %+v, was %s %+v", n.name, factor, got, d, class, c)
		}
	})
}

func scaled(samples []Sample, factor float64) []Sample {
	var all []Sample
	for _, s := range samples {
		all = append(all, Sample{s.X, s.Y * factor, s.Margin * factor})
	}
	return all
}

// anything draws samples of any numbers, also of those that no measurement has.
func anything(t *rapid.T) []Sample {
	number := rapid.OneOf(rapid.Float64(), rapid.Float64Range(0, 100), rapid.Map(rapid.IntRange(-2, 20), func(i int) float64 { return float64(i) }),
		rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 0, math.MaxFloat64, math.SmallestNonzeroFloat64, 1 << 53, 1<<53 + 2}))
	var all []Sample
	for range rapid.IntRange(0, 7).Draw(t, "n") {
		all = append(all, Sample{X: number.Draw(t, "x"), Y: number.Draw(t, "y"), Margin: rapid.SampledFrom([]float64{0, 0, 0.01, math.NaN(), -1}).Draw(t, "margin")})
	}
	return all
}

// Whatever the samples, there is a class, and a formula of finite numbers where the class
// has one.
func TestAnySamplesHaveAClass(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anything(t), anything(t)
		class, c := Classify(a, 1024)
		if !class.Determined() && c != (Curve{}) {
			t.Fatalf("%s has a curve: %+v", class, c)
		}
		for _, v := range []float64{c.A, c.B, c.K, c.Residual, c.Unit, c.Offset} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("%v is %s, %+v", a, class, c)
			}
		}
		if x, ok := Cross(a, b); ok && !(x.Between[0] < x.Between[1]) {
			t.Fatalf("%v and %v cross between %v", a, b, x.Between)
		}
		if f, ok := Multiple(a, b); ok && !(f > 0) {
			t.Fatalf("factor %v", f)
		}
	})
}

// What no model can describe is undetermined, however few the points.
func TestNoSamplesOfAFunction(t *testing.T) {
	line := func(change func(s []Sample)) []Sample {
		s := []Sample{{X: 1, Y: 1}, {X: 10, Y: 10}, {X: 100, Y: 100}, {X: 1000, Y: 1000}}
		change(s)
		return s
	}
	for name, s := range map[string][]Sample{
		"NaN":                  line(func(s []Sample) { s[1].Y = math.NaN() }),
		"infinite":             line(func(s []Sample) { s[1].Y = math.Inf(1) }),
		"a negative x":         line(func(s []Sample) { s[0].X = -1 }),
		"two values at one x":  line(func(s []Sample) { s[1].X = 1 }),
		"a negative margin":    line(func(s []Sample) { s[1].Margin = -1 }),
		"one of two is no sum": {{X: 1, Y: math.NaN()}},
	} {
		if class, _ := Classify(s); class != Undetermined {
			t.Errorf("%s: %s", name, class)
		}
	}
	for name, s := range map[string][]Sample{
		"none": nil, "one": {{X: 1, Y: 1}}, "one x three times": {{X: 1, Y: 1}, {X: 1, Y: 1}, {X: 1, Y: 1}},
	} {
		if class, _ := Classify(s); class != TooFewPoints {
			t.Errorf("%s: %s", name, class)
		}
	}
	if class, c := Classify(line(func(s []Sample) { s[0] = s[1] })); class != Linear || c.B != 1 {
		t.Errorf("a sample given twice: %s, %+v", class, c)
	}
}

// The second method: the normal equations, solved by Cramer's rule as a textbook writes
// them, for every exponent in steps of the rounding. No curve leaves less than the fit.
func TestFitIsTheBestOfAll(t *testing.T) {
	free := models[6]
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Float64Range(0, 1e4).Draw(t, "a")
		b := rapid.Float64Range(0.01, 10).Draw(t, "b")
		k := rapid.Float64Range(0.3, 2).Draw(t, "k")
		var samples []Sample
		var scales []float64
		for _, x := range []float64{0, 1, 10, 100, 1000} {
			y := (a + b*math.Pow(x, k)) * rapid.Float64Range(0.95, 1.05).Draw(t, "noise")
			samples, scales = append(samples, Sample{X: x, Y: y}), append(scales, max(y, 1))
		}
		left := func(a, b, k float64) (sum float64) {
			for i, s := range samples {
				off := (s.Y - a - b*math.Pow(s.X, k)) / scales[i]
				sum += off * off
			}
			return sum
		}
		got, _ := free.fit(samples, scales)
		mine := left(got.A, got.B, got.K)
		for step := 1000; step <= 40_000; step += 41 {
			k := float64(step) / exponentDecimals
			var s0, s1, s2, t0, t1 float64
			for i, s := range samples {
				w, u := 1/(scales[i]*scales[i]), math.Pow(s.X, k)
				s0, s1, s2 = s0+w, s1+w*u, s2+w*u*u
				t0, t1 = t0+w*s.Y, t1+w*u*s.Y
			}
			det := s0*s2 - s1*s1
			if theirs := left((t0*s2-t1*s1)/det, (s0*t1-s1*t0)/det, k); theirs < mine*(1-1e-5)-1e-9 {
				t.Fatalf("%+v leaves %v, exponent %v leaves %v", got, mine, k, theirs)
			}
		}
	})
}

// Data made by a formula gives the formula back.
func TestClassifyFindsTheFormula(t *testing.T) {
	for _, c := range []struct {
		a, b, k float64
		class   Class
	}{
		{2, 0.001, 1, Linear}, {0, 0.074, 1, Linear}, {1e9, 1e-3, 1, Linear}, {1e6, -3, 1, Falls},
		{5, 3, 0.5, Sublinear}, {5, 3, 0.89, Sublinear}, {5, 3, 0.9, NearLinear}, {5, 3, 1.1, NearLinear}, {5, 3, 1.1002, Superlinear},
		{5, 1e-5, 2, Superlinear}, {75, 1e-6, 2.5, Superlinear}, {100, -60, -0.5, Bounded}, {100, 60, -0.5, Falls},
	} {
		var samples []Sample
		for _, x := range []float64{1, 1000, 10_000, 30_000, 100_000} {
			samples = append(samples, Sample{X: x, Y: c.a + c.b*math.Pow(x, c.k)})
		}
		class, got := Classify(samples)
		if class != c.class || math.Abs(got.K-c.k) > 1e-4 || math.Abs(got.B-c.b) > 1e-3*math.Abs(c.b) || math.Abs(got.A-c.a) > 1e-3*math.Abs(c.a)+1e-6 {
			t.Errorf("%v + %v·x^%v: %s, %+v; want %s", c.a, c.b, c.k, class, got, c.class)
		}
	}
}

// A line is no answer to a count that leaves it by one.
func TestLineOffByOneIsNotLinear(t *testing.T) {
	class, c := Classify([]Sample{{X: 0, Y: 1e6}, {X: 1000, Y: 2e6 + 1}, {X: 10_000, Y: 11e6}, {X: 100_000, Y: 101e6}})
	if class == Linear || c.Residual == 0 {
		t.Errorf("%s, %+v", class, c)
	}
}

// Known stairs are found with their unit, and without an offset where none is needed.
func TestStairs(t *testing.T) {
	class, c := Classify([]Sample{{X: 300, Y: 4}, {X: 1020, Y: 4}, {X: 4000, Y: 10}, {X: 16_000, Y: 34}}, 4096, 1024)
	if want := (Curve{Form: Stairs, A: 2, B: 2, Unit: 1024}); class != Steps || c != want {
		t.Errorf("%s %+v, want %+v", class, c, want)
	}
	// Twelve bytes more in each item: 1,020 bytes are two units.
	class, c = Classify([]Sample{{X: 300, Y: 1}, {X: 1020, Y: 2}, {X: 4000, Y: 4}, {X: 16_000, Y: 16}}, 1024)
	if class != Steps || c.Unit != 1024 || c.Offset == 0 || c.Residual != 0 || c.At(1020) != 2 || c.At(16_000) != 16 {
		t.Errorf("%s %+v", class, c)
	}
}

func TestMultiple(t *testing.T) {
	units := []Sample{{X: 0, Y: 0}, {X: 1, Y: 3}, {X: 2, Y: 16}}
	if f, ok := Multiple(units, scaled(units, 6.25e-7)); !ok || math.Abs(f-6.25e-7) > 1e-18 {
		t.Errorf("factor %v, %v", f, ok)
	}
	other := scaled(units, 2)
	other[2].Y++
	for name, b := range map[string][]Sample{"shorter": units[:2], "another x": {{X: 0}, {X: 1, Y: 3}, {X: 3, Y: 16}}, "another y": other, "none": {{X: 0}, {X: 1}, {X: 2}}} {
		if f, ok := Multiple(units, b); ok {
			t.Errorf("%s: factor %v", name, f)
		}
	}
}

// A curve that is steeper than any that is looked for gets no class, although the
// steepest one is near all samples.
func TestBoundIsNoAnswer(t *testing.T) {
	var samples []Sample
	for _, x := range []float64{1, 2, 4, 8, 16, 32} {
		samples = append(samples, Sample{X: x, Y: math.Pow(x, 4.02)})
	}
	if class, c := Classify(samples); class != Undetermined {
		t.Errorf("%s %+v", class, c)
	}
}
