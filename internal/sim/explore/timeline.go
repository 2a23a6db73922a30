package explore

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// shownOperations is how many of the operations that a check complains of are
// shown, the last ones: a key has often been in use for a while before it is held
// wrongly. As many with a fault are shown beside those: what was done wrong then
// may come out elsewhere.
const shownOperations = 12

// WriteTimeline writes what happened in the smallest failing run, one line each,
// at most width characters wide: when, which actor, and what; requests and faults
// are indented below their operation. It shows the operations that the check
// complains of, or all if it names none.
func (f *Failure) WriteTimeline(w io.Writer, width int) error {
	show := func(event) bool { return true }
	if concerned := f.Check.Operations; len(concerned) > 0 {
		shown := f.Smallest.Log.shown(concerned)
		show = func(e event) bool { return shown[e.operation] }
	}
	return writeTimeline(w, f.Smallest.Log, width, show)
}

// shown picks among the concerned operations.
func (l *Log) shown(concerned []int) map[int]bool {
	concerned = slices.Compact(slices.Sorted(slices.Values(concerned)))
	shown := map[int]bool{}
	for _, n := range concerned[max(0, len(concerned)-shownOperations):] {
		shown[n] = true
	}
	faults := map[int]bool{}
	for _, e := range l.events {
		if strings.HasPrefix(e.text, faultMark) && len(faults) < shownOperations {
			faults[e.operation] = true
		}
	}
	maps.Copy(shown, faults)
	return shown
}

// faultMark begins the line of a fault.
const faultMark = "! "

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
		fmt.Fprintf(&b, "(%d lines of other operations are left out)\n", left)
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
