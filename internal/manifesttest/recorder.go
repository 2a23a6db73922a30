// Package manifesttest is for the tests of what keeps a shard on S3: a bucket of
// the embedded service, and a log of what is asked of it.
package manifesttest

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/requestlog"
	"github.com/lakebench/lakebench/manifest"
	"github.com/lakebench/lakebench/manifest/object"
)

// A Client is what the packages of a shard together ask of S3.
type Client interface {
	object.Client
	DeleteObject(context.Context, *s3.DeleteObjectInput, ...func(*s3.Options)) (*s3.DeleteObjectOutput, error)
	DeleteObjects(context.Context, *s3.DeleteObjectsInput, ...func(*s3.Options)) (*s3.DeleteObjectsOutput, error)
}

// A Recorder writes down, for people, every call that is made through it and what
// came of it. It sits above any transport, so all transports must give one log.
type Recorder struct {
	requestlog.Log // identities have numbers in it

	client Client
	at     manifest.Location
}

// NewRecorder returns a recorder of the calls to client, which are about the shard
// at a location.
func NewRecorder(client Client, at manifest.Location) *Recorder {
	return &Recorder{client: client, at: at}
}

// note records one call.
func (r *Recorder) note(ctx context.Context, request, answer string, attempts *int, err error) {
	if err != nil {
		answer = describeError(err)
	}
	r.Note(fmt.Sprintf("%s [%s]", request, cause.From(ctx)), answer, *attempts)
}

// counted counts the attempts of a call, for transports that ask the retryer.
func counted(opts []func(*s3.Options)) ([]func(*s3.Options), *int) {
	n := new(int)
	return append([]func(*s3.Options){func(o *s3.Options) { o.Retryer = requestlog.Counting(o.Retryer, n) }}, opts...), n
}

// name returns what a key is in the shard.
func (r *Recorder) name(key *string) string {
	if *key == r.at.HintKey() {
		return "hint"
	}
	name, ok := strings.CutPrefix(*key, r.at.Prefix())
	if !ok {
		return *key
	}
	dir, base, _ := strings.Cut(name, "/")
	if n, ok := manifest.Number(base, manifest.ManifestExtension); ok && dir == "manifest" {
		return fmt.Sprintf("manifest %d", n)
	}
	if n, ok := manifest.Number(base, manifest.WALExtension); ok && dir == "wal" {
		return fmt.Sprintf("wal %d", n)
	}
	return name
}

// identity numbers the identities, so that a log shows which attempts share one.
func (r *Recorder) identity(metadata map[string]string) string {
	id := metadata[object.IdentityKey]
	if id == "" {
		return ""
	}
	return fmt.Sprintf(" as #%d", r.Number(id))
}

// GetObject records a GetObject.
func (r *Recorder) GetObject(ctx context.Context, in *s3.GetObjectInput, opts ...func(*s3.Options)) (*s3.GetObjectOutput, error) {
	opts, n := counted(opts)
	out, err := r.client.GetObject(ctx, in, opts...)
	r.note(ctx, "GET "+r.name(in.Key), "found", n, err)
	return out, err
}

// HeadObject records a HeadObject.
func (r *Recorder) HeadObject(ctx context.Context, in *s3.HeadObjectInput, opts ...func(*s3.Options)) (*s3.HeadObjectOutput, error) {
	opts, n := counted(opts)
	out, err := r.client.HeadObject(ctx, in, opts...)
	answer := "found"
	if err == nil {
		answer += r.identity(out.Metadata)
	}
	r.note(ctx, "HEAD "+r.name(in.Key), answer, n, err)
	return out, err
}

// PutObject records a PutObject.
func (r *Recorder) PutObject(ctx context.Context, in *s3.PutObjectInput, opts ...func(*s3.Options)) (*s3.PutObjectOutput, error) {
	opts, n := counted(opts)
	request := "PUT " + r.name(in.Key) + r.identity(in.Metadata)
	if in.IfNoneMatch != nil {
		request += " if absent"
	}
	out, err := r.client.PutObject(ctx, in, opts...)
	r.note(ctx, request, "ok", n, err)
	return out, err
}

// ListObjectsV2 records a ListObjectsV2.
func (r *Recorder) ListObjectsV2(ctx context.Context, in *s3.ListObjectsV2Input, opts ...func(*s3.Options)) (*s3.ListObjectsV2Output, error) {
	opts, n := counted(opts)
	out, err := r.client.ListObjectsV2(ctx, in, opts...)
	answer := ""
	if err == nil {
		answer = fmt.Sprintf("%d keys", len(out.Contents)+len(out.CommonPrefixes))
	}
	r.note(ctx, "LIST "+strings.TrimPrefix(*in.Prefix, r.at.Prefix()), answer, n, err)
	return out, err
}

// DeleteObject records a DeleteObject.
func (r *Recorder) DeleteObject(ctx context.Context, in *s3.DeleteObjectInput, opts ...func(*s3.Options)) (*s3.DeleteObjectOutput, error) {
	opts, n := counted(opts)
	out, err := r.client.DeleteObject(ctx, in, opts...)
	r.note(ctx, "DELETE "+r.name(in.Key), "ok", n, err)
	return out, err
}

// DeleteObjects records a DeleteObjects.
func (r *Recorder) DeleteObjects(ctx context.Context, in *s3.DeleteObjectsInput, opts ...func(*s3.Options)) (*s3.DeleteObjectsOutput, error) {
	opts, n := counted(opts)
	names := make([]string, len(in.Delete.Objects))
	for i, o := range in.Delete.Objects {
		names[i] = r.name(o.Key)
	}
	out, err := r.client.DeleteObjects(ctx, in, opts...)
	r.note(ctx, "DELETE "+strings.Join(names, ", "), "ok", n, err)
	return out, err
}

func describeError(err error) string {
	var named smithy.APIError
	if !errors.As(err, &named) {
		return "no answer"
	}
	switch named.ErrorCode() {
	case "NoSuchKey", "NotFound":
		return "absent"
	case "PreconditionFailed":
		return "exists"
	}
	return named.ErrorCode()
}
