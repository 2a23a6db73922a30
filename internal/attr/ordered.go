package attr

// Ordered keys of numbers: a sign byte, the exponent, the digits in pairs, an
// end byte. Everything after the sign byte is inverted for negative numbers.
const (
	orderedNegative = 0x01
	orderedZero     = 0x02
	orderedPositive = 0x03
	orderedEnd      = 0x00
)

// AppendOrdered appends the key bytes of an S, N or B to dst, such that
// bytes.Compare of two keys of one type is Compare of the values: strings and
// binary as they are, numbers in 3 to 22 bytes (zero in one). A key does not
// say where it ends unless it is a number's. Other types append nothing.
func (v Value) AppendOrdered(dst []byte) []byte {
	switch v.kind {
	case S, B:
		return append(dst, v.text...)
	case N:
		return appendOrderedNumber(dst, v.text)
	default:
		return dst
	}
}

func appendOrderedNumber(dst []byte, canonical string) []byte {
	d, _ := parseDecimal(canonical) // a canonical number can be parsed
	if d.n == 0 {
		return append(dst, orderedZero)
	}
	sign, flip := byte(orderedPositive), byte(0x00)
	if d.negative {
		sign, flip = orderedNegative, 0xff
	}
	// The exponents from -130 to 125 are exactly the values of a byte.
	dst = append(dst, sign, byte(d.exponent()-minExponent)^flip)
	for i := 0; i < d.n; i += 2 {
		pair := 10 * (d.digits[i] - '0')
		if i+1 < d.n {
			pair += d.digits[i+1] - '0'
		}
		dst = append(dst, (pair+1)^flip)
	}
	return append(dst, orderedEnd^flip)
}
