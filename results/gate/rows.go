package gate

import (
	"fmt"
	"math"
	"strings"

	"github.com/lakebench/lakebench/internal/render/format"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/results/compare"
)

// compare holds the rows, ledgers and growth of the result against the baseline's.
func (j *judgement) compare(baseline, result results.Named) error {
	decide := func(r *compare.Row) decision { return j.policy.decide(j.Workload, r, j.used) }
	c, err := compare.Compare(baseline, result, compare.Options{
		Alpha: j.policy.Alpha,
		Test:  func(r *compare.Row) bool { return decide(r).action == Enforce },
	})
	if err != nil {
		return err
	}
	// What is only told is tested by itself: it must not make the gate less sharp.
	c.Test(j.policy.Alpha, func(r *compare.Row) bool { return decide(r).action == Advise })
	j.Warnings = append(j.Warnings, c.Warnings...)
	j.series(c)
	j.explain(c)
	for i := range c.Rows {
		r := &c.Rows[i]
		j.row(r, decide(r))
	}
	if c.TooFew != nil {
		j.fail(KindTooFew, "", "%s", c.TooFew)
	}
	j.ledgers(c.Ledgers)
	j.growth(c.Growth)
	return nil
}

// explain notes what the requests at each place have to do with its counts. Sampled
// counts have no ledgers to compare, and those of repeats are sums, which can be equal
// though the repeats are not.
func (j *judgement) explain(c *compare.Comparison) {
	at := map[string][]compare.Entry{}
	for _, e := range c.Ledgers {
		place := j.Place(e.Variant, e.Point, e.Phase)
		at[place] = append(at[place], e)
	}
	for i := range c.Rows {
		r := &c.Rows[i]
		place := j.Place(r.Variant, r.Point, r.Phase)
		if _, done := j.why[place]; !done && r.Exact && !r.About.IsTime() && (len(at[place]) > 0 || r.OldRepeats == 1) {
			j.why[place] = whyAt(at[place])
		}
	}
}

// series looks for what was not measured at all, or not as often.
func (j *judgement) series(c *compare.Comparison) {
	type key struct {
		place  string
		repeat int
	}
	there := map[key]bool{}
	for i := range j.result.Series {
		s := &j.result.Series[i]
		there[key{j.Place(s.Variant, s.Point, s.Phase), s.Repeat}] = true
	}
	seen := map[string]bool{}
	for i := range j.baseline.Series {
		s := &j.baseline.Series[i]
		place := j.Place(s.Variant, s.Point, s.Phase)
		if !seen[place] {
			seen[place] = true
			j.Places = append(j.Places, place)
		}
		if s.Repeat < c.New.Repeats && !there[key{place, s.Repeat}] {
			j.missing[place] = true
			j.fail(KindSeriesMissing, place, "the series is missing: repeat %d was not measured", s.Repeat)
		}
	}
}

// row judges a metric.
func (j *judgement) row(r *compare.Row, d decision) {
	switch {
	case d.action == Ignore:
		return
	case r.Change == compare.OnlyNew:
		j.advice(KindMetricMissing, r, "is %s and the baseline does not have it; --update adds it", value(r.About, r.New))
		return
	case d.action == Enforce && r.About.IsTime():
		j.Gated.Times++
	case d.action == Enforce:
		j.Gated.Counts++
	}
	tell := j.failRow
	if d.action == Advise {
		tell = j.advice
	}
	switch {
	case r.Change == compare.OnlyOld && !j.missing[j.Place(r.Variant, r.Point, r.Phase)]:
		// Also of times that are not gated: what is not there cannot be looked at.
		j.failRow(KindMetricMissing, r, "is missing in repeat %d, the baseline has %s", r.Repeat, value(r.About, r.Old))
	case r.Change == compare.Incomparable:
		tell(KindClock, r, "cannot be compared: the clocks are %s and %s", j.baseline.Clock, j.result.Clock)
	case r.Change == compare.Different && !d.allows(r):
		kind := KindCount
		if r.About.IsTime() {
			kind = KindTime
		}
		tell(kind, r, "%s", change(r, d))
	}
}

// change says what became of a row, and what would have been allowed.
func change(r *compare.Row, d decision) string {
	text := fmt.Sprintf("is %s, the baseline has %s (%s)", value(r.About, r.New), value(r.About, r.Old), r.Delta())
	switch {
	case r.Exact && r.Old == r.New:
		text = fmt.Sprintf("is %s in repeat %d, the baseline has %s", value(r.About, r.RepeatNew), r.Repeat, value(r.About, r.RepeatOld))
	case !r.Exact:
		text = fmt.Sprintf("is %s over %d repeats, the baseline has %s (%s, p=%.3g)", value(r.About, r.New), r.NewRepeats, value(r.About, r.Old), r.Delta(), r.P)
	}
	if d.up > 0 || d.down > 0 {
		text += fmt.Sprintf("; it may %s and %s", limit("rise", d.up), limit("fall", d.down))
	}
	return text
}

func limit(verb string, v float64) string {
	switch {
	case math.IsInf(v, 0):
		return verb + " by any amount"
	case v == 0:
		return "not " + verb
	}
	return fmt.Sprintf("%s by at most %v%%", verb, 100*v)
}

// value writes a metric's value, with a note if it is scaled.
func value(m results.Metric, v float64) string {
	return strings.TrimSpace(m.Format(v) + " " + m.ScaleNote())
}

func (j *judgement) finding(kind Kind, r *compare.Row, format string, args ...any) Finding {
	f := Finding{Kind: kind, Place: j.Place(r.Variant, r.Point, r.Phase), Metric: r.Metric, Message: r.Metric + " " + fmt.Sprintf(format, args...)}
	if r.OldRepeats > 0 {
		f.Old = r.About.Format(r.Old)
	}
	if r.NewRepeats > 0 {
		f.New = r.About.Format(r.New)
	}
	f.moved.variant = r.Variant
	if kind == KindCount || kind == KindTime {
		f.Effect, f.moved.change = effectOf(r)
		if change := f.moved.change; !math.IsInf(change, 0) {
			f.Change = &change
		}
	}
	if kind == KindCount {
		f.moved.why = j.why[f.Place]
	}
	return f
}

func (j *judgement) failRow(kind Kind, r *compare.Row, format string, args ...any) {
	j.Failures = append(j.Failures, j.finding(kind, r, format, args...))
}

func (j *judgement) advice(kind Kind, r *compare.Row, format string, args ...any) {
	j.Advice = append(j.Advice, j.finding(kind, r, format, args...))
}

// ledgers judges the entries behind the counts.
func (j *judgement) ledgers(entries []compare.Entry) {
	for _, e := range entries {
		f := Finding{
			Kind: KindLedger, Place: j.Place(e.Variant, e.Point, e.Phase), Old: format.Thousands(float64(e.Old), 0), New: format.Thousands(float64(e.New), 0),
			Message: fmt.Sprintf("%s: %s, the baseline has %s", e.What(), format.Thousands(float64(e.New), 0), format.Thousands(float64(e.Old), 0)),
			moved:   moved{variant: e.Variant, why: j.why[j.Place(e.Variant, e.Point, e.Phase)]},
		}
		j.put(j.policy.Ledgers, f)
	}
}

// growth judges the classes of growth of counts. Of what is sampled they may change by
// chance, and are reported; so is what becomes of a class that was not determined: there
// is nothing to hold it to. A policy that asks for classes where none is determined is
// refused.
func (j *judgement) growth(all []compare.Growth) {
	for _, g := range all {
		if g.About.IsTime() || g.Old == "" {
			continue
		}
		action := j.policy.Growth
		if action == Enforce && (!g.Exact || !g.Old.Determined()) {
			action = Advise
		}
		if action == Enforce {
			j.Gated.Growth++
		}
		if !g.Differs() {
			continue
		}
		is := "is " + string(g.New)
		if g.New == "" {
			is = "is not there"
		}
		j.put(action, Finding{
			Kind: KindGrowth, Place: j.Place(g.Variant, g.Point, ""), Metric: g.Metric, Old: string(g.Old), New: string(g.New),
			Message: fmt.Sprintf("growth of %s with %s %s, the baseline's is %s", g.Metric, format.Spaced(g.X), is, g.Old),
		})
	}
	if j.policy.Growth == Enforce && j.policy.GrowthAsked && j.Gated.Growth == 0 {
		j.fail(KindGrowth, "", "the policy gates growth, but no class of the baseline is determined, so it could never fail: "+
			"measure a parameter at four values or more over a tenfold range, or write growth: ignore")
	}
}

// put files a finding as the action says.
func (j *judgement) put(a Action, f Finding) {
	switch a {
	case Enforce:
		j.Failures = append(j.Failures, f)
	case Advise:
		j.Advice = append(j.Advice, f)
	case Ignore:
	}
}

// Unmatched returns a finding for each rule that is about a workload that was
// judged, and has matched no row of it: it would never have failed.
func (g *Gate) Unmatched() []Finding {
	var findings []Finding
	for i, r := range g.policy.Rules {
		about := len(r.Workloads) == 0
		for _, w := range r.Workloads {
			about = about || g.workloads[w]
		}
		if about && !g.used[i] && len(g.workloads) > 0 {
			findings = append(findings, Finding{Kind: KindRule, Message: fmt.Sprintf("the rule in line %d (%s) decides about no row: it could never fail", r.Line, r.describe())})
		}
	}
	return findings
}

// describe says what a rule is about.
func (r Rule) describe() string {
	var parts []string
	add := func(list []string) {
		if len(list) > 0 {
			parts = append(parts, strings.Join(list, ", "))
		}
	}
	add(r.Workloads)
	add(r.Variants)
	if p := results.Point(r.Point); len(p) > 0 {
		parts = append(parts, p.String())
	}
	for _, p := range r.Phases {
		parts = append(parts, string(p))
	}
	add(r.Metrics)
	if len(parts) == 0 {
		return "everything"
	}
	return strings.Join(parts, "; ")
}
