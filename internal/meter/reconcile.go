package meter

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lakebench/lakebench/internal/counts"
)

// Reconcile compares the counting points with each other, for each phase,
// service, API and cause, and the logical operations with their times. It returns nil
// if they agree, otherwise a [*ReconcileError]. It is for when nothing is under
// way any more.
func (m *Meter) Reconcile() error {
	var all []Disagreement
	for _, phase := range m.Phases() {
		all = append(all, m.Ledger(phase).Reconcile()...)
	}
	if all == nil {
		return nil
	}
	return &ReconcileError{all}
}

// Reconcile returns the disagreements within a ledger, in its order.
func (l Ledger) Reconcile() []Disagreement {
	var all []Disagreement
	for _, r := range l.Rows {
		for _, d := range r.reconcile(l.Source) {
			d.Phase = l.Phase
			all = append(all, d)
		}
	}
	for _, o := range l.Operations {
		for _, h := range []Histogram{o.Service, o.Response} {
			if timed := h.HDR.TotalCount(); timed != o.Count() {
				all = append(all, Disagreement{Phase: l.Phase, Operation: o.Name, Check: CheckTimed, Want: o.Count(), Got: timed})
			}
		}
	}
	return all
}

func (r Row) reconcile(source counts.Source) []Disagreement {
	all := []Disagreement{
		{Check: CheckSent, Want: r.Calls + r.Retries - r.Unsent, Got: r.Attempts},
		{Check: CheckClassified, Want: r.Attempts, Got: r.Outcomes.Total()},
	}
	if source == counts.Computed {
		all = append(all, Disagreement{Check: CheckServed, Want: r.Attempts, Got: r.Served + r.Stopped})
	}
	all = slices.DeleteFunc(all, func(d Disagreement) bool { return d.Want == d.Got })
	for i := range all {
		all[i].Key, all[i].Flow = r.Key, r.Flow
	}
	return all
}

// Check is one comparison of counting points.
type Check string

// The checks.
const (
	// CheckSent: calls + retries − unsent = attempts.
	CheckSent Check = "sent"
	// CheckServed: attempts = requests served + those that a fault stopped, if
	// the embedded service serves them.
	CheckServed Check = "served"
	// CheckClassified: attempts = outcomes.
	CheckClassified Check = "classified"
	// CheckTimed: logical operations = times in each of their histograms.
	CheckTimed Check = "timed"
)

// Disagreement is a check that failed.
type Disagreement struct {
	Phase     string
	Key              // of requests
	Operation string // name of a logical operation, for CheckTimed
	Check     Check
	Want, Got int64 // left and right of the check's equation
	Flow      Flow  // all counts of the requests
}

// String is one line.
func (d Disagreement) String() string {
	requests := fmt.Sprintf("%s %s %s (cause %s)", d.Phase, d.Service, d.API, d.Cause)
	switch d.Check {
	case CheckSent:
		return fmt.Sprintf("%s: %d calls + %d retries − %d unsent = %d, but %d attempts",
			requests, d.Flow.Calls, d.Flow.Retries, d.Flow.Unsent, d.Want, d.Got)
	case CheckServed:
		text := fmt.Sprintf("%s: %d attempts, but %d served", requests, d.Want, d.Flow.Served)
		if d.Flow.Stopped != 0 {
			text += fmt.Sprintf(" and %d stopped by faults", d.Flow.Stopped)
		}
		return text
	case CheckClassified:
		return fmt.Sprintf("%s: %d attempts, but %d outcomes", requests, d.Want, d.Got)
	default:
		return fmt.Sprintf("%s operation %s: %d of them, but %d times", d.Phase, d.Operation, d.Want, d.Got)
	}
}

// ReconcileError means that the ledgers disagree: the run is invalid.
type ReconcileError struct {
	Disagreements []Disagreement // at least one
}

// maxShown bounds the length of the error's text.
const maxShown = 4

func (e *ReconcileError) Error() string {
	shown := e.Disagreements[:min(len(e.Disagreements), maxShown)]
	lines := make([]string, len(shown))
	for i, d := range shown {
		lines[i] = d.String()
	}
	text := "the ledgers disagree: " + strings.Join(lines, "; ")
	if more := len(e.Disagreements) - len(shown); more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}
