package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/lakebench/lakebench/results"
)

// Markdown writes a report for where Markdown is shown; pictures are left out.
func Markdown(w io.Writer, docs ...results.Document) error {
	v, err := newView(docs)
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", v.Title)
	for _, r := range v.Runs {
		r.markdown(&b)
	}
	_, err = io.WriteString(w, b.String())
	return err
}

func (r run) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "\n## %s\n\n**%s**\n\n", r.Workload, r.Headline)
	for _, a := range r.Alerts {
		fmt.Fprintf(b, "> %s\n\n", a.Text)
	}
	fmt.Fprintf(b, "%s\n", r.Context)
	for _, g := range r.Tables {
		writeGrid(b, g)
	}
	bullets(b, "Crossover, by the fits and within what was measured", r.Crossovers)
	fmt.Fprintf(b, "\n### Checks\n\n")
	checks := results.Grid{Heads: []string{"check", "status", "detail"}, Words: []int{1, 2}}
	for _, c := range r.Checks {
		checks.Rows = append(checks.Rows, results.GridRow{Cells: []string{c.Name, string(c.Status), c.Detail}})
	}
	b.WriteString(checks.Markdown())
	if len(r.Checks) == 0 {
		b.WriteString("None was made.\n")
	}
	fmt.Fprintf(b, "\n### Ledgers and cost\n\n%s\n", strings.Join(r.Ledgers, " · "))
	if len(r.Attempts.Rows) > 0 {
		writeGrid(b, r.Attempts)
	}
	bullets(b, "Assumptions", r.Assumptions)
	facts(b, "Parameters", r.Parameters)
	facts(b, "Environment", r.Environment)
	fmt.Fprintf(b, "\n### How to reproduce\n\n```sh\n%s\n```\n", r.Reproduce)
}

func writeGrid(b *strings.Builder, g results.Grid) {
	fmt.Fprintf(b, "\n### %s\n\n", g.Title)
	b.WriteString(g.Markdown())
	for _, n := range g.Notes {
		fmt.Fprintf(b, "\n%s\n", n)
	}
}

func bullets(b *strings.Builder, title string, items []string) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(b, "\n### %s\n\n", title)
	for _, s := range items {
		fmt.Fprintf(b, "- %s\n", s)
	}
}

func facts(b *strings.Builder, title string, list []fact) {
	g := results.Grid{Title: title, Heads: []string{"", ""}, Words: []int{1}}
	for _, f := range list {
		g.Rows = append(g.Rows, results.GridRow{Cells: []string{f.Name, f.Value}})
	}
	writeGrid(b, g)
}
