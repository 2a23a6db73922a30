// Package files finds results where a user says they are: in a file, in a folder,
// in a revision of a git repository, or in a bucket.
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
	"github.com/lakebench/lakebench/results/bucket"
)

// Git runs git with arguments and returns its standard output.
type Git func(ctx context.Context, args ...string) ([]byte, error)

// Sources are where results are to be had beside the file system.
type Sources struct {
	Git Git
	// Bucket opens a client of the S3 that holds results. It is called for places
	// in a bucket alone.
	Bucket func(context.Context) (bucket.Client, error)
}

// Load returns the results at a place, sorted by name; there is at least one:
//
//   - a file;
//   - a folder: what is in it as *.json, or as result.json one folder deeper, where
//     a run puts it; the result.json of a run's own folder, and nothing beside it;
//   - git:REV:PATH: a file, or the *.json of a folder, in a revision. PATH is
//     relative to the top of the repository;
//   - s3://BUCKET/KEY: likewise in a bucket, where a file is what ends in .json.
func (s Sources) Load(ctx context.Context, place string) ([]results.Named, error) {
	if rest, ok := strings.CutPrefix(place, gitPrefix); ok {
		return loadGit(ctx, rest, s.Git)
	}
	if bucket.Is(place) {
		return s.loadBucket(ctx, place)
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

// IsLocal says that a place is a file or a folder: elsewhere nothing is replaced.
func IsLocal(place string) bool { return !strings.HasPrefix(place, gitPrefix) && !bucket.Is(place) }

// IsFolder says that a place may hold any number of results.
func IsFolder(place string) bool {
	if bucket.Is(place) {
		p, err := bucket.Parse(place)
		return err == nil && !p.IsFile()
	}
	info, err := os.Stat(place)
	return err == nil && info.IsDir()
}

func (s Sources) loadBucket(ctx context.Context, place string) ([]results.Named, error) {
	p, err := bucket.Parse(place)
	if err != nil {
		return nil, err
	}
	client, err := s.Bucket(ctx)
	if err != nil {
		return nil, err
	}
	return bucket.Load(ctx, client, p)
}

// List returns the paths of the results in a file or folder, sorted.
func List(place string) ([]string, error) {
	info, err := os.Stat(place)
	if err != nil {
		return nil, fmt.Errorf("find results: %w", err)
	}
	if !info.IsDir() {
		return []string{place}, nil
	}
	if own := filepath.Join(place, results.FileName); isFile(own) {
		return []string{own}, nil
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

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// escape takes a folder's name as it is in a pattern.
func escape(place string) string {
	return strings.NewReplacer("\\", "\\\\", "*", "\\*", "?", "\\?", "[", "\\[").Replace(place)
}

// ErrNone says that there are no results at a place.
var ErrNone = bucket.ErrNone

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
