// Package bucket keeps results in a bucket of an S3: the folder of a run goes
// below a prefix, and results are found there as they are in folders.
//
// Its opinion: a run is in a bucket whole or not at all, and nothing is replaced.
// Every object is created, and result.json comes last: where it is, the rest is.
package bucket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/lakebench/lakebench/results"
)

// Client is what is needed of an S3 client. It sends again what got no answer, and
// what was answered 409: a condition on a key that somebody else is writing (S3
// User Guide, "How to prevent object overwrites with conditional writes").
type Client interface {
	GetObject(context.Context, *s3.GetObjectInput, ...func(*s3.Options)) (*s3.GetObjectOutput, error)
	PutObject(context.Context, *s3.PutObjectInput, ...func(*s3.Options)) (*s3.PutObjectOutput, error)
	ListObjectsV2(context.Context, *s3.ListObjectsV2Input, ...func(*s3.Options)) (*s3.ListObjectsV2Output, error)
}

var (
	// ErrExists says that there is a run of that name in the bucket.
	ErrExists = errors.New("exists, and results are never replaced")
	// ErrNone says that there are no results at a place.
	ErrNone = errors.New("holds no results")
	// ErrPlace says that a place is not written as it should be.
	ErrPlace = errors.New("expected s3://BUCKET/PREFIX")
)

const scheme = "s3://"

// Is says whether a place is meant to be in a bucket.
func Is(place string) bool { return strings.HasPrefix(place, scheme) }

// A Place is an object, or what objects lie below.
type Place struct {
	Bucket string
	Key    string // without slashes around it; empty is the whole bucket
}

// Parse reads s3://BUCKET/KEY.
func Parse(text string) (Place, error) {
	rest, ok := strings.CutPrefix(text, scheme)
	bucket, key, _ := strings.Cut(rest, "/")
	key = strings.Trim(key, "/")
	if !ok || bucket == "" || key != "" && path.Clean("/"+key) != "/"+key {
		return Place{}, fmt.Errorf("%s: %w", text, ErrPlace)
	}
	return Place{bucket, key}, nil
}

func (p Place) String() string { return scheme + path.Join(p.Bucket, p.Key) }

// Join returns the place of a name below.
func (p Place) Join(name ...string) Place {
	return Place{p.Bucket, path.Join(append([]string{p.Key}, name...)...)}
}

// IsFile says whether the place is that of one result, by its name.
func (p Place) IsFile() bool { return strings.HasSuffix(p.Key, suffix) }

const suffix = ".json"

// below is what the keys of all objects below the place begin with.
func (p Place) below() string {
	if p.Key == "" {
		return ""
	}
	return p.Key + "/"
}

// Free returns nil if there is no object below the place, ErrExists if there is,
// and before anything has been measured what keeps the bucket from being used.
func Free(ctx context.Context, c Client, p Place) error {
	out, err := c.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: &p.Bucket, Prefix: aws.String(p.below()), MaxKeys: aws.Int32(1)})
	if err != nil {
		return fmt.Errorf("%v: %w", p, err)
	}
	if len(out.Contents) > 0 {
		return fmt.Errorf("%v %w", p, ErrExists)
	}
	return nil
}

// Upload creates an object below a place for each file of a run's folder,
// result.json last.
func Upload(ctx context.Context, c Client, dir string, to Place) error {
	names, err := filesOf(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return fmt.Errorf("upload to %v: %w", to, err)
		}
		if err := create(ctx, c, to.Join(name), data); err != nil {
			return err
		}
	}
	return nil
}

// filesOf names the files below a folder, result.json last.
func filesOf(dir string) ([]string, error) {
	var names []string
	err := filepath.WalkDir(dir, func(file string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, file)
		names = append(names, filepath.ToSlash(name))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("upload %s: %w", dir, err)
	}
	last := slices.Index(names, results.FileName)
	if last < 0 {
		return nil, fmt.Errorf("upload %s: there is no %s in it", dir, results.FileName)
	}
	return append(slices.Delete(names, last, last+1), results.FileName), nil
}

// contentTypes let a browser show what it is led to.
var contentTypes = map[string]string{
	".bench": "text/plain; charset=utf-8", ".html": "text/html; charset=utf-8", ".json": "application/json", ".md": "text/markdown; charset=utf-8",
	".png": "image/png", ".svg": "image/svg+xml",
}

// create creates an object. One that is there with the same bytes is ours: the
// first attempt's answer was lost.
func create(ctx context.Context, c Client, p Place, data []byte) error {
	in := &s3.PutObjectInput{Bucket: &p.Bucket, Key: &p.Key, Body: bytes.NewReader(data), IfNoneMatch: aws.String("*")}
	if t := contentTypes[path.Ext(p.Key)]; t != "" {
		in.ContentType = &t
	}
	_, err := c.PutObject(ctx, in)
	var answer interface{ HTTPStatusCode() int }
	if errors.As(err, &answer) && answer.HTTPStatusCode() == http.StatusPreconditionFailed {
		there, readErr := get(ctx, c, p)
		if readErr == nil && bytes.Equal(there, data) {
			return nil
		}
		return fmt.Errorf("%v %w", p, ErrExists)
	}
	if err != nil {
		return fmt.Errorf("write %v: %w", p, err)
	}
	return nil
}

// Load returns the results at a place, sorted by name; there is at least one: an
// object *.json; or what is below the place as *.json, or as result.json one step
// deeper, where a run puts it. Where a result.json is right below, the place is
// that of one run.
func Load(ctx context.Context, c Client, place Place) ([]results.Named, error) {
	places := []Place{place}
	if !place.IsFile() {
		var err error
		if places, err = list(ctx, c, place); err != nil {
			return nil, err
		}
	}
	var all []results.Named
	for _, p := range places {
		data, err := get(ctx, c, p)
		var missing *types.NoSuchKey
		if errors.As(err, &missing) {
			return nil, fmt.Errorf("read result: %v: %w", p, os.ErrNotExist)
		}
		if err != nil {
			return nil, fmt.Errorf("read result: %v: %w", p, err)
		}
		doc, err := results.Decode(data)
		if err != nil {
			return nil, fmt.Errorf("%v: %w", p, err)
		}
		all = append(all, results.Named{Name: p.String(), Document: doc})
	}
	return all, nil
}

// list returns the places of the results below one.
func list(ctx context.Context, c Client, place Place) ([]Place, error) {
	var found []Place
	in := &s3.ListObjectsV2Input{Bucket: &place.Bucket, Prefix: aws.String(place.below())}
	for {
		out, err := c.ListObjectsV2(ctx, in)
		if err != nil {
			return nil, fmt.Errorf("find results in %v: %w", place, err)
		}
		for _, o := range out.Contents {
			name := strings.TrimPrefix(aws.ToString(o.Key), place.below())
			if name == results.FileName {
				return []Place{place.Join(name)}, nil
			}
			dir, file := path.Split(name)
			if dir == "" && strings.HasSuffix(file, suffix) || file == results.FileName && strings.Count(dir, "/") == 1 {
				found = append(found, place.Join(name))
			}
		}
		if !aws.ToBool(out.IsTruncated) {
			break
		}
		in.ContinuationToken = out.NextContinuationToken
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%v %w: expected *.json, or %s one step below", place, ErrNone, results.FileName)
	}
	return found, nil
}

func get(ctx context.Context, c Client, p Place) ([]byte, error) {
	out, err := c.GetObject(ctx, &s3.GetObjectInput{Bucket: &p.Bucket, Key: &p.Key})
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(out.Body)
	return data, errors.Join(err, out.Body.Close())
}
