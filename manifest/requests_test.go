package manifest_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/internal/manifesttest"
	"github.com/lakebench/lakebench/internal/requestlog"
	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/manifest"
)

var rewrite = flag.Bool("rewrite", false, "write the request logs instead of comparing them")

var shard = manifest.ShardID{0xaa, 0x48, 0x49, 0x8d, 0xac, 0x91, 0x59, 0xe2, 0x84, 0x52, 0x69, 0xf4, 0x60, 0x10, 0xac, 0xe2}

// policy is the default one of a kind.
func policy(kind manifest.Kind) manifest.Policy {
	p := manifest.DefaultPolicy()
	p.Kind = kind
	return p
}

// A log is a shard whose every request is recorded, and the stores that use it.
type log struct {
	t        *testing.T
	service  *service
	recorder *manifesttest.Recorder
	kind     manifest.Kind
	stores   uint64 // opened
	text     strings.Builder
	counts   map[string]int // requests of a step
}

func newLog(t *testing.T, kind manifest.Kind) *log {
	s := openLab(t)
	return &log{
		t: t, service: s, kind: kind, counts: make(map[string]int),
		recorder: manifesttest.NewRecorder(s.SDK(), s.at("lake/orders", shard)),
	}
}

// store opens a store of its own.
func (l *log) store() *manifest.Store {
	l.stores++
	cfg := manifest.DefaultConfig()
	cfg.Client, cfg.Location, cfg.Policy = l.recorder, l.service.at("lake/orders", shard), policy(l.kind)
	cfg.Random = rand.NewPCG(1, l.stores)
	s, err := manifest.NewStore(cfg)
	if err != nil {
		l.t.Fatal(err)
	}
	return s
}

// step does something and logs what it asked for and how it ended.
func (l *log) step(name string, do func() (string, error)) {
	l.t.Helper()
	result, err := do()
	if err != nil {
		result = outcome(err)
	}
	lines, n := l.recorder.Take()
	if _, twice := l.counts[name]; twice {
		l.t.Fatalf("two steps are %q", name)
	}
	l.counts[name] = n
	fmt.Fprintf(&l.text, "== %s: %d requests\n", name, n)
	for _, line := range lines {
		l.text.WriteString(line + "\n")
	}
	fmt.Fprintf(&l.text, "%s\n\n", result)
}

// outcome puts an error into the package's terms.
func outcome(err error) string {
	for _, known := range []error{
		manifest.ErrNoManifest, manifest.ErrFenced, manifest.ErrSealed, manifest.ErrExhausted, manifest.ErrCollision, manifest.ErrGap,
		manifest.ErrDamaged, manifest.ErrUnknownStatus, manifest.ErrOtherShard, manifest.ErrInvalid, manifest.ErrUnknown,
	} {
		if errors.Is(err, known) {
			return "error: " + known.Error()
		}
	}
	return "error: " + err.Error()
}

// described returns what matters of a manifest.
func described(m manifest.Manifest, err error) (string, error) {
	return fmt.Sprintf("version %d, epoch %d, %v, next generation %d", m.Version, m.WriterEpoch, m.Status, m.CurrentGeneration), err
}

// flushed is the update of a flush.
func flushed(m manifest.Manifest) (manifest.Manifest, error) {
	next := m.Next()
	next.Generations = append(next.Generations, manifest.Generation{Number: m.CurrentGeneration, Path: fmt.Sprintf("0badcafe_gen_%d", m.CurrentGeneration)})
	next.CurrentGeneration++
	return next, nil
}

// scenario is every operation, warm and cold, alone and against another.
func (l *log) scenario(ctx context.Context) {
	latest := func(s *manifest.Store) func() (string, error) {
		return func() (string, error) { return described(s.Latest(ctx)) }
	}
	commit := func(s *manifest.Store, epoch uint64) func() (string, error) {
		return func() (string, error) { return described(s.CommitUpdate(ctx, epoch, flushed)) }
	}
	plain := func(do func(context.Context) error) func() (string, error) {
		return func() (string, error) { return "ok", do(ctx) }
	}
	a, b, c := l.store(), l.store(), l.store()
	l.step("latest of a new shard", latest(a))
	l.step("initialize", func() (string, error) { return described(a.InitializeShard(ctx)) })
	l.step("initialize again, another store", func() (string, error) { return described(b.InitializeShard(ctx)) })
	l.step("claim", func() (string, error) { return described(a.ClaimEpoch(ctx)) })
	l.step("latest, position held", latest(a))
	l.step("latest, store that only reads", latest(l.store()))
	l.step("latest, reader", func() (string, error) { return described(l.store().Reader().Latest(ctx)) })
	l.step("commit, position held", commit(a, 1))
	l.step("refresh, position held", func() (string, error) { return described(a.RefreshLatest(ctx)) })
	l.step("fence check, position held", plain(func(ctx context.Context) error { return a.CheckFenced(ctx, 1) }))
	l.step("a commit that skips a version", func() (string, error) {
		return described(a.CommitUpdate(ctx, 1, func(m manifest.Manifest) (manifest.Manifest, error) { return m.Next().Next(), nil }))
	})
	l.step("seal, another store", plain(c.Seal))
	l.step("latest of the holder after the seal", latest(a))
	l.step("commit of the holder after the seal", commit(a, 1))
	l.step("claim while sealed", func() (string, error) { return described(b.ClaimEpoch(ctx)) })
	l.step("seal again, same store", plain(c.Seal))
	l.step("unseal, same store", plain(c.Unseal))
	l.step("commit of the holder after the unseal", commit(a, 1))
	l.step("claim, another store", func() (string, error) { return described(b.ClaimEpoch(ctx)) })
	l.step("fence check of the one that lost the shard", plain(func(ctx context.Context) error { return a.CheckFenced(ctx, 1) }))
	l.step("commit of the one that lost the shard", commit(a, 1))
	l.step("commit of the new holder", commit(b, 2))
	l.step("latest, another version behind", latest(a))
	l.step("versions", func() (string, error) {
		v, err := b.Reader().Versions(ctx)
		return fmt.Sprint(v.Numbers, v.Others), err
	})
	for i := range 16 {
		if _, err := b.CommitUpdate(ctx, 2, flushed); err != nil {
			l.t.Fatalf("commit %d: %v", i, err)
		}
	}
	l.step("16 commits, position held", func() (string, error) { return latest(b)() })
	l.step("close", plain(b.Close))
	l.step("claim, hint exact", func() (string, error) { return described(l.store().ClaimEpoch(ctx)) })
}

// onVirtualTime runs fn where tasks take turns in one order.
func onVirtualTime(t *testing.T, fn func(ctx context.Context)) {
	t.Helper()
	if _, err := task.Run(t.Context(), task.DefaultVirtualConfig(), func(ctx context.Context) error {
		fn(ctx)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// TestRequests: what every operation asks for under every policy, request by
// request.
func TestRequests(t *testing.T) {
	for _, kind := range manifest.Kinds() {
		t.Run(kind.String(), func(t *testing.T) {
			l := newLog(t, kind)
			onVirtualTime(t, l.scenario)
			requestlog.Golden(t, "testdata/requests/"+kind.String()+".golden", strings.TrimSuffix(l.text.String(), "\n"), *rewrite)
		})
	}
}
