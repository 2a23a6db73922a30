package wal_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/manifest"
)

// once returns a hook that runs fn before the first request of a method to a key that
// contains part, and never again.
func once(method, part string, fn func()) func(method, key string) {
	done := false
	return func(m, key string) {
		if m == method && strings.Contains(key, part) && !done {
			done = true
			fn()
		}
	}
}

// Rows that are acknowledged while a flush writes its generation are in no generation
// yet. They must be replayed, and their entry must outlive a collection.
func TestAnAppendDuringAFlush(t *testing.T) {
	forEachPolicy(t, func(ctx context.Context, t *testing.T, s *service, kind manifest.Kind) {
		client := &hooked{Client: s.client()}
		w := s.openThrough(ctx, t, kind, client)
		mustAppend(ctx, t, w, row("a", "1"))
		client.before = once("PUT", "_gen_", func() { mustAppend(ctx, t, w, row("b", "1")) })
		mustFlush(ctx, t, w)
		after := s.open(ctx, t, kind)
		if rows, err := after.Reader().Scan(ctx); err != nil || text(rows) != "a=1 b=1" {
			t.Errorf("after reopening: %q (%v)", text(rows), err)
		}
		if _, err := after.Collect(ctx, 0); err != nil {
			t.Fatal(err)
		}
		s.expectRows(ctx, t, "a b")
	})
}

// A flush that commits while a scan reads moves rows from a memtable to a generation.
// The scan must see them in one of the two.
func TestAFlushDuringAScan(t *testing.T) {
	for _, request := range []struct{ at, method, part string }{
		{"before it asks for the manifest", "HEAD", "/manifest/"},
		{"before it reads a generation", "GET", "_gen_"},
	} {
		t.Run(request.at, func(t *testing.T) {
			forEachPolicy(t, func(ctx context.Context, t *testing.T, s *service, kind manifest.Kind) {
				client := &hooked{Client: s.client()}
				w := s.openThrough(ctx, t, kind, client)
				mustAppend(ctx, t, w, row("a", "1"))
				mustFlush(ctx, t, w)
				mustAppend(ctx, t, w, row("b", "1"))
				client.before = once(request.method, request.part, func() { mustFlush(ctx, t, w) })
				if rows, err := w.Reader().Scan(ctx); err != nil || text(rows) != "a=1 b=1" {
					t.Errorf("%q (%v), expected a and b", text(rows), err)
				}
			})
		})
	}
}

// A reader may still go by a manifest that lists a generation which was compacted
// since: it is collected only after the grace period.
func TestAGenerationWithinItsGrace(t *testing.T) {
	s := openService(t)
	onVirtualTime(t, func(ctx context.Context) {
		w := s.open(ctx, t, manifest.Serialized)
		mustAppend(ctx, t, w, row("a", "1"))
		mustFlush(ctx, t, w)
		if _, err := w.Compact(ctx); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			wait        time.Duration
			generations int
		}{{0, 0}, {59 * time.Minute, 0}, {2 * time.Minute, 1}} {
			if err := task.Sleep(ctx, c.wait); err != nil {
				t.Fatal(err)
			}
			done, err := w.Collect(ctx, time.Hour)
			if err != nil || done.Generations != c.generations {
				t.Errorf("collected %+v (%v) another %v later, expected %d generations", done, err, c.wait, c.generations)
			}
		}
	})
}
