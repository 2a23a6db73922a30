package resultstest

import (
	"fmt"

	"github.com/lakebench/lakebench/results"
)

// Name tells a series of a document from the others.
func Name(s *results.Series) string {
	return fmt.Sprint(s.Variant, " ", s.Point, " ", s.Phase, " ", s.Repeat)
}

// Counts writes what was counted in each series, by its name and in one line: what
// must be the same when several workers have divided a run (docs/spec/results.md §6).
func Counts(doc *results.Document) map[string]string {
	all := map[string]string{}
	for i := range doc.Series {
		s := &doc.Series[i]
		requests := map[string]int64{}
		for _, a := range s.Attempts {
			requests[a.API+" "+a.Cause] += a.Count
		}
		all[Name(s)] = fmt.Sprintf("%v, requests %v net of %d retries, evaluated %d, returned %d, bytes %d, units %v",
			s.Operations, requests, s.Retries, s.Evaluated, s.Returned, s.BytesReceived, s.Units)
	}
	return all
}
