package manifest_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/lakebench/lakebench/backend"
	"github.com/lakebench/lakebench/backend/fault"
	"github.com/lakebench/lakebench/manifest"
	"github.com/lakebench/lakebench/manifest/object"
	"github.com/lakebench/lakebench/meter"
)

// A service is an embedded S3 with a bucket.
type service struct {
	bucket  string
	backend *backend.Backend
	meter   *meter.Meter
}

// openService opens a service of a test's own.
func openService(t testing.TB, cfg backend.Config) *service {
	t.Helper()
	b, err := backend.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	bucket, err := b.Bucket(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m, err := b.NewMeter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &service{bucket: bucket, backend: b, meter: m}
}

// client returns a client to which nothing bad happens.
func (s *service) client() *s3.Client { return s.backend.S3(s.meter) }

// faulty returns a client under fault rules (package fault), and what applies them.
func (s *service) faulty(ctx context.Context, t testing.TB, rules string) (*s3.Client, *fault.Injector) {
	t.Helper()
	injector := newInjector(ctx, t, rules, 1)
	return s.backend.S3Under(s.meter, injector), injector
}

// direct returns a client without HTTP under fault rules, for simulations of many
// requests.
func (s *service) direct(t testing.TB, faults *fault.Injector) object.Client {
	t.Helper()
	client, err := s.backend.DirectS3(s.meter, faults)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func newInjector(ctx context.Context, t testing.TB, rules string, seed uint64) *fault.Injector {
	t.Helper()
	parsed, err := fault.Parse("test", rules)
	if err != nil {
		t.Fatal(err)
	}
	cfg := fault.DefaultConfig()
	cfg.Seed = seed
	return fault.New(ctx, parsed, cfg)
}

// put stores an object behind everybody's back.
func (s *service) put(t testing.TB, key, body string) {
	t.Helper()
	if _, err := s.client().PutObject(t.Context(), &s3.PutObjectInput{Bucket: &s.bucket, Key: &key, Body: strings.NewReader(body)}); err != nil {
		t.Fatal(err)
	}
}

// remove removes an object behind everybody's back.
func (s *service) remove(t testing.TB, key string) {
	t.Helper()
	if _, err := s.client().DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: &s.bucket, Key: &key}); err != nil {
		t.Fatal(err)
	}
}

// load stores the files of a directory below a table's prefix.
func (s *service) load(t testing.TB, dir, table string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		body, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		s.put(t, table+"/"+filepath.ToSlash(relative), string(body))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// at returns a location in the service's bucket.
func (s *service) at(table string, shard manifest.ShardID) manifest.Location {
	return manifest.Location{Bucket: s.bucket, Table: table, Shard: shard}
}
