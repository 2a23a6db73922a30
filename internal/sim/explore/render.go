package explore

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// WriteText writes the report for people, at most width characters wide but for
// the line that replays a failure, which stays one line.
func (r *Report) WriteText(w io.Writer, width int) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d actors, %d operations each, from seed %d\n\n", r.Scenario, r.Actors, r.Operations, r.Seed)
	fmt.Fprintf(&b, "%-12s %10s %14s\n", "policy", "schedules", "interleavings")
	for _, p := range r.Policies {
		fmt.Fprintf(&b, "%-12s %10d %14d\n", p.Policy, p.Schedules, p.Distinct)
	}
	if len(r.Policies) > 1 {
		fmt.Fprintf(&b, "%-12s %10d %14d\n", "all", r.Schedules, r.Distinct)
	}
	fmt.Fprintf(&b, "\n%d requests, %d operations checked\n", r.Requests, r.Recorded)
	for _, warning := range r.Warnings {
		wrapped(&b, width, "", "warning: "+warning)
	}
	if r.Schedules < r.Planned && r.Failure == nil {
		fmt.Fprintf(&b, "\nInterrupted: %d of %d schedules were run.\n", r.Schedules, r.Planned)
	}
	switch {
	case r.Failure != nil:
		r.Failure.writeText(&b, width)
	case r.Unsettled > 0:
		fmt.Fprintf(&b, "\nINCONCLUSIVE on %d schedules: no failure was found, and not everything was checked.\n", r.Unsettled)
		wrapped(&b, width, "  ", fmt.Sprintf("first on schedule %d (%v, seed %d), check %s: %s",
			r.First.Index+1, r.First.Policy, r.First.Seed, r.First.Check.Name, r.First.Check.Detail))
	case r.Schedules > 0:
		fmt.Fprint(&b, "\nNothing was found.\n")
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return err
	}
	if r.Failure == nil {
		return nil
	}
	return r.Failure.WriteTimeline(w, width)
}

func (f *Failure) writeText(b *strings.Builder, width int) {
	fmt.Fprintf(b, "\nFAILED: check %s on schedule %d (%v, seed %d)\n", f.Check.Name, f.Index+1, f.Policy, f.Found.Case.Seed)
	wrapped(b, width, "  ", f.Check.Detail)
	if f.Runs > 0 {
		found, small := f.Found, f.Smallest
		text := fmt.Sprintf("Made smaller in %d runs: from %d to %d operations of each actor, from %d to %d context switches, from %d to %d faults",
			f.Runs, found.Case.Operations, small.Case.Operations, len(found.Trace.Schedule), len(small.schedule()),
			len(found.Happened), len(small.Case.Faults))
		if f.Minimal {
			text += "; no switch and no fault can be left out."
		} else {
			text += "; that was not all that could be tried, so more may be left out."
		}
		b.WriteString("\n")
		wrapped(b, width, "", text)
	}
	for _, rule := range f.Smallest.Case.Faults {
		wrapped(b, width, "  ", rule.String())
	}
	fmt.Fprintf(b, "\nReplay:\n%s\n\n", f.Command())
}

// wrapped writes text in lines of at most width characters, broken at blanks.
func wrapped(b *strings.Builder, width int, indent, text string) {
	used := 0
	for word := range strings.FieldsSeq(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case used == 0:
			b.WriteString(indent)
			used = len(indent)
		case used+1+n > width:
			b.WriteString("\n" + indent + "  ")
			used = len(indent) + 2
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += n
	}
	b.WriteByte('\n')
}
