package backend

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/lakebench/lakebench/internal/backend/s3"
)

// without takes headers off a request.
func without(names ...string) func(http.ResponseWriter, *http.Request, http.Handler) {
	return func(w http.ResponseWriter, req *http.Request, next http.Handler) {
		for _, name := range names {
			req.Header.Del(name)
		}
		next.ServeHTTP(w, req)
	}
}

// looksFirst is a server that looks whether a key exists, and then writes. Every
// racer has looked before the first one writes.
func looksFirst() func(http.ResponseWriter, *http.Request, http.Handler) {
	var mu sync.Mutex
	looked := map[string]*sync.WaitGroup{} // by key that is raced for
	all := func(key string) *sync.WaitGroup {
		mu.Lock()
		defer mu.Unlock()
		if looked[key] == nil {
			looked[key] = new(sync.WaitGroup)
			looked[key].Add(racers)
		}
		return looked[key]
	}
	return func(w http.ResponseWriter, req *http.Request, next http.Handler) {
		if req.Header.Get("If-None-Match") == "" {
			next.ServeHTTP(w, req)
			return
		}
		look := httptest.NewRecorder()
		next.ServeHTTP(look, httptest.NewRequestWithContext(req.Context(), http.MethodHead, req.URL.Path, nil))
		if strings.Contains(req.URL.Path, "/race-") {
			racing := all(req.URL.Path)
			racing.Done()
			racing.Wait()
		}
		if look.Code == http.StatusOK {
			w.WriteHeader(http.StatusPreconditionFailed)
			return
		}
		req.Header.Del("If-None-Match")
		next.ServeHTTP(w, req)
	}
}

// A store that does not do what manifests and logs rely on is refused by what it
// fails in, and nothing of the preflight stays behind.
func TestPreflight(t *testing.T) {
	withS3 := func(change func(*s3.Config)) s3.Config {
		cfg := s3.DefaultConfig()
		change(&cfg)
		return cfg
	}
	for name, c := range map[string]struct {
		cfg    s3.Config
		broken func(http.ResponseWriter, *http.Request, http.Handler)
		want   Check
		found  string
	}{
		"as it must be":             {s3.DefaultConfig(), without(), "", ""},
		"losers get 409":            {withS3(func(c *s3.Config) { c.RacesConflict, c.CommitDelay = true, time.Millisecond }), without(), "", ""},
		"absence is forbidden":      {s3.DefaultConfig(), answerTo(http.MethodHead, "/preflight/", 403, ""), CheckAbsence, "it was 403"},
		"conditions are ignored":    {s3.DefaultConfig(), without("If-None-Match"), CheckExists, "it was carried out"},
		"If-Match is ignored":       {s3.DefaultConfig(), without("If-Match"), CheckMatch, "it was carried out"},
		"metadata is lost":          {s3.DefaultConfig(), without("X-Amz-Meta-Lakebench-Id"), CheckContent, `metadata ""`},
		"it looks first":            {s3.DefaultConfig(), looksFirst(), CheckOneWinner, "16 of 16 did"},
		"conditions are not known":  {s3.DefaultConfig(), answerTo(http.MethodPut, "/preflight/", 501, "NotImplemented"), CheckCreate, "it was answered NotImplemented"},
		"an old server answers 304": {s3.DefaultConfig(), notModifiedToSecond(), CheckExists, "it was answered NotModified"},
	} {
		t.Run(name, func(t *testing.T) {
			service, err := s3.New(c.cfg)
			if err != nil {
				t.Fatal(err)
			}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) { c.broken(w, req, service.HTTPHandler()) }))
			t.Cleanup(server.Close)
			b := open(t, s3Endpoint(server.URL))
			_, err = b.Bucket(t.Context())
			var failed *PreflightError
			switch {
			case c.want == "" && err == nil:
			case c.want == "" || !errors.As(err, &failed) || failed.Check != c.want || !strings.Contains(failed.Found, c.found):
				t.Errorf("got %v, want %q, %q", err, c.want, c.found)
			default:
				wantUnreachable(t, name, err, server.URL, ReasonUnfit, string(c.want))
			}
		})
	}
}

// answerTo answers requests of a method below a path with an error.
func answerTo(method, path string, status int, code string) func(http.ResponseWriter, *http.Request, http.Handler) {
	return func(w http.ResponseWriter, req *http.Request, next http.Handler) {
		if req.Method != method || !strings.Contains(req.URL.Path, path) {
			next.ServeHTTP(w, req)
			return
		}
		_, _ = io.Copy(io.Discard, req.Body)
		w.WriteHeader(status)
		fmt.Fprintf(w, "<Error><Code>%s</Code><Message>as it says</Message></Error>", code)
	}
}

func notModifiedToSecond() func(http.ResponseWriter, *http.Request, http.Handler) {
	seen := map[string]bool{}
	return func(w http.ResponseWriter, req *http.Request, next http.Handler) {
		if req.Method == http.MethodPut && req.Header.Get("If-None-Match") != "" {
			if seen[req.URL.Path] {
				_, _ = io.Copy(io.Discard, req.Body)
				w.WriteHeader(http.StatusNotModified)
				return
			}
			seen[req.URL.Path] = true
		}
		next.ServeHTTP(w, req)
	}
}

// owner returns a client of whoever else uses a service.
func owner(service *s3.Service) *awss3.Client {
	return awss3.New(awss3.Options{
		Region: "us-east-1", BaseEndpoint: aws.String(embeddedAddress), UsePathStyle: true, HTTPClient: service.Client(nil),
		Credentials: credentials.NewStaticCredentialsProvider("a", "b", ""),
	})
}

// existing leads to a bucket that exists.
func existing(t *testing.T, service *s3.Service, address string) *Backend {
	t.Helper()
	if _, err := owner(service).CreateBucket(t.Context(), &awss3.CreateBucketInput{Bucket: aws.String("theirs")}); err != nil {
		t.Fatal(err)
	}
	cfg := s3Endpoint(address)
	cfg.S3Bucket = "theirs"
	return open(t, cfg)
}

// The service's own words, before anything is done.
func TestOpenS3Unreachable(t *testing.T) {
	nobody := closedPort(t)
	_, err := Open(t.Context(), s3Endpoint(nobody))
	wantUnreachable(t, "nobody listens", err, nobody, ReasonNoAnswer, "connection refused")
	for code, reason := range map[string]Reason{
		"ExpiredToken": ReasonCredentials, "InvalidAccessKeyId": ReasonCredentials, "SignatureDoesNotMatch": ReasonCredentials,
		"RequestTimeTooSkewed": ReasonCredentials, "AuthorizationHeaderMalformed": ReasonRegion, "PermanentRedirect": ReasonRegion,
		"NoSuchBucket": ReasonMissing, "AccessDenied": ReasonPermission, "AllAccessDisabled": ReasonPermission,
	} {
		address := answering(t, 400, "<Error><Code>"+code+"</Code><Message>as it says</Message></Error>")
		cfg := s3Endpoint(address)
		cfg.S3Bucket = "theirs"
		_, err := Open(t.Context(), cfg)
		wantUnreachable(t, code, err, address, reason, "ListObjectsV2: "+code+": as it says")
	}
	// A bucket whose keys may not be listed is no good.
	service, address := serveS3(t, s3.Config{Region: "us-east-1"})
	if _, err := owner(service).CreateBucket(t.Context(), &awss3.CreateBucketInput{Bucket: aws.String("theirs")}); err != nil {
		t.Fatal(err)
	}
	cfg := s3Endpoint(address)
	cfg.S3Bucket = "theirs"
	_, err = Open(t.Context(), cfg)
	wantUnreachable(t, "no permission to list", err, address, ReasonPermission, "s3:ListBucket")
	// Who may not list buckets may still make one.
	denied := answering(t, 403, "<Error><Code>AccessDenied</Code><Message>as it says</Message></Error>")
	b := open(t, s3Endpoint(denied))
	_, err = b.Bucket(t.Context())
	wantUnreachable(t, "no bucket", err, denied, ReasonPermission, "HeadBucket: Forbidden")
	if got, want := b.Describe().Endpoint, denied; got != want {
		t.Errorf("described as %q", got)
	}
}

// A bucket that is there already is never adopted, and never removed: in us-east-1
// making it again would be no error.
func TestForeignBucket(t *testing.T) {
	service, address := serveS3(t, s3.DefaultConfig())
	b := open(t, s3Endpoint(address))
	if _, err := owner(service).CreateBucket(t.Context(), &awss3.CreateBucketInput{Bucket: aws.String(b.BucketName())}); err != nil {
		t.Fatal(err)
	}
	var foreign *ForeignBucketError
	if _, err := b.Bucket(t.Context()); !errors.As(err, &foreign) || foreign.Bucket != b.BucketName() {
		t.Errorf("got %v", err)
	}
	if err := b.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := owner(service).HeadBucket(t.Context(), &awss3.HeadBucketInput{Bucket: aws.String(b.BucketName())}); err != nil {
		t.Errorf("it was removed: %v", err)
	}
}

// In a bucket of others only what is below the run's prefix is changed, and it is
// all that is removed.
func TestExistingBucket(t *testing.T) {
	service, address := serveS3(t, s3.DefaultConfig())
	b := existing(t, service, address)
	client := b.S3(newMeter(t, b))
	bucket, theirs := aws.String("theirs"), aws.String("theirs/k")
	put := func(key *string) error {
		_, err := client.PutObject(t.Context(), &awss3.PutObjectInput{Bucket: bucket, Key: key, Body: strings.NewReader("x")})
		return err
	}
	wantForeign := func(what string, err error) {
		t.Helper()
		var foreign *ForeignObjectError
		if !errors.As(err, &foreign) {
			t.Errorf("%s: %v", what, err)
		}
	}
	ours := aws.String(b.KeyPrefix() + "k")
	wantForeign("before Bucket", put(ours))
	if _, err := b.Bucket(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := owner(service).PutObject(t.Context(), &awss3.PutObjectInput{Bucket: bucket, Key: theirs, Body: strings.NewReader("x")}); err != nil {
		t.Fatal(err)
	}
	if err := put(ours); err != nil {
		t.Error(err)
	}
	wantForeign("PUT", put(theirs))
	_, err := client.DeleteObject(t.Context(), &awss3.DeleteObjectInput{Bucket: bucket, Key: theirs})
	wantForeign("DELETE", err)
	_, err = client.DeleteObjects(t.Context(), &awss3.DeleteObjectsInput{Bucket: bucket, Delete: &types.Delete{Objects: []types.ObjectIdentifier{{Key: ours}, {Key: theirs}}}})
	wantForeign("batch", err)
	_, err = client.DeleteBucket(t.Context(), &awss3.DeleteBucketInput{Bucket: bucket})
	wantForeign("bucket", err)
	_, err = client.CreateBucket(t.Context(), &awss3.CreateBucketInput{Bucket: aws.String("other")})
	wantForeign("another bucket", err)
	_, err = client.PutBucketPolicy(t.Context(), &awss3.PutBucketPolicyInput{Bucket: bucket, Policy: aws.String("{}")})
	wantForeign("policy", err)
	_, err = client.CreateMultipartUpload(t.Context(), &awss3.CreateMultipartUploadInput{Bucket: bucket, Key: theirs})
	wantForeign("upload", err)
	if _, err := client.HeadObject(t.Context(), &awss3.HeadObjectInput{Bucket: bucket, Key: theirs}); err != nil {
		t.Errorf("reading: %v", err)
	}
	if err := b.Close(t.Context()); err != nil {
		t.Error(err)
	}
	out, err := owner(service).ListObjectsV2(t.Context(), &awss3.ListObjectsV2Input{Bucket: bucket})
	if err != nil {
		t.Fatal(err)
	}
	if left := out.Contents; len(left) != 1 || *left[0].Key != *theirs {
		t.Errorf("left %v", left)
	}
}

// What cannot be removed is named.
func TestObjectsLeftBehind(t *testing.T) {
	service, err := s3.New(s3.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	refuse := false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if refuse && req.Method == http.MethodPost {
			answerTo(http.MethodPost, "", 403, "AccessDenied")(w, req, nil)
			return
		}
		service.HTTPHandler().ServeHTTP(w, req)
	}))
	t.Cleanup(server.Close)
	b := open(t, s3Endpoint(server.URL))
	bucket, err := b.Bucket(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.S3(newMeter(t, b)).PutObject(t.Context(), &awss3.PutObjectInput{Bucket: &bucket, Key: aws.String("k"), Body: strings.NewReader("x")}); err != nil {
		t.Fatal(err)
	}
	refuse = true
	err = b.Close(t.Context())
	var left *LeftBehindError
	if !errors.As(err, &left) || left.Objects != bucket+"/" {
		t.Fatalf("got %v", err)
	}
	if want := "objects left behind, to be removed by hand: " + bucket + "/: DeleteObjects: AccessDenied: as it says"; left.Error() != want {
		t.Errorf("got  %v\nwant %s", left, want)
	}
	refuse = false
	if err := b.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if n := len(service.Totals().Requests); n == 0 {
		t.Error("nothing was served")
	}
	if _, err := owner(service).HeadBucket(t.Context(), &awss3.HeadBucketInput{Bucket: &bucket}); err == nil {
		t.Error("the bucket is still there")
	}
}

// The names of buckets are good ones, and those of two runs differ.
func TestBucketNames(t *testing.T) {
	long := strings.Repeat("x", 70)
	for _, c := range []struct{ prefix, run, want string }{
		{"lakebench", "run", "lakebench-run"}, {"My_Lake", "2026-11-29T20:00:00Z", "my-lake-2026-11-29t20-00-00z"},
		{long, "1", long[:61] + "-1"}, {"-a", "b-", "a-b"},
	} {
		cfg := DefaultConfig()
		cfg.TablePrefix, cfg.RunID = c.prefix, c.run
		if got := open(t, cfg).BucketName(); got != c.want {
			t.Errorf("%q, %q: got %q, want %q", c.prefix, c.run, got, c.want)
		}
	}
}
