package compare_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"math"
	"os"
	"path/filepath"
	"regexp"
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
	"github.com/lakebench/lakebench/results/compare"
	"github.com/lakebench/lakebench/results/growth"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files anew; read the difference before it is committed")

func named(name string, doc results.Document) results.Named {
	return results.Named{Name: name, Document: doc}
}

func held(t *testing.T, old, next results.Document, o compare.Options) *compare.Comparison {
	t.Helper()
	c, err := compare.Compare(named("old.json", old), named("new.json", next), o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// changed returns the rows that differ, as words.
func changed(c *compare.Comparison) []string {
	var all []string
	for i := range c.Rows {
		if r := &c.Rows[i]; r.Differs() {
			all = append(all, r.Metric+" "+r.Delta())
		}
	}
	return all
}

func TestEqualResultsDoNotDiffer(t *testing.T) {
	doc := resultstest.CatalogRefresh(3, 0, 1000)
	c := held(t, doc, doc, compare.DefaultOptions())
	if c.Differs() || len(changed(c)) > 0 || len(c.Ledgers) > 0 || len(c.Warnings) > 0 {
		t.Errorf("differs: rows %v, ledgers %v, warnings %v", changed(c), c.Ledgers, c.Warnings)
	}
	if want := 2 * 3 * 18; len(c.Rows) != want {
		t.Errorf("%d rows, want %d: two points, three variants, 18 metrics", len(c.Rows), want)
	}
}

// One request more in one repeat of three is a difference, though the median stays
// what it was; a last digit that another machine rounds otherwise is none.
func TestCountsAreExact(t *testing.T) {
	old, next := resultstest.CatalogRefresh(3, 1000), resultstest.CatalogRefresh(3, 1000)
	s := &next.Series[3] // the second repeat of v1
	s.Metrics["requests/op"] += 1.0 / resultstest.Refreshes
	s.Attempts[0].Count++
	next.Series[0].Metrics["usd/op"] *= 1 + 1e-15
	c := held(t, old, next, compare.DefaultOptions())
	if got, want := changed(c), []string{"requests/op repeat 1: 3 → 3.05"}; !slices.Equal(got, want) {
		t.Errorf("rows %q, want %q", got, want)
	}
	if len(c.Ledgers) != 1 || c.Ledgers[0].What() != "dynamodb Scan ok, list" || c.Ledgers[0].New-c.Ledgers[0].Old != 1 {
		t.Errorf("ledgers %+v, want one scan more", c.Ledgers)
	}
}

// A repeat that was measured without a metric is told, though the others have it;
// fewer repeats in all are no difference of counts.
func TestMissingInOneRepeat(t *testing.T) {
	old, next := resultstest.CatalogRefresh(3, 1000), resultstest.CatalogRefresh(3, 1000)
	delete(next.Series[3].Metrics, "requests/op")
	delete(old.Series[6].Metrics, "rru/op")
	if got, want := changed(held(t, old, next, compare.DefaultOptions())), []string{"requests/op gone in repeat 1", "rru/op added in repeat 2"}; !slices.Equal(got, want) {
		t.Errorf("rows %q, want %q", got, want)
	}
	if got := changed(held(t, resultstest.CatalogRefresh(3, 1000), resultstest.CatalogRefresh(1, 1000), compare.DefaultOptions())); len(got) > 0 {
		t.Errorf("three repeats and one: %q", got)
	}
}

// Of results one of which is not deterministic, counts are samples.
func TestCountsOfConcurrentRunsAreSamples(t *testing.T) {
	old, next := resultstest.CatalogRefresh(1, 1000), resultstest.CatalogRefresh(1, 1000)
	next.Deterministic = false
	next.Series[0].Metrics["requests/op"]++
	c := held(t, old, next, compare.DefaultOptions())
	if len(changed(c)) > 0 || len(c.Ledgers) > 0 {
		t.Errorf("rows %v differ, of one repeat each", changed(c))
	}
	if c.TooFew == nil || c.TooFew.Rows != len(c.Rows) {
		t.Errorf("too few is %+v, want all %d rows", c.TooFew, len(c.Rows))
	}
}

// Times of the virtual clock are exact on one platform, and have nothing to do
// with those of the real one.
func TestTimesByClock(t *testing.T) {
	for name, c := range map[string]struct {
		change func(old, next *results.Document)
		want   []string
	}{
		"virtual":       {func(_, _ *results.Document) {}, []string{"p50-ns +100.00%"}},
		"another Go":    {func(_, next *results.Document) { next.Environment.Go = "go1.27" }, nil},
		"another clock": {func(_, next *results.Document) { next.Clock = results.RealClock }, nil},
	} {
		old, next := resultstest.CatalogRefresh(1, 1000), resultstest.CatalogRefresh(1, 1000)
		old.Clock, next.Clock = results.VirtualClock, results.VirtualClock
		next.Series[0].Metrics["p50-ns"] *= 2
		c.change(&old, &next)
		if got := changed(held(t, old, next, compare.DefaultOptions())); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// timed returns a result of n repeats whose metrics are one time, with values of
// its own in each place.
func timed(values ...[]float64) results.Document {
	doc := resultstest.CatalogRefresh(1, 0)
	one := doc.Series[0]
	doc.Series, doc.Summary, doc.Repeats = nil, results.Summary{}, len(values[0])
	for i, vs := range values {
		for repeat, v := range vs {
			s := one
			s.Variant, s.Repeat, s.Metrics = string(rune('a'+i)), repeat, map[string]float64{"p50-ns": v}
			doc.Series = append(doc.Series, s)
		}
	}
	return doc
}

// The p of the U test and its correction, from the number of ways in which ranks
// can fall: 4 against 4 values all on one side are 2 of 70 ways, p = 0.0286, which
// is significant alone; of two such rows it takes 0.025, and none is.
func TestHolm(t *testing.T) {
	apart := func(n int) (lo, hi []float64) {
		for i := range n {
			lo, hi = append(lo, float64(i+1)), append(hi, float64(i+101))
		}
		return lo, hi
	}
	lo4, hi4 := apart(4)
	lo6, hi6 := apart(6)
	mixed := []float64{1, 102, 3, 104, 5, 106}
	for name, c := range map[string]struct {
		old, next results.Document
		p         float64 // of the first row
		differ    int
	}{
		"one row": {timed(lo4), timed(hi4), 2.0 / 70, 1},
		// The smaller p of both has to be 0.025.
		"two rows": {timed(lo4, lo4), timed(hi4, hi4), 2.0 / 70, 0},
		// 6 against 6: p = 2/924 = 0.0022, enough for 23 rows.
		"six repeats": {timed(lo6, lo6), timed(hi6, hi6), 2.0 / 924, 2},
		// A row that is clear does not make the other one clear.
		"one of two": {timed(lo6, mixed), timed(hi6, mixed), 2.0 / 924, 1},
	} {
		got := held(t, c.old, c.next, compare.DefaultOptions())
		if math.Abs(got.Rows[0].P-c.p) > 1e-9 || len(changed(got)) != c.differ {
			t.Errorf("%s: p %v, %d rows differ; want %v, %d", name, got.Rows[0].P, len(changed(got)), c.p, c.differ)
		}
	}
}

// Holm's correction, by its definition (adjusted p-values), for any p: the rows
// called different are those whose adjusted p is at most alpha.
func TestHolmByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ps := rapid.SliceOfN(rapid.Float64Range(0, 0.2), 1, 12).Draw(t, "p")
		c := compare.Comparison{}
		for _, p := range ps {
			c.Rows = append(c.Rows, compare.Row{Change: compare.Unclear, P: p, OldRepeats: 9, NewRepeats: 9})
		}
		c.Test(0.05, func(*compare.Row) bool { return true })
		for i, p := range ps {
			adjusted := 0.0 // the largest of (m-j+1)·p over all p up to this one
			for _, q := range ps {
				if q > p {
					continue
				}
				rank := 0
				for _, r := range ps {
					if r < q {
						rank++
					}
				}
				adjusted = max(adjusted, float64(len(ps)-rank)*q)
			}
			if different := c.Rows[i].Change == compare.Different; different != (adjusted <= 0.05) {
				t.Fatalf("p %v of %v: different %v, adjusted %v", p, ps, different, adjusted)
			}
		}
	})
}

// With too few repeats that is what is said, and how many it takes: the smallest p
// of n against n is 2/C(2n,n), so 1, 1/3, 1/10, 1/35, 1/126, 1/462.
func TestTooFewRepeats(t *testing.T) {
	for n, c := range map[int]struct {
		rows, need int
	}{1: {1, 4}, 3: {1, 4}, 4: {1, 0}, 5: {7, 6}, 6: {7, 0}} {
		var values [][]float64
		for range c.rows {
			values = append(values, make([]float64, n))
		}
		got := held(t, timed(values...), timed(values...), compare.DefaultOptions()).TooFew
		switch {
		case c.need == 0 && got != nil:
			t.Errorf("%d repeats of %d rows: %v, want enough", n, c.rows, got)
		case c.need != 0 && (got == nil || got.Need != c.need || got.Rows != c.rows):
			t.Errorf("%d repeats of %d rows: %+v, want %d needed", n, c.rows, got, c.need)
		}
	}
}

func TestRefusesAnotherWorkload(t *testing.T) {
	old, next := resultstest.CatalogRefresh(1, 0, 1000), resultstest.CatalogRefresh(1, 0, 2000)
	_, err := compare.Compare(named("old", old), named("new", next), compare.DefaultOptions())
	var mismatch *compare.MismatchError
	if !errors.As(err, &mismatch) || !strings.Contains(err.Error(), "history_records is [0,1000] and [0,2000]") {
		t.Errorf("error %v, want one that names the parameter", err)
	}
	o := compare.DefaultOptions()
	o.Force = true
	c := held(t, old, next, o)
	if len(c.Warnings) == 0 || !c.Differs() {
		t.Errorf("forced: warnings %q, differs %v", c.Warnings, c.Differs())
	}
	for _, alpha := range []float64{0, 1, math.NaN()} {
		if _, err := compare.Compare(named("a", old), named("b", old), compare.Options{Alpha: alpha}); err == nil {
			t.Errorf("alpha %v was accepted", alpha)
		}
	}
}

func TestWarnsOfEnvironments(t *testing.T) {
	old, next := resultstest.CatalogRefresh(1, 0), resultstest.CatalogRefresh(1, 0)
	next.Seed, next.Environment.Arch, next.Environment.Backend = 2, "arm64", results.Backend{Kind: "endpoint", Region: "eu-west-1"}
	next.Partial = true
	next.Checks[0].Status = results.Failed
	next.Summary.Disturbed = []results.Disturbance{{Variant: "v1", Point: next.Series[0].Point, Counts: map[string]int64{"reply-lost": 2}}}
	got := strings.Join(held(t, old, next, compare.DefaultOptions()).Warnings, "\n")
	for _, want := range []string{"seeds are 1 and 2", "architecture amd64 and arm64", "backend embedded and endpoint", "region none and eu-west-1", "new result is partial", "requests of the new result failed although no fault was injected, at 1 point (first v1 at history_records=0", `check "ledgers" failed`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
}

// everything is a pair of results with a difference of each kind.
func everything() (old, next results.Document) {
	old, next = resultstest.CatalogRefresh(8, 0, 1000, 10_000), resultstest.CatalogRefresh(8, 0, 1000, 10_000)
	next.Environment.Go = "go1.27"
	for i := range next.Series {
		s := &next.Series[i]
		n, _ := s.Point[resultstest.History].Float()
		switch {
		case s.Variant == "v2" && n == 1000:
			s.Metrics["requests/op"], s.Metrics["rru/op"], s.Metrics["wru/op"] = 9, 75, 2
			s.Attempts[0].Count += resultstest.Refreshes
			s.Operations["refresh"] = results.Operations{Count: 20, OK: 19, Failed: 1}
			delete(s.Metrics, "evaluated/op")
			s.Metrics["scans/op"] = 1
		case s.Variant == "v1" && n == 10_000:
			for _, m := range []string{"p50-ns", "p99-ns"} {
				s.Metrics[m] *= 1.5
			}
		}
	}
	next.Series = slices.DeleteFunc(next.Series, func(s results.Series) bool {
		n, _ := s.Point[resultstest.History].Float()
		return s.Variant == "v2-parallel" && n == 0
	})
	for i := range next.Summary.Growth {
		if g := &next.Summary.Growth[i]; g.Variant == "v2" && g.Metric == "requests/op" {
			g.Class = growth.Linear
		}
	}
	return old, next
}

func text(t *testing.T, c *compare.Comparison, all bool, o render.TextOptions) string {
	t.Helper()
	var b strings.Builder
	if err := render.Text(&b, c.Page(all), o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGoldens(t *testing.T) {
	old, next := everything()
	same := resultstest.CatalogRefresh(1, 0)
	for name, got := range map[string]string{
		"everything": text(t, held(t, old, next, compare.DefaultOptions()), false, render.TextOptions{Width: 80}),
		"same":       text(t, held(t, same, same, compare.DefaultOptions()), false, render.TextOptions{Width: 80}),
		"same-all":   text(t, held(t, same, same, compare.DefaultOptions()), true, render.TextOptions{Width: 80}),
	} {
		path := filepath.Join("testdata", name+".txt")
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

// No line is wider than the terminal, and colours add nothing but their codes.
func TestTextFits(t *testing.T) {
	codes := regexp.MustCompile("\x1b\\[[0-9]+m")
	old, next := everything()
	c := held(t, old, next, compare.DefaultOptions())
	for _, width := range []int{70, 80, 120} {
		plain := text(t, c, true, render.TextOptions{Width: width})
		for line := range strings.SplitSeq(plain, "\n") {
			if n := utf8.RuneCountInString(line); n > width || strings.HasSuffix(line, " ") {
				t.Errorf("width %d: %d columns: %q", width, n, line)
			}
		}
		colored := text(t, c, true, render.TextOptions{Width: width, Color: true})
		if codes.ReplaceAllString(colored, "") != plain || !codes.MatchString(colored) {
			t.Errorf("width %d: with colours the text is another", width)
		}
	}
}

// JSON has every row, and null where there is no number.
func TestJSON(t *testing.T) {
	old, next := everything()
	c := held(t, old, next, compare.DefaultOptions())
	data, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var back struct {
		Rows []map[string]any `json:"rows"`
	}
	if err := json.NewDecoder(bytes.NewReader(data)).Decode(&back); err != nil {
		t.Fatal(err)
	}
	if len(back.Rows) != len(c.Rows) {
		t.Errorf("%d rows, want %d", len(back.Rows), len(c.Rows))
	}
	for i, r := range back.Rows {
		if r["metric"] == "wru/op" && c.Rows[i].Differs() && c.Rows[i].OldRepeats > 0 && c.Rows[i].NewRepeats > 0 && r["delta"] != nil {
			t.Errorf("a rise from 0 is %v, want null", r["delta"])
		}
		if c.Rows[i].Change == compare.OnlyOld && (r["new"] != nil || r["old"] == nil) {
			t.Errorf("%v: a value on the side that has none", r)
		}
	}
}
