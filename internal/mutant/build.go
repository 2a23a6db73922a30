package mutant

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// Binaries are test binaries of a package that contain mutants.
type Binaries struct {
	dir     string // of everything that is built
	root    string // of the module
	mutants map[string]mutant
	broken  map[string]error // what is wrong with a mutant's file
	woven   string           // the binary with many mutants, "" if there is none
	inWoven map[string]bool
}

// Weave builds the tests of the package whose test calls it with the mutants of
// files woven into them. An error of a single mutant fails nothing here; Command
// returns it.
func Weave(t *testing.T, files ...string) *Binaries {
	t.Helper()
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	b := &Binaries{
		dir: t.TempDir(), root: root, mutants: make(map[string]mutant), broken: make(map[string]error), inWoven: make(map[string]bool),
	}
	texts := newWeave()
	for _, file := range files {
		if err := b.add(texts, file); err != nil {
			b.broken[file] = err
		}
	}
	if len(b.inWoven) < 2 {
		return b // one mutant needs no weaving
	}
	if b.woven, err = b.build(t.Context(), "woven", texts.files()); err != nil {
		// One of them does not compile. Building each alone shows which.
		t.Logf("the mutants are built one by one: %v", err)
		b.woven = ""
	}
	return b
}

func (b *Binaries) add(texts *weave, file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	m, err := parse(file, data)
	if err != nil {
		return err
	}
	before, after, err := m.mutated(b.root)
	if err != nil {
		return err
	}
	b.mutants[file] = m
	if texts.add(m.file, before, after) {
		b.inWoven[file] = true
	}
	return nil
}

// Command returns a command that runs the tests' binary with one mutant in effect.
func (b *Binaries) Command(ctx context.Context, file string, args ...string) (*exec.Cmd, error) {
	m, ok := b.mutants[file]
	if err := b.broken[file]; err != nil || !ok {
		return nil, errors.Join(err, fmt.Errorf("%s: this mutant was not built", file))
	}
	if b.woven != "" && b.inWoven[file] {
		cmd := exec.CommandContext(ctx, b.woven, args...)
		cmd.Env = append(cmd.Environ(), chosen+"="+m.file)
		return cmd, nil
	}
	_, after, err := m.mutated(b.root)
	if err != nil {
		return nil, err
	}
	binary, err := b.build(ctx, "alone", after)
	if err != nil {
		return nil, fmt.Errorf("the mutant does not compile: %w", err)
	}
	return exec.CommandContext(ctx, binary, args...), nil
}

// try runs the tests that must catch a mutant, of all tests of the package. It
// returns which of them failed first, or an error if none did.
func (b *Binaries) try(ctx context.Context, file string, tests []string) (string, error) {
	if err := b.broken[file]; err != nil {
		return "", err
	}
	m := b.mutants[file]
	if err := m.tests.check(tests); err != nil {
		return "", err
	}
	run, err := b.Command(ctx, file, "-test.run", m.tests.text, "-test.failfast", "-test.timeout", testTimeout.String())
	if err != nil {
		return "", err
	}
	out, err := run.CombinedOutput()
	return m.judge(string(out), err)
}

// build builds the tests with texts in the places of files of the module.
func (b *Binaries) build(ctx context.Context, name string, texts map[string]string) (binary string, err error) {
	dir, err := os.MkdirTemp(b.dir, name+"-")
	if err != nil {
		return "", err
	}
	overlay, err := writeOverlay(b.root, dir, texts)
	if err != nil {
		return "", err
	}
	binary = filepath.Join(dir, "mutant.test")
	build := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay", overlay, "-o", binary, ".")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return binary, nil
}

// writeOverlay writes texts and the file that tells the go command about them.
func writeOverlay(root, dir string, texts map[string]string) (string, error) {
	replace := make(map[string]string)
	for file, text := range texts {
		mutated := filepath.Join(dir, strconv.Itoa(len(replace))+".go")
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
