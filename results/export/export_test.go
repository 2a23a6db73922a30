package export_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lakebench/lakebench/internal/atomicfile"
	"github.com/lakebench/lakebench/internal/resultstest"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/results/export"
	"github.com/lakebench/lakebench/workloads"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files anew; read the difference before it is committed")

// small is a result of two repeats with all that a format has to escape.
func small(t *testing.T) results.Document {
	t.Helper()
	doc := resultstest.CatalogRefresh(2, 0)
	doc.Series = slices.DeleteFunc(doc.Series, func(s results.Series) bool { return s.Variant == "v2-parallel" })
	for i := range doc.Series {
		s := &doc.Series[i]
		s.Point["scan_batch"] = results.Word("a\"b\\c\nd")
		s.Point["9 lives"] = results.Bool(true)
		for name := range s.Metrics {
			if !slices.Contains([]string{"requests/op", "usd/op", "returned/op", "p50-ns", "service-max-ns"}, name) {
				delete(s.Metrics, name)
			}
		}
		s.Metrics["ceiling-units/s"] = 1000.5
	}
	doc.Metrics = workloads.Metrics()
	doc.Checks[1].Status = results.Skipped
	var err error
	if doc.Summary, err = results.Summarize(&doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

func write(t *testing.T, format string, doc results.Document) string {
	t.Helper()
	f, ok := export.Find(format)
	if !ok {
		t.Fatalf("no format %s", format)
	}
	var b bytes.Buffer
	if err := f.Write(&b, doc); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGoldens(t *testing.T) {
	for _, f := range export.Formats() {
		got := write(t, f.Name, small(t))
		path := filepath.Join("testdata", f.Name+".txt")
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

// CSV has every metric of every series, and its numbers read back the same.
func TestCSVHasEverything(t *testing.T) {
	doc := small(t)
	rows, err := csv.NewReader(strings.NewReader(write(t, "csv", doc))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := func(name string) int { return slices.Index(rows[0], name) }
	want := map[string]float64{}
	for i := range doc.Series {
		for m, v := range doc.Series[i].Metrics {
			want[fmt.Sprint(doc.Series[i].Variant, doc.Series[i].Repeat, m)] = v
		}
	}
	got := map[string]float64{}
	for _, r := range rows[1:] {
		v, err := strconv.ParseFloat(r[column("value")], 64)
		if err != nil {
			t.Fatal(err)
		}
		got[r[column("variant")]+r[column("repeat")]+r[column("metric")]] = v
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-document +CSV):\n%s", d)
	}
}

// The grammar of the format as far as it is used: names and labels are allowed
// ones, a family is one block with its type before its samples, and no sample is
// given twice.
func TestPrometheusIsWellFormed(t *testing.T) {
	sample := regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)\{([a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"(?:,[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*")*)\} (-?[0-9].*)$`)
	body := write(t, "prometheus", small(t))
	family, seen, samples := "", map[string]bool{}, map[string]bool{}
	for line := range strings.Lines(body) {
		line = strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(line, "# HELP "); ok {
			family, _, _ = strings.Cut(rest, " ")
			if seen[family] {
				t.Errorf("family %s is there twice", family)
			}
			seen[family] = true
			continue
		}
		if strings.HasPrefix(line, "# TYPE "+family+" ") {
			continue
		}
		m := sample.FindStringSubmatch(line)
		switch {
		case m == nil:
			t.Errorf("no sample: %q", line)
		case m[1] != family:
			t.Errorf("%s is in the block of %s", m[1], family)
		case samples[m[1]+m[2]]:
			t.Errorf("twice: %s{%s}", m[1], m[2])
		default:
			samples[m[1]+m[2]] = true
			if _, err := strconv.ParseFloat(m[3], 64); err != nil {
				t.Error(err)
			}
		}
	}
}

// Every known metric has a family of its own, or a quantile of its own in one, and
// stands in the documentation with it.
func TestNamesAreDocumented(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "exports.md"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, m := range workloads.Metrics() {
		f := export.FamilyOf(m)
		if key := f.Name + f.Quantile; seen[key] {
			t.Errorf("%s: %s is taken", m.Name, key)
		} else {
			seen[key] = true
		}
		quantile := ""
		if f.Quantile != "" {
			quantile = fmt.Sprintf("`quantile=%q`", f.Quantile)
		}
		if row := fmt.Sprintf("| `%s` | `%s` | %s |", m.Name, f.Name, quantile); !strings.Contains(string(doc), row) {
			t.Errorf("docs/exports.md lacks\n%s", row)
		}
	}
	for _, f := range export.Formats() {
		if !strings.Contains(string(doc), "| `"+f.Name+"` |") {
			t.Errorf("docs/exports.md lacks the format %s", f.Name)
		}
	}
}

// A tracker that warns of rises gets no metric of which more is better.
func TestTrackerHasOneDirection(t *testing.T) {
	var list []struct {
		Name, Unit string
		Value      *float64
	}
	if err := json.Unmarshal([]byte(write(t, "tracker", small(t))), &list); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range list {
		if e.Unit == "" || e.Value == nil {
			t.Errorf("%+v lacks a unit or value", e)
		}
		got = append(got, e.Name[strings.LastIndex(e.Name, " ")+1:])
	}
	slices.Sort(got)
	if want := []string{"p50-ns", "requests/op", "service-max-ns", "usd/op"}; !slices.Equal(slices.Compact(got), want) {
		t.Errorf("%v, want %v", got, want)
	}
}
