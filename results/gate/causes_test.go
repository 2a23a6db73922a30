package gate_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lakebench/lakebench/internal/render"
	"github.com/lakebench/lakebench/internal/resultstest"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/results/gate"
	"github.com/lakebench/lakebench/run/metric"
)

// moreRequests gives a variant more requests of a cause at every point, and what is
// computed from them.
func moreRequests(d *results.Document, variant string, factor float64) {
	for i := range d.Series {
		s := &d.Series[i]
		if s.Variant != variant {
			continue
		}
		s.Metrics = maps.Clone(s.Metrics)
		for _, m := range []string{"requests/op", "rru/op", "usd/op"} {
			s.Metrics[m] *= factor
		}
		s.Attempts = slices.Clone(s.Attempts)
		s.Attempts[0].Count = int64(float64(s.Attempts[0].Count) * factor)
	}
}

// One cause is one line with its count, and names every metric that moves with it.
func TestOneCauseIsOneLine(t *testing.T) {
	old, next := baseline(), baseline()
	moreRequests(&next, "v2", 1.5)
	v := judged(t, gate.DefaultPolicy(), old, next)
	// Four points: requests, read units, dollars and an entry of the ledgers.
	if len(v.Failures) != 16 || len(v.Causes) != 1 || v.Causes[0].Findings != 16 || v.Causes[0].Effect != gate.Worse {
		t.Fatalf("%d failures, causes %+v; want 16 of one", len(v.Failures), v.Causes)
	}
	const want = "v2 · history records 0 · steady: requests/op is 12, the baseline has 8 (+50.00%), the largest of 4 places; " +
		"also rru/op +50.00%, usd/op +50.00% and 4 entries of the ledgers; requests of cause list changed"
	if got := v.Causes[0].Summary; got != want {
		t.Errorf("summary\n%s, want\n%s", got, want)
	}
	if got, want := v.Sentence(), "16 failures of 1 cause; 120 counts, 30 growth classes and 2 checks gated"; got != want {
		t.Errorf("sentence %q, want %q", got, want)
	}
}

// What is worse comes before what is better, the largest first; the closing line names
// the largest worsening, wherever it stands in the results.
func TestWorseFirst(t *testing.T) {
	old, next := baseline(), baseline()
	moreRequests(&next, "v1", 0.5)
	moreRequests(&next, "v2-parallel", 1.25)
	other := resultstest.CatalogRefresh(1, 5)
	worst := resultstest.CatalogRefresh(1, 5)
	worst.Series[1].Metrics["evaluated/op"] *= 3
	named := func(name string, d results.Document) results.Named { return results.Named{Name: name, Document: d} }
	r := report(t, gate.DefaultPolicy(), []results.Named{named("a", old), named("b", other)}, []results.Named{named("c", next), named("d", worst)}, true)
	var effects []gate.Effect
	for _, c := range r.Verdicts[0].Causes {
		effects = append(effects, c.Effect)
	}
	if !slices.Equal(effects, []gate.Effect{gate.Worse, gate.Better}) {
		t.Errorf("effects %q, want what is worse first", effects)
	}
	const want = "the gate says fail: catalog-refresh: v2 · steady: evaluated/op is 3,000, the baseline has 1,000 (+200.00%), and 32 more"
	if err := r.Err(); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	next.Checks[0].Status = results.Failed
	if v := judged(t, gate.DefaultPolicy(), old, next); v.Failures[0].Kind != gate.KindCheckFailed {
		t.Errorf("%v is before the failed check", v.Failures[0])
	}
}

// Whatever changes, every failure is in one cause, whose summary names its metric.
func TestCausesLoseNoFailure(t *testing.T) {
	old := baseline()
	rapid.Check(t, func(t *rapid.T) {
		next := old
		next.Series = slices.Clone(old.Series)
		for range rapid.IntRange(1, 8).Draw(t, "changes") {
			s := &next.Series[rapid.IntRange(0, len(next.Series)-1).Draw(t, "series")]
			s.Metrics = maps.Clone(s.Metrics)
			name := rapid.SampledFrom([]string{"requests/op", "rru/op", "wru/op", "returned/op", "usd/op", "p50-ns"}).Draw(t, "metric")
			if rapid.Bool().Draw(t, "gone") {
				delete(s.Metrics, name)
			} else if v, ok := s.Metrics[name]; ok {
				s.Metrics[name] = v + rapid.Float64Range(-1, 1).Draw(t, "by")
			}
			if rapid.Bool().Draw(t, "requests") {
				s.Attempts = slices.Clone(s.Attempts)
				s.Attempts[0].Count++
			}
		}
		g, err := gate.New(gate.DefaultPolicy())
		if err != nil {
			t.Fatal(err)
		}
		v, err := g.Judge(results.Named{Document: old}, results.Named{Document: next})
		if err != nil {
			t.Fatal(err)
		}
		sum, summaries := 0, ""
		for _, c := range v.Causes {
			sum += c.Findings
			summaries += c.Summary + "\n"
		}
		if sum != len(v.Failures) {
			t.Fatalf("%d findings in causes, %d failures", sum, len(v.Failures))
		}
		for _, f := range v.Failures {
			if !strings.Contains(summaries, f.Metric) {
				t.Fatalf("no summary names %s:\n%s", f.Metric, summaries)
			}
		}
	})
}

// The newest run of a workload in a folder counts, whether it is better or worse; runs
// that have baselines of their own all count.
func TestNewest(t *testing.T) {
	at := func(name string, hours int, history ...int64) results.Named {
		d := resultstest.CatalogRefresh(1, history...)
		d.Started = d.Started.Add(time.Duration(hours) * time.Hour)
		return results.Named{Name: name, Document: d}
	}
	old, next := at("old", 0, 0), at("new", 1, 0)
	other, another := at("other", 2, 7), at("another", 3, 8)
	seeded := at("seeded", 4, 0)
	seeded.Document.Seed = 2
	for name, c := range map[string]struct {
		baselines, found []results.Named
		want             []string
	}{
		"newer after older":     {[]results.Named{old}, []results.Named{old, next}, []string{"new"}},
		"newer before older":    {[]results.Named{old}, []results.Named{next, old}, []string{"new"}},
		"one":                   {[]results.Named{old}, []results.Named{old}, []string{"old"}},
		"baselines of both":     {[]results.Named{old, other}, []results.Named{next, other}, []string{"new", "other"}},
		"older has no baseline": {[]results.Named{another}, []results.Named{other, another}, []string{"another"}},
		"newer has no baseline": {[]results.Named{old}, []results.Named{next, another}, []string{"new", "another"}},
		"no baseline of any":    {nil, []results.Named{old, other, another}, []string{"another"}},
		"another seed":          {[]results.Named{old, seeded}, []results.Named{next, seeded}, []string{"new", "seeded"}},
	} {
		kept, notes := gate.Newest(c.baselines, c.found)
		var names []string
		for _, k := range kept {
			names = append(names, k.Name)
		}
		if !slices.Equal(names, c.want) || len(notes) != len(c.found)-len(kept) {
			t.Errorf("%s: kept %q, notes %q; want %q", name, names, notes, c.want)
		}
	}
	if _, notes := gate.Newest(nil, []results.Named{old, next}); !slices.Equal(notes, []string{"old is left out: new is a newer run of catalog-refresh"}) {
		t.Errorf("notes %q", notes)
	}
}

// What could not be read is a failed case in every format, and proves nothing.
func TestUnreadInputInEveryFormat(t *testing.T) {
	good := results.Named{Name: "b", Document: baseline()}
	in := gate.Inputs{
		Baselines: []results.Named{good}, Results: []results.Named{good}, Notes: []string{"a note"},
		Failures: []gate.Finding{gate.Unread("run/result.json", errors.New("run/result.json: damaged result: the file ends after 3 bytes"))},
	}
	r, err := gate.Judge(gate.DefaultPolicy(), in)
	if err != nil || r.Outcome != gate.Invalid {
		t.Fatalf("%s, %v; want invalid", r.Outcome, err)
	}
	for format, c := range map[string]struct {
		write func(*bytes.Buffer) error
		want  []string
	}{
		"text":   {func(b *bytes.Buffer) error { return render.Text(b, r.Page(9), render.TextOptions{}) }, []string{"INVALID as a whole", "run/result.json: damaged result", "Note: a note"}},
		"github": {func(b *bytes.Buffer) error { return r.WriteAnnotations(b) }, []string{"::error title=lakebench%2C input::run/result.json: damaged result"}},
		"junit": {func(b *bytes.Buffer) error { return r.WriteJUnit(b) }, []string{
			`failures="1"`, `name="run/result.json">`, `<failure type="input" message="damaged result: the file ends after 3 bytes">`, "<system-out>a note</system-out>",
		}},
		"json": {func(b *bytes.Buffer) error { return r.WriteJSON(b) }, []string{`"kind": "input"`, `"place": "run/result.json"`}},
	} {
		var b bytes.Buffer
		if err := c.write(&b); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: no %q in\n%s", format, want, b.String())
			}
		}
		switch {
		case format == "json" && !json.Valid(b.Bytes()):
			t.Error("no JSON")
		case format == "junit":
			if err := xml.Unmarshal(b.Bytes(), new(struct{ XMLName xml.Name })); err != nil {
				t.Errorf("no XML: %v", err)
			}
		}
	}
}

// A missing baseline says how to make it, and what there is instead.
func TestMissingBaselineSaysHowToMakeIt(t *testing.T) {
	r := report(t, gate.DefaultPolicy(), nil, []results.Named{{Name: "run/result.json", Document: baseline()}}, false)
	const want = "there is no baseline of workload catalog-refresh for run/result.json; to make it: lakebench gate --baseline base --update run/result.json"
	if got := r.Failures[0].Message; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	both := []results.Named{{Name: "one", Document: resultstest.CatalogRefresh(1, 0)}, {Name: "two", Document: resultstest.CatalogRefresh(1, 5)}}
	r = report(t, gate.DefaultPolicy(), both[:1], both, false)
	beside := "there is no baseline for two: one is of another run (history_records is 0 and 5); to make it: lakebench gate --baseline " +
		filepath.Join("base", "catalog-refresh-"+both[1].Document.Workload.Hash[:8]+".json") + " --update two"
	if len(r.Failures) != 1 || r.Failures[0].Message != beside {
		t.Errorf("%v, want %s", r.Failures, beside)
	}
}

// The policies of the documentation are read without an error, and the page names each.
func TestPolicyExamples(t *testing.T) {
	page, err := os.ReadFile("../../docs/comparing-and-gating.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../../docs/gate/*.yaml")
	if err != nil || len(files) < 4 {
		t.Fatalf("%d examples, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p, err := gate.ReadPolicy(bytes.NewReader(text), file, metric.Common())
		if err != nil {
			t.Error(err)
			continue
		}
		if !strings.Contains(string(page), "gate/"+filepath.Base(file)) {
			t.Errorf("docs/comparing-and-gating.md does not name %s", filepath.Base(file))
		}
		if p.Counts == gate.Enforce {
			next := baseline()
			moreRequests(&next, "v2", 3)
			if v := judged(t, p, baseline(), next); v.Outcome != gate.Fail {
				t.Errorf("%s lets three times the requests pass", file)
			}
		}
	}
}
