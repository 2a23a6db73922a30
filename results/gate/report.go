package gate

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/lakebench/lakebench/internal/render/texttab"
)

// A Report is what the gate says of all results that were judged together.
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

// mostShown is how many findings of one kind a text shows of a result.
const mostShown = 12

// WriteText writes the report for a terminal, width 0 for 80 columns.
func (r Report) WriteText(w io.Writer, width int, color bool) error {
	t := texttab.NewPage(width, color)
	for i, v := range r.Verdicts {
		if i > 0 {
			t.Line("")
		}
		v.text(t)
	}
	if len(r.Failures) > 0 {
		if len(r.Verdicts) > 0 {
			t.Line("")
		}
		t.Line(t.Styled(texttab.Red, strings.ToUpper(string(worst(r.Failures)))+"  as a whole"))
		findings(t, texttab.Red, r.Failures)
	}
	_, err := io.WriteString(w, t.String())
	return err
}

func (v Verdict) text(t *texttab.Page) {
	style := texttab.Green
	if v.Outcome != Pass {
		style = texttab.Red
	}
	t.Paragraph(style, strings.ToUpper(string(v.Outcome))+"  "+v.Workload+": "+v.Sentence(), "  ")
	for _, side := range []struct{ what, name string }{{"  result    ", v.Result}, {"  baseline  ", v.Baseline}} {
		t.Line(t.Styled(texttab.Dim, side.what+texttab.Block(side.name, t.Width, len(side.what))))
	}
	for _, w := range v.Warnings {
		t.Paragraph(texttab.Yellow, "  warning: "+w, "    ")
	}
	findings(t, texttab.Red, v.Failures)
	if len(v.Advice) > 0 {
		t.Line("  Not gated, for your information:")
		findings(t, texttab.Yellow, v.Advice)
	}
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
			parts = append(parts, texttab.Plural(int64(p.n), p.one, p.many))
		}
	}
	gated := "nothing gated"
	if len(parts) > 0 {
		gated = texttab.List(parts) + " gated"
	}
	if len(v.Failures) == 0 {
		return gated
	}
	return texttab.Plural(int64(len(v.Failures)), "failure", "failures") + "; " + gated
}

// findings writes findings under their places, and of each kind not too many.
func findings(t *texttab.Page, style texttab.Style, list []Finding) {
	of := map[Kind]int{}
	place := ""
	for _, f := range list {
		if of[f.Kind]++; of[f.Kind] > mostShown {
			continue
		}
		if f.Place != "" && f.Place != place {
			t.Paragraph(texttab.Plain, "  "+f.Place, "    ")
		}
		place = f.Place
		t.Paragraph(style, fmt.Sprintf("    %s: %s", f.Kind, f.Message), "      ")
	}
	for _, f := range list { // in their order
		if more := of[f.Kind] - mostShown; more > 0 {
			t.Paragraph(style, fmt.Sprintf("    %s: %d more; --format json lists all", f.Kind, more), "      ")
			delete(of, f.Kind)
		}
	}
}
