package attr

import "math/bits"

// Bit patterns of eight equal bytes.
const (
	ones      = 0x0101010101010101
	highBits  = 0x80 * ones
	blanks    = ' ' * ones
	quotes    = '"' * ones
	backslash = '\\' * ones
)

// plain returns how many bytes at the start of s stand for themselves in a JSON
// string: printable ASCII except quote and backslash. It looks at eight bytes
// at a time, since most of what passes through here is long and plain.
func plain(s string) int {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		w := uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
			uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
		// Up to the first byte that is not plain, each of the terms sets the high
		// bit of exactly the bytes that it is about: those of 0x80 and above, those
		// below a blank, quotes (which xor makes zero), backslashes.
		found := (w | (w - blanks) | ((w ^ quotes) - ones) | ((w ^ backslash) - ones)) & highBits
		if found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for ; i < len(s); i++ {
		if c := s[i]; c < ' ' || c >= 0x80 || c == '"' || c == '\\' {
			break
		}
	}
	return i
}
