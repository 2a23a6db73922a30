package backend

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"

	"github.com/lakebench/lakebench/internal/counts"
	"github.com/lakebench/lakebench/internal/meter"
)

// One of each request, through the SDK: what it does, and what all ledgers say
// of it.
func TestS3ThroughTheSDK(t *testing.T) {
	b := open(t, DefaultConfig())
	bucket, err := b.Bucket(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m := newMeter(t, b)
	client := b.S3(m)
	put := func(body string) error {
		_, err := client.PutObject(t.Context(), &awss3.PutObjectInput{
			Bucket: &bucket, Key: aws.String("a/1"), Body: strings.NewReader(body), IfNoneMatch: aws.String("*"),
			Metadata: map[string]string{"lakebench-id": "x"},
		})
		return err
	}
	if err := put("first"); err != nil {
		t.Fatal(err)
	}
	var refused smithy.APIError
	if err := put("again"); !errors.As(err, &refused) || refused.ErrorCode() != "PreconditionFailed" {
		t.Errorf("a second create: %v", err)
	}
	got, err := client.GetObject(t.Context(), &awss3.GetObjectInput{Bucket: &bucket, Key: aws.String("a/1")})
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(got.Body)
	if err != nil || string(body) != "first" || got.Metadata["lakebench-id"] != "x" {
		t.Errorf("got %q, %v, %v", body, got.Metadata, err)
	}
	var missing *types.NotFound
	if _, err := client.HeadObject(t.Context(), &awss3.HeadObjectInput{Bucket: &bucket, Key: aws.String("a/2")}); !errors.As(err, &missing) {
		t.Errorf("HEAD of a missing key: %v", err)
	}
	list, err := client.ListObjectsV2(t.Context(), &awss3.ListObjectsV2Input{Bucket: &bucket, Prefix: aws.String("a/")})
	if err != nil || len(list.Contents) != 1 || *list.Contents[0].Key != "a/1" {
		t.Errorf("listed %v, %v", list, err)
	}
	if _, err := client.DeleteObject(t.Context(), &awss3.DeleteObjectInput{Bucket: &bucket, Key: aws.String("a/1")}); err != nil {
		t.Error(err)
	}
	if err := m.Reconcile(); err != nil {
		t.Error(err)
	}
	want := counts.Usage{Work: counts.Work{BytesSent: 10, BytesReceived: 5}, Units: counts.Units{S3ClassA: 3, S3ClassB: 2}}
	if diff := cmp.Diff(want, m.Ledger(meter.PhaseSetup).Total().Usage); diff != "" {
		t.Errorf("units (-want +got):\n%s", diff)
	}
}
