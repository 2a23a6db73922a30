package manifest_test

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/internal/backend/backendtest"
	"github.com/lakebench/lakebench/internal/backend/fault"
	"github.com/lakebench/lakebench/manifest"
)

// A service is an embedded S3 with a bucket.
type service struct{ *backendtest.Bucket }

// openService opens a service of a test's own.
func openService(t testing.TB, cfg backend.Config) *service {
	t.Helper()
	return &service{backendtest.OpenBucket(t.Context(), t, cfg)}
}

// faulty returns a client under fault rules (package fault), and what applies them.
func (s *service) faulty(ctx context.Context, t testing.TB, rules string) (*s3.Client, *fault.Injector) {
	t.Helper()
	injector := newInjector(ctx, t, rules, 1)
	return s.Backend.S3Under(s.Meter, injector), injector
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

// at returns a location in the service's bucket.
func (s *service) at(table string, shard manifest.ShardID) manifest.Location {
	return manifest.Location{Bucket: s.Name, Table: table, Shard: shard}
}
