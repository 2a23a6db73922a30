package main

import (
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/lakebench/lakebench/internal/backend/s3"
)

// anS3 serves the embedded S3 with a bucket "lake" over HTTP.
func anS3(t *testing.T) string {
	t.Helper()
	service, err := s3.New(s3.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(service.HTTPHandler())
	t.Cleanup(server.Close)
	if _, err := s3Client(t, server.URL).CreateBucket(t.Context(), &awss3.CreateBucketInput{Bucket: aws.String("lake")}); err != nil {
		t.Fatal(err)
	}
	return server.URL
}

// s3Client is a client of the S3 at an address.
func s3Client(t *testing.T, address string) *awss3.Client {
	t.Helper()
	cfg, err := awsConfig(t.Context(), address, "")
	if err != nil {
		t.Fatal(err)
	}
	return awss3.NewFromConfig(cfg, func(o *awss3.Options) { o.BaseEndpoint, o.UsePathStyle = &address, true })
}

// must runs a command line that has to succeed.
func must(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	code, stdout, stderr := command(t, args...)
	if code != exitOK {
		t.Errorf("%v: exit code %d\n%s%s", args, code, stdout, stderr)
	}
	return stdout, stderr
}

// What a cluster does (deploy/kubernetes): workers meet on one S3 and write their
// results to another, and what waits for them there merges them and gates on what
// one worker measured. Every verb that takes results takes them from the bucket.
func TestWorkersAndResultsInABucket(t *testing.T) {
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	t.Setenv("AWS_ENDPOINT_URL_S3", anS3(t))
	read := []string{
		"run", "--workload", "fresh-read", "--set", "generations=1", "--set", "reads=1", "--set", "rows=2",
		"--variant", "serve,probe", "--repeats", "7", // as many as the gate needs, since counts on an endpoint are samples
		"--backend", "endpoint", "--s3-endpoint", anS3(t),
	}
	var wg sync.WaitGroup
	for _, worker := range []string{"1/2", "2/2"} {
		wg.Go(func() {
			must(t, slices.Concat(read, []string{"--worker", worker, "--start", "night", "--out", "s3://lake/night/workers"})...)
		})
	}
	_, told := must(t, "merge", "--wait", "2", "--wait-limit", "1m", "--name", "merged", "--out", "s3://lake/night", "s3://lake/night/workers")
	wg.Wait()
	if t.Failed() {
		return
	}
	if !strings.Contains(told, "result  s3://lake/night/merged/result.json\n") {
		t.Errorf("merge said %s", told)
	}
	must(t, slices.Concat(read, []string{"--out", "s3://lake/base"})...)
	must(t, "gate", "--baseline", "s3://lake/base", "s3://lake/night/merged")
	must(t, "compare", "s3://lake/base", "s3://lake/night/merged/result.json")
	must(t, "export", "s3://lake/night/merged", "--format", "csv")
	if page, _ := must(t, "report", "s3://lake/night/merged", "--format", "markdown"); !strings.Contains(page, "fresh-read") {
		t.Errorf("report: %.200s", page)
	}
	// A worker that is started again under the same name finds its result there.
	code, _, errs := command(t, slices.Concat(read, []string{"--worker", "1/2", "--start", "night", "--out", "s3://lake/night/workers"})...)
	if code != exitUsage || !strings.Contains(errs, "s3://lake/night/workers/night-fresh-read-worker-1-of-2 already exists; results are never overwritten") {
		t.Errorf("exit %d: %s", code, errs)
	}
}

// What is wrong with the bucket is said in one line before anything is measured.
func TestBucketsThatCannotBeUsed(t *testing.T) {
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", filepath.Join(t.TempDir(), "none"))
	t.Setenv("AWS_MAX_ATTEMPTS", "1")
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"} {
		t.Setenv(name, "")
	}
	here := anS3(t)
	for _, c := range []struct {
		endpoint string
		args     []string
		code     int
		want     string
	}{
		{here, []string{"run", "--workload", "flush", "--out", "s3://absent/x"}, exitUnreachable, "s3://absent/x/"},
		{here, []string{"run", "--workload", "flush", "--out", "s3:///x"}, exitUsage, "expected s3://BUCKET/PREFIX"},
		{here, []string{"merge", "s3://lake/none"}, exitUsage, "s3://lake/none holds no results"},
		{here, []string{"merge", "--wait", "1", "--wait-limit", "1ns", "s3://lake/none"}, exitInconclusive, "found 0 of 1 results"},
		{here, []string{"gate", "--baseline", "s3://lake/base", "--update", "x.json"}, exitUsage, "--update cannot change s3://lake/base"},
		{"http://127.0.0.1:1", []string{"compare", "s3://lake/a.json", "s3://lake/b.json"}, exitUnreachable, "http://127.0.0.1:1 is unreachable"},
		{"http://192.0.2.1:1", []string{"report", "s3://lake/a"}, exitUnreachable, "http://192.0.2.1:1 needs credentials, and there are none"},
		{"", []string{"report", "s3://lake/a"}, exitUsage, "no AWS region is set"},
	} {
		t.Setenv("AWS_ENDPOINT_URL_S3", c.endpoint)
		code, _, errs := command(t, c.args...)
		if code != c.code || !strings.Contains(errs, c.want) || strings.Count(errs, "\nlakebench:") > 0 {
			t.Errorf("%v: exit %d, want %d: %s\nwant %q in it", c.args, code, c.code, errs, c.want)
		}
	}
}
