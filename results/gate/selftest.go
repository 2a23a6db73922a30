package gate

import (
	"fmt"
	"slices"

	"github.com/lakebench/lakebench/internal/render"
	"github.com/lakebench/lakebench/results"
)

// A Plant is a regression that a gate must fail on.
type Plant struct {
	Name string
	// Want are the kinds one of which must be among the failures.
	Want []Kind
	// gated, if not nil, is the part of the policy that is to see it.
	gated func(Policy) Action
	// policy, if not nil, changes the policy that is tested, for what it does not
	// gate by default.
	policy func(*Policy, results.Metrics)
	// both, if not nil, prepares both sides.
	both func(*results.Document)
	// apply plants the regression; false if the document has no place for it.
	apply func(*results.Document) bool
}

// Plants are one regression of every kind that a gate has to see.
func Plants() []Plant {
	return []Plant{
		{Name: "a count up by one", Want: []Kind{KindCount}, gated: ofCounts, apply: func(d *results.Document) bool { return addRequests(d, 1) }},
		{Name: "a count down by one", Want: []Kind{KindCount}, gated: ofCounts, apply: func(d *results.Document) bool { return addRequests(d, -1) }},
		{Name: "requests of another kind, as many", Want: []Kind{KindLedger}, gated: ofLedgers, apply: otherRequests},
		{Name: "a missing metric", Want: []Kind{KindMetricMissing}, gated: ofCounts, apply: removeMetric},
		{Name: "a missing series", Want: []Kind{KindSeriesMissing}, apply: func(d *results.Document) bool {
			d.Series = slices.Delete(d.Series, 0, 1)
			return len(d.Series) > 0
		}},
		{Name: "an empty run", Want: []Kind{KindEmpty}, apply: func(d *results.Document) bool {
			d.Series, d.Summary = nil, results.Summary{}
			return true
		}},
		{Name: "an interrupted run", Want: []Kind{KindPartial}, apply: func(d *results.Document) bool { d.Partial = true; return true }},
		{Name: "another workload hash", Want: []Kind{KindWorkload}, apply: otherWorkload},
		{Name: "another seed", Want: []Kind{KindSeed}, apply: func(d *results.Document) bool { d.Seed++; return true }},
		{Name: "a failed check", Want: []Kind{KindCheckFailed}, apply: func(d *results.Document) bool { return setCheck(d, results.Failed) }},
		{Name: "a skipped check", Want: []Kind{KindCheckSkipped}, apply: func(d *results.Document) bool { return setCheck(d, results.Skipped) }},
		{Name: "an inconclusive check", Want: []Kind{KindCheckUnclear}, apply: func(d *results.Document) bool { return setCheck(d, results.Inconclusive) }},
		{Name: "a missing check", Want: []Kind{KindCheckMissing}, apply: removeCheck},
		{Name: "clamped samples", Want: []Kind{KindClamped}, apply: clampSamples},
		{Name: "counts that are no longer deterministic", Want: []Kind{KindDeterminism}, apply: func(d *results.Document) bool {
			was := d.Deterministic
			d.Deterministic = false
			return was
		}},
		{Name: "growth of another class", Want: []Kind{KindGrowth}, gated: ofGrowth, apply: otherGrowth},
		{
			Name: "time slower by 10 %, with 8 repeats a side", Want: []Kind{KindTime},
			policy: gateMedianTimes, both: eightRepeats, apply: func(d *results.Document) bool { return slower(d, 1.1) },
		},
	}
}

func ofCounts(p Policy) Action  { return p.Counts }
func ofLedgers(p Policy) Action { return p.Ledgers }
func ofGrowth(p Policy) Action  { return p.Growth }

// Planted is what became of a plant.
type Planted struct {
	Name string `json:"name"`
	// Caught reports whether the gate failed, and for the reason that was planted.
	Caught bool `json:"caught"`
	// Skipped says why it was not planted; "" if it was.
	Skipped string `json:"skipped,omitempty"`
	// Message is what the gate said first of it.
	Message string `json:"message"`
}

// A SelfTestError reports what a gate let pass, or that it failed on what had not
// changed.
type SelfTestError struct{ Problems []string }

func (e *SelfTestError) Error() string {
	return fmt.Sprintf("the gate cannot be relied on: %s", e.Problems[0]) + more(len(e.Problems)-1)
}

func more(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", and %d more", n)
}

// nothing is what is planted to see that the gate passes.
const nothing = "nothing planted"

// SelfTest plants every regression into a copy of the document and holds it
// against the original, by the policy. It returns a *SelfTestError if the gate
// does not fail on each for its reason, or fails on the document itself.
func SelfTest(doc results.Document, p Policy) ([]Planted, error) {
	var outcomes []Planted
	var problems []string
	for _, plant := range append([]Plant{{Name: nothing}}, Plants()...) {
		o, err := plant.try(doc, p)
		if err != nil {
			return outcomes, err
		}
		outcomes = append(outcomes, o)
		switch {
		case o.Caught || o.Skipped != "":
		case plant.apply == nil:
			problems = append(problems, "it fails although nothing was planted: "+o.Message)
		default:
			problems = append(problems, plant.Name+" passes")
		}
	}
	if len(problems) > 0 {
		return outcomes, &SelfTestError{problems}
	}
	return outcomes, nil
}

// try plants and judges.
func (plant Plant) try(doc results.Document, p Policy) (Planted, error) {
	out := Planted{Name: plant.Name}
	if plant.gated != nil && plant.gated(p) != Enforce {
		out.Skipped = "the policy does not gate it"
		return out, nil
	}
	if plant.policy != nil {
		plant.policy(&p, doc.Metrics)
	}
	old, err := clone(doc)
	if err != nil {
		return out, err
	}
	if plant.both != nil {
		plant.both(&old)
	}
	next, err := clone(old)
	if err != nil {
		return out, err
	}
	if plant.apply != nil && !plant.apply(&next) {
		out.Skipped = "this result has no place for it"
		return out, nil
	}
	g, err := New(p)
	if err != nil {
		return out, err
	}
	v, err := g.Judge(results.Named{Name: "the document", Document: old}, results.Named{Name: "its copy", Document: next})
	if err != nil {
		return out, err
	}
	if plant.apply == nil {
		out.Caught, out.Message = v.Outcome == Pass, "it passes"
		if !out.Caught {
			out.Message = v.Failures[0].Message
		}
		return out, nil
	}
	for _, f := range v.Failures {
		if slices.Contains(plant.Want, f.Kind) {
			out.Caught, out.Message = true, f.Message
			break
		}
	}
	return out, nil
}

// PlantedSection returns the outcome of each plant for people.
func PlantedSection(name string, planted []Planted) render.Section {
	t := render.Table{Columns: []render.Column{{Name: "outcome", Tinted: true}, {Name: "plant", Words: true}}}
	for _, p := range planted {
		outcome, text, level := "caught", p.Name+": "+p.Message, render.Good
		switch {
		case p.Skipped != "":
			outcome, text, level = "skipped", p.Name+": "+p.Skipped, render.Warning
		case !p.Caught:
			outcome, level = "MISSED", render.Bad
		case p.Name == nothing:
			outcome, text = "passed", p.Name
		}
		t.Rows = append(t.Rows, render.Row{Cells: []string{outcome, text}, Level: level})
	}
	return render.Section{Title: name, Blocks: []render.Block{t}}
}

// clone copies a document.
func clone(doc results.Document) (results.Document, error) {
	data, err := results.Encode(doc)
	if err != nil {
		return results.Document{}, err
	}
	return results.Decode(data)
}
