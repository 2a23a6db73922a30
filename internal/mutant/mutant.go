// Package mutant proves that tests catch what they are there to catch.
//
// A mutant is the same code with a guard taken out: a text file says which lines
// of which source file become which, and which test must then fail. Its opinion:
// a checker that has never failed proves nothing, and a switch in production code
// that turns a guard off is worse than no test at all. So the mutation happens to
// an overlay of the source at compile time, and nothing of it is in the product.
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
	"encoding/json"
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

// Run builds and tests every mutant, *.txtar in dir, with the tests of the package
// whose test calls it, and fails for each that they do not catch. With -short it
// is left out: each takes some seconds to build.
func Run(t *testing.T, dir string) {
	t.Helper()
	if testing.Short() {
		t.Skip("mutants are built anew")
	}
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no mutants in %s (%v)", dir, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			m, err := parse(data)
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			caught, err := m.try(t, root)
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			t.Logf("%s Caught by %s", m.about, caught)
		})
	}
}

// A mutant is a parsed mutant file.
type mutant struct {
	about string // first line of the comment
	tests string // pattern of the tests that must fail, as -run takes it
	edits []edit
}

// An edit is text of one source file and what it becomes.
type edit struct{ file, find, replace string }

func parse(data []byte) (mutant, error) {
	archive := txtar.Parse(data)
	var m mutant
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

// Build builds the tests of the package whose test calls it, with the mutant of
// one file in its place, and returns the binary: for tests that see for themselves
// what becomes of a mutant, rather than whether a test fails.
func Build(t *testing.T, file string) string {
	t.Helper()
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := parse(data)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	binary, err := m.build(t, root)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return binary
}

// build returns the binary of the tests with the mutant in place.
func (m mutant) build(t *testing.T, root string) (binary string, err error) {
	dir := t.TempDir()
	overlay, err := m.overlay(root, dir)
	if err != nil {
		return "", err
	}
	binary = filepath.Join(dir, "mutant.test")
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay", overlay, "-o", binary, ".")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("the mutant does not compile: %w\n%s", err, out)
	}
	return binary, nil
}

// try builds the mutant's tests and runs them. It returns which of them failed
// first, or an error if none did.
func (m mutant) try(t *testing.T, root string) (string, error) {
	binary, err := m.build(t, root)
	if err != nil {
		return "", err
	}
	run := exec.CommandContext(t.Context(), binary, "-test.run", m.tests, "-test.failfast", "-test.timeout", testTimeout.String())
	out, err := run.CombinedOutput()
	return m.judge(string(out), err)
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

// overlay writes the mutated files and what the go command wants to know of them.
func (m mutant) overlay(root, dir string) (string, error) {
	texts := make(map[string]string) // by file
	for _, e := range m.edits {
		text, ok := texts[e.file]
		if !ok {
			data, err := os.ReadFile(filepath.Join(root, e.file))
			if err != nil {
				return "", err
			}
			text = string(data)
		}
		if n := strings.Count(text, e.find); n != 1 {
			return "", fmt.Errorf("the lines to find are %d times in %s, want once; the mutant must follow its source:\n%s", n, e.file, e.find)
		}
		texts[e.file] = strings.Replace(text, e.find, e.replace, 1)
	}
	replace := make(map[string]string)
	for file, text := range texts {
		mutated := filepath.Join(dir, fmt.Sprintf("%d.go", len(replace)))
		if err := os.WriteFile(mutated, []byte(text), 0o600); err != nil {
			return "", err
		}
		replace[filepath.Join(root, file)] = mutated
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, data, 0o600)
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
