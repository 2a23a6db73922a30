// Package s3test is test support: the suite of what every S3 has to do for
// lakebench. The embedded S3 passes it on each of its transports, and real servers
// are compared with it. Only tests import it.
//
// Each check has a name. Checks that a server is known to fail are listed by name
// with a reason; a server that fails another check, or passes a listed one, fails
// the suite.
package s3test

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
)

// Client has the methods of *s3.Client that the suite calls.
type Client interface {
	PutObject(context.Context, *s3.PutObjectInput, ...func(*s3.Options)) (*s3.PutObjectOutput, error)
	GetObject(context.Context, *s3.GetObjectInput, ...func(*s3.Options)) (*s3.GetObjectOutput, error)
	HeadObject(context.Context, *s3.HeadObjectInput, ...func(*s3.Options)) (*s3.HeadObjectOutput, error)
	DeleteObject(context.Context, *s3.DeleteObjectInput, ...func(*s3.Options)) (*s3.DeleteObjectOutput, error)
	DeleteObjects(context.Context, *s3.DeleteObjectsInput, ...func(*s3.Options)) (*s3.DeleteObjectsOutput, error)
	ListObjectsV2(context.Context, *s3.ListObjectsV2Input, ...func(*s3.Options)) (*s3.ListObjectsV2Output, error)
	CreateMultipartUpload(context.Context, *s3.CreateMultipartUploadInput, ...func(*s3.Options)) (*s3.CreateMultipartUploadOutput, error)
	UploadPart(context.Context, *s3.UploadPartInput, ...func(*s3.Options)) (*s3.UploadPartOutput, error)
	CompleteMultipartUpload(context.Context, *s3.CompleteMultipartUploadInput, ...func(*s3.Options)) (*s3.CompleteMultipartUploadOutput, error)
	AbortMultipartUpload(context.Context, *s3.AbortMultipartUploadInput, ...func(*s3.Options)) (*s3.AbortMultipartUploadOutput, error)
}

// Target is where the suite runs.
type Target struct {
	Client Client
	Bucket string // empty, or used by no one else below Prefix
	Prefix string
	// Known are the checks that the server is known to fail, with the reason.
	Known map[string]string
	// Races are the checks whose answer the server is known to lose now and then,
	// with the reason: they may pass, and may fail.
	Races map[string]string
}

// A check is one thing that an S3 does. It works below a prefix of its own.
type check struct {
	name string
	run  func(ctx context.Context, p place) error
}

// Run runs the suite.
func Run(t *testing.T, target Target) {
	known := map[string]bool{}
	for _, c := range checks() {
		known[c.name] = true
		t.Run(c.name, func(t *testing.T) {
			p := place{Client: target.Client, bucket: target.Bucket, prefix: target.Prefix + c.name + "/"}
			err := c.run(t.Context(), p)
			reason, differs := target.Known[c.name]
			switch {
			case differs && err == nil:
				t.Errorf("does what is listed as a known difference (%s): take it off the list", reason)
			case differs:
				t.Logf("known difference (%s): %v", reason, err)
			case err != nil && target.Races[c.name] != "":
				t.Logf("known race (%s): %v", target.Races[c.name], err)
			case err != nil:
				t.Error(err)
			}
		})
	}
	for _, listed := range []map[string]string{target.Known, target.Races} {
		for name := range listed {
			if !known[name] {
				t.Errorf("known difference %q is the name of no check", name)
			}
		}
	}
}

func checks() []check {
	var all []check
	for _, some := range [][]check{objectChecks(), conditionChecks(), readChecks(), checksumChecks(), listChecks(), deleteChecks(), keyChecks(), uploadChecks()} {
		all = append(all, some...)
	}
	return all
}

// A place is where a check works.
type place struct {
	Client
	bucket, prefix string
}

func (p place) key(name string) *string {
	key := p.prefix + name
	return &key
}

// put writes an object and returns its ETag. Changes may set further fields.
func (p place) put(ctx context.Context, name, body string, changes ...func(*s3.PutObjectInput)) (etag string, err error) {
	in := &s3.PutObjectInput{Bucket: &p.bucket, Key: p.key(name), Body: strings.NewReader(body)}
	for _, change := range changes {
		change(in)
	}
	out, err := p.PutObject(ctx, in)
	if err != nil {
		return "", err
	}
	return *out.ETag, nil
}

func ifAbsent(in *s3.PutObjectInput) { in.IfNoneMatch = new("*") }

func ifMatch(etag string) func(*s3.PutObjectInput) {
	return func(in *s3.PutObjectInput) { in.IfMatch = &etag }
}

// get reads an object.
func (p place) get(ctx context.Context, name string, changes ...func(*s3.GetObjectInput)) (*s3.GetObjectOutput, string, error) {
	in := &s3.GetObjectInput{Bucket: &p.bucket, Key: p.key(name)}
	for _, change := range changes {
		change(in)
	}
	out, err := p.GetObject(ctx, in)
	if err != nil {
		return nil, "", err
	}
	body, err := io.ReadAll(out.Body)
	return out, string(body), errors.Join(err, out.Body.Close())
}

func (p place) head(ctx context.Context, name string, changes ...func(*s3.HeadObjectInput)) (*s3.HeadObjectOutput, error) {
	in := &s3.HeadObjectInput{Bucket: &p.bucket, Key: p.key(name)}
	for _, change := range changes {
		change(in)
	}
	return p.HeadObject(ctx, in)
}

// holds wants an object to be there with a body.
func (p place) holds(ctx context.Context, name, want string) error {
	_, body, err := p.get(ctx, name)
	if err != nil {
		return err
	}
	if body != want {
		return fmt.Errorf("%s holds %.100q, want %.100q", name, body, want)
	}
	return nil
}

// refused wants an error with a status and a code.
func refused(what string, err error, status int, code string) error {
	var (
		api    smithy.APIError
		answer interface{ HTTPStatusCode() int }
	)
	if !errors.As(err, &api) || !errors.As(err, &answer) || answer.HTTPStatusCode() != status || api.ErrorCode() != code {
		return fmt.Errorf("%s: got %w, want %d %s", what, orNone(err), status, code)
	}
	return nil
}

var errNone = errors.New("no error")

func orNone(err error) error {
	if err == nil {
		return errNone
	}
	return err
}

// same wants two values to be equal.
func same[T comparable](what string, got, want T) error {
	if got != want {
		return fmt.Errorf("%s: got %v, want %v", what, got, want)
	}
	return nil
}

// etagOf is the ETag of bytes that were put in one piece, unencrypted (PutObject,
// API reference, "ETag").
func etagOf(body string) string {
	sum := md5.Sum([]byte(body))
	return `"` + hex.EncodeToString(sum[:]) + `"`
}
