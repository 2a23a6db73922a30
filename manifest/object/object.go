// Package object reads the objects of a bucket, and creates each at most once.
//
// What a request did is known from the service's code, from its
// status, or from reading back; never from a guess. "Not found" is an answer that
// says so and nothing else; a creation without an answer is neither won nor lost
// before the object's identity was looked at (hazards 3 to 6).
package object

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// A ReadClient makes the requests of reading.
type ReadClient interface {
	GetObject(context.Context, *s3.GetObjectInput, ...func(*s3.Options)) (*s3.GetObjectOutput, error)
	HeadObject(context.Context, *s3.HeadObjectInput, ...func(*s3.Options)) (*s3.HeadObjectOutput, error)
	ListObjectsV2(context.Context, *s3.ListObjectsV2Input, ...func(*s3.Options)) (*s3.ListObjectsV2Output, error)
}

// IdentityKey is the name, below x-amz-meta-, of the user metadata that holds an
// object's identity (hazard 3).
const IdentityKey = "lakebench-id"

// cutReads bounds how often an object is asked for whose body breaks off: by
// then the SDK has handed the answer over and asks no more by itself.
const cutReads = 3

// A Reader reads the objects of a bucket.
type Reader struct {
	Client ReadClient
	Bucket string
}

// An Object is what a key holds.
type Object struct {
	Body []byte
	// Identity is what the creator sent as the object's id, "" if nothing.
	Identity string
}

// Get returns the object of a key. If there is none the error is ErrAbsent.
func (r Reader) Get(ctx context.Context, key string) (Object, error) {
	for read := 1; ; read++ {
		out, err := r.Client.GetObject(ctx, &s3.GetObjectInput{Bucket: &r.Bucket, Key: &key})
		if err != nil {
			return Object{}, r.failed("GET", key, err)
		}
		body, err := io.ReadAll(out.Body)
		err = errors.Join(err, out.Body.Close())
		if err == nil {
			return Object{Body: body, Identity: out.Metadata[IdentityKey]}, nil
		}
		if read == cutReads || ctx.Err() != nil {
			return Object{}, r.failed("GET", key, fmt.Errorf("the body broke off after %d bytes: %w", len(body), err))
		}
	}
}

// Head returns the identity of a key's object. If there is none the error is
// ErrAbsent.
func (r Reader) Head(ctx context.Context, key string) (identity string, err error) {
	out, err := r.Client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &r.Bucket, Key: &key})
	if err != nil {
		return "", r.failed("HEAD", key, err)
	}
	return out.Metadata[IdentityKey], nil
}

// Exists reports whether a key holds an object.
func (r Reader) Exists(ctx context.Context, key string) (bool, error) {
	_, err := r.Head(ctx, key)
	if errors.Is(err, ErrAbsent) {
		return false, nil
	}
	return err == nil, err
}

// Listed is an entry of a list: an object, or all objects below a common prefix.
type Listed struct {
	Key    string
	Size   int64 // bytes
	Prefix bool  // Key is a common prefix
}

// List yields what is below a prefix, in the service's order; with a delimiter,
// what has one after the prefix is yielded once, as its common prefix. It makes a
// request for each thousand entries.
func (r Reader) List(ctx context.Context, prefix, delimiter string) iter.Seq2[Listed, error] {
	return func(yield func(Listed, error) bool) {
		in := &s3.ListObjectsV2Input{Bucket: &r.Bucket, Prefix: &prefix}
		if delimiter != "" {
			in.Delimiter = &delimiter
		}
		for {
			out, err := r.Client.ListObjectsV2(ctx, in)
			if err != nil {
				yield(Listed{}, r.failed("LIST", prefix, err))
				return
			}
			if !yieldPage(out, yield) || out.NextContinuationToken == nil {
				return
			}
			next := *in // a request may still be on its way with the old one
			next.ContinuationToken = out.NextContinuationToken
			in = &next
		}
	}
}

func yieldPage(out *s3.ListObjectsV2Output, yield func(Listed, error) bool) bool {
	for _, o := range out.Contents {
		if !yield(listedObject(o), nil) {
			return false
		}
	}
	for _, p := range out.CommonPrefixes {
		if p.Prefix != nil && !yield(Listed{Key: *p.Prefix, Prefix: true}, nil) {
			return false
		}
	}
	return true
}

func listedObject(o types.Object) Listed {
	var l Listed
	if o.Key != nil {
		l.Key = *o.Key
	}
	if o.Size != nil {
		l.Size = *o.Size
	}
	return l
}

// URL is how messages name an object.
func URL(bucket, key string) string { return "s3://" + bucket + "/" + key }

// failed names what was asked for, and gives the two answers that callers look for
// a type.
func (r Reader) failed(method, key string, err error) error {
	return fmt.Errorf("%s %s: %w", method, URL(r.Bucket, key), typed(method, err))
}

func typed(method string, err error) error {
	switch a := answerOf(err); {
	case a.absent():
		return fmt.Errorf("%w: %w", ErrAbsent, err)
	case a.denied():
		return &PermissionError{Method: method, Err: err}
	}
	return err
}
