package backend

import (
	"bytes"
	"context"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/go-cmp/cmp"

	"github.com/lakebench/lakebench/internal/backend/s3"
	"github.com/lakebench/lakebench/internal/counts"
	"github.com/lakebench/lakebench/internal/meter"
)

// s3Call makes the call of an input by the name of its type.
func s3Call(ctx context.Context, client *awss3.Client, input any) (any, error) {
	name := strings.TrimSuffix(reflect.TypeOf(input).Elem().Name(), "Input")
	out := reflect.ValueOf(client).MethodByName(name).Call([]reflect.Value{reflect.ValueOf(ctx), reflect.ValueOf(input)})
	err, _ := out[1].Interface().(error)
	return out[0].Interface(), err
}

// s3Cases are requests of every operation and with every outcome that can be
// brought about one after the other, made anew for each client.
func s3Cases() []any {
	bucket, key := aws.String("lake"), aws.String("a/1")
	put := func(key, body string, change func(*awss3.PutObjectInput)) any {
		in := &awss3.PutObjectInput{Bucket: bucket, Key: &key, Body: strings.NewReader(body)}
		if change != nil {
			change(in)
		}
		return in
	}
	date := time.Date(2030, 1, 2, 3, 4, 5, 678, time.UTC)
	big := bytes.Repeat([]byte("x"), 5<<20)
	upload := aws.String("upload-1")
	return []any{
		&awss3.ListBucketsInput{}, &awss3.HeadBucketInput{Bucket: bucket},
		&awss3.CreateBucketInput{Bucket: bucket}, &awss3.CreateBucketInput{Bucket: bucket}, &awss3.CreateBucketInput{},
		&awss3.CreateBucketInput{Bucket: aws.String("NotAName")},
		&awss3.CreateBucketInput{Bucket: bucket, CreateBucketConfiguration: &types.CreateBucketConfiguration{LocationConstraint: "eu-west-1"}},
		&awss3.CreateBucketInput{Bucket: bucket, ACL: types.BucketCannedACLPrivate},
		&awss3.HeadBucketInput{Bucket: bucket}, &awss3.ListBucketsInput{}, &awss3.ListBucketsInput{Prefix: aws.String("x")},

		put("a/1", "first", func(in *awss3.PutObjectInput) {
			in.IfNoneMatch, in.Metadata = aws.String("*"), map[string]string{"Lakebench-ID": "x y"}
			in.ContentType, in.CacheControl, in.Expires = aws.String("text/plain"), aws.String("no-store"), &date
			in.ContentEncoding, in.ContentLanguage, in.ContentDisposition = aws.String("gzip"), aws.String("de"), aws.String("inline")
		}),
		put("a/1", "again", func(in *awss3.PutObjectInput) { in.IfNoneMatch = aws.String("*") }),
		put("a/1", "again", func(in *awss3.PutObjectInput) { in.IfNoneMatch = aws.String("x") }),
		put("a/1", "again", func(in *awss3.PutObjectInput) { in.IfMatch = aws.String(`"0"`) }),
		put("none", "again", func(in *awss3.PutObjectInput) { in.IfMatch = aws.String(`"0"`) }),
		put("a/2", "", nil), put("b c/ü+%", "odd", nil), put("//x", "slashes", nil),
		put("sum", "sum", func(in *awss3.PutObjectInput) { in.ChecksumAlgorithm = types.ChecksumAlgorithmSha256 }),
		put("bad", "sum", func(in *awss3.PutObjectInput) { in.ChecksumCRC32C = aws.String("AAAAAA==") }),
		put("bad", "sum", func(in *awss3.PutObjectInput) { in.ContentMD5 = aws.String("AAAAAAAAAAAAAAAAAAAAAA==") }),
		put("bad", "sum", func(in *awss3.PutObjectInput) { in.Tagging = aws.String("a=b") }),
		put("bad", "sum", func(in *awss3.PutObjectInput) { in.Metadata = map[string]string{"x": strings.Repeat("x", 2048)} }),
		put("", "no key", nil), put(strings.Repeat("k", 1025), "long", nil),
		put("x", "no bucket", func(in *awss3.PutObjectInput) { in.Bucket = aws.String("none") }),

		&awss3.GetObjectInput{Bucket: bucket, Key: key}, &awss3.GetObjectInput{Bucket: bucket, Key: aws.String("a/2")},
		&awss3.GetObjectInput{Bucket: bucket, Key: aws.String("b c/ü+%")}, &awss3.GetObjectInput{Bucket: bucket, Key: aws.String("//x")},
		&awss3.GetObjectInput{Bucket: bucket, Key: aws.String("none")}, &awss3.GetObjectInput{Bucket: aws.String("none"), Key: key},
		&awss3.GetObjectInput{Bucket: bucket}, &awss3.GetObjectInput{Key: key},
		&awss3.GetObjectInput{Bucket: bucket, Key: key, Range: aws.String("bytes=1-2")},
		&awss3.GetObjectInput{Bucket: bucket, Key: key, Range: aws.String("bytes=9-")},
		&awss3.GetObjectInput{Bucket: bucket, Key: key, Range: aws.String("bytes=0-0,2-2")},
		&awss3.GetObjectInput{Bucket: bucket, Key: key, IfMatch: aws.String(`"0"`)},
		&awss3.GetObjectInput{Bucket: bucket, Key: key, IfNoneMatch: aws.String(`*`)},
		&awss3.GetObjectInput{Bucket: bucket, Key: key, IfModifiedSince: &date},
		&awss3.GetObjectInput{Bucket: bucket, Key: key, PartNumber: aws.Int32(1)},
		&awss3.GetObjectInput{Bucket: bucket, Key: key, VersionId: aws.String("v")},

		&awss3.HeadObjectInput{Bucket: bucket, Key: key}, &awss3.HeadObjectInput{Bucket: bucket, Key: key, ChecksumMode: types.ChecksumModeEnabled},
		&awss3.HeadObjectInput{Bucket: bucket, Key: aws.String("none")}, &awss3.HeadObjectInput{Bucket: bucket, Key: key, Range: aws.String("bytes=-2")},
		&awss3.HeadObjectInput{Bucket: bucket, Key: key, IfMatch: aws.String("0")},
		&awss3.HeadObjectInput{Bucket: bucket, Key: key, IfNoneMatch: aws.String("*")},

		&awss3.ListObjectsV2Input{Bucket: bucket}, &awss3.ListObjectsV2Input{Bucket: bucket, Delimiter: aws.String("/")},
		&awss3.ListObjectsV2Input{Bucket: bucket, Prefix: aws.String("a/"), MaxKeys: aws.Int32(1)},
		&awss3.ListObjectsV2Input{Bucket: bucket, Prefix: aws.String("a/"), StartAfter: aws.String("a/1")},
		&awss3.ListObjectsV2Input{Bucket: bucket, ContinuationToken: aws.String("?")},
		&awss3.ListObjectsV2Input{Bucket: bucket, MaxKeys: aws.Int32(-1)}, &awss3.ListObjectsV2Input{Bucket: bucket, MaxKeys: aws.Int32(0)},
		&awss3.ListObjectsV2Input{Bucket: bucket, EncodingType: types.EncodingTypeUrl},
		&awss3.ListObjectsV2Input{Bucket: bucket, FetchOwner: aws.Bool(true)}, &awss3.ListObjectsV2Input{Bucket: aws.String("none")},

		&awss3.CreateMultipartUploadInput{Bucket: bucket, Key: aws.String("parts"), Metadata: map[string]string{"a": "b"}},
		&awss3.UploadPartInput{Bucket: bucket, Key: aws.String("parts"), UploadId: upload, PartNumber: aws.Int32(1), Body: bytes.NewReader(big)},
		&awss3.UploadPartInput{Bucket: bucket, Key: aws.String("parts"), UploadId: upload, PartNumber: aws.Int32(2), Body: strings.NewReader("end")},
		&awss3.UploadPartInput{Bucket: bucket, Key: aws.String("parts"), UploadId: aws.String("none"), PartNumber: aws.Int32(2), Body: strings.NewReader("end")},
		&awss3.UploadPartInput{Bucket: bucket, Key: aws.String("parts"), UploadId: upload, PartNumber: aws.Int32(0), Body: strings.NewReader("end")},
		&awss3.CompleteMultipartUploadInput{Bucket: bucket, Key: aws.String("parts"), UploadId: upload},
		&awss3.CompleteMultipartUploadInput{Bucket: bucket, Key: aws.String("parts"), UploadId: upload, IfNoneMatch: aws.String("*"), MultipartUpload: &types.CompletedMultipartUpload{Parts: []types.CompletedPart{
			{PartNumber: aws.Int32(1), ETag: aws.String(`"4f08eef4096726bff1125e1b1b734644"`)},
			{PartNumber: aws.Int32(2), ETag: aws.String(`"7f021a1415b86f2d013b2618fb31ae53"`)},
		}}},
		&awss3.GetObjectInput{Bucket: bucket, Key: aws.String("parts"), Range: aws.String("bytes=5242870-")},
		&awss3.HeadObjectInput{Bucket: bucket, Key: aws.String("parts"), ChecksumMode: types.ChecksumModeEnabled},
		&awss3.AbortMultipartUploadInput{Bucket: bucket, Key: aws.String("parts"), UploadId: upload},
		&awss3.CreateMultipartUploadInput{Bucket: bucket, Key: aws.String("other"), ChecksumAlgorithm: types.ChecksumAlgorithmCrc64nvme},
		&awss3.AbortMultipartUploadInput{Bucket: bucket, Key: aws.String("other"), UploadId: aws.String("upload-2")},
		&awss3.AbortMultipartUploadInput{Bucket: bucket, Key: aws.String("other")},

		&awss3.DeleteBucketInput{Bucket: bucket},
		&awss3.DeleteObjectInput{Bucket: bucket, Key: aws.String("a/2"), IfMatch: aws.String("0")},
		&awss3.DeleteObjectInput{Bucket: bucket, Key: aws.String("a/2")}, &awss3.DeleteObjectInput{Bucket: bucket, Key: aws.String("a/2")},
		&awss3.DeleteObjectInput{Bucket: bucket, Key: aws.String("a/2"), IfMatch: aws.String("*")},
		&awss3.DeleteObjectsInput{Bucket: bucket}, &awss3.DeleteObjectsInput{Bucket: bucket, Delete: &types.Delete{}},
		&awss3.DeleteObjectsInput{Bucket: bucket, Delete: &types.Delete{Objects: []types.ObjectIdentifier{
			{Key: key, ETag: aws.String("0")}, {Key: aws.String("b c/ü+%")}, {Key: aws.String("none")},
		}}},
		&awss3.DeleteObjectsInput{Bucket: bucket, Delete: &types.Delete{Quiet: aws.Bool(true), Objects: []types.ObjectIdentifier{
			{Key: key}, {Key: aws.String("//x")}, {Key: aws.String("sum")}, {Key: aws.String("parts")},
		}}},
		&awss3.ListObjectsV2Input{Bucket: bucket}, &awss3.DeleteBucketInput{Bucket: bucket}, &awss3.DeleteBucketInput{Bucket: bucket},
	}
}

// What an endpoint's clients count of classes and bytes is what the service bills.
func TestS3UnitsAsReported(t *testing.T) {
	service, address := serveS3(t, s3.DefaultConfig())
	b := open(t, s3Endpoint(address))
	if _, err := b.Bucket(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.bucket.set("lake", true) // whose cases these are
	m := newMeter(t, b)
	client := b.S3(m)
	before := service.Totals()
	for _, in := range s3Cases() {
		_, _ = s3Call(t.Context(), client, in) // only their cost matters here
	}
	after := service.Totals()
	if err := m.Reconcile(); err != nil {
		t.Error(err)
	}
	want := counts.Usage{
		Work: counts.Work{BytesSent: after.BytesSent - before.BytesSent, BytesReceived: after.BytesReceived - before.BytesReceived}, Units: counts.Units{S3ClassA: after.S3ClassA - before.S3ClassA, S3ClassB: after.S3ClassB - before.S3ClassB},
	}
	if diff := cmp.Diff(want, m.Ledger(meter.PhaseSetup).Total().Usage); diff != "" {
		t.Errorf("(-service +clients):\n%s", diff)
	}
}
