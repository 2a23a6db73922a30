package results

import "github.com/lakebench/lakebench/internal/cause"

// FaultsSetting is the key of Backend.Settings under which a document has the
// faults that its run injected.
const FaultsSetting = "faults"

// Retries is the key of Disturbance.Counts for requests that the SDK sent again.
const Retries = "retries"

// conclusiveRepeats is the least number of repeats from which times of the real
// clock have a confidence interval that is worth one.
const conclusiveRepeats = 5

// A Disturbance says that requests of a variant at a point failed, were lost or
// were sent again although no fault was injected. Its counts are not those of the
// layout or policy alone, so it takes part in no fit, crossover or headline.
type Disturbance struct {
	Variant string `json:"variant"`
	Point   Point  `json:"point"`
	// Counts are requests by their outcome, and Retries, over all repeats.
	Counts map[string]int64 `json:"counts"`
}

// Disturbance returns what disturbed a variant at a point; false if nothing did.
func (s *Summary) Disturbance(variant string, p Point) (Disturbance, bool) {
	at := p.String()
	for _, d := range s.Disturbed {
		if d.Variant == variant && d.Point.String() == at {
			return d, true
		}
	}
	return Disturbance{}, false
}

// Conclusive reports whether values of a metric may be fitted, compared for a
// crossover or put into a headline: all counts, modelled times, and times of the
// real clock from five repeats on (docs/spec/results.md §2, "Conclusive").
func (d *Document) Conclusive(m Metric) bool {
	return !m.IsTime() || d.Clock == VirtualClock || d.Repeats >= conclusiveRepeats
}

// disturbances looks for failures in the steady series of a document. Where faults
// were injected, a failure is not told from an injected one.
func disturbances(doc *Document) []Disturbance {
	all := []Disturbance{}
	if doc.Environment.Backend.Settings[FaultsSetting] != "" {
		return all
	}
	for _, g := range groups(doc.Series) {
		counts := make(map[string]int64)
		for _, s := range g.series {
			s.addFailures(counts)
		}
		if len(counts) > 0 {
			all = append(all, Disturbance{g.variant, g.point, counts})
		}
	}
	return all
}

// addFailures adds the failed requests of the series to counts. An absent object, a
// failed condition and a conflict are answers that the protocols work with, and so
// are no failures; nor are retries of conflicts.
func (s *Series) addFailures(counts map[string]int64) {
	var conflicts int64
	for _, a := range s.Attempts {
		switch {
		case a.Cause == string(cause.Setup):
		case a.Outcome == "conflict":
			conflicts += a.Count
		case a.Outcome != "ok" && a.Outcome != "absent" && a.Outcome != "condition-failed":
			counts[a.Outcome] += a.Count
		}
	}
	if s.Retries > conflicts {
		counts[Retries] += s.Retries
	}
}
