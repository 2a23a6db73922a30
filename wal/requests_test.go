package wal_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/lakebench/lakebench/internal/manifesttest"
	"github.com/lakebench/lakebench/internal/requestlog"
	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/manifest"
	"github.com/lakebench/lakebench/wal"
)

var rewrite = flag.Bool("rewrite", false, "write the request logs instead of comparing them")

// A requestLog is a shard whose every request is recorded, and the text of it.
type requestLog struct {
	t        *testing.T
	ctx      context.Context
	service  *service
	kind     manifest.Kind
	recorder *manifesttest.Recorder
	text     strings.Builder
	counts   map[string]int // requests of a step
}

func newRequestLog(ctx context.Context, t *testing.T, s *service, kind manifest.Kind) *requestLog {
	return &requestLog{
		t: t, ctx: ctx, service: s, kind: kind, counts: map[string]int{},
		recorder: manifesttest.NewRecorder(s.client(), s.at()),
	}
}

// randomName is what is drawn in the names of objects.
var randomName = regexp.MustCompile(`[0-9a-f]{32}|[0-9a-f]{8}_gen`)

// step does something and logs what it asked for.
func (l *requestLog) step(name string, do func() error) {
	l.t.Helper()
	err := do()
	lines, n := l.recorder.Take()
	if _, twice := l.counts[name]; twice {
		l.t.Fatalf("two steps are %q", name)
	}
	l.counts[name] = n
	fmt.Fprintf(&l.text, "== %s: %d requests\n", name, n)
	for _, line := range lines {
		line = randomName.ReplaceAllStringFunc(line, func(s string) string {
			if strings.HasSuffix(s, "_gen") {
				return "*_gen"
			}
			return "*"
		})
		l.text.WriteString(line + "\n")
	}
	if err != nil {
		fmt.Fprintf(&l.text, "error: %s\n", known(err))
	}
	l.text.WriteString("\n")
}

// known puts an error into the package's terms.
func known(err error) string {
	for _, e := range []error{wal.ErrFenced, wal.ErrSealed, wal.ErrPoisoned, wal.ErrUnknown, wal.ErrGap, wal.ErrCollected, wal.ErrEnd, wal.ErrDamaged} {
		if errors.Is(err, e) {
			return e.Error()
		}
	}
	return err.Error()
}

// open opens the shard through the recorder.
func (l *requestLog) open(change func(*wal.Config)) (w *wal.Writer) {
	cfg := l.service.config(l.kind, l.recorder)
	if change != nil {
		change(&cfg)
	}
	w, err := wal.Open(l.ctx, cfg)
	if err != nil {
		l.t.Fatal(err)
	}
	return w
}

func (l *requestLog) appendRows(name string, w *wal.Writer, rows ...wal.Row) {
	l.t.Helper()
	l.step(name, func() error {
		_, err := w.Append(l.ctx, rows...)
		return err
	})
}

func (l *requestLog) flush(name string, w *wal.Writer) {
	l.t.Helper()
	l.step(name, func() error {
		_, err := w.Flush(l.ctx)
		return err
	})
}

// scenario is every operation, alone and against another writer.
func (l *requestLog) scenario() {
	ctx := l.ctx
	var w *wal.Writer
	l.step("open a new shard", func() error { w = l.open(nil); return nil })
	l.appendRows("append", w, row("a", "1"), row("b", "1"))
	l.flush("flush", w)
	l.appendRows("append after the flush", w, row("b", "2"), row("b", "3"))
	l.step("force a seal", func() error { return w.ForceSeal(ctx) })
	l.flush("flush with a duplicate", w)
	l.step("manifest", func() error { _, err := w.Manifest(ctx); return err })
	l.step("refresh the manifest", func() error { _, err := w.RefreshManifest(ctx); return err })
	reader := w.Reader()
	l.step("scan of two generations", func() error { _, err := reader.Scan(ctx); return err })
	get := func(r *wal.FreshReader, key string) func() error {
		return func() error { _, _, err := r.Get(ctx, key); return err }
	}
	l.step("get, from the older generation", get(reader, "a"))
	l.step("get of an absent key", get(reader, "nowhere"))
	other, err := wal.NewReader(wal.ReaderConfig{Client: l.recorder, Location: l.service.at(), Policy: policy(l.kind)})
	if err != nil {
		l.t.Fatal(err)
	}
	l.step("scan by another process, first", func() error { _, err := other.Scan(ctx); return err })
	l.step("scan by another process, again", func() error { _, err := other.Scan(ctx); return err })
	l.step("get by another process", get(other, "a"))
	l.step("compaction of two generations", func() error { _, err := w.Compact(ctx); return err })
	l.step("get, from the base table", get(reader, "a"))
	if err := task.Sleep(ctx, time.Hour); err != nil {
		l.t.Fatal(err)
	}
	l.step("collect", func() error { _, err := w.Collect(ctx, -time.Hour); return err })
	l.step("scan by another process, of what was collected", func() error { _, err := other.Scan(ctx); return err })
	l.appendRows("append, not flushed", w, row("c", "1"))
	l.appendRows("append, not flushed either", w, row("d", "1"))
	l.successor(w)
}

// successor is what a second writer does, and what becomes of the first.
func (l *requestLog) successor(before *wal.Writer) {
	ctx := l.ctx
	var w *wal.Writer
	l.step("close", func() error { return before.Close(ctx) })
	l.step("reopen with two entries to replay", func() error { w = l.open(nil); return nil })
	l.step("reopen with two more sentinels to replay", func() error { l.open(nil); w = l.open(nil); return nil })
	l.flush("flush what was replayed", w)
	tailer, err := wal.NewTailer(wal.ReaderConfig{Client: l.recorder, Location: l.service.at(), Policy: policy(l.kind)})
	if err != nil {
		l.t.Fatal(err)
	}
	l.step("tailer: first position", func() error { _, err := tailer.First(ctx); return err })
	l.step("tailer: next position", func() error { _, err := tailer.Next(ctx); return err })
	l.step("tailer: next position, known", func() error { _, err := tailer.Next(ctx); return err })
	l.step("tailer: read", func() error { _, err := tailer.Read(ctx, 4); return err })
	l.step("tailer: read what was collected", func() error { _, err := tailer.Read(ctx, 1); return err })
	l.step("tailer: read beyond the end", func() error { _, err := tailer.Read(ctx, 99); return err })
	l.step("reopen a clean shard", func() error { w = l.open(nil); return nil })
	l.appendRows("append before the shard is lost", w, row("w", "1"))
	var next *wal.Writer
	l.step("reopen with one entry to replay", func() error { next = l.open(nil); return nil })
	l.appendRows("append of the one that lost the shard", w, row("x", "1"))
	l.flush("flush of the one that lost the shard", w)
	l.step("seal", func() error { return next.Seal(ctx) })
	l.appendRows("append after the seal", next, row("x", "1"))
	l.step("open while sealed", func() error { _, err := wal.Open(ctx, l.service.config(l.kind, l.recorder)); return err })
	l.step("unseal", func() error { return next.Unseal(ctx) })
	l.step("open with two user indexes", func() error {
		w = l.open(func(c *wal.Config) { c.UserIndexes = 2 })
		return nil
	})
	l.appendRows("append a duplicate", w, row("e", "1"), row("e", "2"))
	l.flush("flush with a duplicate and two user indexes", w)
}

// TestRequests: what every operation asks for under every policy, request by
// request.
func TestRequests(t *testing.T) {
	forEachPolicy(t, func(ctx context.Context, t *testing.T, s *service, kind manifest.Kind) {
		l := newRequestLog(ctx, t, s, kind)
		l.scenario()
		requestlog.Golden(t, "testdata/requests/"+kind.String()+".golden", strings.TrimSuffix(l.text.String(), "\n"), *rewrite)
	})
}
