package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/render"
	"github.com/lakebench/lakebench/internal/render/format"
	"github.com/lakebench/lakebench/plots"
	"github.com/lakebench/lakebench/results"
)

func checks(doc results.Document) render.Section {
	s := render.Section{Title: "Checks"}
	if len(doc.Checks) == 0 {
		s.Blocks = []render.Block{render.Paragraph{Level: render.Bad, Text: "No check was made."}}
		return s
	}
	t := render.Table{Columns: []render.Column{{Name: "check"}, {Name: "status", Words: true, Tinted: true}, {Name: "detail", Words: true}}}
	for _, c := range doc.Checks {
		level := render.Warning // neither passed nor failed
		switch c.Status {
		case results.Passed:
			level = render.Good
		case results.Failed:
			level = render.Bad
		case results.Skipped, results.Inconclusive:
		}
		t.Rows = append(t.Rows, render.Row{Cells: []string{c.Name, string(c.Status), c.Detail}, Level: level})
	}
	s.Blocks = []render.Block{t}
	return s
}

// checksFolded is checks, hidden behind their number if all have passed.
func checksFolded(doc results.Document) render.Section {
	s := checks(doc)
	if len(doc.Checks) > 0 && !slices.ContainsFunc(doc.Checks, func(c results.Check) bool { return c.Status != results.Passed }) {
		s.Title, s.Folded = fmt.Sprintf("Checks: all %d passed", len(doc.Checks)), true
	}
	return s
}

// causes is the section of requests by cause, with its picture.
func (d Drawn) causes() []render.Block {
	blocks := causes(d.Document)
	i := slices.IndexFunc(d.Pictures, plots.Picture.ByCause)
	if blocks == nil || i < 0 {
		return blocks
	}
	s := blocks[0].(render.Section)
	s.Blocks = slices.Insert(s.Blocks, 0, render.Block(d.figures(false, d.Pictures[i])))
	return []render.Block{s}
}

// causes breaks an operation's requests down, a row for each cause. It is nil if all
// requests have one cause.
func causes(doc results.Document) []render.Block {
	b, ok := results.RequestsByCause(doc)
	if !ok {
		return nil
	}
	t := render.Table{Columns: []render.Column{{Name: "cause"}}}
	for _, v := range b.Variants {
		t.Columns = append(t.Columns, render.Column{Name: v})
	}
	for _, label := range b.Causes {
		cells := []string{label}
		for _, v := range b.Variants {
			cells = append(cells, format.Significant(b.Counts[v][label]))
		}
		t.Rows = append(t.Rows, render.Row{Cells: cells})
	}
	return []render.Block{render.Section{Title: "Requests by cause, per " + doc.Operation() + othersNote(doc.Summary, b.Point), Blocks: []render.Block{t}}}
}

// ledgers adds up the three ledgers over all series, including the warm-up: this is
// what a bill would show. Requests to set up are counted apart.
func ledgers(doc results.Document) render.Section {
	var operations, failed, unknown, requests, setup int64
	var used results.Usage
	outcomes, onS3 := map[string]int64{}, false
	var usd float64
	for i := range doc.Series {
		s := &doc.Series[i]
		for _, o := range s.Operations {
			operations, failed, unknown = operations+o.Count, failed+o.Failed, unknown+o.Unknown
		}
		for _, a := range s.Attempts {
			if a.Cause == string(cause.Setup) {
				setup += a.Count
				continue
			}
			requests += a.Count
			outcomes[a.Outcome] += a.Count
			onS3 = a.Service == "s3"
		}
		used.Add(s.Usage)
		usd += s.CostUSD
	}
	sums := []string{format.Plural(operations, "operation", "operations"), format.Plural(requests, "request", "requests")}
	count := func(n int64, one, many string) {
		if n != 0 {
			sums = append(sums, format.Plural(n, one, many))
		}
	}
	amount := func(v float64, what string) {
		if v != 0 {
			sums = append(sums, format.Thousands(v, format.Decimals([]float64{v}))+" "+what)
		}
	}
	count(failed, "operation failed", "operations failed")
	count(unknown, "operation of unknown outcome", "operations of unknown outcome")
	sums = append(sums, notOK(outcomes, onS3)...)
	count(setup, "request to set up", "requests to set up")
	amount(used.RRU, "read units")
	amount(used.WRU, "write units")
	amount(float64(used.S3ClassA), "S3 class A")
	amount(float64(used.S3ClassB), "S3 class B")
	sums = append(sums, "$"+format.Significant(usd))
	if used.Source == results.Reported {
		sums = append(sums, fmt.Sprintf("units as the service reported them, %s without", format.Plural(used.Unreported, "request", "requests")))
	}
	return render.Section{Title: "Ledgers", Blocks: []render.Block{text("%s", strings.Join(sums, " · "))}}
}

// attempts sums the requests of the steady phase by kind, a column for each variant.
func attempts(doc results.Document) render.Section {
	type kind struct{ cause, service, api, outcome string }
	counts := map[kind]map[string]int64{}
	variants := doc.Variants()
	for _, s := range doc.Series {
		if s.Phase != results.Steady {
			continue
		}
		for _, a := range s.Attempts {
			k := kind{a.Cause, a.Service, a.API, a.Outcome}
			if counts[k] == nil {
				counts[k] = map[string]int64{}
			}
			counts[k][s.Variant] += a.Count
		}
	}
	t := render.Table{Columns: []render.Column{{Name: "cause"}, {Name: "request", Words: true}, {Name: "outcome", Words: true}}}
	for _, v := range variants {
		t.Columns = append(t.Columns, render.Column{Name: v})
	}
	kinds := slices.SortedFunc(maps.Keys(counts), func(a, b kind) int {
		return cmp.Or(cmp.Compare(a.cause, b.cause), cmp.Compare(a.service, b.service), cmp.Compare(a.api, b.api), cmp.Compare(a.outcome, b.outcome))
	})
	for _, k := range kinds {
		cells := []string{k.cause, k.service + " " + k.api, k.outcome}
		for _, v := range variants {
			cells = append(cells, format.Thousands(float64(counts[k][v]), 0))
		}
		t.Rows = append(t.Rows, render.Row{Cells: cells})
	}
	return render.Section{Title: "Requests by cause, all together", Folded: true, Blocks: []render.Block{t}}
}
