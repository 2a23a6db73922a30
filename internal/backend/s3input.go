package backend

import (
	"errors"

	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
)

// errNoKey is what the SDK says before it sends anything.
var errNoKey = errors.New("input member Key must not be empty")

// checkS3Input refuses, as the SDK does before it sends anything, a request that
// lacks a required member or has no key. The error is a smithy.InvalidParamsError
// or a *smithy.SerializationError.
func checkS3Input(input any) error {
	var r required
	switch in := input.(type) {
	case *awss3.PutObjectInput:
		return r.object("PutObjectInput", in.Bucket, in.Key)
	case *awss3.GetObjectInput:
		return r.object("GetObjectInput", in.Bucket, in.Key)
	case *awss3.HeadObjectInput:
		return r.object("HeadObjectInput", in.Bucket, in.Key)
	case *awss3.DeleteObjectInput:
		return r.object("DeleteObjectInput", in.Bucket, in.Key)
	case *awss3.CreateMultipartUploadInput:
		return r.object("CreateMultipartUploadInput", in.Bucket, in.Key)
	case *awss3.UploadPartInput:
		return r.upload("UploadPartInput", in.Bucket, in.Key, in.UploadId, in.PartNumber != nil)
	case *awss3.CompleteMultipartUploadInput:
		return r.upload("CompleteMultipartUploadInput", in.Bucket, in.Key, in.UploadId, true)
	case *awss3.AbortMultipartUploadInput:
		return r.upload("AbortMultipartUploadInput", in.Bucket, in.Key, in.UploadId, true)
	case *awss3.DeleteObjectsInput:
		r.bucket("DeleteObjectsInput", in.Bucket)
		r.deletions(in)
	case *awss3.ListObjectsV2Input:
		r.bucket("ListObjectsV2Input", in.Bucket)
	case *awss3.CreateBucketInput:
		r.bucket("CreateBucketInput", in.Bucket)
	case *awss3.HeadBucketInput:
		r.bucket("HeadBucketInput", in.Bucket)
	case *awss3.DeleteBucketInput:
		r.bucket("DeleteBucketInput", in.Bucket)
	}
	return r.err()
}

func (r *required) err() error {
	if r.errs.Len() > 0 {
		return r.errs
	}
	return nil
}

func (r *required) bucket(input string, bucket *string) {
	r.errs.Context = input
	r.member("Bucket", bucket != nil)
}

func (r *required) object(input string, bucket, key *string) error {
	r.bucket(input, bucket)
	r.member("Key", key != nil)
	if r.errs.Len() == 0 && *key == "" {
		return &smithy.SerializationError{Err: errNoKey}
	}
	return r.err()
}

func (r *required) upload(input string, bucket, key, id *string, hasNumber bool) error {
	r.bucket(input, bucket)
	r.member("Key", key != nil)
	r.member("PartNumber", hasNumber)
	r.member("UploadId", id != nil)
	if err := r.err(); err != nil {
		return err
	}
	return r.object(input, bucket, key)
}

func (r *required) deletions(in *awss3.DeleteObjectsInput) {
	if r.member("Delete", in.Delete != nil); in.Delete == nil {
		return
	}
	r.within("Delete", "Objects", in.Delete.Objects != nil)
	for _, o := range in.Delete.Objects {
		r.within("Delete.Objects", "Key", o.Key != nil)
	}
}
