package meter

import (
	"bytes"
	"io"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// What a trace says of a request to S3, and how many bytes of an object it has.
func TestS3RequestsAsTraced(t *testing.T) {
	bucket, key := aws.String("lake"), aws.String("k")
	sent := bytes.NewReader([]byte("body"))
	_, _ = io.Copy(io.Discard, sent) // as the client leaves it
	for _, c := range []struct {
		input any
		bytes int64
		want  []Target
	}{
		{&awss3.PutObjectInput{Bucket: bucket, Key: key, Body: sent}, 4, []Target{{Table: "lake", Key: "k"}}},
		{&awss3.PutObjectInput{Bucket: bucket, Key: key, Body: io.LimitReader(sent, 9), ContentLength: aws.Int64(9)}, 9, []Target{{Table: "lake", Key: "k"}}},
		{&awss3.UploadPartInput{Bucket: bucket, Key: key, Body: sent}, 4, []Target{{Table: "lake", Key: "k"}}},
		{&awss3.GetObjectInput{Bucket: bucket, Key: key}, 0, []Target{{Table: "lake", Key: "k"}}},
		{&awss3.HeadObjectInput{Bucket: bucket, Key: key}, 0, []Target{{Table: "lake", Key: "k"}}},
		{&awss3.DeleteObjectInput{Bucket: bucket, Key: key}, 0, []Target{{Table: "lake", Key: "k"}}},
		{&awss3.ListObjectsV2Input{Bucket: bucket, Prefix: key}, 0, []Target{{Table: "lake", Key: "k"}}},
		{&awss3.HeadBucketInput{Bucket: bucket}, 0, []Target{{Table: "lake"}}},
		{&awss3.DeleteObjectsInput{Bucket: bucket, Delete: &types.Delete{Objects: []types.ObjectIdentifier{{Key: key}, {Key: aws.String("l")}}}}, 0,
			[]Target{{Action: "delete", Table: "lake", Key: "k"}, {Action: "delete", Table: "lake", Key: "l"}}},
		{&awss3.DeleteObjectsInput{Bucket: bucket}, 0, nil},
		{&awss3.ListBucketsInput{}, 0, nil},
	} {
		if got := (s3{}).targets(c.input, nil); !slices.Equal(got, c.want) {
			t.Errorf("%T: got %+v, want %+v", c.input, got, c.want)
		}
		if got := (s3{}).usage("x", c.input, nil, nil, OK).BytesSent; got != c.bytes {
			t.Errorf("%T: %d bytes, want %d", c.input, got, c.bytes)
		}
	}
	if got := (s3{}).usage("GetObject", nil, &awss3.GetObjectOutput{ContentLength: aws.Int64(7)}, nil, OK).BytesReceived; got != 7 {
		t.Errorf("%d bytes received", got)
	}
}
