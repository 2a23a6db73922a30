package workloads

import (
	"fmt"
	"slices"
	"strings"
)

// unknownName says that name is none of known, which there are, and which of
// them was probably meant.
func unknownName(what, name string, known []string) string {
	msg := fmt.Sprintf("unknown %s %q", what, name)
	if near := nearest(name, known); near != "" {
		msg += fmt.Sprintf(", did you mean %q?", near)
	}
	sorted := slices.Sorted(slices.Values(known))
	return msg + " (allowed: " + strings.Join(sorted, ", ") + ")"
}

// nearest returns the known name with the fewest edits from name, "" if none is
// near: more than a third of the letters wrong is another word.
func nearest(name string, known []string) string {
	best, bestDistance := "", len(name)/3+1
	for _, k := range known {
		if d := distance(name, k); d <= bestDistance && (best == "" || d < bestDistance) {
			best, bestDistance = k, d
		}
	}
	return best
}

// distance is the Levenshtein distance in bytes: names are ASCII.
func distance(a, b string) int {
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
