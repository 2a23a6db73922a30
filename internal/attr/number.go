package attr

import (
	"strconv"
	"strings"

	"github.com/lakebench/lakebench/internal/units"
)

// Limits of numbers (page HowItWorks.NamingRulesDataTypes, "Number"): 38
// significant digits, magnitudes from 1E-130 up to 9.99…E+125.
const (
	MaxDigits   = 38
	maxExponent = 125
	minExponent = -130
)

// decimal is a parsed number: (-1)^negative × 0.d₁d₂…dₙ × 10^point, with
// neither d₁ nor dₙ zero. Zero has no digits.
type decimal struct {
	negative bool
	point    int
	n        int
	digits   [MaxDigits]byte // '0'…'9'
}

// exponent returns the power of ten of the first digit.
func (d *decimal) exponent() int { return d.point - 1 }

// maxExponentDigits bounds the digits of an exponent that are looked at, far
// beyond any that could still give a number in range.
const maxExponentDigits = 9

// parseDecimal reads optional sign, digits with an optional point, and
// optional exponent. Blanks around them are no part of a number. The error is a
// *ValueError.
func parseDecimal(text string) (decimal, error) {
	var d decimal
	rest := text
	if rest != "" && (rest[0] == '-' || rest[0] == '+') {
		d.negative = rest[0] == '-'
		rest = rest[1:]
	}
	mantissa, exponent, hasExponent := strings.Cut(rest, "e")
	if !hasExponent {
		mantissa, exponent, hasExponent = strings.Cut(rest, "E")
	}
	tooLong, ok := d.readMantissa(mantissa)
	if !ok {
		return d, notANumber(text)
	}
	if hasExponent {
		power, err := parseExponent(exponent)
		if err != nil {
			return d, notANumber(text)
		}
		d.point += power
	}
	switch {
	case d.n == 0:
		return decimal{}, nil
	case tooLong:
		return d, &ValueError{Rule: Precision, Message: "Attempting to store more than 38 significant digits in a Number"}
	}
	return d, d.checkRange()
}

// readMantissa reads digits with an optional point. tooLong reports that more
// digits are significant than a decimal holds, ok that the text is a mantissa.
func (d *decimal) readMantissa(text string) (tooLong, ok bool) {
	whole, fraction, hasPoint := strings.Cut(text, ".")
	if whole == "" && fraction == "" {
		return false, false
	}
	d.point = len(whole)
	zeros := 0 // not known yet to be significant
	for i := range len(text) {
		c := text[i]
		switch {
		case hasPoint && i == len(whole):
		case c < '0' || c > '9':
			return false, false
		case c == '0' && d.n == 0:
			d.point--
		case c == '0':
			zeros++
		case d.n+zeros >= MaxDigits:
			tooLong = true
		default:
			for ; zeros > 0; zeros-- {
				d.digits[d.n] = '0'
				d.n++
			}
			d.digits[d.n] = c
			d.n++
		}
	}
	return tooLong, true
}

// checkRange reports a magnitude that a number cannot have.
func (d *decimal) checkRange() error {
	switch {
	case d.n == 0:
		return nil
	case d.exponent() > maxExponent:
		return &ValueError{Rule: Overflow, Message: "Number overflow. Attempting to store a number with magnitude larger than supported range"}
	case d.exponent() < minExponent:
		return &ValueError{Rule: Underflow, Message: "Number underflow. Attempting to store a number with magnitude smaller than supported range"}
	}
	return nil
}

func notANumber(text string) error {
	m := "The parameter cannot be converted to a numeric value"
	if text != "" {
		m += ": " + text
	}
	return &ValueError{Rule: NotANumber, Message: m}
}

func parseExponent(text string) (int, error) {
	digits := strings.TrimLeft(text, "+-")
	if len(text)-len(digits) > 1 {
		return 0, strconv.ErrSyntax
	}
	sign := text[:len(text)-len(digits)]
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return 0, strconv.ErrSyntax
		}
	}
	if trimmed := strings.TrimLeft(digits, "0"); len(trimmed) > maxExponentDigits {
		digits = strings.Repeat("9", maxExponentDigits)
	}
	return strconv.Atoi(sign + digits)
}

// canonicalNumber returns text in plain decimal notation without needless
// zeros, as the service returns numbers. The error is a *ValueError.
func canonicalNumber(text string) (string, error) {
	if isCanonicalInteger(text) {
		return text, nil
	}
	d, err := parseDecimal(text)
	if err != nil {
		return "", err
	}
	return d.String(), nil
}

// isCanonicalInteger recognizes, without parsing, the numbers that need no
// rewriting most often.
func isCanonicalInteger(text string) bool {
	digits := text
	if digits != "" && digits[0] == '-' {
		digits = digits[1:]
	}
	if digits == "" || len(digits) > MaxDigits || digits[0] == '0' {
		return text == "0"
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return false
		}
	}
	return true
}

// String returns the canonical text.
func (d *decimal) String() string {
	if d.n == 0 {
		return "0"
	}
	var b strings.Builder
	b.Grow(2 + max(d.n, d.point, d.n-d.point))
	if d.negative {
		b.WriteByte('-')
	}
	digits := d.digits[:d.n]
	switch {
	case d.point <= 0:
		b.WriteString("0.")
		writeZeros(&b, -d.point)
		b.Write(digits)
	case d.point >= d.n:
		b.Write(digits)
		writeZeros(&b, d.point-d.n)
	default:
		b.Write(digits[:d.point])
		b.WriteByte('.')
		b.Write(digits[d.point:])
	}
	return b.String()
}

func writeZeros(b *strings.Builder, n int) {
	for range n {
		b.WriteByte('0')
	}
}

func formatInt(i int64) string { return strconv.FormatInt(i, 10) }

// numberSize returns the size of a canonical number, which has one for certain.
func numberSize(canonical string) int {
	n, _ := units.NumberSize(canonical)
	return n
}

// compareNumbers compares two canonical numbers by value: signs, then how many
// digits stand before the point, then digit by digit.
func compareNumbers(a, b string) int {
	if a == b {
		return 0
	}
	aNegative, bNegative := a[0] == '-', b[0] == '-'
	switch {
	case aNegative && !bNegative:
		return -1
	case !aNegative && bNegative:
		return 1
	case aNegative:
		return compareMagnitudes(b[1:], a[1:])
	default:
		return compareMagnitudes(a, b)
	}
}

func compareMagnitudes(a, b string) int {
	aWhole, bWhole := wholeDigits(a), wholeDigits(b)
	if aWhole != bWhole {
		return aWhole - bWhole
	}
	return strings.Compare(a, b)
}

func wholeDigits(magnitude string) int {
	if i := strings.IndexByte(magnitude, '.'); i >= 0 {
		return i
	}
	return len(magnitude)
}
