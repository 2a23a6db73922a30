package gate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/lakebench/lakebench/internal/render"
	"github.com/lakebench/lakebench/internal/render/format"
)

// A Report is the outcome for all results that were judged together.
type Report struct {
	Outcome  Outcome   `json:"outcome"`
	Verdicts []Verdict `json:"verdicts"`
	// Failures are about no single result: a baseline without a result, a rule that
	// matches nothing.
	Failures []Finding `json:"failures"`
}

// NewReport puts verdicts together.
func NewReport(verdicts []Verdict, failures []Finding) Report {
	r := Report{Verdicts: verdicts, Failures: failures}
	if r.Failures == nil {
		r.Failures = []Finding{}
	}
	all := failures
	for _, v := range verdicts {
		all = append(all, v.Failures...)
	}
	if len(verdicts) == 0 && len(failures) == 0 {
		r.Failures = []Finding{{Kind: KindEmpty, Message: "nothing was judged"}}
		all = r.Failures
	}
	r.Outcome = worst(all)
	return r
}

// Err returns a *NotPassedError unless everything passed.
func (r Report) Err() error {
	if r.Outcome == Pass {
		return nil
	}
	e := &NotPassedError{Outcome: r.Outcome}
	add := func(who string, list []Finding) {
		for _, f := range list {
			if e.Failures++; e.Failures == 1 {
				e.First = who + f.where() + f.Message
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

// MostOnATerminal is how many findings of one kind a terminal shows of a result.
const MostOnATerminal = 12

// Page returns the report for people, with at most the given number of findings of
// one kind for each result.
func (r Report) Page(most int) render.Page {
	page := render.Page{Title: "lakebench gate: " + string(r.Outcome)}
	for _, v := range r.Verdicts {
		page.Blocks = append(page.Blocks, v.section(most))
	}
	if len(r.Failures) > 0 {
		outcome := worst(r.Failures)
		page.Blocks = append(page.Blocks, render.Section{
			Title: strings.ToUpper(string(outcome)) + " as a whole", Level: outcome.level(),
			Blocks: []render.Block{findings(r.Failures, render.Bad, most)},
		})
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
		s.Blocks = append(s.Blocks, findings(v.Failures, render.Bad, most))
	}
	if len(v.Advice) > 0 {
		title := format.Plural(int64(len(v.Advice)), "change", "changes") + " that the policy does not gate"
		s.Blocks = append(s.Blocks, render.Section{Title: title, Folded: true, Blocks: []render.Block{findings(v.Advice, render.Warning, most)}})
	}
	return s
}

// findings groups findings by their place.
func findings(list []Finding, level render.Level, most int) render.Table {
	t := render.Table{Columns: []render.Column{{Name: "why"}, {Name: "what", Words: true, Tinted: true}}}
	of := map[Kind]int{}
	place := ""
	for _, f := range list {
		if of[f.Kind]++; of[f.Kind] > most {
			continue
		}
		row := render.Row{Cells: []string{string(f.Kind), f.Message}, Level: level}
		if f.Place != place {
			row.Group = cmp.Or(f.Place, "as a whole")
		}
		place = f.Place
		t.Rows = append(t.Rows, row)
	}
	for _, f := range list { // in their order
		if more := of[f.Kind] - most; more > 0 {
			t.Notes = append(t.Notes, fmt.Sprintf("%s: %d more; --format json lists all", f.Kind, more))
			delete(of, f.Kind)
		}
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
	return format.Plural(int64(len(v.Failures)), "failure", "failures") + "; " + gated
}
