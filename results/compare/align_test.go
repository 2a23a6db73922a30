package compare_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/internal/render"
	"github.com/lakebench/lakebench/internal/resultstest"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/results/compare"
)

// withParam returns a result that was measured with another value of a parameter; a
// swept one is a coordinate of its points too.
func withParam(t *testing.T, doc results.Document, name string, value any) results.Document {
	t.Helper()
	data, err := results.Encode(doc)
	if err != nil {
		t.Fatal(err)
	}
	if doc, err = results.Decode(data); err != nil {
		t.Fatal(err)
	}
	doc.Workload.Params[name] = value
	if doc.Workload.Hash, err = results.HashWorkload(doc.Workload.Name, doc.Workload.Version, doc.Workload.Params); err != nil {
		t.Fatal(err)
	}
	coordinate, err := results.ValueOf(value)
	if err != nil {
		t.Fatal(err)
	}
	set := func(p results.Point) {
		if _, swept := p[name]; swept {
			p[name] = coordinate
		}
	}
	for i := range doc.Series {
		set(doc.Series[i].Point)
	}
	for i := range doc.Summary.Metrics {
		set(doc.Summary.Metrics[i].Point)
	}
	for i := range doc.Summary.Growth {
		set(doc.Summary.Growth[i].Point)
	}
	return doc
}

// pages returns two results that differ in the page limit, and in the requests of v1
// at 1,000 history records: 3 of up to 1,000 items, 9 of up to 250.
func pages(t *testing.T) (old, next results.Document) {
	t.Helper()
	old = resultstest.CatalogRefresh(1, 0, 1000)
	next = withParam(t, old, "page_limit", 250)
	for i := range next.Series {
		s := &next.Series[i]
		if n, _ := s.Point[resultstest.History].Float(); s.Variant == "v1" && n == 1000 {
			s.Metrics["requests/op"] = 9
			s.Attempts[0].Count = 9 * resultstest.Refreshes
		}
	}
	return old, next
}

func by(names ...string) compare.Options {
	o := compare.DefaultOptions()
	o.By = names
	return o
}

// Results that differ in a parameter are refused with the flag that compares them,
// and then differ in nothing but what the parameter changed.
func TestCompareByParameter(t *testing.T) {
	old, next := pages(t)
	_, err := compare.Compare(named("old.json", old), named("new.json", next), compare.DefaultOptions())
	var refused *compare.AlignError
	if !errors.As(err, &refused) || err.Error() != "the results differ in page_limit (1000 and 250); --by page_limit puts them side by side" {
		t.Errorf("without --by: %v", err)
	}
	c := held(t, old, next, by("page_limit"))
	if got := changed(c); !slices.Equal(got, []string{"requests/op +200.00%"}) {
		t.Errorf("rows %q, want the requests of v1 alone", got)
	}
	if len(c.Warnings) > 0 || c.Old.Label != "page limit 1,000" || c.New.Label != "page limit 250" {
		t.Errorf("warnings %q, labels %q and %q", c.Warnings, c.Old.Label, c.New.Label)
	}
	page := text(t, c, false, render.TextOptions{})
	for _, want := range []string{"1 of 60 exact counts differs.", "- v1: requests/op +200.00% at 1 of 2 points", "- v2 and v2-parallel: no count differs", " v1 requests/op           3           9  +200.00%"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	if data, err := json.Marshal(c); err != nil || !strings.Contains(string(data), `"by":["page_limit"]`) {
		t.Errorf("JSON does not say by what: %v", err)
	}
}

// Modelled times are drawn anew where parameters differ, so a difference of one repeat
// is none that the parameter has made.
func TestTimesAcrossAParameterAreSamples(t *testing.T) {
	old, next := pages(t)
	old.Clock, next.Clock = results.VirtualClock, results.VirtualClock
	for i := range next.Series {
		next.Series[i].Metrics["p50-ns"] *= 1.1
	}
	if got := changed(held(t, old, next, by("page_limit"))); !slices.Equal(got, []string{"requests/op +200.00%"}) {
		t.Errorf("rows %q, want no time", got)
	}
}

// Of results that must differ only what is worse, or on one side only, is an error.
func TestErrOfComparison(t *testing.T) {
	old, next := pages(t)
	for name, c := range map[string]struct {
		old, next results.Document
		o         compare.Options
		want      error
	}{
		"equal":             {old, old, compare.DefaultOptions(), nil},
		"different":         {resultstest.CatalogRefresh(1, 0), changedRequests(1), compare.DefaultOptions(), compare.ErrDifferent},
		"worse, by":         {old, next, by("page_limit"), compare.ErrWorse},
		"better, by":        {next, old, by("page_limit"), nil},
		"one side only, by": {next, withoutFirst(old), by("page_limit"), compare.ErrWorse},
	} {
		if err := held(t, c.old, c.next, c.o).Err(); !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func changedRequests(by float64) results.Document {
	doc := resultstest.CatalogRefresh(1, 0)
	doc.Series[0].Metrics["requests/op"] += by
	return doc
}

func withoutFirst(doc results.Document) results.Document {
	doc.Series = doc.Series[1:]
	return doc
}

// A parameter that nothing but its own values can be the cause of: everything else is
// refused in one line that says what to use.
func TestAlignRefuses(t *testing.T) {
	old, next := pages(t)
	swept := withParam(t, old, "page_limit", 250)
	swept.Workload.Params["page_limit"] = []any{int64(250), int64(1000)}
	other := next
	other.Workload.Name = "migration"
	for name, c := range map[string]struct {
		old, next results.Document
		by        []string
		says      string
	}{
		"unknown":            {old, next, []string{"page_limt"}, `--by: unknown parameter "page_limt", did you mean "page_limit"?`},
		"no difference":      {old, old, []string{"page_limit"}, "--by page_limit: it is 1000 in every result, as is every other parameter; leave --by out"},
		"another difference": {old, next, []string{"tables"}, "--by tables: it is 1000 in every result; they differ in page_limit: use --by page_limit"},
		"one more":           {old, withParam(t, next, "tables", 7), []string{"page_limit"}, "the results differ in tables (1000 and 7) as well; use --by page_limit,tables"},
		"one more, unswept":  {old, withParam(t, next, "consistency", "eventual"), []string{"page_limit"}, `the results differ in consistency ("strong" and "eventual") as well; use --by page_limit,consistency`},
		"several values":     {old, swept, []string{"page_limit"}, "new.json has several values of it, [250,1000]; expected one in each result"},
		"another workload":   {old, other, []string{"page_limit"}, "new.json of migration version 1"},
	} {
		_, err := compare.Compare(named("old.json", c.old), named("new.json", c.next), by(c.by...))
		var refused *compare.AlignError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want one line with %q", name, err, c.says)
		}
	}
	three := []results.Named{named("a", old), named("b", next), named("c", next)}
	if _, err := compare.Align(three, []string{"page_limit"}); err == nil || err.Error() != "b and c both have page limit 250; name one of them" {
		t.Errorf("two with one value: %v", err)
	}
	if _, err := compare.Align(three[:1], []string{"page_limit"}); err == nil || !strings.Contains(err.Error(), "at least two results, found 1") {
		t.Errorf("one result: %v", err)
	}
}

// By several parameters, and of one that is no coordinate, the labels name the values.
func TestAcross(t *testing.T) {
	old, next := pages(t)
	three := []results.Named{named("a", old), named("b", next), named("c", withParam(t, next, "consistency", "eventual"))}
	each, err := compare.Across(three, by("consistency", "page_limit"))
	if err != nil || len(each) != 2 {
		t.Fatalf("%d comparisons, %v", len(each), err)
	}
	if got, want := each[1].New.Label, "consistency eventual, page limit 250"; got != want {
		t.Errorf("label %q, want %q", got, want)
	}
	var b strings.Builder
	if err := render.Markdown(&b, render.Page{Title: "x", Blocks: compare.BeforeAfter(each, false, func(m results.Metric) string { return m.Name })}); err != nil {
		t.Fatal(err)
	}
	if want := "| v1 requests/op | 3 | 9 | +200.00% | 9 | +200.00% |"; !strings.Contains(b.String(), want) {
		t.Errorf("no %q in\n%s", want, b.String())
	}
}

// Forced results that have no point in common are not told to differ in all counts.
func TestForcedWithoutACommonPoint(t *testing.T) {
	old, next := pages(t)
	o := compare.DefaultOptions()
	o.Force = true
	c := held(t, old, next, o)
	if want := "Nothing was measured in both results: no variant is in both at one point and in one phase."; c.Headline() != want || !c.Differs() {
		t.Errorf("headline %q, want %q", c.Headline(), want)
	}
	if n := strings.Count(text(t, c, false, render.TextOptions{}), "\n"); n > 8 {
		t.Errorf("%d lines about nothing", n)
	}
	part := held(t, withoutFirst(old), old, o)
	if want := fmt.Sprintf("None of %d exact counts differs. 40 sampled times: too few repeats to tell. 1 series was measured on one side only.", 5*10); part.Headline() != want {
		t.Errorf("headline %q, want %q", part.Headline(), want)
	}
}
