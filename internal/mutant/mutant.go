// Package mutant proves that tests catch the faults that they exist for.
//
// A mutant is the same code without one of its guards. A text file names the lines
// of a source file, what they become, and the test that must then fail. The change is
// made in an overlay of the source at compile time, so the product has no switch that
// turns a guard off.
//
// All mutants of a package are woven into one test binary, because compiling takes
// longer than testing. An environment variable selects the mutant in effect. A mutant
// that changes more than bodies of functions and imports gets a binary of its own.
//
// A mutant file is a txtar archive. Its comment says in words which guard is missing
// and, on a line of its own, which tests of its package must then fail:
//
//	Metadata hazard 7: an empty page is taken for the end.
//	test: ^TestConformance$/^pages$
//	-- find store/store.go --
//			if p.Cursor == "" {
//	-- replace --
//			if len(p.Entries) == 0 {
//
// There may be several pairs of find and replace, each of whole lines. The lines to
// find must be in their file exactly once; when the source changes, the mutant
// must follow.
//
// It is an error, and not a catch, if a mutant does not compile, if its pattern
// matches no test of the package, if its tests run out of time, or if a test fails
// that the pattern does not name: where the pattern names a subtest, that subtest
// must fail, and not only the test around it.
//
// The mutants that a package's tests catch belong in that package's testdata, so that
// the go command knows when to run them again. They run only when -run names them
// ("go test ./wal -run TestMutants", "make mutants"); otherwise they are skipped.
package mutant

import (
	"errors"
	"flag"
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

// Skip skips a test of mutants, whose name contains "Mutants", unless -run asks for
// it by that word: it compiles the package again.
func Skip(t *testing.T) {
	t.Helper()
	if run := flag.Lookup("test.run"); run == nil || !strings.Contains(run.Value.String(), "Mutants") {
		t.Skipf("mutants run only when asked for: -run %s", t.Name())
	}
}

// Run tries every mutant, *.txtar in dir, on the tests of the package whose test
// calls it, and fails for each that they do not catch. It does so only when asked
// for; see Skip.
func Run(t *testing.T, dir string) {
	t.Helper()
	Skip(t)
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no mutants in %s (%v)", dir, err)
	}
	tests, err := testNames(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	binaries := Weave(t, files...)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			caught, err := binaries.try(t.Context(), file, tests)
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			t.Logf("%s Caught by %s", binaries.mutants[file].about, caught)
		})
	}
}

// A mutant is a parsed mutant file.
type mutant struct {
	file  string  // as it was given
	about string  // first line of the comment
	tests pattern // of the tests that must fail
	edits []edit
}

// An edit is text of one source file and what it becomes.
type edit struct{ file, find, replace string }

func parse(file string, data []byte) (mutant, error) {
	archive := txtar.Parse(data)
	m := mutant{file: file}
	for line := range strings.Lines(string(archive.Comment)) {
		line = strings.TrimSpace(line)
		text, ok := strings.CutPrefix(line, "test:")
		if !ok {
			if m.about == "" {
				m.about = line
			}
			continue
		}
		if m.tests.text != "" {
			return mutant{}, fmt.Errorf("line %q: only one line may name tests", line)
		}
		var err error
		if m.tests, err = parsePattern(strings.TrimSpace(text)); err != nil {
			return mutant{}, err
		}
	}
	if m.about == "" || m.tests.text == "" {
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
		return mutant{}, errors.New("the mutant changes nothing")
	}
	return m, nil
}

// judge reads how the tests ended. It returns the first failure of a test that the
// pattern names, or an error if there is none.
func (m mutant) judge(out string, err error) (string, error) {
	var exit *exec.ExitError
	switch {
	case err == nil && strings.Contains(out, "no tests to run"):
		return "", fmt.Errorf("%s matches no test", m.tests.text)
	case err == nil:
		return "", fmt.Errorf("the mutant survives: %s passes without the guard", m.tests.text)
	case !errors.As(err, &exit):
		return "", fmt.Errorf("run the mutant's tests: %w", err)
	case strings.Contains(out, "panic: test timed out"):
		return "", fmt.Errorf("%s ran out of time; a test that hangs catches nothing:\n%s", m.tests.text, out)
	}
	var others []string // that failed
	lines := strings.Split(out, "\n")
	for i, line := range lines {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "--- FAIL: ")
		if !ok {
			continue
		}
		name, _, _ := strings.Cut(rest, " ")
		if m.tests.names(name) {
			return name + ": " + message(lines[i+1:]), nil
		}
		others = append(others, name)
	}
	if len(others) > 0 {
		return "", fmt.Errorf("caught by %s, and not by what %s names:\n%s", strings.Join(others, ", "), m.tests.text, out)
	}
	return "", fmt.Errorf("the mutant's tests ended with %w and named no failure:\n%s", err, out)
}

// message returns the first line behind that of a failed test that is not the name of
// another: names come outermost first, the innermost with its messages.
func message(lines []string) string {
	for _, line := range lines {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "--- FAIL: ") {
			return line
		}
	}
	return ""
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
			return nil, nil, fmt.Errorf("%s has the lines to find %d times, want once; the mutant must follow its source:\n%s", e.file, n, e.find)
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
