package units

import (
	"fmt"
	"strconv"
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
// byte" (page CapacityUnitCalculations); the exact rule was captured on the
// service (facts/dynamodb.md §3.1).
//
// The error says what is wrong with text; limits on precision and magnitude
// are not checked here.
func NumberSize(text string) (int, error) {
	mantissa, negative := text, false
	if text != "" && (text[0] == '-' || text[0] == '+') {
		mantissa, negative = text[1:], text[0] == '-'
	}
	digits, point := 0, -1 // digits seen; how many of them before the point
	first, last := -1, -1  // ordinals of the first and last digit not zero
	exponent, end := 0, len(mantissa)
scan:
	for i := range len(mantissa) {
		switch c := mantissa[i]; {
		case c >= '0' && c <= '9':
			if c != '0' {
				if first < 0 {
					first = digits
				}
				last = digits
			}
			digits++
		case c == '.' && point < 0:
			point = digits
		case c == 'e' || c == 'E':
			end = i
			break scan
		default:
			return 0, fmt.Errorf("number %q: unexpected character %q", text, c)
		}
	}
	if digits == 0 {
		return 0, fmt.Errorf("number %q: no digits", text)
	}
	if end < len(mantissa) {
		var err error
		if exponent, err = strconv.Atoi(mantissa[end+1:]); err != nil {
			return 0, fmt.Errorf("number %q: exponent: %w", text, err)
		}
	}
	if first < 0 {
		return 1, nil
	}
	if point < 0 {
		point = digits
	}
	high, low := point-1-first+exponent, point-1-last+exponent // powers of ten
	size := 1 + (high>>1 - low>>1 + 1)
	if negative {
		size++
	}
	return size, nil
}
