package wal_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/manifest"
	"github.com/lakebench/lakebench/wal"
)

// Appends share an entry up to the group's size, for as long as its first one
// waits; what comes while an entry is on its way shares the next.
func TestGroupCommit(t *testing.T) {
	for _, c := range []struct {
		name    string
		group   wal.Group
		entries map[uint64]int // position → appends
	}{
		{"by size", wal.Group{Rows: 4, Bytes: 1 << 20, Wait: time.Hour}, map[uint64]int{1: 4, 2: 4}},
		{"by bytes", wal.Group{Rows: 100, Bytes: 6, Wait: time.Hour}, map[uint64]int{1: 2, 2: 2, 3: 2, 4: 2}},
		{"by time", wal.Group{Rows: 100, Bytes: 1 << 20, Wait: time.Millisecond}, map[uint64]int{1: 8}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := openService(t)
			onVirtualTime(t, func(ctx context.Context) {
				cfg := s.config(manifest.Serialized, s.client())
				cfg.Group = c.group
				w, err := wal.Open(ctx, cfg)
				if err != nil {
					t.Fatal(err)
				}
				got := map[uint64]int{}
				g := task.NewGroup(ctx, 0)
				for i := range 8 {
					g.Go(fmt.Sprint(i), func(ctx context.Context) error {
						p, err := w.Append(ctx, row(fmt.Sprintf("k%d", i), "v"))
						got[p]++ // one task at a time
						return err
					})
				}
				if err := g.Wait(); err != nil {
					t.Fatal(err)
				}
				if fmt.Sprint(got) != fmt.Sprint(c.entries) {
					t.Errorf("appends by position: %v, expected %v", got, c.entries)
				}
				s.expectRows(ctx, t, "k0 k1 k2 k3 k4 k5 k6 k7")
			})
		})
	}
}

// An append whose caller gives up is not known to it, and does not hold up those
// that share its entry.
func TestACallerThatGivesUp(t *testing.T) {
	s := openService(t)
	onVirtualTime(t, func(ctx context.Context) {
		client, _ := s.faulty(ctx, t, `on s3 PutObject cause wal : delay 1m`)
		w := s.openThrough(ctx, t, manifest.Serialized, client)
		g := task.NewGroup(ctx, 0)
		g.Go("hasty", func(ctx context.Context) error {
			hasty, stop := task.WithTimeout(ctx, time.Second)
			defer stop()
			if _, err := w.Append(hasty, row("a", "1")); !errors.Is(err, wal.ErrUnknown) {
				t.Errorf("%v, expected ErrUnknown", err)
			}
			return nil
		})
		g.Go("patient", func(ctx context.Context) error {
			_, err := w.Append(ctx, row("b", "1"))
			return err
		})
		if err := g.Wait(); err != nil {
			t.Error(err)
		}
		s.expectRows(ctx, t, "a b")
	})
}

// Manifest is the writer's own last commit; RefreshManifest shows the seal of
// another process (the first finding of the seed's review). The seal stops
// flushes once it is seen, and loses nothing that was appended (hazard 10).
func TestASealByAnotherProcess(t *testing.T) {
	forEachPolicy(t, func(ctx context.Context, t *testing.T, s *service, kind manifest.Kind) {
		w := s.open(ctx, t, kind)
		mustAppend(ctx, t, w, row("a", "1"))
		cfg := manifest.DefaultConfig()
		other := s.config(kind, s.client())
		cfg.Client, cfg.Location, cfg.Policy, cfg.Random = other.Client, other.Location, other.Policy, other.Random
		store, err := manifest.NewStore(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if err := store.Seal(ctx); err != nil {
			t.Fatal(err)
		}
		own, err := w.Manifest(ctx)
		if err != nil || (own.Status == manifest.Sealed) != (kind == manifest.Scan) {
			t.Errorf("Manifest has status %v (%v)", own.Status, err)
		}
		seen, err := w.RefreshManifest(ctx)
		if err != nil || seen.Status != manifest.Sealed {
			t.Errorf("RefreshManifest has status %v (%v), expected sealed", seen.Status, err)
		}
		mustAppend(ctx, t, w, row("b", "1"))
		if _, err := w.Flush(ctx); !errors.Is(err, wal.ErrSealed) {
			t.Errorf("flush: %v, expected ErrSealed", err)
		}
		if _, err := wal.Open(ctx, s.config(kind, s.client())); !errors.Is(err, wal.ErrSealed) {
			t.Errorf("open: %v, expected ErrSealed", err)
		}
		if err := w.Unseal(ctx); err != nil {
			t.Fatal(err)
		}
		mustFlush(ctx, t, w)
		s.expectRows(ctx, t, "a b")
	})
}

// A shard that the real system wrote (wal/testdata/real/README.md): the tail of its
// log is replayed; its generations are Lance datasets, which is said of them by path.
func TestAShardOfTheRealSystem(t *testing.T) {
	forEachPolicy(t, func(ctx context.Context, t *testing.T, s *service, kind manifest.Kind) {
		s.Load(t, os.DirFS("testdata/real"), s.at().Table)
		w := s.open(ctx, t, kind)
		if w.Epoch() != 4 {
			t.Errorf("epoch %d, expected 4", w.Epoch())
		}
		r := w.Reader()
		for key, want := range map[string]string{"a": "3", "d": "1", "e": "1", "f": "1"} {
			got, found, err := r.Get(ctx, key)
			if err != nil || !found || string(got.Value) != want {
				t.Errorf("%s is %q, %v (%v), expected %q", key, got.Value, found, err, want)
			}
		}
		if p := mustAppend(ctx, t, w, row("g", "1")); p != 11 {
			t.Errorf("appended at %d, expected 11: nine entries and our sentinel are there", p)
		}
		_, err := r.Scan(ctx)
		var damaged *wal.GenerationError
		if !errors.Is(err, wal.ErrDamaged) || !errors.As(err, &damaged) {
			t.Errorf("a scan: %v, expected a *GenerationError", err)
		}
	})
}

// A damaged object of a generation is found out, and named.
func TestADamagedGeneration(t *testing.T) {
	s := openService(t)
	onVirtualTime(t, func(ctx context.Context) {
		w := s.open(ctx, t, manifest.Serialized)
		mustAppend(ctx, t, w, row("a", "1"), row("a", "2"))
		mustFlush(ctx, t, w)
		m, err := w.Manifest(ctx)
		if err != nil {
			t.Fatal(err)
		}
		prefix := s.at().GenerationPrefix(m.Generations[0].Path)
		for o, err := range s.objects().List(ctx, prefix, "") {
			if err != nil {
				t.Fatal(err)
			}
			whole, err := s.objects().Get(ctx, o.Key)
			if err != nil {
				t.Fatal(err)
			}
			body := append([]byte{}, whole.Body...)
			body[len(body)/2] ^= 0x10
			s.Put(t, o.Key, body)
			r, err := wal.NewReader(wal.ReaderConfig{Client: s.client(), Location: s.at(), Policy: policy(manifest.Scan)})
			if err != nil {
				t.Fatal(err)
			}
			_, scanErr := r.Scan(ctx)
			_, _, getErr := r.Get(ctx, "a")
			used := !strings.Contains(o.Key, "_transactions/") // which nobody reads
			if found := errors.Is(scanErr, wal.ErrDamaged) || errors.Is(getErr, wal.ErrDamaged); found != used {
				t.Errorf("%s damaged: scan %v, get %v", o.Key, scanErr, getErr)
			}
			s.Put(t, o.Key, whole.Body)
		}
	})
}
