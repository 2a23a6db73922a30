package expr

import (
	_ "embed" // the list of words
	"strings"
	"sync"
)

// reservedText lists the reserved words, one a line, as the page ReservedWords
// does. "SIZE" is among them although size is a function: what stands in front
// of a parenthesis is no name.
//
//go:embed reserved.txt
var reservedText string

var reservedWords = sync.OnceValue(func() map[string]struct{} {
	words := make(map[string]struct{})
	for word := range strings.FieldsSeq(reservedText) {
		words[word] = struct{}{}
	}
	return words
})

// longestReserved is the length of LOCALTIMESTAMP.
const longestReserved = 14

// isReserved reports whether a word, in any case of letters, may not be used as
// a bare attribute name.
func isReserved(word string) bool {
	if len(word) > longestReserved {
		return false
	}
	var upper [longestReserved]byte
	for i := range len(word) {
		c := word[i]
		if c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		upper[i] = c
	}
	_, ok := reservedWords()[string(upper[:len(word)])]
	return ok
}
