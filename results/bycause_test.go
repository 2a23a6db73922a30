package results

import (
	"strings"
	"testing"
)

// Requests are broken down at the last point, per operation, without those of
// setting up.
func TestRequestsByCause(t *testing.T) {
	series := func(variant string, n float64, attempts ...Attempt) Series {
		return Series{
			Variant: variant, Point: Point{"n": Number(n)}, Phase: Steady,
			Operations: map[string]Operations{"read": {Count: 2, OK: 2}}, Attempts: attempts,
		}
	}
	doc := Document{Series: []Series{
		series("scan", 1, Attempt{Cause: "hint", Count: 100}),
		series("scan", 2, Attempt{Cause: "data", Count: 4}, Attempt{Cause: "hint", Count: 2}, Attempt{Cause: "setup", Count: 50}),
		series("scan", 2, Attempt{Cause: "data", Count: 2}, Attempt{Cause: "hint", Count: 2}),
		series("serve", 2, Attempt{Cause: "data", Count: 4}),
	}}
	b, ok := RequestsByCause(doc)
	if !ok || strings.Join(b.Causes, " ") != "hint data" || b.Counts["scan"]["data"] != 1.5 || b.Counts["scan"]["hint"] != 1 || b.Total("serve") != 2 {
		t.Errorf("%+v, %v", b, ok)
	}
	if _, ok := RequestsByCause(Document{Series: doc.Series[:1]}); ok {
		t.Error("one cause is broken down")
	}
}
