// Package files finds results where a user says they are: in a file, in a folder,
// or in a revision of a git repository.
//
// Its opinion: a name that is given must lead to results. What is not there,
// cannot be read or is something else is an error, never an empty list.
package files

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/lakebench/lakebench/results"
)

// Git runs git with arguments and returns its standard output.
type Git func(ctx context.Context, args ...string) ([]byte, error)

// Load returns the results at a place, sorted by name; there is at least one:
//
//   - a file;
//   - a folder: what is in it as *.json, or as result.json one folder deeper, where
//     a run puts it;
//   - git:REV:PATH: a file, or the *.json of a folder, in a revision. PATH is
//     relative to the top of the repository.
func Load(ctx context.Context, place string, git Git) ([]results.Named, error) {
	if rest, ok := strings.CutPrefix(place, gitPrefix); ok {
		return loadGit(ctx, rest, git)
	}
	paths, err := List(place)
	if err != nil {
		return nil, err
	}
	var all []results.Named
	for _, p := range paths {
		doc, err := results.Read(p)
		if err != nil {
			return nil, err
		}
		all = append(all, results.Named{Name: p, Document: doc})
	}
	return all, nil
}

const gitPrefix = "git:"

// IsRevision says that a place is in a git revision, where nothing can be written.
func IsRevision(place string) bool { return strings.HasPrefix(place, gitPrefix) }

// List returns the paths of the results in a file or folder, sorted.
func List(place string) ([]string, error) {
	info, err := os.Stat(place)
	if err != nil {
		return nil, fmt.Errorf("find results: %w", err)
	}
	if !info.IsDir() {
		return []string{place}, nil
	}
	var paths []string
	for _, pattern := range []string{"*.json", filepath.Join("*", results.FileName)} {
		found, err := filepath.Glob(filepath.Join(escape(place), pattern))
		if err != nil {
			return nil, fmt.Errorf("find results in %s: %w", place, err)
		}
		paths = append(paths, found...)
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s %w: expected *.json, or folders with %s", place, ErrNone, results.FileName)
	}
	return paths, nil
}

// escape takes a folder's name as it is in a pattern.
func escape(place string) string {
	return strings.NewReplacer("\\", "\\\\", "*", "\\*", "?", "\\?", "[", "\\[").Replace(place)
}

// ErrNone says that there are no results at a place.
var ErrNone = errors.New("holds no results")

// ErrGitPlace says that a place in git is not written as it should be.
var ErrGitPlace = errors.New("expected git:REV:PATH, such as git:main:baselines")

func loadGit(ctx context.Context, rest string, git Git) ([]results.Named, error) {
	rev, name, ok := strings.Cut(rest, ":")
	if !ok || rev == "" || name == "" || strings.HasPrefix(rev, "-") {
		return nil, fmt.Errorf("%s%s: %w", gitPrefix, rest, ErrGitPlace)
	}
	name = path.Clean(name)
	kind, err := git(ctx, "cat-file", "-t", rev+":"+name)
	if err != nil {
		return nil, fmt.Errorf("%s%s: %w", gitPrefix, rest, err)
	}
	names := []string{name}
	if strings.TrimSpace(string(kind)) == "tree" {
		if names, err = listGit(ctx, rev, name, git); err != nil {
			return nil, fmt.Errorf("%s%s: %w", gitPrefix, rest, err)
		}
	}
	var all []results.Named
	for _, n := range names {
		place := gitPrefix + rev + ":" + n
		data, err := git(ctx, "cat-file", "blob", rev+":"+n)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", place, err)
		}
		doc, err := results.Decode(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", place, err)
		}
		all = append(all, results.Named{Name: place, Document: doc})
	}
	return all, nil
}

// listGit names the results in a folder of a revision.
func listGit(ctx context.Context, rev, dir string, git Git) ([]string, error) {
	out, err := git(ctx, "ls-tree", "-z", "--name-only", rev+":"+dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for n := range strings.SplitSeq(string(out), "\x00") {
		if strings.HasSuffix(n, ".json") {
			names = append(names, path.Join(dir, n))
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%w: expected *.json", ErrNone)
	}
	return names, nil
}
