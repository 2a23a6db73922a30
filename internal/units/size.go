package units

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Bytes that a value costs beside its contents (page
// CapacityUnitCalculations).
const (
	// ScalarSize is the size of a Boolean and of a Null.
	ScalarSize = 1
	// ListOverhead and MapOverhead are charged for an empty list or map too.
	ListOverhead = 3
	MapOverhead  = 3
	// ElementOverhead is charged for each element of a list and each pair of a
	// map, beside the element's own size and, in a map, the key's.
	ElementOverhead = 1
)

// StringSize returns the size of a string or of an attribute's name: its UTF-8
// bytes.
func StringSize(s string) int { return len(s) }

// BinarySize returns the size of a binary value: its raw bytes, not their
// base64 form.
func BinarySize(b []byte) int { return len(b) }

// NumberSize returns the size of the decimal number that text spells, with or
// without exponent: one byte, one byte for each pair of digits from the first
// significant digit to the last, one byte for a minus sign. Pairs are counted
// from the decimal point in both directions, so 100 is one pair (01 00, the
// second trimmed), 120 and 1.5 are two; zero is one byte alone.
//
// The guide only says "approximately 1 byte per two significant digits, plus 1
// byte" (page CapacityUnitCalculations). The pairs were found by measuring to
// the byte on the service and, where it has not been measured, on DynamoDB Local
// (docs/facts/dynamodb.md §3.1, numberSizes in the tests).
//
// The error says what is wrong with text; limits on precision and magnitude
// are not checked here.
func NumberSize(text string) (int, error) {
	mantissa, negative := text, false
	if text != "" && (text[0] == '-' || text[0] == '+') {
		mantissa, negative = text[1:], text[0] == '-'
	}
	mantissa, power, hasPower := strings.Cut(mantissa, "e")
	if !hasPower {
		mantissa, power, hasPower = strings.Cut(mantissa, "E")
	}
	exponent := 0
	if hasPower {
		var err error
		if exponent, err = strconv.Atoi(power); err != nil {
			return 0, fmt.Errorf("number %q: exponent: %w", text, err)
		}
	}
	high, low, err := significant(mantissa)
	switch {
	case err != nil:
		return 0, fmt.Errorf("number %q: %w", text, err)
	case high < low:
		return 1, nil
	}
	// Shifting right floors, so that 10^0 and 10^1 are one pair, 10^-1 and 10^-2
	// another.
	size := 1 + (high+exponent)>>1 - (low+exponent)>>1 + 1
	if negative {
		size++
	}
	return size, nil
}

// significant returns the powers of ten of the first and of the last digit that
// is not zero; high is below low if all are.
func significant(mantissa string) (high, low int, err error) {
	point := strings.IndexByte(mantissa, '.')
	if point < 0 {
		point = len(mantissa)
	}
	high, low = -1, 0
	digits := 0
	for i := range len(mantissa) {
		c := mantissa[i]
		power := point - i // to the right of the point, where it takes a place
		if i < point {
			power--
		}
		switch {
		case i == point:
			continue
		case c < '0' || c > '9':
			return 0, 0, fmt.Errorf("unexpected character %q", c)
		case c != '0':
			if high < low {
				high = power
			}
			low = power
		}
		digits++
	}
	if digits == 0 {
		return 0, 0, errors.New("no digits")
	}
	return high, low, nil
}
