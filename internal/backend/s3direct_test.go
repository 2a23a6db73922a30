package backend

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
	smithymiddleware "github.com/aws/smithy-go/middleware"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/lakebench/lakebench/internal/backend/fault"
	"github.com/lakebench/lakebench/internal/backend/s3"
	"github.com/lakebench/lakebench/internal/meter"
	"github.com/lakebench/lakebench/internal/sim/task"
)

var (
	_ s3Methods = (*awss3.Client)(nil)
	_ s3Methods = (*DirectS3Client)(nil)
)

// s3Methods are what both kinds of client have.
type s3Methods interface {
	CreateBucket(context.Context, *awss3.CreateBucketInput, ...func(*awss3.Options)) (*awss3.CreateBucketOutput, error)
	HeadBucket(context.Context, *awss3.HeadBucketInput, ...func(*awss3.Options)) (*awss3.HeadBucketOutput, error)
	DeleteBucket(context.Context, *awss3.DeleteBucketInput, ...func(*awss3.Options)) (*awss3.DeleteBucketOutput, error)
	ListBuckets(context.Context, *awss3.ListBucketsInput, ...func(*awss3.Options)) (*awss3.ListBucketsOutput, error)
	PutObject(context.Context, *awss3.PutObjectInput, ...func(*awss3.Options)) (*awss3.PutObjectOutput, error)
	GetObject(context.Context, *awss3.GetObjectInput, ...func(*awss3.Options)) (*awss3.GetObjectOutput, error)
	HeadObject(context.Context, *awss3.HeadObjectInput, ...func(*awss3.Options)) (*awss3.HeadObjectOutput, error)
	DeleteObject(context.Context, *awss3.DeleteObjectInput, ...func(*awss3.Options)) (*awss3.DeleteObjectOutput, error)
	DeleteObjects(context.Context, *awss3.DeleteObjectsInput, ...func(*awss3.Options)) (*awss3.DeleteObjectsOutput, error)
	ListObjectsV2(context.Context, *awss3.ListObjectsV2Input, ...func(*awss3.Options)) (*awss3.ListObjectsV2Output, error)
	CreateMultipartUpload(context.Context, *awss3.CreateMultipartUploadInput, ...func(*awss3.Options)) (*awss3.CreateMultipartUploadOutput, error)
	UploadPart(context.Context, *awss3.UploadPartInput, ...func(*awss3.Options)) (*awss3.UploadPartOutput, error)
	CompleteMultipartUpload(context.Context, *awss3.CompleteMultipartUploadInput, ...func(*awss3.Options)) (*awss3.CompleteMultipartUploadOutput, error)
	AbortMultipartUpload(context.Context, *awss3.AbortMultipartUploadInput, ...func(*awss3.Options)) (*awss3.AbortMultipartUploadOutput, error)
}

// s3Call makes the call of an input by the name of its type.
func s3Call(ctx context.Context, client s3Methods, input any) (any, error) {
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

// s3Answer is an output, its body and what a caller can know of an error.
type s3Answer struct {
	Output  any
	Body    string
	BodyErr string
	Error   string // its types, outermost last
	Code    string
	Message string
	Status  int
}

func s3AnswerOf(t *testing.T, out any, err error) s3Answer {
	t.Helper()
	a := s3Answer{}
	if err == nil {
		a.Output = out
		if got, ok := out.(*awss3.GetObjectOutput); ok {
			body, err := io.ReadAll(got.Body)
			a.Body, a.BodyErr = string(body), fmt.Sprint(err)
			got.Body = nil
		}
		return a
	}
	a.Output = nil
	var (
		api    smithy.APIError
		status interface{ HTTPStatusCode() int }
		params smithy.InvalidParamsError
		serial *smithy.SerializationError
	)
	if errors.As(err, &api) {
		a.Error, a.Code, a.Message = fmt.Sprintf("%T", api), api.ErrorCode(), api.ErrorMessage()
	}
	if errors.As(err, &status) {
		a.Status = status.HTTPStatusCode()
	}
	switch {
	case errors.As(err, &params):
		a.Error, a.Message = "params", params.Error()
	case errors.As(err, &serial):
		a.Error = "serialization"
	case a.Code == "NotImplemented", a.Code == "MalformedXML":
		a.Message = "" // it names a header or a field, an end of text or a number of parts
	}
	return a
}

// The direct client and the SDK over HTTP in memory agree in every answer and in
// all ledgers.
func TestS3TransportsAgree(t *testing.T) {
	type transport struct {
		answers []s3Answer
		ledger  []meter.Row
		totals  s3.Totals
	}
	run := func(direct bool) transport {
		b := open(t, DefaultConfig())
		m := newMeter(t, b)
		var client s3Methods = b.S3(m)
		if direct {
			var err error
			if client, err = b.DirectS3(m, nil); err != nil {
				t.Fatal(err)
			}
		}
		var r transport
		if _, err := task.Run(t.Context(), task.VirtualConfig{}, func(ctx context.Context) error {
			for _, in := range s3Cases() {
				out, err := s3Call(ctx, client, in)
				r.answers = append(r.answers, s3AnswerOf(t, out, err))
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if err := m.Reconcile(); err != nil {
			t.Error(err)
		}
		r.ledger, r.totals = m.Ledger(meter.PhaseSetup).Rows, b.objects.Totals()
		return r
	}
	sdk, direct := run(false), run(true)
	for i, in := range s3Cases() {
		if diff := cmp.Diff(sdk.answers[i], direct.answers[i], cmpopts.IgnoreTypes(smithymiddleware.Metadata{}), cmpopts.IgnoreUnexported(
			awss3.CreateBucketOutput{},
		), cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
			t.Errorf("%d %T (-SDK +direct):\n%s", i, in, diff)
		}
	}
	if diff := cmp.Diff(sdk.ledger, direct.ledger); diff != "" {
		t.Errorf("ledgers (-SDK +direct):\n%s", diff)
	}
	if diff := cmp.Diff(sdk.totals, direct.totals); diff != "" {
		t.Errorf("the service's counts (-SDK +direct):\n%s", diff)
	}
}

// Faults look the same to callers of both.
func TestS3TransportsAgreeUnderFaults(t *testing.T) {
	const rules = `
on s3 PutObject nth 1 : error-after
on s3 PutObject nth 3 : error-before 409
on s3 PutObject nth 4 : error-before 409-bare
on s3 PutObject nth 5 : error-before 304
on s3 PutObject nth 6 : error-after 200-precondition
on s3 PutObject nth 7 : error-before 200
on s3 PutObject nth 9 : throttle
on s3 PutObject nth 11 : error-after reset
on s3 HeadObject nth 1 : error-before 403
on s3 HeadObject nth 2 : throttle
on s3 HeadObject nth 4 : error-before
on s3 GetObject nth 1 : cut 3
on s3 GetObject nth 2 : cut
on s3 GetObject nth 3 : timeout 1s lands 2s
on s3 ListObjectsV2 nth 1 : cut
on s3 ListObjectsV2 nth 3 : delay 1s
`
	run := func(direct bool) (answers []s3Answer, rows []meter.Row) {
		b := open(t, DefaultConfig())
		m := newMeter(t, b)
		_, err := task.Run(t.Context(), task.VirtualConfig{}, func(ctx context.Context) error {
			bucket, err := b.Bucket(ctx)
			if err != nil {
				return err
			}
			parsed, err := fault.Parse("rules", rules)
			if err != nil {
				return err
			}
			faults := fault.New(ctx, parsed, fault.DefaultConfig())
			var client s3Methods = b.S3Under(m, faults)
			if direct {
				if client, err = b.DirectS3(m, faults); err != nil {
					return err
				}
			}
			key := aws.String("k")
			for i := range 10 {
				for _, in := range []any{
					&awss3.PutObjectInput{Bucket: &bucket, Key: key, Body: strings.NewReader(fmt.Sprintf("body %d", i)), IfNoneMatch: aws.String("*")},
					&awss3.HeadObjectInput{Bucket: &bucket, Key: key}, &awss3.GetObjectInput{Bucket: &bucket, Key: key},
					&awss3.ListObjectsV2Input{Bucket: &bucket},
				} {
					out, err := s3Call(ctx, client, in)
					answers = append(answers, s3AnswerOf(t, out, err))
				}
			}
			for _, w := range faults.Warnings() {
				t.Error(w)
			}
			return faults.Wait()
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Reconcile(); err != nil {
			t.Error(err)
		}
		return answers, m.Ledger(meter.PhaseSetup).Rows
	}
	sdk, sdkRows := run(false)
	direct, directRows := run(true)
	ignoreMetadata := cmpopts.IgnoreTypes(smithymiddleware.Metadata{})
	export := cmp.Exporter(func(reflect.Type) bool { return true })
	for i := range sdk {
		if diff := cmp.Diff(sdk[i], direct[i], ignoreMetadata, export); diff != "" {
			t.Errorf("%d (-SDK +direct):\n%s", i, diff)
		}
	}
	if diff := cmp.Diff(sdkRows, directRows); diff != "" {
		t.Errorf("ledgers (-SDK +direct):\n%s", diff)
	}
}

// asked counts what a retryer is asked.
type asked struct {
	aws.RetryerV2
	attempts, outcomes int
}

func (a *asked) GetAttemptToken(ctx context.Context) (func(error) error, error) {
	a.attempts++
	release, err := a.RetryerV2.GetAttemptToken(ctx)
	return func(outcome error) error {
		a.outcomes++
		return release(outcome)
	}, err
}

// A caller can watch every attempt through the retryer of its call, and bound
// their number, with either client: so a writer knows which got no answer.
func TestS3DirectHeedsOptions(t *testing.T) {
	b := open(t, DefaultConfig())
	bucket, err := b.Bucket(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rules, err := fault.Parse("rules", "on s3 PutObject nth 1..9 : error-after reset")
	if err != nil {
		t.Fatal(err)
	}
	m := newMeter(t, b)
	direct, err := b.DirectS3(m, fault.New(t.Context(), rules, fault.DefaultConfig()))
	if err != nil {
		t.Fatal(err)
	}
	for name, client := range map[string]s3Methods{"SDK": b.S3Under(m, fault.New(t.Context(), rules, fault.DefaultConfig())), "direct": direct} {
		for want, option := range map[int]func(*awss3.Options){
			1: func(o *awss3.Options) { o.RetryMaxAttempts = 1 }, 3: func(*awss3.Options) {},
		} {
			var watch *asked
			_, err := task.Run(t.Context(), task.VirtualConfig{}, func(ctx context.Context) error {
				_, err := client.PutObject(ctx, &awss3.PutObjectInput{Bucket: &bucket, Key: aws.String("k"), Body: strings.NewReader("x")}, option,
					func(o *awss3.Options) {
						watch = &asked{RetryerV2: o.Retryer.(aws.RetryerV2)}
						o.Retryer = watch
					})
				return err
			})
			if err == nil || watch == nil || watch.attempts != want || watch.outcomes != want {
				t.Errorf("%s: %v with %+v, want %d attempts", name, err, watch, want)
			}
		}
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
		_, _ = s3Call(t.Context(), client, in) // TestS3TransportsAgree looks at the answers
	}
	after := service.Totals()
	if err := m.Reconcile(); err != nil {
		t.Error(err)
	}
	want := meter.Usage{
		S3ClassA: after.ClassA - before.ClassA, S3ClassB: after.ClassB - before.ClassB,
		BytesSent: after.WrittenBytes - before.WrittenBytes, BytesReceived: after.ReadBytes - before.ReadBytes,
	}
	if diff := cmp.Diff(want, m.Ledger(meter.PhaseSetup).Total().Usage); diff != "" {
		t.Errorf("(-service +clients):\n%s", diff)
	}
}
