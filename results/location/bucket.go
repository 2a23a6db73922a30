package location

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

	"github.com/lakebench/lakebench/internal/attempt"
	"github.com/lakebench/lakebench/results"
)

// Client has the calls that results in a bucket need. It repeats a request that got
// no answer, or the answer 409: another client is writing the key of a conditional
// write (S3 User Guide, "How to prevent object overwrites with conditional writes").
type Client interface {
	GetObject(context.Context, *s3.GetObjectInput, ...func(*s3.Options)) (*s3.GetObjectOutput, error)
	PutObject(context.Context, *s3.PutObjectInput, ...func(*s3.Options)) (*s3.PutObjectOutput, error)
	ListObjectsV2(context.Context, *s3.ListObjectsV2Input, ...func(*s3.Options)) (*s3.ListObjectsV2Output, error)
}

var (
	// ErrExists is a run of that name in the bucket.
	ErrExists = errors.New("already exists; results are never overwritten")
	// ErrNone is a location without results.
	ErrNone = errors.New("holds no results")
	// ErrSyntax is a location in a bucket that is not written as expected.
	ErrSyntax = errors.New("expected s3://BUCKET/PREFIX")
)

const scheme = "s3://"

// InBucket reports whether a location begins as one in a bucket does.
func InBucket(location string) bool { return strings.HasPrefix(location, scheme) }

// An Object is an object of a bucket, or all objects below a key.
type Object struct {
	Bucket string
	Key    string // without slashes around it; empty is the whole bucket
}

// ParseObject reads s3://BUCKET/KEY.
func ParseObject(text string) (Object, error) {
	rest, ok := strings.CutPrefix(text, scheme)
	bucket, key, _ := strings.Cut(rest, "/")
	key = strings.Trim(key, "/")
	if !ok || bucket == "" || key != "" && path.Clean("/"+key) != "/"+key {
		return Object{}, fmt.Errorf("%s: %w", text, ErrSyntax)
	}
	return Object{bucket, key}, nil
}

func (p Object) String() string { return scheme + path.Join(p.Bucket, p.Key) }

// Join returns the object of a name below.
func (p Object) Join(name ...string) Object {
	return Object{p.Bucket, path.Join(append([]string{p.Key}, name...)...)}
}

// IsFile reports whether the name is that of one result.
func (p Object) IsFile() bool { return strings.HasSuffix(p.Key, suffix) }

const suffix = ".json"

// below is the prefix of the keys of all objects below.
func (p Object) below() string {
	if p.Key == "" {
		return ""
	}
	return p.Key + "/"
}

// Free returns nil if no object lies below p, ErrExists if one does, and any error
// that keeps the bucket from being used.
func Free(ctx context.Context, c Client, p Object) error {
	out, err := c.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: &p.Bucket, Prefix: aws.String(p.below()), MaxKeys: aws.Int32(1)})
	if err != nil {
		return fmt.Errorf("%v: %w", p, err)
	}
	if len(out.Contents) > 0 {
		return fmt.Errorf("%v %w", p, ErrExists)
	}
	return nil
}

// Upload creates an object below to for each file of a run's folder, result.json
// last: if it exists, the run is complete.
func Upload(ctx context.Context, c Client, dir string, to Object) error {
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

// contentTypes let a browser show the files.
var contentTypes = map[string]string{
	".bench": "text/plain; charset=utf-8", ".html": "text/html; charset=utf-8", ".json": "application/json", ".md": "text/markdown; charset=utf-8",
	".png": "image/png", ".svg": "image/svg+xml",
}

// create creates an object. One that exists with the same bytes is ours: the answer
// to the first attempt was lost.
func create(ctx context.Context, c Client, p Object, data []byte) error {
	in := &s3.PutObjectInput{Bucket: &p.Bucket, Key: &p.Key, Body: bytes.NewReader(data), IfNoneMatch: aws.String("*")}
	if t := contentTypes[path.Ext(p.Key)]; t != "" {
		in.ContentType = &t
	}
	_, err := c.PutObject(ctx, in)
	if attempt.Status(err) == http.StatusPreconditionFailed {
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

// loadObjects returns the results at an object or below it.
func loadObjects(ctx context.Context, c Client, at Object) ([]results.Named, error) {
	objects := []Object{at}
	if !at.IsFile() {
		var err error
		if objects, err = list(ctx, c, at); err != nil {
			return nil, err
		}
	}
	var names []string
	of := map[string]Object{}
	for _, p := range objects {
		names, of[p.String()] = append(names, p.String()), p
	}
	return readEach(names, func(name string) (results.Document, error) {
		data, err := get(ctx, c, of[name])
		var missing *types.NoSuchKey
		if errors.As(err, &missing) {
			err = os.ErrNotExist
		}
		if err != nil {
			return results.Document{}, fmt.Errorf("read result: %s: %w", name, err)
		}
		doc, err := results.Decode(data)
		if err != nil {
			err = fmt.Errorf("%s: %w", name, err)
		}
		return doc, err
	})
}

// list returns the objects of the results below one.
func list(ctx context.Context, c Client, at Object) ([]Object, error) {
	var found []Object
	in := &s3.ListObjectsV2Input{Bucket: &at.Bucket, Prefix: aws.String(at.below())}
	for {
		out, err := c.ListObjectsV2(ctx, in)
		if err != nil {
			return nil, fmt.Errorf("find results in %v: %w", at, err)
		}
		for _, o := range out.Contents {
			name := strings.TrimPrefix(aws.ToString(o.Key), at.below())
			if name == results.FileName {
				return []Object{at.Join(name)}, nil
			}
			dir, file := path.Split(name)
			if dir == "" && strings.HasSuffix(file, suffix) || file == results.FileName && strings.Count(dir, "/") == 1 {
				found = append(found, at.Join(name))
			}
		}
		if !aws.ToBool(out.IsTruncated) {
			break
		}
		in.ContinuationToken = out.NextContinuationToken
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%v %w: expected *.json, or %s one step below", at, ErrNone, results.FileName)
	}
	return found, nil
}

func get(ctx context.Context, c Client, p Object) ([]byte, error) {
	out, err := c.GetObject(ctx, &s3.GetObjectInput{Bucket: &p.Bucket, Key: &p.Key})
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(out.Body)
	return data, errors.Join(err, out.Body.Close())
}
