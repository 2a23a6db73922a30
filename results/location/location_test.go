package location_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/internal/atomicfile"
	"github.com/lakebench/lakebench/internal/resultstest"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/results/location"
)

// store writes results and returns the folder:
//
//	base/a.json  base/b.json  base/note.txt  runs/<id>/result.json  none/
func store(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	doc := resultstest.CatalogRefresh(1, 0)
	data, err := results.Encode(doc)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"base/a.json": data, "base/b.json": data, "base/note.txt": nil, "none/x": nil, "wrong/x.json": []byte("{}")} {
		if err := atomicfile.Write(filepath.Join(dir, name), content); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := results.Write(filepath.Join(dir, "runs"), doc); err != nil {
		t.Fatal(err)
	}
	return dir
}

func names(all []results.Named, dir string) []string {
	var found []string
	for _, n := range all {
		found = append(found, filepath.ToSlash(strings.TrimPrefix(n.Name, dir+string(filepath.Separator))))
	}
	return found
}

func TestLoad(t *testing.T) {
	dir := store(t)
	run := "runs/20261129T120000Z-catalog-refresh/result.json"
	for place, want := range map[string][]string{
		"base/a.json":                           {"base/a.json"},
		"base":                                  {"base/a.json", "base/b.json"},
		"runs":                                  {run},
		"runs/20261129T120000Z-catalog-refresh": {run},
	} {
		all, err := location.Sources{}.Load(t.Context(), filepath.Join(dir, place))
		if err != nil {
			t.Errorf("%s: %v", place, err)
		}
		if got := names(all, dir); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", place, got, want)
		}
	}
	for place, want := range map[string]error{"none": location.ErrNone, "absent": os.ErrNotExist, "wrong": results.ErrForeign} {
		if _, err := (location.Sources{}).Load(t.Context(), filepath.Join(dir, place)); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", place, err, want)
		}
	}
}

// What is in a revision is read from there, whatever lies in the folder now.
func TestLoadRevision(t *testing.T) {
	dir := store(t)
	git := func(ctx context.Context, args ...string) ([]byte, error) {
		cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir, "-c", "user.name=x", "-c", "user.email=x@example.com"}, args...)...)
		return cmd.Output()
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-q", "-m", "results"}} {
		if out, err := git(t.Context(), args...); err != nil {
			t.Skipf("git %v: %v %s", args, err, out)
		}
	}
	if err := os.RemoveAll(filepath.Join(dir, "base")); err != nil {
		t.Fatal(err)
	}
	for place, want := range map[string][]string{
		"git:HEAD:base/a.json": {"git:HEAD:base/a.json"},
		"git:HEAD:base/":       {"git:HEAD:base/a.json", "git:HEAD:base/b.json"},
	} {
		all, err := location.Sources{Git: git}.Load(t.Context(), place)
		if err != nil {
			t.Errorf("%s: %v", place, err)
		}
		if got := names(all, dir); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", place, got, want)
		}
	}
	for _, place := range []string{"git:", "git:HEAD", "git:HEAD:", "git::base", "git:--help:base"} {
		if _, err := (location.Sources{Git: git}).Load(t.Context(), place); !errors.Is(err, location.ErrGitSyntax) {
			t.Errorf("%s: %v, want ErrGitPlace", place, err)
		}
	}
	for _, place := range []string{"git:HEAD:absent", "git:nowhere:base", "git:HEAD:none", "git:HEAD:wrong"} {
		if _, err := (location.Sources{Git: git}).Load(t.Context(), place); err == nil || !strings.Contains(err.Error(), place) {
			t.Errorf("%s: %v, want an error that names it", place, err)
		}
	}
}
