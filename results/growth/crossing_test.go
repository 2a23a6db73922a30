package growth

import (
	"math"
	"testing"
)

// at makes samples at 1, 10, 100, …
func at(ys ...float64) []Sample {
	var all []Sample
	for i, y := range ys {
		all = append(all, Sample{X: math.Pow(10, float64(i)), Y: y})
	}
	return all
}

func TestCross(t *testing.T) {
	for name, c := range map[string]struct {
		a, b []Sample
		want Crossing
		ok   bool
	}{
		"once":                  {at(2, 3, 12, 102), at(8, 8, 8, 8), Crossing{[2]float64{10, 100}, false, 1}, true},
		"the other way":         {at(8, 8, 8, 8), at(2, 3, 12, 102), Crossing{[2]float64{10, 100}, true, 1}, true},
		"never":                 {at(9, 9, 12), at(8, 8, 8), Crossing{}, false},
		"equal everywhere":      {at(8, 8), at(8, 8), Crossing{}, false},
		"equal at the start":    {at(8, 9, 10), at(8, 8, 8), Crossing{}, false},
		"equal in between":      {at(2, 8, 12), at(8, 8, 8), Crossing{[2]float64{1, 100}, false, 1}, true},
		"equal at the end":      {at(1, 2, 4, 16), at(2, 1, 4, 16), Crossing{[2]float64{1, 10}, false, 1}, false},
		"only ever equal later": {at(1, 1, 4, 16), at(1, 2, 4, 16), Crossing{}, false},
		"back and forth":        {at(1, 9, 1, 9), at(5, 5, 5, 5), Crossing{[2]float64{100, 1000}, false, 3}, true},
		"a variant is missing":  {at(2, 3, 12, 102), at(8, 8, 8), Crossing{[2]float64{10, 100}, false, 1}, true},
		"no point in common":    {at(2, 3), []Sample{{X: 5, Y: 1}}, Crossing{}, false},
		"rounding":              {at(1, 1+1e-12), at(1+1e-12, 1), Crossing{}, false},
		"NaN":                   {at(1, math.NaN(), 9), at(5, 5, 5), Crossing{[2]float64{1, 100}, false, 1}, true},
	} {
		got, ok := Cross(c.a, c.b)
		if got != c.want || ok != c.ok {
			t.Errorf("%s: %+v, %v; want %+v, %v", name, got, ok, c.want, c.ok)
		}
	}
	// Margins that overlap tell no order.
	a, b := at(2, 3, 12), at(8, 8, 8)
	for i := range a {
		a[i].Margin = 5
	}
	if got, ok := Cross(a, b); ok {
		t.Errorf("margins: %+v", got)
	}
}

func TestCrossingAt(t *testing.T) {
	line, flat := Curve{Form: Power, A: 2, B: 0.001, K: 1}, Curve{Form: Power, A: 8}
	units, level := Curve{Form: Power, A: 75, B: 0.074, K: 1}, Curve{Form: Power, A: 80}
	for name, c := range map[string]struct {
		dear, cheap Curve
		lo, hi      float64
		whole       bool
		want        float64
		ok          bool
	}{
		// 2 + x/1000 > 8 from 6,000 on, there both cost 8.
		"line over constant":        {line, flat, 1000, 10_000, false, 6000, true},
		"line over constant, whole": {line, flat, 1000, 10_000, true, 6001, true},
		// 75 + 0.074·x > 80 from 67.57 on.
		"between whole numbers": {units, level, 0, 1000, true, 68, true},
		"fraction":              {units, level, 0, 1000, false, 5 / 0.074, true},
		"at the far point":      {line, flat, 1000, 6001, true, 6001, true},
		// ceil(x/1,024) > 3 from 3,073 bytes on.
		"stairs":             {Curve{Form: Stairs, B: 1, Unit: 1024}, Curve{Form: Power, A: 3}, 1020, 4000, true, 3073, true},
		"not by the curves":  {flat, line, 1000, 10_000, true, 0, false},
		"below at the start": {line, flat, 7000, 10_000, true, 0, false},
		"two powers":         {Curve{Form: Power, B: 1, K: 1}, Curve{Form: Power, B: 10, K: 0.5}, 10, 1e6, true, 101, true},
	} {
		got, ok := Crossing{Between: [2]float64{c.lo, c.hi}}.At(c.dear, c.cheap, c.whole)
		if ok != c.ok || math.Abs(got-c.want) > 1e-6*c.want {
			t.Errorf("%s: %v, %v; want %v, %v", name, got, ok, c.want, c.ok)
		}
	}
}
