package manifest_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/internal/backend/fault"
	"github.com/lakebench/lakebench/manifest"
)

// A lab is a service whose stores are under fault rules.
type lab struct {
	*testing.T
	ctx     context.Context
	service *service
	kind    manifest.Kind
	table   string
	stores  uint64
}

// inLab runs fn under every policy, on virtual time, so that waits take none.
func inLab(t *testing.T, fn func(l *lab)) {
	t.Helper()
	for _, kind := range manifest.Kinds() {
		t.Run(kind.String(), func(t *testing.T) {
			s := openLab(t)
			onVirtualTime(t, func(ctx context.Context) { fn(&lab{T: t, ctx: ctx, service: s, kind: kind, table: "orders"}) })
		})
	}
}

// store returns a store whose requests fail by the rules.
func (l *lab) store(rules string) *manifest.Store {
	l.Helper()
	s, _ := l.faulty(rules)
	return s
}

func (l *lab) faulty(rules string) (*manifest.Store, *fault.Injector) {
	l.Helper()
	client, injector := l.service.faulty(l.ctx, l, rules)
	l.stores++
	cfg := manifest.DefaultConfig()
	cfg.Client, cfg.Location, cfg.Policy = client, l.at(), policy(l.kind)
	cfg.Random = rand.NewPCG(2, l.stores)
	s, err := manifest.NewStore(cfg)
	if err != nil {
		l.Fatal(err)
	}
	return s, injector
}

func (l *lab) at() manifest.Location { return l.service.at(l.table, shard) }

// key is a fault rule's pattern for a version.
func key(version uint64) string {
	return `"*` + manifest.Name(version, manifest.ManifestExtension) + `"`
}

// claim claims the shard.
func (l *lab) claim(s *manifest.Store) manifest.Manifest {
	l.Helper()
	m, err := s.ClaimEpoch(l.ctx)
	if err != nil {
		l.Fatalf("claim: %v", err)
	}
	return m
}

// flush commits a generation.
func (l *lab) flush(s *manifest.Store, epoch uint64) {
	l.Helper()
	if _, err := s.CommitUpdate(l.ctx, epoch, flushed); err != nil {
		l.Fatalf("flush: %v", err)
	}
}

// tip is what a reader finds to whom nothing bad happens.
func (l *lab) tip() manifest.Manifest {
	l.Helper()
	m, err := l.store("").Reader().Latest(l.ctx)
	if err != nil {
		l.Fatalf("reading the tip: %v", err)
	}
	return m
}

// wantTip compares the tip's version, epoch and generations.
func (l *lab) wantTip(version, epoch uint64, generations ...uint64) {
	l.Helper()
	m := l.tip()
	var got []uint64
	for _, g := range m.Generations {
		got = append(got, g.Number)
	}
	if m.Version != version || m.WriterEpoch != epoch || !slices.Equal(got, generations) {
		l.Errorf("the tip is version %d of epoch %d with generations %v; want version %d of epoch %d with %v",
			m.Version, m.WriterEpoch, got, version, epoch, generations)
	}
}

// wantError fails unless err is want and says all the words.
func (l *lab) wantError(what string, err, want error, words ...string) {
	l.Helper()
	if !errors.Is(err, want) {
		l.Errorf("%s: %v; want %v", what, err, want)
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			l.Errorf("%s: the error does not say %q: %v", what, w, err)
		}
	}
}
