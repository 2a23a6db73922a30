// Package location reads results from where a user says they are: a file, a folder,
// a revision of a git repository, or a bucket; and uploads a run to a bucket.
//
// A name that is given must lead to results: a missing or unreadable one is an
// error, never an empty list. A run is in a bucket whole or not at all, and nothing
// is overwritten.
package location

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

// Sources give access to results outside the file system.
type Sources struct {
	Git Git
	// Bucket opens a client of the S3 that holds results, for locations in a bucket.
	Bucket func(context.Context) (Client, error)
}

// Load returns the results at a location, sorted by name, at least one. If files of a
// folder cannot be read, it returns the others with an *UnreadError:
//
//   - a file;
//   - a folder: its *.json, and each result.json one folder deeper, where a run
//     writes it; or, in a run's own folder, its result.json alone;
//   - git:REV:PATH: a file, or the *.json of a folder, in a revision. PATH is
//     relative to the top of the repository;
//   - s3://BUCKET/KEY: likewise in a bucket, where a name that ends in .json is a
//     file's.
func (s Sources) Load(ctx context.Context, location string) ([]results.Named, error) {
	if rest, ok := strings.CutPrefix(location, gitPrefix); ok {
		return loadGit(ctx, rest, s.Git)
	}
	if InBucket(location) {
		return s.loadBucket(ctx, location)
	}
	paths, err := List(location)
	if err != nil {
		return nil, err
	}
	return readEach(paths, results.Read)
}

// An UnreadError reports the results at a location that could not be read.
type UnreadError struct {
	Names []string
	Errs  []error // of each
}

func (e *UnreadError) Error() string {
	if n := len(e.Errs) - 1; n > 0 {
		return fmt.Sprintf("%v, and %d more", e.Errs[0], n)
	}
	return e.Errs[0].Error()
}

// Unwrap returns the errors of all results.
func (e *UnreadError) Unwrap() []error { return e.Errs }

// readEach reads the results of all names, and returns an *UnreadError if it cannot
// read some of them.
func readEach(names []string, read func(name string) (results.Document, error)) ([]results.Named, error) {
	var all []results.Named
	var unread UnreadError
	for _, n := range names {
		doc, err := read(n)
		if err != nil {
			unread.Names, unread.Errs = append(unread.Names, n), append(unread.Errs, err)
			continue
		}
		all = append(all, results.Named{Name: n, Document: doc})
	}
	if len(unread.Errs) > 0 {
		return all, &unread
	}
	return all, nil
}

const gitPrefix = "git:"

// IsLocal reports whether a location is a file or a folder. Elsewhere nothing is
// overwritten.
func IsLocal(location string) bool {
	return !strings.HasPrefix(location, gitPrefix) && !InBucket(location)
}

// IsFolder reports whether a location may hold several results.
func IsFolder(location string) bool {
	if InBucket(location) {
		p, err := ParseObject(location)
		return err == nil && !p.IsFile()
	}
	info, err := os.Stat(location)
	return err == nil && info.IsDir()
}

func (s Sources) loadBucket(ctx context.Context, location string) ([]results.Named, error) {
	p, err := ParseObject(location)
	if err != nil {
		return nil, err
	}
	client, err := s.Bucket(ctx)
	if err != nil {
		return nil, err
	}
	return loadObjects(ctx, client, p)
}

// List returns the paths of the results in a file or folder, sorted.
func List(location string) ([]string, error) {
	info, err := os.Stat(location)
	if err != nil {
		return nil, fmt.Errorf("find results: %w", err)
	}
	if !info.IsDir() {
		return []string{location}, nil
	}
	if own := filepath.Join(location, results.FileName); isFile(own) {
		return []string{own}, nil
	}
	var paths []string
	for _, pattern := range []string{"*.json", filepath.Join("*", results.FileName)} {
		found, err := filepath.Glob(filepath.Join(escape(location), pattern))
		if err != nil {
			return nil, fmt.Errorf("find results in %s: %w", location, err)
		}
		paths = append(paths, found...)
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s %w: expected *.json, or folders with %s", location, ErrNone, results.FileName)
	}
	return paths, nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// escape quotes a folder's name for a pattern.
func escape(location string) string {
	return strings.NewReplacer("\\", "\\\\", "*", "\\*", "?", "\\?", "[", "\\[").Replace(location)
}

// ErrGitSyntax is a location in git that is not written as expected.
var ErrGitSyntax = errors.New("expected git:REV:PATH, such as git:main:baselines")

func loadGit(ctx context.Context, rest string, git Git) ([]results.Named, error) {
	rev, name, ok := strings.Cut(rest, ":")
	if !ok || rev == "" || name == "" || strings.HasPrefix(rev, "-") {
		return nil, fmt.Errorf("%s%s: %w", gitPrefix, rest, ErrGitSyntax)
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
	for i, n := range names {
		names[i] = gitPrefix + rev + ":" + n
	}
	return readEach(names, func(location string) (results.Document, error) {
		data, err := git(ctx, "cat-file", "blob", strings.TrimPrefix(location, gitPrefix))
		if err != nil {
			return results.Document{}, fmt.Errorf("%s: %w", location, err)
		}
		doc, err := results.Decode(data)
		if err != nil {
			err = fmt.Errorf("%s: %w", location, err)
		}
		return doc, err
	})
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
