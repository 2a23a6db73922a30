package backend

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"

	"github.com/lakebench/lakebench/internal/cause"
)

// ownBucket remembers where this run keeps its objects: nothing else is changed
// or removed.
type ownBucket struct {
	mu    sync.Mutex // never held over a yield
	name  string     // "" before the first use
	made  bool       // by this run
	ready bool       // made, and proven by the preflight
	// shared: another process of the run makes it, and removes what is in it.
	shared bool
}

func (o *ownBucket) get() (name string, made, ready bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.name, o.made, o.ready
}

func (o *ownBucket) set(name string, made bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.name, o.made = name, made
}

func (o *ownBucket) share(name string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.name, o.shared = name, true
}

func (o *ownBucket) isShared() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.shared
}

func (o *ownBucket) setReady() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ready = true
}

// unfitForBucket are the characters that a bucket's name cannot have (User Guide,
// "General purpose bucket naming rules"); dots would break certificates.
var unfitForBucket = regexp.MustCompile(`[^a-z0-9-]+`)

// maxBucketName is the length that those rules allow.
const maxBucketName = 63

// BucketName returns the name of this run's bucket: Config.S3Bucket, or one that
// is made of TablePrefix and RunID.
func (b *Backend) BucketName() string {
	if b.cfg.S3Bucket != "" {
		return b.cfg.S3Bucket
	}
	name := unfitForBucket.ReplaceAllString(strings.ToLower(b.cfg.TablePrefix+"-"+b.cfg.RunID), "-")
	// The end is what tells runs apart.
	name = name[max(0, len(name)-maxBucketName):]
	return strings.Trim(name, "-")
}

// KeyPrefix returns what every key of this run begins with: nothing in a bucket of
// its own.
func (b *Backend) KeyPrefix() string {
	if b.cfg.S3Bucket == "" {
		return ""
	}
	return b.cfg.TablePrefix + "-" + b.cfg.RunID + "/"
}

// A ForeignBucketError means that the bucket that a run wants to make exists already.
type ForeignBucketError struct{ Bucket string }

func (e *ForeignBucketError) Error() string {
	return fmt.Sprintf("bucket %q exists, and this run did not make it: give it as the bucket to use, or another prefix", e.Bucket)
}

// Bucket returns the name of this run's bucket, in which it may change what is
// below KeyPrefix. The first call makes it, unless it is Config.S3Bucket, and on
// an endpoint proves that conditional writes work there (a *PreflightError if
// not). Concurrent first calls are the caller's mistake.
func (b *Backend) Bucket(ctx context.Context) (string, error) {
	name, _, ready := b.bucket.get()
	if ready {
		return name, nil
	}
	name = b.BucketName()
	m, err := b.NewMeter(nil)
	if err != nil {
		return "", err
	}
	ctx = cause.With(ctx, cause.Setup)
	client := b.S3(m)
	if b.cfg.S3Bucket == "" {
		if err := b.makeBucket(ctx, client, name); err != nil {
			return "", b.Classify(err)
		}
	} else {
		b.bucket.set(name, false)
	}
	if b.cfg.Kind == Endpoint {
		if err := b.preflight(ctx, client, name); err != nil {
			return "", b.Classify(err)
		}
	}
	b.bucket.setReady()
	return name, nil
}

// SharedBucket returns the name of this run's bucket which another process of the
// run makes, proves and empties. This one may change what is below KeyPrefix, and
// removes nothing.
func (b *Backend) SharedBucket() string {
	name := b.BucketName()
	b.bucket.share(name)
	return name
}

// makeBucket makes a bucket that must not be there: in us-east-1 making one twice
// is no error, so it is looked for first (CreateBucket, API reference,
// "BucketAlreadyOwnedByYou").
func (b *Backend) makeBucket(ctx context.Context, client *awss3.Client, name string) error {
	if _, made, _ := b.bucket.get(); made {
		return nil // by an earlier try
	}
	var missing *types.NotFound
	_, err := client.HeadBucket(ctx, &awss3.HeadBucketInput{Bucket: &name})
	switch {
	case err == nil:
		return &ForeignBucketError{name}
	case !errors.As(err, &missing):
		return err
	}
	in := &awss3.CreateBucketInput{Bucket: &name}
	if region := b.region(); region != "us-east-1" {
		in.CreateBucketConfiguration = &types.CreateBucketConfiguration{LocationConstraint: types.BucketLocationConstraint(region)}
	}
	// From here on the bucket may exist, whatever the answer is.
	b.bucket.set(name, true)
	_, err = client.CreateBucket(ctx, in)
	var (
		ours  *types.BucketAlreadyOwnedByYou
		other *types.BucketAlreadyExists
	)
	switch {
	case errors.As(err, &ours): // the first attempt of this very call may have made it
		return nil
	case errors.As(err, &other):
		b.bucket.set("", false)
		return &ForeignBucketError{name}
	}
	return err
}

func (b *Backend) region() string {
	if b.cfg.Kind == Embedded {
		return b.cfg.S3.Region
	}
	return b.cfg.AWS.Region
}

// RemoveObjects removes what this run keeps in its bucket, and the bucket if it
// made that. What is left is in a *LeftBehindError, and can be tried again.
func (b *Backend) RemoveObjects(ctx context.Context) error {
	name, made, _ := b.bucket.get()
	if name == "" || b.bucket.isShared() {
		return nil
	}
	m, err := b.NewMeter(nil)
	if err != nil {
		return err
	}
	ctx = cause.With(ctx, cause.Setup)
	client := b.S3(m)
	err = emptyBucket(ctx, client, name, b.KeyPrefix())
	if err == nil && made {
		_, err = client.DeleteBucket(ctx, &awss3.DeleteBucketInput{Bucket: &name})
	}
	var api smithy.APIError
	gone := errors.As(err, &api) && api.ErrorCode() == "NoSuchBucket"
	if err != nil && !gone {
		return &LeftBehindError{Objects: name + "/" + b.KeyPrefix(), Err: err}
	}
	b.bucket.set("", false)
	return nil
}

// emptyBucket deletes every object below a prefix, page by page.
func emptyBucket(ctx context.Context, client *awss3.Client, bucket, prefix string) error {
	for {
		page, err := client.ListObjectsV2(ctx, &awss3.ListObjectsV2Input{Bucket: &bucket, Prefix: &prefix})
		if err != nil || len(page.Contents) == 0 {
			return err
		}
		d := &types.Delete{Quiet: aws.Bool(true)}
		for _, o := range page.Contents {
			d.Objects = append(d.Objects, types.ObjectIdentifier{Key: o.Key})
		}
		out, err := client.DeleteObjects(ctx, &awss3.DeleteObjectsInput{Bucket: &bucket, Delete: d})
		if err != nil {
			return err
		}
		if len(out.Errors) > 0 {
			e := out.Errors[0]
			return fmt.Errorf("deleting %s: %s: %s", aws.ToString(e.Key), aws.ToString(e.Code), aws.ToString(e.Message))
		}
	}
}
