package s3_test

import (
	"context"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"

	"github.com/lakebench/lakebench/internal/backend/s3"
	"github.com/lakebench/lakebench/internal/backend/tally"
	"github.com/lakebench/lakebench/internal/counts"
)

// What requests are billed: PUT, COPY, POST and LIST are class A, GET, HEAD and
// others B, DELETE is free (AWS S3 pricing); refusals are billed as well, failures
// of the service are not.
func TestServed(t *testing.T) {
	var got []s3.Served
	a := newAccount(t, nil)
	before := a.Totals()
	client := newClient(a.Client(func(_ context.Context, s s3.Served) { got = append(got, s) }))
	bucket, key, none := aws.String(lake), aws.String("k"), aws.String("none")
	put := func(condition *string) {
		_, _ = client.PutObject(t.Context(), &awss3.PutObjectInput{Bucket: bucket, Key: key, Body: strings.NewReader("body"), IfNoneMatch: condition})
	}
	for _, call := range []func(){
		func() { put(aws.String("*")) },
		func() { put(aws.String("*")) }, // refused
		func() { put(aws.String("x")) }, // not implemented
		func() { _, _ = client.GetObject(t.Context(), &awss3.GetObjectInput{Bucket: bucket, Key: key}) },
		func() {
			_, _ = client.GetObject(t.Context(), &awss3.GetObjectInput{Bucket: bucket, Key: key, Range: aws.String("bytes=1-2")})
		},
		func() {
			_, _ = client.GetObject(t.Context(), &awss3.GetObjectInput{Bucket: bucket, Key: key, IfNoneMatch: aws.String("*")})
		},
		func() { _, _ = client.GetObject(t.Context(), &awss3.GetObjectInput{Bucket: bucket, Key: none}) },
		func() { _, _ = client.HeadObject(t.Context(), &awss3.HeadObjectInput{Bucket: bucket, Key: key}) },
		func() { _, _ = client.HeadObject(t.Context(), &awss3.HeadObjectInput{Bucket: bucket, Key: none}) },
		func() { _, _ = client.ListObjectsV2(t.Context(), &awss3.ListObjectsV2Input{Bucket: bucket}) },
		func() { _, _ = client.ListObjectsV2(t.Context(), &awss3.ListObjectsV2Input{Bucket: none}) },
		func() { _, _ = client.DeleteObject(t.Context(), &awss3.DeleteObjectInput{Bucket: bucket, Key: key}) },
		func() { _, _ = client.DeleteObject(t.Context(), &awss3.DeleteObjectInput{Bucket: bucket, Key: key}) },
		func() { _, _ = client.ListBuckets(t.Context(), &awss3.ListBucketsInput{}) },
		func() { _, _ = client.HeadBucket(t.Context(), &awss3.HeadBucketInput{Bucket: bucket}) },
		func() { _, _ = client.CreateBucket(t.Context(), &awss3.CreateBucketInput{Bucket: aws.String("other")}) },
		func() { _, _ = client.DeleteBucket(t.Context(), &awss3.DeleteBucketInput{Bucket: aws.String("other")}) },
		func() { _, _ = client.GetBucketPolicy(t.Context(), &awss3.GetBucketPolicyInput{Bucket: bucket}) },
	} {
		call()
	}
	want := []s3.Served{
		{API: "PutObject", Outcome: s3.OutcomeOK, Usage: counts.Usage{Work: counts.Work{BytesSent: 4}, Units: counts.Units{S3ClassA: 1}}},
		{API: "PutObject", Outcome: s3.OutcomeConditionFailed, Usage: counts.Usage{Work: counts.Work{BytesSent: 4}, Units: counts.Units{S3ClassA: 1}}},
		{API: "PutObject", Outcome: s3.OutcomeServerError, Usage: counts.Usage{Work: counts.Work{BytesSent: 4}}},
		{API: "GetObject", Outcome: s3.OutcomeOK, Usage: counts.Usage{Work: counts.Work{BytesReceived: 4}, Units: counts.Units{S3ClassB: 1}}},
		{API: "GetObject", Outcome: s3.OutcomeOK, Usage: counts.Usage{Work: counts.Work{BytesReceived: 2}, Units: counts.Units{S3ClassB: 1}}},
		{API: "GetObject", Outcome: s3.OutcomeConditionFailed, Usage: counts.Usage{Units: counts.Units{S3ClassB: 1}}},
		{API: "GetObject", Outcome: s3.OutcomeAbsent, Usage: counts.Usage{Units: counts.Units{S3ClassB: 1}}},
		{API: "HeadObject", Outcome: s3.OutcomeOK, Usage: counts.Usage{Units: counts.Units{S3ClassB: 1}}},
		{API: "HeadObject", Outcome: s3.OutcomeAbsent, Usage: counts.Usage{Units: counts.Units{S3ClassB: 1}}},
		{API: "ListObjectsV2", Outcome: s3.OutcomeOK, Usage: counts.Usage{Units: counts.Units{S3ClassA: 1}}},
		{API: "ListObjectsV2", Outcome: s3.OutcomeOther, Usage: counts.Usage{Units: counts.Units{S3ClassA: 1}}},
		{API: "DeleteObject", Outcome: s3.OutcomeOK},
		{API: "DeleteObject", Outcome: s3.OutcomeOK},
		{API: "ListBuckets", Outcome: s3.OutcomeOK, Usage: counts.Usage{Units: counts.Units{S3ClassA: 1}}},
		{API: "HeadBucket", Outcome: s3.OutcomeOK, Usage: counts.Usage{Units: counts.Units{S3ClassB: 1}}},
		{API: "CreateBucket", Outcome: s3.OutcomeOK, Usage: counts.Usage{Units: counts.Units{S3ClassA: 1}}},
		{API: "DeleteBucket", Outcome: s3.OutcomeOK},
		{API: s3.UnknownAPI, Outcome: s3.OutcomeServerError},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("served (-want +got):\n%s", diff)
	}
	totals := a.Totals()
	if totals.S3ClassA-before.S3ClassA != 6 || totals.S3ClassB-before.S3ClassB != 7 || totals.BytesReceived != 6 || totals.BytesSent != 12 {
		t.Errorf("totals %+v after %+v", totals, before)
	}
	if n := totals.Requests[tally.Request{API: "PutObject", Outcome: s3.OutcomeConditionFailed}]; n != 1 {
		t.Errorf("%d refused PUTs", n)
	}
}
