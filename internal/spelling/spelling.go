// Package spelling finds the word that was probably meant: a message that names
// it saves its reader a look into the manual.
package spelling

import (
	"fmt"
	"slices"
	"strings"
)

// Nearest returns the known word with the fewest edits from word, whatever the
// case; "" if none is near. More than a third of the letters wrong is another
// word, and so is one all of whose letters are.
func Nearest[S ~string](word string, known []S) S {
	best, fewest := S(""), min(len(word)/3+1, len(word)-1)
	for _, k := range known {
		if d := Distance(strings.ToLower(word), strings.ToLower(string(k))); d <= fewest && (best == "" || d < fewest) {
			best, fewest = k, d
		}
	}
	return best
}

// Distance is the Levenshtein distance, in bytes: the words here are ASCII.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// Unknown returns the message that a name is none of known, with the one that was
// probably meant and all that there are; what is what it should be the name of.
func Unknown(what, name string, known []string) string {
	msg := fmt.Sprintf("unknown %s %q", what, name)
	if near := Nearest(name, known); near != "" {
		msg += fmt.Sprintf(", did you mean %q?", near)
	}
	return msg + " (allowed: " + strings.Join(slices.Sorted(slices.Values(known)), ", ") + ")"
}
