package export

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// A class is a set of characters that a permuted segment's characters stay in.
// All characters of a class have one length in UTF-8, and the classes together
// are all characters. A place in the class is written in two digits, so that a
// segment of one character has two halves too.
type class struct {
	listed []rune // a class of few characters
	first  rune   // a class of many: all from first on
	gap    rune   // where the surrogates begin, which UTF-8 has not; or 0
	high   int    // radix of the high digit; times low it is the size
	low    int
}

// surrogates is how many there are.
const surrogates = 0x800

// The classes, in the order of classes.
const (
	classPlain = iota
	classPunctuation
	classControl
	classTwoBytes
	classThreeBytes
	classFourBytes
)

var classes = [...]class{
	classPlain:       {listed: []rune(alphabet), high: 8, low: 8},
	classPunctuation: {listed: []rune(" !\"#$%&'()*+,.:;<=>?@[\\]^`{|}~"), high: 5, low: 6},
	classControl:     {listed: controlCharacters(), high: 3, low: 11},
	classTwoBytes:    {first: 0x80, high: 40, low: 48},
	classThreeBytes:  {first: 0x800, gap: 0xd800, high: 240, low: 256},
	classFourBytes:   {first: 0x10000, high: 1024, low: 1024},
}

func controlCharacters() []rune {
	chars := []rune{0x7f}
	for c := range rune(' ') {
		chars = append(chars, c)
	}
	return chars
}

// classOf returns the class of a character that is no slash.
func classOf(c rune) int {
	switch n := utf8.RuneLen(c); {
	case n == 2:
		return classTwoBytes
	case n == 3:
		return classThreeBytes
	case n == 4:
		return classFourBytes
	case c < ' ' || c == 0x7f:
		return classControl
	case strings.ContainsRune(alphabet, c):
		return classPlain
	default:
		return classPunctuation
	}
}

// digits returns the place of a character in its class.
func (k class) digits(c rune) (high, low digit) {
	place := slices.Index(k.listed, c)
	if k.listed == nil {
		if k.gap > 0 && c >= k.gap {
			c -= surrogates
		}
		place = int(c - k.first)
	}
	return digit{place / k.low, k.high}, digit{place % k.low, k.low}
}

// char returns the character at a place of its class.
func (k class) char(high, low digit) rune {
	place := high.value*k.low + low.value
	if k.listed != nil {
		return k.listed[place]
	}
	c := k.first + rune(place)
	if k.gap > 0 && c >= k.gap {
		c += surrogates
	}
	return c
}
