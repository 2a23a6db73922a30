// Package mutant proves that tests catch what they are there to catch.
//
// A mutant is the same code with a guard taken out: a text file says which lines
// of which source file become which, and which test must then fail. Its opinion:
// a checker that has never failed proves nothing, and a switch in production code
// that turns a guard off is worse than no test at all. So the mutation happens to
// an overlay of the source at compile time, and nothing of it is in the product.
//
// All mutants of a package are woven into one binary, of which an environment
// variable puts one into effect: to build a package is dearer than to test it. A
// mutant that changes more than bodies of functions and imports has a binary of its own.
//
// A mutant file is a txtar archive. Its comment says in words what is taken out
// and, on a line of its own, which tests of its package must then fail:
//
//	Hazard 7: an empty page is taken for the end.
//	test: ^TestConformance$/^pages$
//	-- find store/store.go --
//			if p.Cursor == "" {
//	-- replace --
//			if len(p.Entries) == 0 {
//
// There may be several pairs of find and replace, each of whole lines. The lines to
// find must be in their file exactly once; when the source has moved on, the mutant
// must follow. A mutant that does not compile, or whose tests only run out of time,
// is an error and not a catch.
//
// The mutants that a package's tests catch belong into that package's testdata:
// then the go command knows when to run them again.
package mutant

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"
)

// testTimeout bounds the tests of one mutant.
const testTimeout = 3 * time.Minute

// Run tries every mutant, *.txtar in dir, on the tests of the package whose test
// calls it, and fails for each that they do not catch. With -short it is left out:
// the package is built anew.
func Run(t *testing.T, dir string) {
	t.Helper()
	if testing.Short() {
		t.Skip("mutants are built anew")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no mutants in %s (%v)", dir, err)
	}
	binaries := Weave(t, files...)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			caught, err := binaries.try(t.Context(), file)
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			t.Logf("%s Caught by %s", binaries.mutants[file].about, caught)
		})
	}
}

// A mutant is a parsed mutant file.
type mutant struct {
	file  string // as it was given
	about string // first line of the comment
	tests string // pattern of the tests that must fail, as -run takes it
	edits []edit
}

// An edit is text of one source file and what it becomes.
type edit struct{ file, find, replace string }

func parse(file string, data []byte) (mutant, error) {
	archive := txtar.Parse(data)
	m := mutant{file: file}
	for line := range strings.Lines(string(archive.Comment)) {
		line = strings.TrimSpace(line)
		test, ok := strings.CutPrefix(line, "test:")
		if !ok {
			if m.about == "" {
				m.about = line
			}
			continue
		}
		if m.tests != "" {
			return mutant{}, fmt.Errorf("line %q: there is one before", line)
		}
		m.tests = strings.TrimSpace(test)
	}
	if m.about == "" || m.tests == "" {
		return mutant{}, errors.New(`want a comment of words and a line "test: PATTERN"`)
	}
	for i := 0; i < len(archive.Files); i += 2 {
		file, ok := strings.CutPrefix(archive.Files[i].Name, "find ")
		if !ok || i+1 >= len(archive.Files) || archive.Files[i+1].Name != "replace" {
			return mutant{}, fmt.Errorf("section %q: want pairs of %q and %q", archive.Files[i].Name, "-- find FILE --", "-- replace --")
		}
		m.edits = append(m.edits, edit{file: file, find: string(archive.Files[i].Data), replace: string(archive.Files[i+1].Data)})
	}
	if len(m.edits) == 0 {
		return mutant{}, errors.New("it changes nothing")
	}
	return m, nil
}

// judge reads how the tests ended.
func (m mutant) judge(out string, err error) (string, error) {
	var exit *exec.ExitError
	switch {
	case strings.Contains(out, "no tests to run"):
		return "", fmt.Errorf("no test is named %s", m.tests)
	case err == nil:
		return "", fmt.Errorf("the mutant survives: %s passes without the guard", m.tests)
	case !errors.As(err, &exit):
		return "", fmt.Errorf("run the mutant's tests: %w", err)
	case strings.Contains(out, "panic: test timed out"):
		return "", fmt.Errorf("%s ran out of time; a test that hangs catches nothing:\n%s", m.tests, out)
	}
	// Names of failed tests come outermost first, the innermost with its messages.
	caught := ""
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "--- FAIL: "); ok {
			caught, _, _ = strings.Cut(name, " ")
		} else if caught != "" || strings.HasPrefix(line, "panic: ") {
			return caught + ": " + line, nil
		}
	}
	return "", fmt.Errorf("the mutant's tests ended with %w and named no failure:\n%s", err, out)
}

// mutated returns the files that a mutant changes, as they are and as they become.
func (m mutant) mutated(root string) (before, after map[string]string, err error) {
	before, after = make(map[string]string), make(map[string]string)
	for _, e := range m.edits {
		text, ok := after[e.file]
		if !ok {
			data, err := os.ReadFile(filepath.Join(root, e.file))
			if err != nil {
				return nil, nil, err
			}
			text = string(data)
			before[e.file] = text
		}
		if n := strings.Count(text, e.find); n != 1 {
			return nil, nil, fmt.Errorf("the lines to find are %d times in %s, want once; the mutant must follow its source:\n%s", n, e.file, e.find)
		}
		after[e.file] = strings.Replace(text, e.find, e.replace, 1)
	}
	return before, after, nil
}

// moduleRoot is the nearest folder above the test's that has a go.mod.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("no go.mod above the test's folder")
		}
		dir = parent
	}
}
