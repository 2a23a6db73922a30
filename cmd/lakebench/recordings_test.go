package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/internal/sim/checker"
	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/results"
	runner "github.com/lakebench/lakebench/run"
)

// stale is a recording of a reader that was told what had been replaced before it
// asked, and of another key's reader that was told the truth.
func stale(t *testing.T) runner.Recording {
	t.Helper()
	rec := runner.Recording{Variant: "dual", Point: results.Point{}}
	_, err := task.Run(t.Context(), task.VirtualConfig{}, func(ctx context.Context) error {
		old, next := checker.Text("old"), checker.Text("next")
		r := checker.NewRecorder(ctx, checker.Entry{Key: "tbl/a", Value: checker.Text("old")}, checker.Entry{Key: "tbl/b", Value: checker.Text("old")})
		r.Begin(ctx, "writer-1", checker.Call{Kind: checker.CAS, Key: "tbl/a", Expect: old, Next: next}).End(ctx, checker.Answer{Outcome: checker.OK})
		for _, key := range []string{"tbl/a", "tbl/b"} {
			r.Begin(ctx, "reader-1", checker.Call{Kind: checker.Get, Key: key}).End(ctx, checker.Answer{Outcome: checker.OK, Found: old})
		}
		var err error
		rec.History = r.History()
		rec.Result, err = checker.Check(ctx, rec.History, checker.DefaultLimits())
		return err
	})
	if err != nil || rec.Result.Verdict != checker.Failed {
		t.Fatalf("%+v, %v", rec.Result, err)
	}
	return rec
}

// TestFailingHistory: what the checker rejects is handed on with the result, as JSON
// that the checker rejects again and as a drawing, and only what matters of it.
func TestFailingHistory(t *testing.T) {
	dir, all := t.TempDir(), t.TempDir()
	r := &recordings{dir: all}
	if err := r.take(stale(t)); err != nil {
		t.Fatal(err)
	}
	files, err := r.writeFailed(dir)
	base := filepath.Join(dir, "failing-dual-repeat=0")
	if err != nil || len(files) != 2 || files[0] != base+".json" || files[1] != base+".html" {
		t.Fatalf("%q, %v", files, err)
	}
	for path, operations := range map[string]int{files[0]: 2, filepath.Join(all, "dual-repeat=0.json"): 3} {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		h, err := checker.ReadJSON(f)
		if closed := f.Close(); err != nil || closed != nil {
			t.Fatal(err, closed)
		}
		again, err := checker.Check(t.Context(), h, checker.DefaultLimits())
		if err != nil || again.Verdict != checker.Failed || len(h.Operations) != operations {
			t.Errorf("%s: %d operations, want %d; %+v, %v", path, len(h.Operations), operations, again, err)
		}
	}
	page, err := os.ReadFile(files[1])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<html", "writer-1", "reader-1", "tbl/a"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the drawing has no %q", want)
		}
	}
	if strings.Contains(string(page), "tbl/b") {
		t.Error("the drawing has tbl/b, which has nothing to do with it")
	}
}

// TestExitCodesOfChecks: a check that failed is exit code 3, one that came to no
// verdict 4 (docs/spec/results.md §5), also inside another error.
func TestExitCodesOfChecks(t *testing.T) {
	for status, want := range map[results.Status]int{results.Passed: exitOK, results.Failed: exitInvalid, results.Inconclusive: exitInconclusive} {
		doc := &results.Document{Series: []results.Series{{}}, Checks: []results.Check{{Name: "linearizable", Status: status, Detail: "x"}}}
		err := runner.Validity(doc)
		if got := exitCode(t.Context(), err); got != want {
			t.Errorf("%s: exit code %d, want %d (%v)", status, got, want, err)
		}
		if err != nil && exitCode(t.Context(), fmt.Errorf("run: %w", errors.Join(nil, err))) != want {
			t.Errorf("%s: wrapped, it has another exit code", status)
		}
	}
}
