package manifest_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/internal/backend/fault"
	"github.com/lakebench/lakebench/manifest"
)

// A life is what a node does until it crashes, and what it was told.
type life struct {
	store   *manifest.Store
	epoch   uint64   // claimed
	flushes []string // paths of generations whose commit was acknowledged
	tried   int      // flushes begun
	sealed  bool     // acknowledged last
	sealing bool     // a change of that was begun and not acknowledged
	seen    uint64   // the last version acknowledged
}

func (n *life) flush(ctx context.Context) error {
	n.tried++
	path := fmt.Sprintf("%08x_gen", n.tried)
	m, err := n.store.CommitUpdate(ctx, n.epoch, func(m manifest.Manifest) (manifest.Manifest, error) {
		next := m.Next()
		next.Generations = append(next.Generations, manifest.Generation{Number: m.CurrentGeneration, Path: path})
		next.CurrentGeneration++
		return next, nil
	})
	if err == nil {
		n.flushes, n.seen = append(n.flushes, path), m.Version
	}
	return err
}

func (n *life) change(ctx context.Context, sealed bool, do func(context.Context) error) error {
	n.sealing = true
	err := do(ctx)
	if err == nil {
		n.sealed, n.sealing = sealed, false
	}
	return err
}

// live makes every operation that writes.
func (n *life) live(ctx context.Context) error {
	m, err := n.store.InitializeShard(ctx)
	if err != nil {
		return err
	}
	n.seen = m.Version
	if m, err = n.store.ClaimEpoch(ctx); err != nil {
		return err
	}
	n.epoch, n.seen = m.WriterEpoch, m.Version
	for _, do := range []func(context.Context) error{
		n.flush, n.flush,
		func(ctx context.Context) error { return n.store.CheckFenced(ctx, n.epoch) },
		func(ctx context.Context) error { return n.change(ctx, true, n.store.Seal) },
		func(ctx context.Context) error { return n.change(ctx, false, n.store.Unseal) },
		n.flush,
		n.store.Close,
	} {
		if err := do(ctx); err != nil {
			return err
		}
	}
	return nil
}

// check looks at what a node left behind, through clients of its successor.
func (n *life) check(ctx context.Context, t *testing.T, what string, next *manifest.Store) {
	t.Helper()
	v, err := next.Reader().Versions(ctx)
	if err != nil || v.Gap(next.Location()) != nil {
		t.Errorf("%s: %v, %v", what, err, v.Gap(next.Location()))
	}
	m, err := next.Reader().Latest(ctx)
	if errors.Is(err, manifest.ErrNoManifest) && n.seen == 0 {
		m, err = manifest.Manifest{}, nil
	}
	if err != nil || m.Version != uint64(len(v.Numbers)) || m.Version < n.seen || m.WriterEpoch < n.epoch {
		t.Fatalf("%s: version %d of %d, epoch %d, %v; acknowledged were version %d and epoch %d", what, m.Version, len(v.Numbers), m.WriterEpoch, err, n.seen, n.epoch)
	}
	if got := len(m.Generations); got != len(n.flushes) && got != n.tried {
		t.Errorf("%s: %d generations; %d flushes were acknowledged, %d begun", what, got, len(n.flushes), n.tried)
	}
	for i, path := range n.flushes {
		if m.Generations[i].Path != path {
			t.Errorf("%s: generation %d is %s, want %s", what, i+1, m.Generations[i].Path, path)
		}
	}
	if sealed := m.Status == manifest.Sealed; sealed != n.sealed && !n.sealing {
		t.Errorf("%s: the shard is %v, while sealing it was acknowledged: %t", what, m.Status, n.sealed)
	}
	if m.Version > 0 {
		if err := next.Unseal(ctx); err != nil {
			t.Errorf("%s: unseal: %v", what, err)
		}
	}
	claimed, err := next.ClaimEpoch(ctx)
	if err != nil || claimed.WriterEpoch != m.WriterEpoch+1 {
		t.Fatalf("%s: the next claim gets epoch %d, %v; want %d", what, claimed.WriterEpoch, err, m.WriterEpoch+1)
	}
	after, err := next.CommitUpdate(ctx, claimed.WriterEpoch, flushed)
	if err != nil || len(after.Generations) != len(m.Generations)+1 {
		t.Errorf("%s: the next flush leaves %d generations, %v; want %d", what, len(after.Generations), err, len(m.Generations)+1)
	}
}

// TestCrashAtEveryRequest: whichever request a node crashes at, before or after
// the service acted on it, what it was told is true, and the next node goes on
// from there.
func TestCrashAtEveryRequest(t *testing.T) {
	for _, kind := range manifest.Kinds() {
		for _, how := range []string{"crash-before", "crash-after"} {
			t.Run(fmt.Sprintf("%v/%s", kind, how), func(t *testing.T) {
				s := openService(t, backend.DefaultConfig())
				for i := 1; !crashAt(t, s, kind, how, i); i++ {
					if i > 200 {
						t.Fatal("a life has no end")
					}
				}
			})
		}
	}
}

// crashAt has a node crash at its i-th request. It returns true if it did not make
// so many.
func crashAt(t *testing.T, s *service, kind manifest.Kind, how string, i int) (survived bool) {
	at := s.at(fmt.Sprintf("%s-%d-%v", how, i, kind), shard)
	open := func(faults *fault.Injector, seed uint64) *manifest.Store {
		cfg := manifest.DefaultConfig()
		cfg.Client, cfg.Location, cfg.Policy, cfg.Random = s.Backend.S3Under(s.Meter, faults), at, policy(kind), rand.NewPCG(seed, uint64(i))
		store, err := manifest.NewStore(cfg)
		if err != nil {
			t.Fatal(err)
		}
		return store
	}
	onVirtualTime(t, func(ctx context.Context) {
		faults := newInjector(ctx, t, fmt.Sprintf(`on s3 actor "node" nth %d : %s`, i, how), 1)
		nodeCtx, end := fault.Node(ctx, "node")
		defer end()
		n := life{store: open(faults, 1)}
		err := n.live(nodeCtx)
		survived = err == nil && nodeCtx.Err() == nil
		if !survived && !errors.Is(err, fault.ErrCrashed) && !errors.Is(context.Cause(nodeCtx), fault.ErrCrashed) {
			t.Errorf("request %d: the node ended with %v instead of crashing", i, err)
		}
		n.check(ctx, t, fmt.Sprintf("%s at request %d", how, i), open(nil, 2))
	})
	return survived
}
