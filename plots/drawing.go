package plots

import "github.com/lakebench/lakebench/results"

// Pictures returns what Write draws.
func Pictures(doc results.Document) []Picture {
	var pictures []Picture
	for _, p := range pagesOf(doc) {
		pictures = append(pictures, Picture{p})
	}
	return pictures
}

// Overview says whether the picture shows charts that are pictures of their own
// too.
func (p Picture) Overview() bool { return len(p.page.charts) > 1 }
