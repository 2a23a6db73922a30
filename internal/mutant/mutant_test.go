package mutant

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const good = `A guard is gone.
More words.
test: ^TestX$
-- find a.go --
	if bad {
		return
	}
-- replace --
-- find b/b.go --
const n = 1
-- replace --
const n = 2
`

func TestParse(t *testing.T) {
	m, err := parse("good.txtar", []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	want := []edit{{"a.go", "\tif bad {\n\t\treturn\n\t}\n", ""}, {"b/b.go", "const n = 1\n", "const n = 2\n"}}
	if m.about != "A guard is gone." || m.tests.text != "^TestX$" || len(m.edits) != 2 || m.edits[0] != want[0] || m.edits[1] != want[1] {
		t.Errorf("parsed %+v", m)
	}
	for what, bad := range map[string]string{
		"nothing":       "",
		"no words":      strings.TrimPrefix(good, "A guard is gone.\nMore words.\n"),
		"no tests":      strings.Replace(good, "test: ^TestX$\n", "", 1),
		"two tests":     strings.Replace(good, "test: ^TestX$\n", "test: ^TestX$\ntest: ^TestY$\n", 1),
		"any test":      strings.Replace(good, "^TestX$", "TestX", 1),
		"a folder":      strings.Replace(good, "^TestX$", "./task ^TestX$", 1),
		"one of two":    strings.Replace(good, "^TestX$", "^TestX$|y", 1),
		"no expression": strings.Replace(good, "^TestX$", "^TestX$/(", 1),
		"no edits":      "A guard is gone.\ntest: ^TestX$\n",
		"no find":       strings.Replace(good, "-- find b/b.go --", "-- b/b.go --", 1),
		"no replace":    strings.Replace(good, "-- replace --\nconst n = 2\n", "", 1),
		"find and find": strings.Replace(good, "-- replace --\n-- find", "-- find", 1),
	} {
		if m, err := parse("bad.txtar", []byte(bad)); err == nil {
			t.Errorf("%s: parsed %+v, want an error", what, m)
		}
	}
}

func TestMutated(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "a.go"), []byte("one\ntwo\ntwo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for what, e := range map[string]edit{
		"gone": {"a.go", "three\n", ""}, "twice": {"a.go", "two\n", ""}, "no such file": {"b.go", "one\n", ""},
	} {
		if _, _, err := (mutant{edits: []edit{e}}).mutated(root); err == nil {
			t.Errorf("lines to find that are %s: no error", what)
		}
	}
	before, after, err := mutant{edits: []edit{{"a.go", "one\n", "1\n"}, {"a.go", "1\ntwo\n", "2\n"}}}.mutated(root)
	if err != nil || before["a.go"] != "one\ntwo\ntwo\n" || after["a.go"] != "2\ntwo\n" {
		t.Errorf("from %q to %q, %v", before, after, err)
	}
}

func TestJudge(t *testing.T) {
	failed := error(&exec.ExitError{})
	for _, c := range []struct {
		what, out string
		err       error
		want      string // "": an error
	}{
		{"passes", "PASS\n", nil, ""},
		{"no tests", "testing: warning: no tests to run\nPASS\n", nil, ""},
		{"not started", "", errors.New("no such file"), ""},
		{"out of time", "panic: test timed out after 1m0s\n", failed, ""},
		{"no failure named", "exit\n", failed, ""},
		{"panics in no test", "panic: index out of range\n\ngoroutine 1\n", failed, ""},
		{"another fails", "--- FAIL: TestY (0.00s)\n    y_test.go:1: got 1\nFAIL\n", failed, ""},
		{"its subtest passes", "--- FAIL: TestS (0.00s)\n    x_test.go:1: got 1\nFAIL\n", failed, ""},
		{"another subtest fails", "--- FAIL: TestS (0.00s)\n    --- FAIL: TestS/z (0.00s)\n        x_test.go:1: got 1\nFAIL\n", failed, ""},
		{"fails", "--- FAIL: TestX (0.00s)\n    --- FAIL: TestX/y (0.00s)\n        x_test.go:1: got 1, want 2\nFAIL\n", failed, "TestX: x_test.go:1: got 1, want 2"},
		{"its subtest fails", "--- FAIL: TestS (0.00s)\n    --- FAIL: TestS/y (0.00s)\n        x_test.go:1: got 1, want 2\nFAIL\n", failed, "TestS/y: x_test.go:1: got 1, want 2"},
		{"panics", "--- FAIL: TestX (0.00s)\npanic: index out of range\n\ngoroutine 1\n", failed, "TestX: panic: index out of range"},
	} {
		tests, err := parsePattern("^TestX$|^TestS$/^y$")
		if err != nil {
			t.Fatal(err)
		}
		got, err := mutant{tests: tests}.judge(c.out, c.err)
		if (err != nil) != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, %v; want %q", c.what, got, err, c.want)
		}
	}
}

// TestMutants proves that the tests of this package catch its own mutants.
func TestMutants(t *testing.T) { Run(t, "testdata/mutants") }
