package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/internal/atomicfile"
	"github.com/lakebench/lakebench/internal/resultstest"
	"github.com/lakebench/lakebench/results"
)

// What was measured is printed even if it cannot be written; the exit code tells.
func TestTablesWithoutFiles(t *testing.T) {
	full := filepath.Join(t.TempDir(), "full")
	if err := atomicfile.Write(full, nil); err != nil {
		t.Fatal(err)
	}
	doc := resultstest.CatalogRefresh(1, 0, 1000)
	for json, want := range map[bool]string{false: "Cost per refresh", true: `"schema": "lakebench.result"`} {
		var stdout, stderr bytes.Buffer
		o := runOptions{json: json}
		err := o.output(t.Context(), &destination{id: "run", dir: full}, &doc, &recordings{}, &stdout, &stderr)
		if code := exitCode(t.Context(), err); code != exitUsage || !strings.Contains(err.Error(), full) {
			t.Errorf("exit code %d: %v, want %d and the file", code, err, exitUsage)
		}
		if !strings.Contains(stdout.String(), want) || strings.Contains(stderr.String(), "result ") {
			t.Errorf("standard output lacks %q, or standard error names a file:\n%s%s", want, &stdout, &stderr)
		}
	}
}

// A merge without the part of a worker is written, marked as partial, and invalid.
func TestMergeWithoutAPart(t *testing.T) {
	dir := t.TempDir()
	for _, worker := range []string{"1/4", "3/4"} {
		doc := resultstest.CatalogRefresh(1, 0, 1000)
		doc.RunID = "part-" + worker[:1]
		doc.Environment.Backend.Settings = map[string]string{results.WorkerSetting: worker}
		if _, err := results.Write(dir, doc); err != nil {
			t.Fatal(err)
		}
	}
	merge := func(parts ...string) (code int, stdout, stderr string) {
		var out, errOut bytes.Buffer
		code = run(t.Context(), append([]string{"merge", "--out", filepath.Join(dir, "merged")}, parts...), nil, &out, &errOut)
		return code, out.String(), errOut.String()
	}
	code, stdout, stderr := merge("--name", "two", dir)
	const want = "lakebench: the run is invalid: the parts of workers 2/4, 4/4 are missing: run them and merge again\n"
	if code != exitInvalid || !strings.HasSuffix(stderr, want) || !strings.Contains(stdout, "Partial: ") {
		t.Errorf("exit code %d, want %d\n%s%s", code, exitInvalid, stdout, stderr)
	}
	whole, err := loadOne(t.Context(), filepath.Join(dir, "merged", "two"))
	if err != nil || !whole.Document.Partial {
		t.Errorf("%v; partial %v, want it written as partial", err, whole.Document.Partial)
	}
}

// The width is that of $COLUMNS; without it and without a terminal it is unknown.
func TestWidth(t *testing.T) {
	for columns, want := range map[string]int{"": 0, "132": 132, "-1": 0, "wide": 0} {
		t.Setenv("COLUMNS", columns)
		if got := terminalOf(&bytes.Buffer{}); got.Width != want || got.Color {
			t.Errorf("COLUMNS=%s: %+v, want width %d and no colours", columns, got, want)
		}
	}
}
