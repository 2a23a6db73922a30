package checker

import (
	"strconv"
	"unicode/utf8"
)

// A Value is what a key holds: bytes, or nothing at all. The zero Value stands
// for neither: nothing was said about it.
type Value struct {
	state valueState
	bytes string
}

type valueState byte

const (
	unsaid valueState = iota
	nothing
	something
)

// Absent is the value of a key that does not exist.
func Absent() Value { return Value{state: nothing} }

// Bytes is the value of a key that holds b, which may be empty.
func Bytes(b []byte) Value { return Text(string(b)) }

// Text is Bytes for a string.
func Text(s string) Value { return Value{state: something, bytes: s} }

// Said reports whether the value says anything.
func (v Value) Said() bool { return v.state != unsaid }

// Get returns the bytes, and false if the key does not exist or nothing was said.
func (v Value) Get() (string, bool) { return v.bytes, v.state == something }

// shownBytes is how much of a value a message or a drawing shows.
const shownBytes = 48

func (v Value) String() string {
	switch v.state {
	case unsaid:
		return "?"
	case nothing:
		return "nothing"
	case something:
	}
	shown, more := v.bytes, ""
	if len(shown) > shownBytes {
		shown, more = shown[:shownBytes], "… ("+strconv.Itoa(len(v.bytes))+" bytes)"
	}
	if utf8.ValidString(v.bytes) {
		// A cut inside a character would show as an escape that is not there.
		for !utf8.ValidString(shown) {
			shown = shown[:len(shown)-1]
		}
	}
	return strconv.Quote(shown) + more
}
