package gate_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lakebench/lakebench/internal/atomicfile"
	"github.com/lakebench/lakebench/internal/render"
	"github.com/lakebench/lakebench/internal/resultstest"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/results/gate"
	"github.com/lakebench/lakebench/results/growth"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files anew; read the difference before it is committed")

func baseline() results.Document { return resultstest.CatalogRefresh(1, 0, 1000, 10_000, 100_000) }

func judged(t *testing.T, p gate.Policy, old, next results.Document) gate.Verdict {
	t.Helper()
	g, err := gate.New(p)
	if err != nil {
		t.Fatal(err)
	}
	v, err := g.Judge(results.Named{Name: "baseline.json", Document: old}, results.Named{Name: "result.json", Document: next})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// kinds are those of the failures, each once, in order.
func kinds(v gate.Verdict) []gate.Kind {
	var all []gate.Kind
	for _, f := range v.Failures {
		if !slices.Contains(all, f.Kind) {
			all = append(all, f.Kind)
		}
	}
	return all
}

func TestIdenticalResultPasses(t *testing.T) {
	v := judged(t, gate.DefaultPolicy(), baseline(), baseline())
	if v.Outcome != gate.Pass || len(v.Failures) > 0 || len(v.Advice) > 0 {
		t.Errorf("%s: %v, %v", v.Outcome, v.Failures, v.Advice)
	}
	// Four points, three variants, ten counts; the counts' growth; the checks.
	if want := (gate.Tally{Counts: 120, Growth: 30, Checks: 2}); v.Gated != want {
		t.Errorf("gated %+v, want %+v", v.Gated, want)
	}
}

// Each of these fails, for its own reason and with its own outcome
// (docs/spec/results.md §4).
func TestFailsClosed(t *testing.T) {
	first := func(d *results.Document) *results.Series { return &d.Series[0] }
	for name, c := range map[string]struct {
		change  func(old, next *results.Document)
		want    []gate.Kind
		outcome gate.Outcome
		says    string
	}{
		"a count up":               {func(_, d *results.Document) { first(d).Metrics["requests/op"]++ }, []gate.Kind{gate.KindCount}, gate.Fail, "requests/op is 3, the baseline has 2 (+50.00%)"},
		"a count down":             {func(_, d *results.Document) { first(d).Metrics["rru/op"]-- }, []gate.Kind{gate.KindCount}, gate.Fail, "the baseline has 75 (-1.33%)"},
		"requests of another kind": {func(_, d *results.Document) { first(d).Attempts[0].API = "Query" }, []gate.Kind{gate.KindLedger}, gate.Fail, "dynamodb Query ok, list: 40, the baseline has 0"},
		"an operation that fails": {func(_, d *results.Document) {
			first(d).Operations["refresh"] = results.Operations{Count: 20, OK: 19, Failed: 1}
		}, []gate.Kind{gate.KindLedger}, gate.Fail, "refresh failed: 1, the baseline has 0"},
		"a missing metric":        {func(_, d *results.Document) { delete(first(d).Metrics, "wru/op") }, []gate.Kind{gate.KindMetricMissing}, gate.Fail, "wru/op is missing"},
		"a missing series":        {func(_, d *results.Document) { d.Series = d.Series[1:] }, []gate.Kind{gate.KindSeriesMissing}, gate.Fail, "repeat 0 was not measured"},
		"an empty run":            {func(_, d *results.Document) { d.Series, d.Summary = nil, results.Summary{} }, []gate.Kind{gate.KindEmpty}, gate.Invalid, "nothing was measured"},
		"an empty baseline":       {func(d, _ *results.Document) { d.Series, d.Summary = nil, results.Summary{} }, []gate.Kind{gate.KindEmpty}, gate.Invalid, "the baseline is empty"},
		"an interrupted run":      {func(_, d *results.Document) { d.Partial = true }, []gate.Kind{gate.KindPartial}, gate.Invalid, "interrupted"},
		"an interrupted baseline": {func(d, _ *results.Document) { d.Partial = true }, []gate.Kind{gate.KindPartial}, gate.Invalid, "the baseline is partial"},
		"another hash": {func(_, d *results.Document) {
			*d = resultstest.CatalogRefresh(1, 0, 1000, 10_000, 100_001)
		}, []gate.Kind{gate.KindWorkload}, gate.Fail, "history_records is [0,1000,10000,100000] and [0,1000,10000,100001]"},
		"another seed":     {func(_, d *results.Document) { d.Seed = 7 }, []gate.Kind{gate.KindSeed}, gate.Fail, "it is 7, the baseline's is 1"},
		"counts by chance": {func(_, d *results.Document) { d.Deterministic = false }, []gate.Kind{gate.KindDeterminism, gate.KindTooFew}, gate.Fail, "not, so its counts are no facts"},
		"a failed check":   {func(_, d *results.Document) { d.Checks[0].Status = results.Failed }, []gate.Kind{gate.KindCheckFailed}, gate.Invalid, `check "ledgers" failed`},
		"an unclear check": {func(_, d *results.Document) { d.Checks[0].Status = results.Inconclusive }, []gate.Kind{gate.KindCheckUnclear}, gate.Inconclusive, "inconclusive"},
		"a skipped check":  {func(_, d *results.Document) { d.Checks[1].Status = results.Skipped }, []gate.Kind{gate.KindCheckSkipped}, gate.Fail, `"same-set" was skipped`},
		"a missing check":  {func(_, d *results.Document) { d.Checks = d.Checks[:1] }, []gate.Kind{gate.KindCheckMissing}, gate.Fail, `"same-set" is missing`},
		"clamped samples": {func(_, d *results.Document) {
			l := first(d).Latency["refresh"]
			l.Service.Clamped = 4
			first(d).Latency = map[string]results.Latency{"refresh": l}
		}, []gate.Kind{gate.KindClamped}, gate.Fail, "4 samples of refresh in repeat 0 are clamped"},
		"growth of another class": {func(_, d *results.Document) {
			for i := range d.Summary.Growth {
				if g := &d.Summary.Growth[i]; g.Variant == "v2" && g.Metric == "requests/op" {
					g.Class = growth.Linear
				}
			}
		}, []gate.Kind{gate.KindGrowth}, gate.Fail, "growth of requests/op with history records is linear, the baseline's is constant"},
		"no growth": {func(_, d *results.Document) { d.Summary.Growth = nil }, []gate.Kind{gate.KindGrowth}, gate.Fail, "is not there"},
	} {
		old, next := baseline(), baseline()
		c.change(&old, &next)
		v := judged(t, gate.DefaultPolicy(), old, next)
		if got := kinds(v); !slices.Equal(got, c.want) || v.Outcome != c.outcome {
			t.Errorf("%s: %s, %v; want %s, %v", name, v.Outcome, got, c.outcome, c.want)
			continue
		}
		if !slices.ContainsFunc(v.Failures, func(f gate.Finding) bool { return strings.Contains(f.Message, c.says) }) {
			t.Errorf("%s: %v does not say %q", name, v.Failures, c.says)
		}
	}
}

// What was skipped in the baseline need not pass; nor what the policy calls
// optional. What the policy requires must.
func TestChecksByPolicy(t *testing.T) {
	old, next := baseline(), baseline()
	old.Checks[1].Status, next.Checks[1].Status = results.Skipped, results.Skipped
	p := gate.DefaultPolicy()
	if v := judged(t, p, old, next); v.Outcome != gate.Pass {
		t.Errorf("skipped in both: %v", v.Failures)
	}
	p.Required = []string{"same-set", "linearizable"}
	if got := kinds(judged(t, p, old, next)); !slices.Equal(got, []gate.Kind{gate.KindCheckSkipped, gate.KindCheckMissing}) {
		t.Errorf("required: %v", got)
	}
	old.Checks[1].Status = results.Passed
	p = gate.DefaultPolicy()
	p.Optional = []string{"same-set"}
	if v := judged(t, p, old, next); v.Outcome != gate.Pass {
		t.Errorf("optional: %v", v.Failures)
	}
	next.Checks[1].Status = results.Failed
	if v := judged(t, p, old, next); v.Outcome != gate.Invalid {
		t.Error("an optional check may not fail")
	}
}

// Times do not fail, but are reported; unless the policy gates them.
func TestTimes(t *testing.T) {
	old, next := resultstest.CatalogRefresh(8, 1000), resultstest.CatalogRefresh(8, 1000)
	for i := range next.Series {
		if next.Series[i].Variant == "v1" {
			next.Series[i].Metrics["p50-ns"] *= 1.1
		}
	}
	v := judged(t, gate.DefaultPolicy(), old, next)
	if v.Outcome != gate.Pass || len(v.Advice) != 1 || v.Advice[0].Kind != gate.KindTime {
		t.Errorf("by default: %s, %v", v.Outcome, v.Advice)
	}
	p := gate.DefaultPolicy()
	p.Rules = []gate.Rule{{Metrics: []string{"p50-ns"}, Action: gate.Enforce, Down: math.Inf(1)}}
	if v := judged(t, p, old, next); !slices.Equal(kinds(v), []gate.Kind{gate.KindTime}) || v.Gated.Times != 3 {
		t.Errorf("gated: %v of %+v", kinds(v), v.Gated)
	}
	// The other way round it is an improvement, which may be any.
	if v := judged(t, p, next, old); v.Outcome != gate.Pass {
		t.Errorf("faster: %v", v.Failures)
	}
	p.Rules[0].Up = 0.2
	if v := judged(t, p, old, next); v.Outcome != gate.Pass {
		t.Errorf("10 %% of 20 %%: %v", v.Failures)
	}
	few, fewer := resultstest.CatalogRefresh(2, 1000), resultstest.CatalogRefresh(2, 1000)
	if v := judged(t, p, few, fewer); v.Outcome != gate.Inconclusive || !slices.Equal(kinds(v), []gate.Kind{gate.KindTooFew}) {
		t.Errorf("two repeats: %s, %v; want it said that they cannot show anything", v.Outcome, v.Failures)
	}
	next.Clock = results.VirtualClock
	if v := judged(t, p, old, next); !slices.Equal(kinds(v), []gate.Kind{gate.KindClock}) {
		t.Errorf("another clock: %v", v.Failures)
	}
}

// Counts by chance are compared as samples: with enough repeats a clear rise fails.
func TestConcurrentCounts(t *testing.T) {
	old, next := resultstest.CatalogRefresh(8, 1000), resultstest.CatalogRefresh(8, 1000)
	old.Deterministic, next.Deterministic = false, false
	for i := range next.Series {
		next.Series[i].Metrics["requests/op"] *= 2
	}
	p := gate.DefaultPolicy()
	p.Counts = gate.Ignore
	p.Rules = []gate.Rule{{Metrics: []string{"requests/op"}, Action: gate.Enforce}}
	if v := judged(t, p, old, next); !slices.Equal(kinds(v), []gate.Kind{gate.KindCount}) || len(v.Failures) != 3 {
		t.Errorf("%v", v.Failures)
	}
	if v := judged(t, p, old, old); v.Outcome != gate.Pass {
		t.Errorf("the same: %v", v.Failures)
	}
}

// A rule's allowance is a part of the baseline's value; the last rule that matches
// decides; a rule that decides nothing fails.
func TestRules(t *testing.T) {
	old, next := baseline(), baseline()
	for i := range next.Series {
		next.Series[i].Metrics["requests/op"] *= 1.04
	}
	rule := func(up float64, variants ...string) gate.Rule {
		return gate.Rule{Metrics: []string{"requests/op"}, Variants: variants, Action: gate.Enforce, Up: up}
	}
	for name, c := range map[string]struct {
		rules []gate.Rule
		fail  int // rows: four points of each variant
	}{
		"none":       {nil, 12},
		"all":        {[]gate.Rule{rule(0.05)}, 0},
		"of one":     {[]gate.Rule{rule(0.05, "v1")}, 8},
		"too little": {[]gate.Rule{rule(0.03)}, 12},
		"the last":   {[]gate.Rule{rule(0.05), rule(0, "v2")}, 4},
		"advice":     {[]gate.Rule{{Action: gate.Advise}}, 0},
		"one point":  {[]gate.Rule{{Point: map[string]results.Value{resultstest.History: results.Number(0)}, Action: gate.Ignore}}, 9},
	} {
		p := gate.DefaultPolicy()
		p.Rules = c.rules
		if v := judged(t, p, old, next); len(v.Failures) != c.fail {
			t.Errorf("%s: %d failures, want %d", name, len(v.Failures), c.fail)
		}
	}
	p := gate.DefaultPolicy()
	p.Rules = []gate.Rule{{Line: 4, Variants: []string{"v9"}, Action: gate.Enforce}, {Workloads: []string{"migration"}, Action: gate.Enforce}}
	r := report(t, p, []results.Named{{Name: "b", Document: old}}, []results.Named{{Name: "r", Document: old}}, false)
	if len(r.Failures) != 1 || r.Failures[0].Kind != gate.KindRule || !strings.Contains(r.Failures[0].Message, "line 4 (v9)") {
		t.Errorf("rules that match nothing: %v; want the one about this workload", r.Failures)
	}
}

func report(t *testing.T, p gate.Policy, baselines, found []results.Named, whole bool) gate.Report {
	t.Helper()
	r, err := gate.Judge(p, gate.Inputs{Baselines: baselines, Results: found, Whole: whole, Place: "base"})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Results find their baselines by hash and seed; where there is none of these, one
// of the workload says what differs.
func TestJudgePairs(t *testing.T) {
	a := results.Named{Name: "a", Document: resultstest.CatalogRefresh(1, 0)}
	b := results.Named{Name: "b", Document: resultstest.CatalogRefresh(1, 1000)}
	p := gate.DefaultPolicy()
	if r := report(t, p, []results.Named{a, b}, []results.Named{b, a}, true); r.Outcome != gate.Pass || r.Verdicts[0].Baseline != "b" {
		t.Errorf("both: %+v", r)
	}
	if r := report(t, p, []results.Named{a}, []results.Named{b}, false); r.Outcome != gate.Fail || !slices.Equal(kinds(r.Verdicts[0]), []gate.Kind{gate.KindWorkload}) {
		t.Errorf("another hash: %+v", r)
	}
	if r := report(t, p, []results.Named{a, b}, []results.Named{a}, true); len(r.Failures) != 1 || r.Failures[0].Kind != gate.KindResultMissing {
		t.Errorf("one was not run: %+v", r)
	}
	if r := report(t, p, []results.Named{a, b}, []results.Named{a}, false); r.Outcome != gate.Pass {
		t.Errorf("only one is asked for: %+v", r)
	}
	if r := report(t, p, nil, []results.Named{a}, false); len(r.Failures) != 1 || r.Failures[0].Kind != gate.KindBaselineMissing {
		t.Errorf("no baseline: %+v", r)
	}
	if r := report(t, p, nil, nil, true); r.Outcome == gate.Pass {
		t.Error("nothing passes")
	}
}

// Baselines change only where they have to, and never to what proves nothing.
func TestUpdates(t *testing.T) {
	p := gate.DefaultPolicy()
	old := results.Named{Name: "base/catalog.json", Document: baseline()}
	same := results.Named{Name: "run/result.json", Document: baseline()}
	worse := same
	worse.Document = baseline()
	worse.Document.Series[0].Metrics["requests/op"]++
	more := same
	more.Document = baseline()
	more.Document.Series[0].Metrics["scans/op"] = 1
	for name, c := range map[string]struct {
		baselines []results.Named
		found     results.Named
		place     string
		want      []string
	}{
		"the same":     {[]results.Named{old}, same, "base", nil},
		"worse":        {[]results.Named{old}, worse, "base", []string{"base/catalog.json"}},
		"a new metric": {[]results.Named{old}, more, "base", []string{"base/catalog.json"}},
		"new":          {nil, same, "base", []string{filepath.Join("base", "catalog-refresh.json")}},
		"new file":     {nil, same, "x.json", []string{"x.json"}},
	} {
		found := []results.Named{c.found}
		changes, err := gate.Updates(report(t, p, c.baselines, found, false), c.baselines, found, c.place)
		var names []string
		for _, u := range changes {
			names = append(names, u.Name)
		}
		if err != nil || !slices.Equal(names, c.want) {
			t.Errorf("%s: %v, %v; want %v", name, names, err, c.want)
		}
	}
	for name, change := range map[string]func(*results.Document){
		"empty":        func(d *results.Document) { d.Series = nil },
		"partial":      func(d *results.Document) { d.Partial = true },
		"failed check": func(d *results.Document) { d.Checks[0].Status = results.Failed },
	} {
		bad := results.Named{Name: "r", Document: baseline()}
		change(&bad.Document)
		_, err := gate.Updates(gate.Report{}, nil, []results.Named{bad}, "base")
		var refused *gate.NotPassedError
		if !errors.As(err, &refused) || refused.Outcome != gate.Invalid {
			t.Errorf("%s: %v, want it refused as invalid", name, err)
		}
	}
	twice := []results.Named{same, {Name: "other", Document: resultstest.CatalogRefresh(1, 7)}}
	if _, err := gate.Updates(report(t, p, nil, twice, false), nil, twice, "base"); err == nil {
		t.Error("two results were written to one file")
	}
}

// Any change of any count of any series by any amount fails, and the same result
// passes.
func TestAnyChangedCountFails(t *testing.T) {
	old := resultstest.CatalogRefresh(2, 0, 1000)
	rapid.Check(t, func(t *rapid.T) {
		next := old
		next.Series = slices.Clone(old.Series)
		g, err := gate.New(gate.DefaultPolicy())
		if err != nil {
			t.Fatal(err)
		}
		s := &next.Series[rapid.IntRange(0, len(next.Series)-1).Draw(t, "series")]
		metric := rapid.SampledFrom([]string{"requests/op", "evaluated/op", "returned/op", "bytes/op", "rru/op", "wru/op", "usd/op", "retries/op"}).Draw(t, "metric")
		by := rapid.IntRange(-1000, 1000).Draw(t, "by")
		s.Metrics = maps.Clone(s.Metrics)
		s.Metrics[metric] += float64(by) / resultstest.Refreshes
		v, err := g.Judge(results.Named{Document: old}, results.Named{Document: next})
		if err != nil {
			t.Fatal(err)
		}
		if pass := v.Outcome == gate.Pass; pass != (by == 0) {
			t.Fatalf("%s by %d: %s, %v", metric, by, v.Outcome, v.Failures)
		}
	})
}

func TestSelfTest(t *testing.T) {
	sample, err := gate.Sample()
	if err != nil {
		t.Fatal(err)
	}
	for name, doc := range map[string]results.Document{"sample": sample, "catalog": baseline(), "repeats": resultstest.CatalogRefresh(3, 0, 10, 100)} {
		planted, err := gate.SelfTest(doc, gate.DefaultPolicy())
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(planted) != len(gate.Plants())+1 {
			t.Errorf("%s: %d plants", name, len(planted))
		}
		for _, p := range planted {
			if !p.Caught || p.Skipped != "" {
				t.Errorf("%s: %+v", name, p)
			}
		}
	}
}

// A policy that lets a regression pass is found out.
func TestSelfTestFindsHolesInAPolicy(t *testing.T) {
	p := gate.DefaultPolicy()
	p.Rules = []gate.Rule{{Metrics: []string{"requests/op"}, Action: gate.Enforce, Up: math.Inf(1)}}
	_, err := gate.SelfTest(baseline(), p)
	var failed *gate.SelfTestError
	if !errors.As(err, &failed) || !slices.Equal(failed.Problems, []string{"a count up by one passes"}) {
		t.Errorf("error %v, want a count up by one to pass", err)
	}
	bad := baseline()
	bad.Checks[0].Status = results.Failed
	if _, err := gate.SelfTest(bad, gate.DefaultPolicy()); !errors.As(err, &failed) || !strings.Contains(err.Error(), "fails although nothing was planted") {
		t.Errorf("a baseline that fails itself: %v", err)
	}
}

// everything is a report with a failure of many kinds, and text that formats have
// to escape.
func everything(t *testing.T) gate.Report {
	old, next := baseline(), baseline()
	for i := range next.Series {
		next.Series[i].Metrics["rru/op"]++
	}
	next.Series[1].Attempts[0].Outcome = "throttled"
	next.Checks[1].Status, next.Checks[1].Detail = results.Failed, "v2 lacks 5% of | <all>\nkeys, tb/_x*"
	next.Environment.Go = "go1.27"
	delete(next.Series[2].Metrics, "p50-ns")
	second := results.Named{Name: "two.json", Document: resultstest.CatalogRefresh(1, 5)}
	third := results.Named{Name: "three.json", Document: resultstest.CatalogRefresh(1, 6)}
	return report(t, gate.DefaultPolicy(), []results.Named{{Name: "one.json", Document: old}, second, third},
		[]results.Named{{Name: "run-1/result.json", Document: next}, second}, true)
}

func TestGoldens(t *testing.T) {
	r := everything(t)
	write := func(write func(*bytes.Buffer) error) string {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for name, got := range map[string]string{
		"report.txt": write(func(b *bytes.Buffer) error {
			return render.Text(b, r.Page(gate.MostOnATerminal), render.TextOptions{Width: 80})
		}),
		"report.md":        write(func(b *bytes.Buffer) error { return render.Markdown(b, r.Page(gate.MostInSummary)) }),
		"annotations.txt":  write(func(b *bytes.Buffer) error { return r.WriteAnnotations(b) }),
		"report.junit.xml": write(func(b *bytes.Buffer) error { return r.WriteJUnit(b) }),
		"report.json":      write(func(b *bytes.Buffer) error { return r.WriteJSON(b) }),
	} {
		path := filepath.Join("testdata", name)
		if *rewrite {
			if err := atomicfile.Write(path, []byte(got)); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), got); d != "" {
			t.Errorf("%s (-golden +got):\n%s", path, d)
		}
	}
}

func TestFormatsHoldTogether(t *testing.T) {
	r := everything(t)
	var b bytes.Buffer
	if err := render.Text(&b, r.Page(gate.MostOnATerminal), render.TextOptions{Width: 80}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(b.String(), "\n") {
		if utf8.RuneCountInString(line) > 80 {
			t.Errorf("too wide: %q", line)
		}
	}
	b.Reset()
	if err := r.WriteJUnit(&b); err != nil {
		t.Fatal(err)
	}
	if err := xml.Unmarshal(b.Bytes(), new(struct{ XMLName xml.Name })); err != nil {
		t.Errorf("no XML: %v", err)
	}
	b.Reset()
	if err := r.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	var back gate.Report
	if err := json.Unmarshal(b.Bytes(), &back); err != nil || len(back.Verdicts[0].Failures) != len(r.Verdicts[0].Failures) {
		t.Errorf("JSON has not all failures: %v", err)
	}
	b.Reset()
	var unread []gate.Finding
	for i := range 12 {
		unread = append(unread, gate.Unread(fmt.Sprintf("%d.json", i), errors.New("damaged result")))
	}
	if err := gate.NewReport(nil, unread).WriteAnnotations(&b); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "\n"); n != 10 || strings.Count(b.String(), "::error ") != n {
		t.Errorf("%d lines of annotations, GitHub shows 10", n)
	}
}

// A policy that asks for classes of growth is refused where the baseline has none: it
// could never fail. Without the question there is nothing to refuse, and what becomes of
// an undetermined class is advice.
func TestGrowthOfAnUndeterminedClass(t *testing.T) {
	points := func() results.Document { return resultstest.CatalogRefresh(1, 0, 1000) } // two: too few
	asked := gate.DefaultPolicy()
	asked.GrowthAsked = true
	if v := judged(t, asked, points(), points()); v.Outcome != gate.Fail || !strings.Contains(v.Failures[0].Message, "no class of the baseline is determined") {
		t.Errorf("%s: %v", v.Outcome, v.Failures)
	}
	next := points()
	next.Summary.Growth[0].Class = growth.Linear
	if v := judged(t, gate.DefaultPolicy(), points(), next); v.Outcome != gate.Pass || v.Gated.Growth != 0 || len(v.Advice) != 1 {
		t.Errorf("%s: %v, advice %v", v.Outcome, v.Failures, v.Advice)
	}
}
