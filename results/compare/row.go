package compare

import (
	"encoding/json"
	"math"
	"slices"

	"github.com/lakebench/lakebench/results"
)

// Change is what became of a metric.
type Change string

// The changes.
const (
	// Same: an exact metric, equal in every repeat.
	Same Change = "same"
	// Different: an exact metric that is not, or a significant difference.
	Different Change = "different"
	// Unclear: a sampled metric without a significant difference, "~".
	Unclear Change = "unclear"
	// OnlyOld and OnlyNew: the other result does not have it, or not in a repeat that
	// it has measured.
	OnlyOld Change = "only-old"
	OnlyNew Change = "only-new"
	// Incomparable: times of different clocks.
	Incomparable Change = "incomparable"
)

// A Row is a metric of one variant at one point in one phase.
type Row struct {
	Variant string
	Point   results.Point
	Phase   results.Phase
	Metric  string
	// About describes the metric.
	About  results.Metric
	Change Change
	// Old and New are medians over the repeats; 0 where there is none.
	Old, New float64
	// OldRepeats and NewRepeats are how many repeats have the metric.
	OldRepeats, NewRepeats int
	// Exact reports whether no statistics are involved.
	Exact bool
	// P is, of rows that are not exact, the chance of a difference as large as this
	// if there is none, by the U test of Mann and Whitney; not corrected.
	P float64
	// Repeat is, of exact rows that differ and of those that one side does not have,
	// the first repeat that does; RepeatOld and RepeatNew are its values.
	Repeat               int
	RepeatOld, RepeatNew float64
	// Least and Most are the relative changes of the repeat that fell the most and
	// of the one that rose the most; of rows that are not exact, both are that of
	// the medians. A rise from zero is infinite.
	Least, Most float64

	place int // its number: rows of one place follow each other
}

// Differs reports whether the row is one to look at.
func (r *Row) Differs() bool {
	return r.Change == Different || r.Change == OnlyOld || r.Change == OnlyNew
}

// Worse reports whether the row differs, and any repeat is worse.
func (r *Row) Worse() bool {
	switch {
	case r.Change != Different:
		return false
	case r.About.Better == results.LowerIsBetter:
		return r.Most > 0
	case r.About.Better == results.HigherIsBetter:
		return r.Least < 0
	}
	return false
}

// MarshalJSON writes what is not there, and infinite changes, as null.
func (r Row) MarshalJSON() ([]byte, error) {
	there := func(v float64, ok bool) *float64 {
		if !ok || math.IsInf(v, 0) {
			return nil
		}
		return &v
	}
	both := r.OldRepeats > 0 && r.NewRepeats > 0
	return json.Marshal(struct {
		Variant    string        `json:"variant"`
		Point      results.Point `json:"point"`
		Phase      results.Phase `json:"phase"`
		Metric     string        `json:"metric"`
		Change     Change        `json:"change"`
		Old        *float64      `json:"old"`
		New        *float64      `json:"new"`
		Delta      *float64      `json:"delta"` // relative
		OldRepeats int           `json:"old_repeats"`
		NewRepeats int           `json:"new_repeats"`
		Exact      bool          `json:"exact"`
		P          *float64      `json:"p"`
	}{
		r.Variant, r.Point, r.Phase, r.Metric, r.Change,
		there(r.Old, r.OldRepeats > 0), there(r.New, r.NewRepeats > 0), there(relative(r.Old, r.New), both),
		r.OldRepeats, r.NewRepeats, r.Exact, there(r.P, both && !r.Exact),
	})
}

// place is what both results have of one variant at one point in one phase.
type place struct {
	variant  string
	point    results.Point
	phase    results.Phase
	old, new []*results.Series // by repeat
}

// pair puts the series of two results together.
func pair(old, next []results.Series) []*place {
	type key struct {
		variant, point string
		phase          results.Phase
	}
	var all []*place
	at := make(map[key]*place)
	find := func(s *results.Series) *place {
		k := key{s.Variant, s.Point.String(), s.Phase}
		if at[k] == nil {
			at[k] = &place{variant: s.Variant, point: s.Point, phase: s.Phase}
			all = append(all, at[k])
		}
		return at[k]
	}
	for i := range old {
		p := find(&old[i])
		p.old = append(p.old, &old[i])
	}
	for i := range next {
		p := find(&next[i])
		p.new = append(p.new, &next[i])
	}
	return all
}

// metrics names the metrics that either side has, in the order of tables.
func (p *place) metrics(declared results.Metrics) []string {
	var names []string
	for _, side := range [][]*results.Series{p.old, p.new} {
		for _, s := range side {
			for name := range s.Metrics {
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	declared.Sort(names)
	return names
}

// rows appends the place's rows, which bear its number.
func (p *place) rows(rows []Row, number int, declared results.Metrics, k kinds) []Row {
	for _, name := range p.metrics(declared) {
		m := declared.Lookup(name)
		r := p.row(m, k.of(m))
		r.place = number
		rows = append(rows, r)
	}
	return rows
}

func (p *place) row(m results.Metric, k kind) Row {
	old, next := valuesOf(p.old, m.Name), valuesOf(p.new, m.Name)
	r := Row{
		Variant: p.variant, Point: p.point, Phase: p.phase, Metric: m.Name, About: m, Exact: k == exact,
		Old: median(old), New: median(next), OldRepeats: len(old), NewRepeats: len(next),
	}
	r.Least = relative(r.Old, r.New)
	r.Most = r.Least
	gone, isGone := lacking(old, next, p.new)
	added, isAdded := lacking(next, old, p.old)
	switch {
	case isGone, len(next) == 0:
		r.Change, r.Repeat = OnlyOld, gone
	case isAdded, len(old) == 0:
		r.Change, r.Repeat = OnlyNew, added
	case k == incomparable:
		r.Change = Incomparable
	case k == exact:
		r.compareRepeats(old, next)
	default:
		r.Change, r.P = Unclear, pValue(old, next)
	}
	return r
}

// lacking finds the first repeat that one side has the metric in, and the other
// has measured without it.
func lacking(has, other []sample, measured []*results.Series) (repeat int, ok bool) {
	for _, h := range has {
		same := func(repeat int) bool { return repeat == h.repeat }
		if slices.ContainsFunc(measured, func(s *results.Series) bool { return same(s.Repeat) }) &&
			!slices.ContainsFunc(other, func(s sample) bool { return same(s.repeat) }) {
			return h.repeat, true
		}
	}
	return 0, false
}

// compareRepeats compares the repeats that both sides have, one by one.
func (r *Row) compareRepeats(old, next []sample) {
	r.Change = Same
	first := true
	for _, o := range old {
		i := slices.IndexFunc(next, func(n sample) bool { return n.repeat == o.repeat })
		if i < 0 {
			continue
		}
		change := relative(o.value, next[i].value)
		if first {
			r.Least, r.Most, first = change, change, false
		}
		r.Least, r.Most = min(r.Least, change), max(r.Most, change)
		if change != 0 && r.Change == Same {
			r.Change, r.Repeat, r.RepeatOld, r.RepeatNew = Different, o.repeat, o.value, next[i].value
		}
	}
}

// sample is a metric of one repeat.
type sample struct {
	repeat int
	value  float64
}

func valuesOf(series []*results.Series, metric string) []sample {
	values := make([]sample, 0, len(series))
	for _, s := range series {
		if v, ok := s.Metrics[metric]; ok {
			values = append(values, sample{s.Repeat, v})
		}
	}
	return values
}

func median(samples []sample) float64 {
	switch len(samples) {
	case 0:
		return 0
	case 1:
		return samples[0].value
	}
	values := sorted(samples)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}

func sorted(samples []sample) []float64 {
	values := make([]float64, 0, len(samples))
	for _, s := range samples {
		values = append(values, s.value)
	}
	slices.Sort(values)
	return values
}

// rounding is the relative difference that divisions and sums leave, on machines
// that round differently.
const rounding = 1e-12

// relative is the change from old to next as a part of old; 0 if they are equal
// but for rounding.
func relative(old, next float64) float64 {
	switch d := next - old; {
	case math.Abs(d) <= rounding*max(math.Abs(old), math.Abs(next)):
		return 0
	case old == 0:
		return math.Inf(int(math.Copysign(1, d)))
	default:
		return d / math.Abs(old)
	}
}
