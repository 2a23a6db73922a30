package concern

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// Objects returns what an input of S3 concerns: no bucket for inputs that lakebench
// does not use, no keys if it concerns the whole bucket. The key of a list is its
// prefix.
func Objects(input any) (bucket string, keys []string) {
	switch in := input.(type) {
	case *s3.PutObjectInput:
		return aws.ToString(in.Bucket), []string{aws.ToString(in.Key)}
	case *s3.GetObjectInput:
		return aws.ToString(in.Bucket), []string{aws.ToString(in.Key)}
	case *s3.HeadObjectInput:
		return aws.ToString(in.Bucket), []string{aws.ToString(in.Key)}
	case *s3.DeleteObjectInput:
		return aws.ToString(in.Bucket), []string{aws.ToString(in.Key)}
	case *s3.DeleteObjectsInput:
		if in.Delete != nil {
			for _, o := range in.Delete.Objects {
				keys = append(keys, aws.ToString(o.Key))
			}
		}
		return aws.ToString(in.Bucket), keys
	case *s3.ListObjectsV2Input:
		if in.Prefix != nil {
			keys = []string{*in.Prefix}
		}
		return aws.ToString(in.Bucket), keys
	}
	return uploadOf(input)
}

// uploadOf is Objects for multipart uploads and whole buckets.
func uploadOf(input any) (bucket string, keys []string) {
	switch in := input.(type) {
	case *s3.CreateMultipartUploadInput:
		return aws.ToString(in.Bucket), []string{aws.ToString(in.Key)}
	case *s3.UploadPartInput:
		return aws.ToString(in.Bucket), []string{aws.ToString(in.Key)}
	case *s3.CompleteMultipartUploadInput:
		return aws.ToString(in.Bucket), []string{aws.ToString(in.Key)}
	case *s3.AbortMultipartUploadInput:
		return aws.ToString(in.Bucket), []string{aws.ToString(in.Key)}
	case *s3.CreateBucketInput:
		return aws.ToString(in.Bucket), nil
	case *s3.HeadBucketInput:
		return aws.ToString(in.Bucket), nil
	case *s3.DeleteBucketInput:
		return aws.ToString(in.Bucket), nil
	}
	return "", nil
}
