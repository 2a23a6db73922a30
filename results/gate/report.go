package gate

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/lakebench/lakebench/internal/render"
	"github.com/lakebench/lakebench/internal/render/format"
)

// A Report is the outcome for all results that were judged together.
type Report struct {
	Outcome  Outcome   `json:"outcome"`
	Verdicts []Verdict `json:"verdicts"`
	// Failures are about no single result: a baseline without a result, a rule that
	// matches nothing, a file that could not be read.
	Failures []Finding `json:"failures"`
	// Notes say what was left out, and why.
	Notes []string `json:"notes"`
}

// NewReport puts verdicts together.
func NewReport(verdicts []Verdict, failures []Finding, notes ...string) Report {
	if len(verdicts) == 0 && len(failures) == 0 {
		failures = []Finding{{Kind: KindEmpty, Message: "nothing was judged"}}
	}
	r := Report{Verdicts: append([]Verdict{}, verdicts...), Failures: append([]Finding{}, failures...), Notes: append([]string{}, notes...)}
	all := failures
	for _, v := range verdicts {
		all = append(all, v.Failures...)
	}
	r.Outcome = worst(all)
	return r
}

// Err returns a *NotPassedError unless everything passed. It names the worst failure
// of those that decide the outcome.
func (r Report) Err() error {
	if r.Outcome == Pass {
		return nil
	}
	e := &NotPassedError{Outcome: r.Outcome}
	var first *Finding
	add := func(who string, list []Finding) {
		e.Failures += len(list)
		for i := range list {
			if f := &list[i]; f.Kind.outcome() == r.Outcome && (first == nil || larger(*f, *first) < 0) {
				first, e.First = f, who+f.where()+f.Message
			}
		}
	}
	for _, v := range r.Verdicts {
		add(v.Workload+": ", v.Failures)
	}
	add("", r.Failures)
	return e
}

// where is the place with a colon, if there is one.
func (f Finding) where() string {
	if f.Place == "" {
		return ""
	}
	return f.Place + ": "
}

// WriteJSON writes the whole report.
func (r Report) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}

// MostOnATerminal is how many causes a terminal shows of a result.
const MostOnATerminal = 12

// Page returns the report for people, with at most the given number of causes for each
// result.
func (r Report) Page(most int) render.Page {
	page := render.Page{Title: "lakebench gate: " + string(r.Outcome)}
	for _, v := range r.Verdicts {
		page.Blocks = append(page.Blocks, v.section(most))
	}
	if len(r.Failures) > 0 {
		outcome := worst(r.Failures)
		page.Blocks = append(page.Blocks, render.Section{
			Title: strings.ToUpper(string(outcome)) + " as a whole", Level: outcome.level(),
			Blocks: []render.Block{causeTable(causesOf(r.Failures), render.Bad, most)},
		})
	}
	for _, n := range r.Notes {
		page.Blocks = append(page.Blocks, render.Paragraph{Level: render.Dim, Text: "Note: " + n})
	}
	return page
}

// level is the weight of an outcome on a page.
func (o Outcome) level() render.Level {
	switch o {
	case Pass:
		return render.Good
	case Inconclusive:
		return render.Warning
	default:
		return render.Bad
	}
}

func (v Verdict) section(most int) render.Section {
	s := render.Section{Title: strings.ToUpper(string(v.Outcome)) + " " + v.Workload + ": " + v.Sentence(), Level: v.Outcome.level()}
	s.Blocks = append(s.Blocks, render.Facts{{Name: "result", Value: v.Result}, {Name: "baseline", Value: v.Baseline}})
	for _, w := range v.Warnings {
		s.Blocks = append(s.Blocks, render.Paragraph{Level: render.Warning, Text: "Warning: " + w})
	}
	if len(v.Failures) > 0 {
		s.Blocks = append(s.Blocks, causeTable(v.Causes, render.Bad, most))
	}
	if len(v.Advice) > 0 {
		title := format.Plural(int64(len(v.Advice)), "change", "changes") + " that the policy does not gate"
		s.Blocks = append(s.Blocks, render.Section{Title: title, Folded: true, Blocks: []render.Block{causeTable(causesOf(v.Advice), render.Warning, most)}})
	}
	return s
}

// causeTable has a row for each cause.
func causeTable(causes []Cause, level render.Level, most int) render.Table {
	t := render.Table{Columns: []render.Column{{Name: "why"}, {Name: "effect", Words: true}, {Name: "findings"}, {Name: "what", Words: true, Tinted: true}}}
	for _, c := range causes[:min(most, len(causes))] {
		t.Rows = append(t.Rows, render.Row{Cells: []string{string(c.Kind), string(c.Effect), strconv.Itoa(c.Findings), c.Summary}, Level: level})
	}
	if more := len(causes) - most; more > 0 {
		t.Notes = []string{fmt.Sprintf("%s more; --format json lists all", format.Plural(int64(more), "cause", "causes"))}
	}
	return t
}

// Sentence says what was gated.
func (v Verdict) Sentence() string {
	var parts []string
	for _, p := range []struct {
		n         int
		one, many string
	}{
		{v.Gated.Counts, "count", "counts"}, {v.Gated.Times, "time", "times"},
		{v.Gated.Growth, "growth class", "growth classes"}, {v.Gated.Checks, "check", "checks"},
	} {
		if p.n > 0 {
			parts = append(parts, format.Plural(int64(p.n), p.one, p.many))
		}
	}
	gated := "nothing gated"
	if len(parts) > 0 {
		gated = format.List(parts) + " gated"
	}
	if len(v.Failures) == 0 {
		return gated
	}
	failures := format.Plural(int64(len(v.Failures)), "failure", "failures")
	if len(v.Causes) < len(v.Failures) {
		failures += " of " + format.Plural(int64(len(v.Causes)), "cause", "causes")
	}
	return failures + "; " + gated
}
