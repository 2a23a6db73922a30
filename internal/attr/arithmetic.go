package attr

import (
	"math/big"
	"strconv"
)

// Add returns the sum of two N. The error is a *ValueError if a number cannot
// have the exact sum: the service does not round.
func Add(a, b Value) (Value, error) { return sum(a.text, b.text, false) }

// Subtract returns the difference of two N, as Add returns their sum.
func Subtract(a, b Value) (Value, error) { return sum(a.text, b.text, true) }

// shortInteger is how long a canonical integer may be, sign included, for an
// int64 to hold the sum of two.
const shortInteger = 18

func sum(a, b string, minus bool) (Value, error) {
	if len(a) <= shortInteger && len(b) <= shortInteger {
		x, errX := strconv.ParseInt(a, 10, 64)
		y, errY := strconv.ParseInt(b, 10, 64)
		if errX == nil && errY == nil { // neither has a fraction
			if minus {
				y = -y
			}
			return Int(x + y), nil
		}
	}
	x, expX := bigOf(a)
	y, expY := bigOf(b)
	if minus {
		y.Neg(y)
	}
	exponent := min(expX, expY)
	total := scaled(x, expX-exponent)
	total.Add(total, scaled(y, expY-exponent))
	return Number(total.String() + "E" + strconv.Itoa(exponent))
}

// bigOf takes a canonical number apart: digits × 10^exponent.
func bigOf(canonical string) (digits *big.Int, exponent int) {
	d, _ := parseDecimal(canonical) // a canonical number can be parsed
	digits = new(big.Int)
	for _, c := range d.digits[:d.n] {
		digits.Mul(digits, big.NewInt(10))
		digits.Add(digits, big.NewInt(int64(c-'0')))
	}
	if d.negative {
		digits.Neg(digits)
	}
	return digits, d.point - d.n
}

func scaled(n *big.Int, power int) *big.Int {
	factor := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(power)), nil)
	return factor.Mul(factor, n)
}
