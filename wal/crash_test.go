package wal_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/lakebench/lakebench/internal/backend/fault"
	"github.com/lakebench/lakebench/manifest"
	"github.com/lakebench/lakebench/wal"
)

// A ledger is what the user of a writer was told.
type ledger struct {
	tried, acknowledged map[string]bool // keys, each appended once
}

func newLedger() *ledger { return &ledger{map[string]bool{}, map[string]bool{}} }

// append appends a key of its own.
func (l *ledger) append(ctx context.Context, w *wal.Writer, key string) error {
	l.tried[key] = true
	_, err := w.Append(ctx, row(key, "v"), row("last", key))
	if err == nil {
		l.acknowledged[key] = true
	}
	return err
}

// check compares what is there with what was told.
func (l *ledger) check(ctx context.Context, t testing.TB, s *service) {
	t.Helper()
	there := counts(s.holdings(ctx, t))
	for key := range l.tried {
		if n := there[key]; n > 1 || n == 0 && l.acknowledged[key] {
			t.Errorf("%s is there %d times, acknowledged: %v", key, n, l.acknowledged[key])
		}
	}
}

// lifetime is every operation of a writer, in the places where a crash matters:
// between what it makes durable and what it says of it.
func lifetime(ctx context.Context, cfg wal.Config, l *ledger) error {
	w, err := wal.Open(ctx, cfg)
	if err != nil {
		return err
	}
	step := func(key string) func() error { return func() error { return l.append(ctx, w, key) } }
	flush := func() error { _, err := w.Flush(ctx); return err }
	for _, do := range []func() error{
		step("a"), step("b"), flush, step("c"), step("d"), flush,
		func() error { _, err := w.Compact(ctx); return err },
		func() error { _, err := w.Collect(ctx, -time.Hour); return err },
		step("e"), flush, step("f"),
		func() error { return w.Seal(ctx) },
		func() error { return w.Unseal(ctx) },
		func() error { return w.Close(ctx) },
	} {
		if err := do(); err != nil {
			return err
		}
	}
	return nil
}

// crashAt runs a lifetime on a node that crashes at its i-th request, and whoever
// comes after it. It returns false if there were not so many requests.
func crashAt(t *testing.T, kind manifest.Kind, how string, i int) (crashed bool) {
	s := openService(t)
	onVirtualTime(t, func(ctx context.Context) {
		client, _ := s.faulty(ctx, t, fmt.Sprintf("on s3 actor %q nth %d : %s", "first", i, how))
		l := newLedger()
		node, leave := fault.Node(ctx, "first")
		cfg := s.config(kind, client)
		err := lifetime(node, cfg, l)
		crashed = errors.Is(context.Cause(node), fault.ErrCrashed)
		leave()
		if err != nil && !crashed {
			t.Fatal(err)
		}
		s.unseal(ctx, t, kind)
		l.check(ctx, t, s)

		// What a successor replays is what is there, also when it flushes it again and
		// another one comes.
		second := s.open(ctx, t, kind)
		if err := l.append(ctx, second, "second"); err != nil {
			t.Fatal(err)
		}
		l.check(ctx, t, s)
		mustFlush(ctx, t, second)
		l.check(ctx, t, s)
		if _, err := second.Compact(ctx); err != nil {
			t.Fatal(err)
		}
		if _, err := second.Collect(ctx, -time.Hour); err != nil {
			t.Fatal(err)
		}
		third := s.open(ctx, t, kind)
		l.check(ctx, t, s)
		last, found, err := third.Reader().Get(ctx, "last")
		if err != nil || !found || string(last.Value) != "second" {
			t.Errorf("the last one appended is %q, %v (%v), expected \"second\"", last.Value, found, err)
		}
		for key := range l.acknowledged {
			if _, found, err := third.Reader().Get(ctx, key); err != nil || !found {
				t.Errorf("%s was acknowledged, and is not found (%v)", key, err)
			}
		}
	})
	return crashed
}

// unseal takes back a seal that a crashed writer has left.
func (s *service) unseal(ctx context.Context, t testing.TB, kind manifest.Kind) {
	t.Helper()
	cfg := s.config(kind, s.client())
	mc := manifest.DefaultConfig()
	mc.Client, mc.Location, mc.Policy, mc.Random = cfg.Client, cfg.Location, cfg.Policy, cfg.Random
	store, err := manifest.NewStore(mc)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Unseal(ctx); err != nil && !errors.Is(err, manifest.ErrNoManifest) {
		t.Fatal(err)
	}
}

// TestCrashAfterEveryRequest: every acknowledged append is there exactly once,
// wherever the writer crashes (hazards 9 and 15).
func TestCrashAfterEveryRequest(t *testing.T) {
	// With one task, Serve is what Serialized is.
	for _, kind := range []manifest.Kind{manifest.Scan, manifest.Serialized, manifest.Probe} {
		for _, how := range []string{"crash-before", "crash-after"} {
			t.Run(kind.String()+"/"+how, func(t *testing.T) {
				t.Parallel()
				for i := 1; crashAt(t, kind, how, i); i++ {
					if t.Failed() {
						t.Fatalf("the writer crashed at request %d", i)
					}
				}
			})
		}
	}
}
