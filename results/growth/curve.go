package growth

import "math"

// Form is the formula of a curve.
type Form string

// The forms. Where B is 0, each is the constant A.
const (
	Power     Form = "power"     // A + B·x^K
	XTimesLog Form = "x-log-x"   // A + B·x·ln(x)
	Logarithm Form = "logarithm" // A + B·ln(x)
	Stairs    Form = "stairs"    // A + B·ceil((x + Offset)/Unit)
)

// Forms returns all forms.
func Forms() []Form { return []Form{Power, XTimesLog, Logarithm, Stairs} }

// Curve is a fitted formula.
type Curve struct {
	Form Form    `json:"form"`
	A    float64 `json:"a"`
	B    float64 `json:"b"`
	// K is the exponent of a Power, 1 of a line, and 0 otherwise.
	K float64 `json:"k"`
	// Unit and Offset are of Stairs.
	Unit   float64 `json:"unit,omitzero"`
	Offset float64 `json:"offset,omitzero"`
	// Residual is the largest distance of a sample from the curve, as a part of the
	// sample's value; where that is 0, of the largest value.
	Residual float64 `json:"residual"`
}

// At returns what the curve says at x.
func (c Curve) At(x float64) float64 {
	if c.B == 0 {
		return c.A
	}
	return c.A + c.B*c.term(x)
}

// term is the part of the formula that A and B leave out.
func (c Curve) term(x float64) float64 {
	switch c.Form {
	case XTimesLog:
		if x == 0 {
			return 0
		}
		return x * math.Log(x)
	case Logarithm:
		return math.Log(x)
	case Stairs:
		return math.Ceil((x + c.Offset) / c.Unit)
	default:
		return math.Pow(x, c.K)
	}
}

// Times returns the curve of the same quantity in other units.
func (c Curve) Times(factor float64) Curve {
	c.A, c.B = tidy(c.A*factor, digits), tidy(c.B*factor, digits)
	return c
}

// Significant digits that are kept of a coefficient, so that it reads 2 and not
// 2.000000000000001, and of a residual.
const (
	digits         = 12
	residualDigits = 3
)

// tidy rounds to some significant digits.
func tidy(v float64, digits int) float64 {
	if v == 0 {
		return 0
	}
	unit := math.Pow(10, float64(digits-1)-math.Floor(math.Log10(math.Abs(v))))
	if r := math.Round(v*unit) / unit; unit > 0 && !math.IsInf(unit, 0) && !math.IsInf(r, 0) {
		return r
	}
	return v
}

// rated returns the curve with its largest residual.
func (s *series) rated(c Curve) Curve {
	c.Residual = 0
	for _, p := range s.samples {
		off := math.Abs(c.At(p.X) - p.Y)
		if off <= 4*rounding {
			continue
		}
		if p.Y != 0 {
			off /= math.Abs(p.Y)
		}
		c.Residual = max(c.Residual, tidy(off, residualDigits))
	}
	return c
}

// original returns the curve of y as it was measured. What subtraction left of a zero
// becomes zero.
func (s *series) original(c Curve) Curve {
	if math.Abs(c.A) <= 4*rounding {
		c.A = 0
	}
	return c.Times(s.largest)
}

// Line returns the straight line that splits a quantity into a part per x and a fixed
// one: the line itself where samples lie on one, that of the least relative squares
// elsewhere, and nothing for what Classify refuses.
func Line(samples []Sample) (slope, fixed float64) {
	s, ok := newSeries(samples)
	if !ok || len(s.samples) < 2 {
		return 0, 0
	}
	c, ok := s.line()
	if !ok {
		c, _ = models[0].fit(s.samples, s.scales)
	}
	c = s.original(c)
	return c.B, c.A
}
