package report

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/lakebench/lakebench/internal/atomicfile"
	"github.com/lakebench/lakebench/internal/render"
	"github.com/lakebench/lakebench/internal/resultstest"
	"github.com/lakebench/lakebench/results"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files anew; read the difference before it is committed")

func table(t *testing.T, doc results.Document, o render.TextOptions) string {
	t.Helper()
	var b strings.Builder
	if err := render.Text(&b, Result(doc), o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// troubled is a document with everything that a table has to warn of.
func troubled() results.Document {
	doc := resultstest.CatalogRefresh(1, 1000)
	doc.Partial = true
	doc.Warnings = []string{"the endpoint did not say what 3 requests cost"}
	doc.Checks = append(doc.Checks,
		results.Check{Name: "bijection", Status: results.Failed, Detail: "v2 lacks 1 key of 2,000: tb/000042; expected both layouts to list the same"},
		results.Check{Name: "linearizable", Status: results.Skipped, Detail: "one client only"})
	s := &doc.Series[0]
	l := s.Latency["refresh"]
	l.Response.Clamped = 2
	s.Latency["refresh"] = l
	s.Operations["refresh"] = results.Operations{Count: 20, OK: 17, Failed: 2, Unknown: 1}
	s.Attempts = append(s.Attempts,
		results.Attempt{Service: "dynamodb", API: "Scan", Outcome: "throttled", Cause: "list", Count: 4},
		results.Attempt{Service: "dynamodb", API: "BatchWriteItem", Outcome: "ok", Cause: "setup", Count: 80})
	s.Attempts = append(s.Attempts,
		results.Attempt{Service: "dynamodb", API: "Scan", Outcome: "reply-lost", Cause: "list", Count: 1},
		results.Attempt{Service: "dynamodb", API: "PutItem", Outcome: "condition-failed", Cause: "mutate", Count: 2},
		results.Attempt{Service: "dynamodb", API: "PutItem", Outcome: "conflict", Cause: "mutate", Count: 1})
	s.Retries = 6
	s.Source, s.Unreported = results.Reported, 3
	var err error
	if doc.Summary, err = results.Summarize(&doc); err != nil {
		panic(err)
	}
	return doc
}

// noisyTimes is a document whose counts grow, and whose times are noise; its
// checks have long names.
func noisyTimes(t *testing.T) results.Document {
	t.Helper()
	doc := resultstest.CatalogRefresh(1, 0, 1000, 10_000, 100_000)
	for i, m := range doc.Summary.Metrics {
		if strings.HasSuffix(m.Metric, "-ns") {
			doc.Summary.Metrics[i].Value = float64(1+i*i%7) * 1e6
		}
	}
	for i := range doc.Series {
		for name := range doc.Series[i].Metrics {
			if strings.HasSuffix(name, "-ns") {
				doc.Series[i].Metrics[name] = float64(1+i*i%7) * 1e6
			}
		}
	}
	var err error
	if doc.Summary, err = results.Summarize(&doc); err != nil {
		t.Fatal(err)
	}
	doc.Checks = []results.Check{
		{Name: results.LedgersCheck, Status: results.Passed, Detail: "calls + retries = attempts = requests served, in every phase"},
		{Name: "every refresh lists the lake's tables", Status: results.Passed, Detail: "keys and values are those that were generated or imported, in all 240 refreshes"},
	}
	return doc
}

func TestTableGolden(t *testing.T) {
	nothing := resultstest.CatalogRefresh(1)
	nothing.Checks = nil
	for name, text := range map[string]string{
		"catalog-refresh":        table(t, resultstest.CatalogRefresh(1, 0, 1000, 10_000, 100_000), render.TextOptions{Width: 80}),
		"catalog-refresh-narrow": table(t, resultstest.CatalogRefresh(1, 0, 100_000), render.TextOptions{Width: 60}),
		"noisy":                  table(t, noisyTimes(t), render.TextOptions{Width: 80}),
		"troubled":               table(t, troubled(), render.TextOptions{Width: 80}),
		"nothing":                table(t, nothing, render.TextOptions{Width: 80}),
	} {
		path := filepath.Join("testdata", name+".txt")
		if *rewrite {
			if err := atomicfile.Write(path, []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), text); d != "" {
			t.Errorf("%s (-golden +got):\n%s", path, d)
		}
	}
}

// No line is wider than the terminal, from 60 columns on, and colours add
// nothing but their codes.
func TestTableFits(t *testing.T) {
	codes := regexp.MustCompile("\x1b\\[[0-9]+m")
	for _, doc := range []results.Document{resultstest.CatalogRefresh(3, 0, 1000, 100_000, 1_000_000), troubled()} {
		for width := 60; width <= 130; width += 7 {
			plain := table(t, doc, render.TextOptions{Width: width})
			for line := range strings.SplitSeq(plain, "\n") {
				if n := utf8.RuneCountInString(line); n > width || strings.HasSuffix(line, " ") {
					t.Errorf("width %d: %d columns: %q", width, n, line)
				}
			}
			colored := table(t, doc, render.TextOptions{Width: width, Color: true})
			if codes.ReplaceAllString(colored, "") != plain || !codes.MatchString(colored) {
				t.Errorf("width %d: with colours the text is another", width)
			}
		}
	}
}

// A million records and eighty columns: nothing is left out.
func TestTableHasRoomForAMillion(t *testing.T) {
	text := table(t, resultstest.CatalogRefresh(1, 0, 1_000_000), render.TextOptions{Width: 80})
	if strings.Contains(text, "Left out") || strings.Contains(text, "The same in every row") || !strings.Contains(text, "1,001,000     1,000  74,075  9,259.38") {
		t.Errorf("the table leaves something out:\n%s", text)
	}
}

func TestTableReportsAFullDisk(t *testing.T) {
	full := errors.New("no space left")
	if err := render.Text(failing{full}, Result(resultstest.CatalogRefresh(1, 0)), render.TextOptions{Width: 80}); !errors.Is(err, full) {
		t.Errorf("Text: %v, want %v", err, full)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
