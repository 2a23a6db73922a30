package backend

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// CreateBucket is the operation of that name.
func (c *DirectS3Client) CreateBucket(ctx context.Context, in *s3.CreateBucketInput, options ...func(*s3.Options)) (*s3.CreateBucketOutput, error) {
	return directS3Call[s3.CreateBucketOutput](ctx, c, "CreateBucket", in, options)
}

// HeadBucket is the operation of that name.
func (c *DirectS3Client) HeadBucket(ctx context.Context, in *s3.HeadBucketInput, options ...func(*s3.Options)) (*s3.HeadBucketOutput, error) {
	return directS3Call[s3.HeadBucketOutput](ctx, c, "HeadBucket", in, options)
}

// DeleteBucket is the operation of that name.
func (c *DirectS3Client) DeleteBucket(ctx context.Context, in *s3.DeleteBucketInput, options ...func(*s3.Options)) (*s3.DeleteBucketOutput, error) {
	return directS3Call[s3.DeleteBucketOutput](ctx, c, "DeleteBucket", in, options)
}

// ListBuckets is the operation of that name.
func (c *DirectS3Client) ListBuckets(ctx context.Context, in *s3.ListBucketsInput, options ...func(*s3.Options)) (*s3.ListBucketsOutput, error) {
	return directS3Call[s3.ListBucketsOutput](ctx, c, "ListBuckets", in, options)
}

// PutObject is the operation of that name.
func (c *DirectS3Client) PutObject(ctx context.Context, in *s3.PutObjectInput, options ...func(*s3.Options)) (*s3.PutObjectOutput, error) {
	return directS3Call[s3.PutObjectOutput](ctx, c, "PutObject", in, options)
}

// GetObject is the operation of that name.
func (c *DirectS3Client) GetObject(ctx context.Context, in *s3.GetObjectInput, options ...func(*s3.Options)) (*s3.GetObjectOutput, error) {
	return directS3Call[s3.GetObjectOutput](ctx, c, "GetObject", in, options)
}

// HeadObject is the operation of that name.
func (c *DirectS3Client) HeadObject(ctx context.Context, in *s3.HeadObjectInput, options ...func(*s3.Options)) (*s3.HeadObjectOutput, error) {
	return directS3Call[s3.HeadObjectOutput](ctx, c, "HeadObject", in, options)
}

// DeleteObject is the operation of that name.
func (c *DirectS3Client) DeleteObject(ctx context.Context, in *s3.DeleteObjectInput, options ...func(*s3.Options)) (*s3.DeleteObjectOutput, error) {
	return directS3Call[s3.DeleteObjectOutput](ctx, c, "DeleteObject", in, options)
}

// DeleteObjects is the operation of that name.
func (c *DirectS3Client) DeleteObjects(ctx context.Context, in *s3.DeleteObjectsInput, options ...func(*s3.Options)) (*s3.DeleteObjectsOutput, error) {
	return directS3Call[s3.DeleteObjectsOutput](ctx, c, "DeleteObjects", in, options)
}

// ListObjectsV2 is the operation of that name.
func (c *DirectS3Client) ListObjectsV2(ctx context.Context, in *s3.ListObjectsV2Input, options ...func(*s3.Options)) (*s3.ListObjectsV2Output, error) {
	return directS3Call[s3.ListObjectsV2Output](ctx, c, "ListObjectsV2", in, options)
}

// CreateMultipartUpload is the operation of that name.
func (c *DirectS3Client) CreateMultipartUpload(ctx context.Context, in *s3.CreateMultipartUploadInput, options ...func(*s3.Options)) (*s3.CreateMultipartUploadOutput, error) {
	return directS3Call[s3.CreateMultipartUploadOutput](ctx, c, "CreateMultipartUpload", in, options)
}

// UploadPart is the operation of that name.
func (c *DirectS3Client) UploadPart(ctx context.Context, in *s3.UploadPartInput, options ...func(*s3.Options)) (*s3.UploadPartOutput, error) {
	return directS3Call[s3.UploadPartOutput](ctx, c, "UploadPart", in, options)
}

// CompleteMultipartUpload is the operation of that name.
func (c *DirectS3Client) CompleteMultipartUpload(ctx context.Context, in *s3.CompleteMultipartUploadInput, options ...func(*s3.Options)) (*s3.CompleteMultipartUploadOutput, error) {
	return directS3Call[s3.CompleteMultipartUploadOutput](ctx, c, "CompleteMultipartUpload", in, options)
}

// AbortMultipartUpload is the operation of that name.
func (c *DirectS3Client) AbortMultipartUpload(ctx context.Context, in *s3.AbortMultipartUploadInput, options ...func(*s3.Options)) (*s3.AbortMultipartUploadOutput, error) {
	return directS3Call[s3.AbortMultipartUploadOutput](ctx, c, "AbortMultipartUpload", in, options)
}
