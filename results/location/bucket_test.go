package location_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/lakebench/lakebench/internal/atomicfile"
	"github.com/lakebench/lakebench/internal/backend/s3"
	"github.com/lakebench/lakebench/internal/resultstest"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/results/location"
)

// service is an S3 with the bucket "lake". It writes down the keys that are put.
type service struct {
	*awss3.Client
	put []string
	// after, if not nil, decides the answer to a PUT that was carried out.
	after func(key string) error
}

func (s *service) PutObject(ctx context.Context, in *awss3.PutObjectInput, o ...func(*awss3.Options)) (*awss3.PutObjectOutput, error) {
	s.put = append(s.put, *in.Key)
	out, err := s.Client.PutObject(ctx, in, o...)
	if err == nil && s.after != nil {
		err = s.after(*in.Key)
	}
	return out, err
}

func newService(t *testing.T) *service {
	t.Helper()
	embedded, err := s3.New(s3.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(embedded.HTTPHandler())
	t.Cleanup(server.Close)
	client := awss3.New(awss3.Options{
		Region: "us-east-1", BaseEndpoint: &server.URL, UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider("a", "b", ""), Retryer: aws.NopRetryer{},
	})
	if _, err := client.CreateBucket(t.Context(), &awss3.CreateBucketInput{Bucket: aws.String("lake")}); err != nil {
		t.Fatal(err)
	}
	return &service{Client: client}
}

// folder is that of a run: a result, its twin, and two files more.
func folder(t *testing.T, id string) string {
	t.Helper()
	dir := t.TempDir()
	doc := resultstest.CatalogRefresh(1, 0)
	doc.RunID = id
	if _, err := results.Write(dir, doc); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"plots/a.svg", "z.txt"} { // one before the result by name, one behind it
		if err := atomicfile.Write(filepath.Join(dir, id, filepath.FromSlash(name)), []byte("<svg/>")); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, id)
}

func place(t *testing.T, text string) location.Object {
	t.Helper()
	p, err := location.ParseObject(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// load reads results from a bucket.
func load(t *testing.T, c location.Client, at location.Object) ([]results.Named, error) {
	t.Helper()
	return location.Sources{Bucket: func(context.Context) (location.Client, error) { return c, nil }}.Load(t.Context(), at.String())
}

// A run is there with its result, which comes last, and is found under every name
// that leads to it.
func TestUploadAndLoad(t *testing.T) {
	s := newService(t)
	for _, id := range []string{"run-1", "run-2"} {
		if err := location.Upload(t.Context(), s, folder(t, id), place(t, "s3://lake/nightly/"+id)); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.put) != 8 || path.Base(s.put[3]) != results.FileName || path.Base(s.put[7]) != results.FileName {
		t.Errorf("put %v, want four files of each run, %s last", s.put, results.FileName)
	}
	const one, two = "s3://lake/nightly/run-1/result.json", "s3://lake/nightly/run-2/result.json"
	for text, want := range map[string][]string{
		"s3://lake/nightly/": {one, two}, "s3://lake/nightly": {one, two}, "s3://lake/nightly/run-1": {one}, one: {one},
	} {
		all, err := load(t, s, place(t, text))
		var names []string
		for _, n := range all {
			names = append(names, n.Name)
		}
		if err != nil || !slices.Equal(names, want) {
			t.Errorf("%s: %v, %v, want %v", text, names, err, want)
		}
	}
	for text, want := range map[string]error{
		"s3://lake": location.ErrNone, "s3://lake/night": location.ErrNone, "s3://lake/nightly/run-3/result.json": os.ErrNotExist,
	} {
		if _, err := load(t, s, place(t, text)); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", text, err, want)
		}
	}
	out, err := s.GetObject(t.Context(), &awss3.GetObjectInput{Bucket: aws.String("lake"), Key: aws.String("nightly/run-1/plots/a.svg")})
	if err != nil || aws.ToString(out.ContentType) != "image/svg+xml" {
		t.Errorf("a browser is told %q, %v", aws.ToString(out.ContentType), err)
	}
}

// More objects than a page of a list has are all looked at.
func TestLoadManyPages(t *testing.T) {
	s := newService(t)
	for _, id := range []string{"a", "z"} {
		if err := location.Upload(t.Context(), s, folder(t, id), place(t, "s3://lake/"+id)); err != nil {
			t.Fatal(err)
		}
	}
	all, err := load(t, onePerPage{s}, place(t, "s3://lake"))
	if err != nil || len(all) != 2 {
		t.Errorf("%d results, %v, want 2", len(all), err)
	}
}

type onePerPage struct{ *service }

func (o onePerPage) ListObjectsV2(ctx context.Context, in *awss3.ListObjectsV2Input, opts ...func(*awss3.Options)) (*awss3.ListObjectsV2Output, error) {
	page := *in
	page.MaxKeys = aws.Int32(1)
	return o.Client.ListObjectsV2(ctx, &page, opts...)
}

var errLost = errors.New("the answer was lost")

// Where writing ends half-way there is no result, and the place is taken.
func TestUploadThatEndsHalfWay(t *testing.T) {
	s := newService(t)
	to := place(t, "s3://lake/run-1")
	if err := location.Free(t.Context(), s, to); err != nil {
		t.Errorf("before: %v", err)
	}
	s.after = func(string) error { return errLost }
	if err := location.Upload(t.Context(), s, folder(t, "run-1"), to); !errors.Is(err, errLost) {
		t.Errorf("%v, want %v", err, errLost)
	}
	if _, err := load(t, s, to); !errors.Is(err, location.ErrNone) {
		t.Errorf("%v, want ErrNone", err)
	}
	if err := location.Free(t.Context(), s, to); !errors.Is(err, location.ErrExists) {
		t.Errorf("after: %v, want ErrExists", err)
	}
	if err := location.Free(t.Context(), s, place(t, "s3://lake/run")); err != nil {
		t.Errorf("a longer name is another place: %v", err)
	}
}

// An object that holds what was to be written is there because an attempt went
// through whose answer was lost; one that holds anything else is kept.
func TestNothingIsReplaced(t *testing.T) {
	s := newService(t)
	dir, to := folder(t, "run-1"), place(t, "s3://lake/run-1")
	for range 2 {
		if err := location.Upload(t.Context(), s, dir, to); err != nil {
			t.Fatal(err)
		}
	}
	other := folder(t, "run-2") // another id, so another result
	if err := location.Upload(t.Context(), s, other, to); !errors.Is(err, location.ErrExists) {
		t.Errorf("%v, want ErrExists", err)
	}
	all, err := load(t, s, to)
	if err != nil || len(all) != 1 || all[0].Document.RunID != "run-1" {
		t.Errorf("the first run is not there any more: %v", err)
	}
}

func TestUploadOfNoRun(t *testing.T) {
	if err := location.Upload(t.Context(), nil, t.TempDir(), location.Object{Bucket: "lake"}); err == nil {
		t.Error("a folder without a result was uploaded")
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]location.Object{
		"s3://lake": {Bucket: "lake"}, "s3://lake/": {Bucket: "lake"}, "s3://lake/a/b/": {Bucket: "lake", Key: "a/b"},
	} {
		if got, err := location.ParseObject(text); err != nil || got != want {
			t.Errorf("%s: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "lake", "s3:/lake", "s3://", "s3:///a", "s3://lake/a//b", "s3://lake/../b"} {
		if got, err := location.ParseObject(text); !errors.Is(err, location.ErrSyntax) {
			t.Errorf("%q: %v, %v, want ErrPlace", text, got, err)
		}
	}
}
