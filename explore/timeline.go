package explore

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// WriteTimeline writes what happened in the smallest failing run, one line each,
// at most width characters wide: when, which actor, and what; requests and faults
// are indented below their operation. It shows the operations that the check
// complains of, or all if it names none.
func (f *Failure) WriteTimeline(w io.Writer, width int) error {
	concerned := f.Check.Operations
	return writeTimeline(w, f.Smallest.Log, width, func(e event) bool {
		return len(concerned) == 0 || slices.Contains(concerned, e.operation)
	})
}

// WriteTimeline writes everything that happened, in the same form. The run must
// have a log.
func (r *Run) WriteTimeline(w io.Writer, width int) error {
	return writeTimeline(w, r.Log, width, func(event) bool { return true })
}

func writeTimeline(w io.Writer, l *Log, width int, show func(event) bool) error {
	actorWidth, left := 0, 0
	var shown []event
	for _, e := range l.events {
		if !show(e) {
			left++
			continue
		}
		shown = append(shown, e)
		actorWidth = max(actorWidth, utf8.RuneCountInString(e.actor))
	}
	var b strings.Builder
	for _, e := range shown {
		indent := ""
		if e.inner {
			indent = "  "
		}
		line := fmt.Sprintf("%11s  %-*s  %s%s", milliseconds(e.at), actorWidth, e.actor, indent, e.text)
		b.WriteString(shorten(line, width) + "\n")
	}
	if left > 0 {
		fmt.Fprintf(&b, "(%d other lines are left out)\n", left)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// milliseconds writes a time with three decimals: nothing is shorter than a
// microsecond.
func milliseconds(d time.Duration) string {
	us := d.Microseconds()
	return fmt.Sprintf("%d.%03d ms", us/1000, us%1000)
}

// shorten cuts a line at width characters.
func shorten(line string, width int) string {
	if utf8.RuneCountInString(line) <= width {
		return line
	}
	return string([]rune(line)[:width-1]) + "…"
}
