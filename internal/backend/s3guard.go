package backend

import (
	"context"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/middleware"
)

// A ForeignObjectError is a request to an endpoint that would change a bucket or
// an object which is not this run's. It was not sent.
type ForeignObjectError struct {
	API         string
	Bucket, Key string // empty if the request does not say
}

func (e *ForeignObjectError) Error() string {
	return fmt.Sprintf("%s was not sent: %q is not this run's, and so may only be read", e.API, e.Bucket+"/"+e.Key)
}

// guardS3 adds the check to a client: it refuses every request that may change
// something, unless it is known to be about this run's bucket and keys.
func (b *Backend) guardS3(s *middleware.Stack) error {
	return s.Initialize.Add(s3Guard{b}, middleware.After)
}

type s3Guard struct{ b *Backend }

func (s3Guard) ID() string { return "lakebench:GuardForeignObjects" }

func (g s3Guard) HandleInitialize(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (
	middleware.InitializeOutput, middleware.Metadata, error,
) {
	api := awsmiddleware.GetOperationName(ctx)
	if !readsS3(api) {
		if err := g.check(api, in.Parameters); err != nil {
			return middleware.InitializeOutput{}, middleware.Metadata{}, err
		}
	}
	return next.HandleInitialize(ctx, in)
}

// readsS3 reports whether an operation changes nothing, by the names that S3 gives
// its operations.
func readsS3(api string) bool {
	return strings.HasPrefix(api, "Get") || strings.HasPrefix(api, "Head") || strings.HasPrefix(api, "List")
}

// check returns a *ForeignObjectError unless all that a request changes is this
// run's.
func (g s3Guard) check(api string, input any) error {
	bucket, keys := objectsOf(input)
	name, made, _ := g.b.bucket.get()
	if bucket == "" || bucket != name {
		return &ForeignObjectError{API: api, Bucket: bucket}
	}
	if made {
		return nil
	}
	if len(keys) == 0 { // the bucket itself
		return &ForeignObjectError{API: api, Bucket: bucket}
	}
	for _, key := range keys {
		if !strings.HasPrefix(key, g.b.KeyPrefix()) {
			return &ForeignObjectError{API: api, Bucket: bucket, Key: key}
		}
	}
	return nil
}

// objectsOf returns what a request is about: no bucket if it is not one that
// lakebench makes, no keys if it is about the bucket. The key of a list is its
// prefix.
func objectsOf(input any) (bucket string, keys []string) {
	switch in := input.(type) {
	case *awss3.PutObjectInput:
		return aws.ToString(in.Bucket), []string{aws.ToString(in.Key)}
	case *awss3.GetObjectInput:
		return aws.ToString(in.Bucket), []string{aws.ToString(in.Key)}
	case *awss3.HeadObjectInput:
		return aws.ToString(in.Bucket), []string{aws.ToString(in.Key)}
	case *awss3.DeleteObjectInput:
		return aws.ToString(in.Bucket), []string{aws.ToString(in.Key)}
	case *awss3.DeleteObjectsInput:
		if in.Delete != nil {
			for _, o := range in.Delete.Objects {
				keys = append(keys, aws.ToString(o.Key))
			}
		}
		return aws.ToString(in.Bucket), keys
	case *awss3.ListObjectsV2Input:
		if in.Prefix != nil {
			keys = []string{*in.Prefix}
		}
		return aws.ToString(in.Bucket), keys
	}
	return uploadOf(input)
}

// uploadOf is objectsOf for multipart uploads and whole buckets.
func uploadOf(input any) (bucket string, keys []string) {
	switch in := input.(type) {
	case *awss3.CreateMultipartUploadInput:
		return aws.ToString(in.Bucket), []string{aws.ToString(in.Key)}
	case *awss3.UploadPartInput:
		return aws.ToString(in.Bucket), []string{aws.ToString(in.Key)}
	case *awss3.CompleteMultipartUploadInput:
		return aws.ToString(in.Bucket), []string{aws.ToString(in.Key)}
	case *awss3.AbortMultipartUploadInput:
		return aws.ToString(in.Bucket), []string{aws.ToString(in.Key)}
	case *awss3.CreateBucketInput:
		return aws.ToString(in.Bucket), nil
	case *awss3.HeadBucketInput:
		return aws.ToString(in.Bucket), nil
	case *awss3.DeleteBucketInput:
		return aws.ToString(in.Bucket), nil
	}
	return "", nil
}
