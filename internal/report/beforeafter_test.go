package report

import (
	"errors"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/internal/render"
	"github.com/lakebench/lakebench/internal/resultstest"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/results/compare"
)

// ofPages returns a result of pages of at most n items, in which a refresh on v1 makes
// the given requests at each point.
func ofPages(t *testing.T, n int64, requests float64) results.Named {
	t.Helper()
	doc := resultstest.CatalogRefresh(1, 0, 1000, 10_000)
	doc.Workload.Params["page_limit"] = n
	var err error
	if doc.Workload.Hash, err = results.HashWorkload(doc.Workload.Name, doc.Workload.Version, doc.Workload.Params); err != nil {
		t.Fatal(err)
	}
	for i := range doc.Series {
		s := &doc.Series[i]
		s.Point["page_limit"] = results.Number(n)
		if s.Variant == "v1" {
			s.Metrics["requests/op"] = requests
			s.Attempts[0].Count = int64(requests) * resultstest.Refreshes
		}
	}
	if doc.Summary, err = results.Summarize(&doc); err != nil {
		t.Fatal(err)
	}
	return results.Named{Name: "pages", Document: doc}
}

// A report of two results by a parameter is one page: what changes, a chart with both,
// a table for each point, and both results folded.
func TestAcross(t *testing.T) {
	p, err := Across([]string{"page_limit"}, ofPages(t, 1000, 4), ofPages(t, 250, 10))
	if err != nil {
		t.Fatal(err)
	}
	var html, md strings.Builder
	if err := errors.Join(render.HTML(&html, p), render.Markdown(&md, p)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"# lakebench: catalog-refresh by page limit\n", "**Page limit 250 against page limit 1,000: 3 of 90 exact counts differ.",
		"- v1: requests +150.00%\n", "- v2 and v2-parallel: no count differs\n", "| **history records 1,000 · steady** |",
		"| v1 requests | 4 | 10 | +150.00% |", "<summary>Page limit 1,000</summary>", "<summary>Page limit 250</summary>",
	} {
		if !strings.Contains(md.String(), want) {
			t.Errorf("no %q in\n%.3000s", want, md.String())
		}
	}
	for _, want := range []string{"Before and after", "v1, page limit 1,000", "v1, page limit 250"} {
		if !strings.Contains(html.String(), want) {
			t.Errorf("no %q in the HTML", want)
		}
	}
	three, err := Across([]string{"page_limit"}, ofPages(t, 1000, 4), ofPages(t, 250, 10), ofPages(t, 100, 20))
	if err != nil {
		t.Fatal(err)
	}
	html.Reset()
	if err := render.HTML(&html, three); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(html.String(), "v1, page limit 100") { // nine curves: a chart for each variant
		t.Error("three results have no chart")
	}
	var refused *compare.AlignError
	if _, err := Across([]string{"tables"}, ofPages(t, 1000, 4), ofPages(t, 250, 10)); !errors.As(err, &refused) {
		t.Errorf("by tables: %v", err)
	}
}

// Two runs of a workload have titles of their own.
func TestTitlesOfTwoRuns(t *testing.T) {
	a, b := resultstest.CatalogRefresh(1, 0), resultstest.CatalogRefresh(1, 0)
	b.RunID = "later"
	md := strings.Builder{}
	p, err := Results(Draw(a), Draw(b))
	if err != nil {
		t.Fatal(err)
	}
	if err := render.Markdown(&md, p); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(md.String(), "## catalog-refresh, run "+a.RunID+"\n") || !strings.Contains(md.String(), "## catalog-refresh, run later\n") {
		t.Errorf("titles of two runs are alike:\n%.600s", md.String())
	}
}
