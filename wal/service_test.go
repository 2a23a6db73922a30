package wal_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/internal/backend/backendtest"
	"github.com/lakebench/lakebench/internal/backend/fault"
	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/manifesttest"
	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/manifest"
	"github.com/lakebench/lakebench/manifest/object"
	"github.com/lakebench/lakebench/wal"
	"github.com/lakebench/lakebench/wal/base"
)

var shard = manifest.ShardID{0xaa, 0x48, 0x49, 0x8d, 0xac, 0x91, 0x59, 0xe2, 0x84, 0x52, 0x69, 0xf4, 0x60, 0x10, 0xac, 0xe2}

// policy is the default one of a kind.
func policy(kind manifest.Kind) manifest.Policy {
	p := manifest.DefaultPolicy()
	p.Kind = kind
	return p
}

// A service is an embedded S3 with a bucket and a table.
type service struct {
	*backendtest.Bucket
	opened uint64 // writers, which all draw from other seeds
}

// openBackend opens a service of a test's own, on the clock of ctx.
func openBackend(ctx context.Context, t testing.TB, cfg backend.Config) *service {
	t.Helper()
	s := &service{Bucket: backendtest.OpenBucket(ctx, t, cfg)}
	s.createBase(ctx, t)
	return s
}

// createBase makes the base table.
func (s *service) createBase(ctx context.Context, t testing.TB) {
	t.Helper()
	w, err := object.NewWriter(object.Config{Client: s.client(), Bucket: s.Name, Random: rand.NewPCG(0, 0), Backoff: object.DefaultBackoff()})
	if err != nil {
		t.Fatal(err)
	}
	table := base.Table{Objects: w.Reader, Dir: s.at().Table}
	if err := table.Create(cause.With(ctx, cause.Setup), w, rand.New(rand.NewPCG(0, 1))); err != nil {
		t.Fatal(err)
	}
}

// client returns a client to which nothing bad happens.
func (s *service) client() manifesttest.Client { return s.Backend.S3(s.Meter) }

// objects reads the bucket's objects.
func (s *service) objects() object.Reader { return object.Reader{Client: s.client(), Bucket: s.Name} }

// faulty returns a client under fault rules (package fault), and what applies them.
func (s *service) faulty(ctx context.Context, t testing.TB, rules string) (manifesttest.Client, *fault.Injector) {
	t.Helper()
	parsed, err := fault.Parse("test", rules)
	if err != nil {
		t.Fatal(err)
	}
	injector := fault.New(ctx, parsed, fault.DefaultConfig())
	return s.Backend.S3Under(s.Meter, injector), injector
}

// at is the shard in the service's bucket.
func (s *service) at() manifest.Location {
	return manifest.Location{Bucket: s.Name, Table: s.Backend.KeyPrefix() + "lake/orders", Shard: shard}
}

// config is the default one of a policy's kind, through a client.
func (s *service) config(kind manifest.Kind, client wal.Client) wal.Config {
	s.opened++
	cfg := wal.DefaultConfig()
	cfg.Client, cfg.Location, cfg.Policy = client, s.at(), policy(kind)
	cfg.Random = rand.NewPCG(7, s.opened)
	return cfg
}

// open opens the shard through a client to which nothing bad happens.
func (s *service) open(ctx context.Context, t testing.TB, kind manifest.Kind) *wal.Writer {
	t.Helper()
	w, err := wal.Open(ctx, s.config(kind, s.client()))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// row and deleted are rows as tests write them.
func row(key, value string) wal.Row { return wal.Row{Key: key, Value: []byte(value)} }

func deleted(key string) wal.Row { return wal.Row{Key: key, Tombstone: true} }

// text writes rows as key=value, and a tombstone as key-.
func text(rows []wal.Row) string {
	var words []string
	for _, r := range rows {
		if r.Tombstone {
			words = append(words, r.Key+"-")
		} else {
			words = append(words, fmt.Sprintf("%s=%s", r.Key, r.Value))
		}
	}
	return strings.Join(words, " ")
}

// mustAppend appends, or fails the test.
func mustAppend(ctx context.Context, t testing.TB, w *wal.Writer, rows ...wal.Row) uint64 {
	t.Helper()
	p, err := w.Append(ctx, rows...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func mustFlush(ctx context.Context, t testing.TB, w *wal.Writer) {
	t.Helper()
	if _, err := w.Flush(ctx); err != nil {
		t.Fatal(err)
	}
}

// onVirtualTime runs fn where tasks take turns in one order, and waits take none
// of the machine's time.
func onVirtualTime(t testing.TB, fn func(ctx context.Context)) {
	t.Helper()
	if _, err := task.Run(t.Context(), task.DefaultVirtualConfig(), func(ctx context.Context) error {
		fn(ctx)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// forEachPolicy runs a test under every policy, on virtual time.
func forEachPolicy(t *testing.T, fn func(ctx context.Context, t *testing.T, s *service, kind manifest.Kind)) {
	t.Helper()
	for _, kind := range manifest.Kinds() {
		t.Run(kind.String(), func(t *testing.T) {
			s := openService(t)
			onVirtualTime(t, func(ctx context.Context) { fn(ctx, t, s, kind) })
		})
	}
}
