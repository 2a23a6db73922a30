package gate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/lakebench/lakebench/internal/render/format"
	"github.com/lakebench/lakebench/results/compare"
)

// Effect is whether a change is for the worse; "" if it has no direction.
type Effect string

// The effects.
const (
	Worse  Effect = "worse"
	Better Effect = "better"
)

// A Cause is findings that are told together, because one change moves all of them: a
// request more in each refresh moves requests, units and dollars at every point. They
// are of one variant and, where counts are exact, the requests that changed at their
// places have the same causes.
type Cause struct {
	// Summary names the largest finding, how many places there are, and the other
	// metrics.
	Summary string `json:"summary"`
	Kind    Kind   `json:"kind"` // of the largest finding
	Effect  Effect `json:"effect,omitempty"`
	// Findings is how many there are.
	Findings int `json:"findings"`

	list []Finding // the largest first
}

// A moved says what moved a finding of a row or of the ledgers.
type moved struct {
	variant string
	why     string  // of all at one place
	change  float64 // relative, infinite from 0
}

// key is equal for findings of one cause.
func (f *Finding) key() string {
	switch f.Kind {
	case KindCount, KindLedger:
		return "count\x00" + f.moved.variant + "\x00" + f.moved.why
	case KindTime, KindMetricMissing, KindClock:
		return string(f.Kind) + "\x00" + f.moved.variant
	case KindGrowth:
		return string(f.Kind) + "\x00" + f.Place + "\x00" + f.Old + "\x00" + f.New
	case KindInput: // each file for itself
		return string(f.Kind) + "\x00" + f.Place
	default:
		return string(f.Kind) + "\x00" + f.Message
	}
}

// rank orders findings and causes: what keeps the gate from judging, what is worse,
// what has no direction, what is better.
func rank(k Kind, e Effect) int {
	switch {
	case e == Worse:
		return 1
	case e == Better:
		return 3
	case k == KindCount || k == KindTime || k == KindLedger || k == KindGrowth:
		return 2
	}
	return 0
}

// larger orders findings by rank, and then by the size of their change; sizes that
// differ by rounding alone are equal.
func larger(a, b Finding) int {
	size := func(f Finding) float64 { return math.Round(1e9 * math.Abs(f.moved.change)) }
	return cmp.Or(cmp.Compare(rank(a.Kind, a.Effect), rank(b.Kind, b.Effect)), cmp.Compare(size(b), size(a)))
}

// leading orders the findings of a cause: those with a direction first.
func leading(a, b Finding) int {
	if (a.Effect == "") != (b.Effect == "") {
		return cmp.Compare(b.Effect, a.Effect)
	}
	return larger(a, b)
}

// causesOf puts findings of one cause together, the largest cause first.
func causesOf(findings []Finding) []Cause {
	at := map[string]int{}
	causes := []Cause{}
	for _, f := range findings {
		i, ok := at[f.key()]
		if !ok {
			i = len(causes)
			at[f.key()] = i
			causes = append(causes, Cause{})
		}
		causes[i].list = append(causes[i].list, f)
	}
	for i := range causes {
		c := &causes[i]
		slices.SortStableFunc(c.list, leading)
		c.Kind, c.Effect, c.Findings, c.Summary = c.list[0].Kind, c.list[0].Effect, len(c.list), summary(c.list)
	}
	slices.SortStableFunc(causes, func(a, b Cause) int { return larger(a.list[0], b.list[0]) })
	return causes
}

// byCause returns the findings in the order of their causes.
func byCause(findings []Finding) []Finding {
	sorted := make([]Finding, 0, len(findings))
	for _, c := range causesOf(findings) {
		sorted = append(sorted, c.list...)
	}
	return sorted
}

// summary tells of findings of one cause, the largest first.
func summary(list []Finding) string {
	first := list[0]
	text := first.where() + first.Message
	var places, metrics []string
	ledgers := int64(0)
	of := map[string][]Finding{}
	for _, f := range list {
		if !slices.Contains(places, f.Place) {
			places = append(places, f.Place)
		}
		if f.Kind == KindLedger {
			ledgers++
		} else if of[f.Metric] = append(of[f.Metric], f); len(of[f.Metric]) == 1 && f.Metric != first.Metric {
			metrics = append(metrics, f.Metric)
		}
	}
	switch n := len(places); {
	case n > 1 && first.Effect != "":
		text += fmt.Sprintf(", the largest of %d places", n)
	case n > 1:
		text += fmt.Sprintf(", and at %s", format.Plural(int64(n-1), "other place", "other places"))
	}
	var also []string
	for _, m := range metrics {
		also = append(also, m+deltas(of[m]))
	}
	if ledgers > 0 && first.Kind != KindLedger {
		also = append(also, format.Plural(ledgers, "entry of the ledgers", "entries of the ledgers"))
	}
	if len(also) > 0 {
		text += "; also " + format.List(also)
	}
	if len(list) > 1 && first.moved.why != "" {
		text += "; " + first.moved.why
	}
	return text
}

// deltas is the range of the changes of a metric.
func deltas(list []Finding) string {
	var sizes []float64
	for _, f := range list {
		if f.moved.change != 0 {
			sizes = append(sizes, f.moved.change)
		}
	}
	if len(sizes) == 0 {
		return ""
	}
	least, most := slices.Min(sizes), slices.Max(sizes)
	written := func(v float64) string {
		if math.IsInf(v, 0) {
			return "from 0"
		}
		return compare.Percent(v)
	}
	if least == most {
		return " " + written(most)
	}
	return " " + written(least) + " to " + written(most)
}

// whyAt says what the requests at a place have to do with its counts.
func whyAt(entries []compare.Entry) string {
	var labels []string
	for _, e := range entries {
		if e.Cause != "" && !slices.Contains(labels, e.Cause) {
			labels = append(labels, e.Cause)
		}
	}
	slices.Sort(labels)
	switch {
	case len(labels) > 0:
		return "requests of cause " + strings.Join(labels, ", ") + " changed"
	case len(entries) > 0:
		return "the requests are the same, the outcomes of operations are not"
	}
	return "the requests are the same"
}

// effectOf is the direction of a row's change, and how large it is at most.
func effectOf(r *compare.Row) (Effect, float64) {
	change := r.Most
	if -r.Least > r.Most {
		change = r.Least
	}
	better := r.About.Better
	switch {
	case r.Worse() && (r.Most > 0 && better == "lower"):
		return Worse, r.Most
	case r.Worse():
		return Worse, r.Least
	case r.Change == compare.Different && better != "neither":
		return Better, change
	}
	return "", change
}
