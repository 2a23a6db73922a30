package report

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/internal/render"
	"github.com/lakebench/lakebench/internal/resultstest"
	"github.com/lakebench/lakebench/results"
)

func htmlOf(t *testing.T, docs ...results.Document) string {
	t.Helper()
	return written(t, render.HTML, docs)
}

func markdownOf(t *testing.T, docs ...results.Document) string {
	t.Helper()
	return written(t, render.Markdown, docs)
}

func written(t *testing.T, write func(io.Writer, render.Page) error, docs []results.Document) string {
	t.Helper()
	var all []Drawn
	for _, doc := range docs {
		all = append(all, Draw(doc))
	}
	p, err := Results(all...)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := write(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestReportSaysWhatTheResultSays, in both formats.
func TestReportSaysWhatTheResultSays(t *testing.T) {
	doc := resultstest.CatalogRefresh(1, 0, 100, 1000, 10_000)
	for format, text := range map[string]string{"html": htmlOf(t, doc), "markdown": markdownOf(t, doc)} {
		for _, want := range []string{
			doc.Headline, "Growth with history records (x)", "Crossover", doc.RunID, doc.Workload.Hash,
			"lakebench run catalog-refresh", "Assumptions", "Requests by cause", doc.Workload.Summary, doc.Workload.Variants[2].Doc,
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not say %q", format, want)
			}
		}
		for _, c := range doc.Checks {
			if !strings.Contains(text, string(c.Status)) {
				t.Errorf("%s does not have the check %q", format, c.Name)
			}
		}
	}
	if n := strings.Count(htmlOf(t, doc), "<svg "); n == 0 {
		t.Error("no picture in the page")
	}
}

// TestWhatSpeaksAgainstTheNumbersComesFirst: a failed check, a partial run and
// warnings stand before the first table.
func TestWhatSpeaksAgainstTheNumbersComesFirst(t *testing.T) {
	doc := resultstest.CatalogRefresh(1, 0, 100, 1000, 10_000)
	doc.Checks = append(doc.Checks, results.Check{Name: "sums", Status: results.Failed}, results.Check{Name: "order", Status: results.Inconclusive})
	doc.Partial = true
	doc.Warnings = append(doc.Warnings, "a fault never happened")
	for format, text := range map[string]string{"html": htmlOf(t, doc), "markdown": markdownOf(t, doc)} {
		text = strings.ReplaceAll(text, "&#34;", `"`)
		table := strings.Index(text, "Cost per")
		for _, want := range []string{`the check "sums" failed`, `the check "order" came to no conclusion`, "Partial: the run was interrupted, or", "Warning: a fault never happened"} {
			// A sentence may begin with a capital letter.
			at := max(strings.Index(text, want), strings.Index(text, strings.Replace(want, "the check", "The check", 1)))
			if at < 0 || at > table {
				t.Errorf("%s: %q stands at %d, the first table at %d", format, want, at, table)
			}
		}
	}
}

// TestReportIsInOrder: what was measured, what was found, the pictures of what the
// workload is about, the numbers, and the rest folded.
func TestReportIsInOrder(t *testing.T) {
	doc := resultstest.CatalogRefresh(1, 0, 100, 1000, 10_000)
	for i := range doc.Series {
		s := &doc.Series[i]
		s.Attempts = append(s.Attempts, results.Attempt{Service: "dynamodb", API: "GetItem", Outcome: "ok", Cause: "control", Count: 20})
	}
	doc.Published = []results.PublishedFigure{{Figure: "requests", Variant: "v1", Published: 100, Measured: 99, Explained: "one fewer"}}
	d := Draw(doc)
	d.Folder = "../a/plots"
	p, err := Results(d)
	if err != nil {
		t.Fatal(err)
	}
	write := func(to func(io.Writer, render.Page) error) string {
		var b bytes.Buffer
		if err := to(&b, p); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	folded := func(title string) string { return "<summary>" + title + "</summary>" }
	for format, want := range map[string][]string{
		write(render.HTML): {
			doc.Workload.Summary, "queries all shards at once", doc.Headline, "seed 1", ">Overview</h2>", "What a refresh costs, by history records", ">Requests by cause, per refresh",
			"What a refresh asks for, by cause", ">Charts</h2>", "<title>Requests per refresh (", "<title>Cost of a million refresh operations (", "The same at every point: items returned (1,000).",
			">Cost per refresh</h2>", ">Published figures</h2>", "one fewer", ">Ledgers</h2>", folded("Growth"), "Growth with history records (x)", folded("Crossover"),
			folded("Checks: all 2 passed"), folded("Environment"), folded("How to reproduce"),
		},
		write(render.Markdown): {
			doc.Workload.Summary, "- **v2-parallel**: queries all shards at once", doc.Headline, "## Overview",
			"![What a refresh costs, by history records](../a/plots/overview-by-history_records.svg)", "](../a/plots/requests-by-cause.svg)", "](../a/plots/requests-per-op-by-history_records.svg)",
			"](../a/plots/usd-per-op-by-history_records.svg)", "## Cost per refresh", "one fewer", folded("Growth"), folded("Environment"),
		},
	} {
		for _, part := range want {
			_, after, found := strings.Cut(format, part)
			if !found {
				t.Fatalf("%q is missing or not in its place before\n%.400s", part, format)
			}
			format = after
		}
	}
}

// TestFailedCheckIsNotFolded: only checks that have all passed are folded.
func TestFailedCheckIsNotFolded(t *testing.T) {
	doc := resultstest.CatalogRefresh(1, 0, 1000)
	for _, status := range []results.Status{results.Failed, results.Skipped, results.Inconclusive} {
		doc.Checks[1].Status = status
		if text := markdownOf(t, doc); !strings.Contains(text, "\n## Checks\n") || strings.Contains(text, "all 2 passed") {
			t.Errorf("a check that is %s is folded:\n%s", status, text)
		}
	}
	doc.Checks = nil
	if text := markdownOf(t, doc); !strings.Contains(text, "No check was made.") || strings.Contains(text, "passed") {
		t.Errorf("no check at all:\n%s", text)
	}
}

// TestLongTableIsFolded: what the workload is about stands before it, a row for each
// point, with a mark at what was disturbed.
func TestLongTableIsFolded(t *testing.T) {
	doc := resultstest.CatalogRefresh(1, 0, 1, 10, 100, 1000, 10_000)
	doc.Summary.Disturbed = []results.Disturbance{{Variant: "v1", Point: doc.Series[0].Point, Counts: map[string]int64{"reply-lost": 2, results.Retries: 1}}}
	text := markdownOf(t, doc)
	for _, want := range []string{
		"## Requests, by variant\n\n| history records | v1 | v2 | v2-parallel |\n| :--- | ---: | ---: | ---: |\n| 0 | 2\\* | 8 | 8 |\n| 1 | 2 | 8 | 8 |",
		"\\* Disturbed rows", "<details><summary>Cost per refresh, all metrics</summary>", "| disturbed: 2 lost replies, 1 retry |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

// TestNamesAreText: what a result file says is shown, not run.
func TestNamesAreText(t *testing.T) {
	doc := resultstest.CatalogRefresh(1, 0, 100, 1000, 10_000)
	const hostile = `<script>alert("1")</script>`
	doc.Workload.Name = hostile
	doc.Warnings = []string{hostile}
	doc.RunID = hostile
	for i := range doc.Series {
		doc.Series[i].Variant = hostile
	}
	for i := range doc.Summary.Metrics {
		doc.Summary.Metrics[i].Variant = hostile
	}
	if strings.Contains(htmlOf(t, doc), "<script>") {
		t.Error("a name became an element")
	}
	doc = resultstest.CatalogRefresh(1, 0, 100, 1000, 10_000)
	doc.Checks = []results.Check{{Name: "a|b", Status: results.Passed, Detail: "c|d"}}
	if !strings.Contains(markdownOf(t, doc), `| a\|b | passed | c\|d |`) {
		t.Error("a bar in a name ends its cell")
	}
}

func TestSeveralResults(t *testing.T) {
	a, b := resultstest.CatalogRefresh(1, 0, 100, 1000, 10_000), resultstest.CatalogRefresh(1, 0, 100, 1000, 10_000)
	b.Workload.Name = "append-history"
	page := htmlOf(t, a, b)
	for _, want := range []string{"lakebench: catalog-refresh and append-history", `<a href="#part-1">catalog-refresh</a>`, `id="part-1"`, `>append-history</a>`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not have %q", want)
		}
	}
	if _, err := Results(); !errors.Is(err, ErrNothing) {
		t.Errorf("of nothing: %v, want ErrNothing", err)
	}
}

// TestReproduce: the command is one that a shell takes as it was meant.
func TestReproduce(t *testing.T) {
	doc := resultstest.CatalogRefresh(1, 0, 100, 1000, 10_000)
	doc.Workload.Params = results.Params{"tables": []any{int64(10), int64(20)}, "limit": []int64{3, 4}, "prefix": "it's; a key", "history": "abc"}
	doc.Environment.Backend = results.Backend{Kind: "endpoint", Endpoint: "http://127.0.0.1:8000"}
	got := reproduce(doc)
	for _, want := range []string{
		"--backend endpoint --dynamodb-endpoint http://127.0.0.1:8000", "--history FILE", "--set tables=10,20", "--set limit=3,4",
		`--set 'prefix=it'\''s; a key'`, "\n# FILE is the history whose SHA-256 is abc",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	doc.Environment.Backend = results.Backend{Kind: "embedded"}
	for clock, flag := range map[results.Clock]bool{results.RealClock: true, results.VirtualClock: false} {
		doc.Clock = clock
		if got := reproduce(doc); strings.Contains(got, "--clock real") != flag || strings.Contains(got, "--clock virtual") {
			t.Errorf("%s clock: %s", clock, got)
		}
	}
}
