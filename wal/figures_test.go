package wal_test

import (
	"context"
	"fmt"
	"math/bits"
	"testing"

	"github.com/lakebench/lakebench/internal/cost"
	"github.com/lakebench/lakebench/manifest"
	"github.com/lakebench/lakebench/wal"
)

// The numbers of this file are those of docs/facts/memwal.md §2 and §3 and of
// docs/spec/shard-manifest.md §5, put together from their parts.
const (
	scanRequests = 5                                        // hint, HEAD, two HEADs, body
	warmCommit   = 2                                        // version and hint
	ownFlush     = 1 + 5 + 1 + 2                            // base LIST, dataset, filter, two of the key index
	claim        = scanRequests + warmCommit                // by an opener who knows nothing
	findEnd      = 2                                        // HEAD of the last seen, and a LIST or one more HEAD
	cleanAfter   = claim + findEnd + 1 + 2 + warmCommit     // sentinel, GETs of it and of the end, last seen
	cleanBefore  = cleanAfter + scanRequests + scanRequests // look for last seen, and the cursor's own scan
	probeOpen    = 3 + 1 + 1                                // hint, version, next; claim; a look behind the sentinel
	probeReplay  = 1 + 1 + 1                                // GET of the end, sentinel, last seen
	probeFlush   = 1 /* fence */ + 3 + 1 + 2 + 1            /* commit */ // without the lists
)

func (l *requestLog) expect(name string, want int) {
	l.t.Helper()
	if got := l.counts[name]; got != want {
		l.t.Errorf("%s: %d requests, expected %d", name, got, want)
	}
}

// byKind picks an expectation: the policies between scan and probe agree.
func byKind(kind manifest.Kind, scan, serve, probe int) int {
	switch kind {
	case manifest.Scan:
		return scan
	case manifest.Probe:
		return probe
	case manifest.Serve, manifest.Serialized:
	}
	return serve
}

// TestReadFlushCompact: a scan of N generations, a flush and a pass over them.
func TestReadFlushCompact(t *testing.T) {
	forEachPolicy(t, func(ctx context.Context, t *testing.T, s *service, kind manifest.Kind) {
		l := newRequestLog(ctx, t, s, kind)
		w := l.open(nil)
		l.recorder.Take()
		for n := range 9 {
			scan := fmt.Sprintf("scan of %d generations", n)
			l.step(scan, func() error { _, err := w.Reader().Scan(ctx); return err })
			l.expect(scan, n+byKind(kind, scanRequests, 0, 0))
			entry := fmt.Sprintf("append %d", n)
			l.appendRows(entry, w, row("k", "v"))
			l.expect(entry, 1)
			flush := fmt.Sprintf("flush %d", n)
			l.flush(flush, w)
			l.expect(flush, byKind(kind, 2*scanRequests+ownFlush+warmCommit, scanRequests+ownFlush+warmCommit, probeFlush))
		}
		l.step("compaction", func() error { _, err := w.Compact(ctx); return err })
		pass := 5 + 9 + 2 // the base table's commit, nine generations, the shard's commit
		l.expect("compaction", byKind(kind, pass+5*scanRequests, pass, pass-1))
	})
}

// TestFlushAddOns: what duplicates, indexes and a forced seal add (docs/facts/memwal.md
// §2.8); probe makes no list.
func TestFlushAddOns(t *testing.T) {
	flush := func(ctx context.Context, t *testing.T, s *service, kind manifest.Kind, indexes int, rows ...wal.Row) int {
		l := newRequestLog(ctx, t, s, kind)
		w := l.open(func(c *wal.Config) { c.UserIndexes = indexes })
		l.recorder.Take()
		l.appendRows("append", w, rows...)
		l.flush("flush", w)
		return l.counts["flush"]
	}
	forEachPolicy(t, func(ctx context.Context, t *testing.T, s *service, kind manifest.Kind) {
		plain := flush(ctx, t, s, kind, 0, row("a", "1"))
		for _, c := range []struct {
			name    string
			indexes int
			rows    []wal.Row
			add     int
		}{
			{"duplicates", 0, []wal.Row{row("a", "1"), row("a", "2")}, byKind(kind, 3, 3, 2)},
			{"an index", 1, []wal.Row{row("a", "1")}, byKind(kind, 4, 4, 3)},
			{"two indexes", 2, []wal.Row{row("a", "1")}, byKind(kind, 6, 6, 5)},
			{"duplicates and an index", 1, []wal.Row{row("a", "1"), row("a", "2")}, byKind(kind, 5, 5, 4)},
		} {
			if got := flush(ctx, t, s, kind, c.indexes, c.rows...) - plain; got != c.add {
				t.Errorf("%s add %d requests, expected %d", c.name, got, c.add)
			}
		}
	})
}

// TestReopen: what opening costs after K entries that were not flushed, on a shard
// that never was.
func TestReopen(t *testing.T) {
	for _, entries := range []int{1, 7, 64, 65, 200} {
		forEachPolicy(t, func(ctx context.Context, t *testing.T, s *service, kind manifest.Kind) {
			l := newRequestLog(ctx, t, s, kind)
			w := l.open(nil)
			for range entries {
				mustAppend(ctx, t, w, row("k", "v"))
			}
			if err := w.Close(ctx); err != nil {
				t.Fatal(err)
			}
			l.recorder.Take()
			l.step("reopen", func() error { l.open(nil); return nil })
			if kind == manifest.Probe {
				steps := bits.Len(uint(entries - 1)) // ⌈log2 K⌉
				most := probeOpen + entries + 2*steps + probeReplay
				if got := l.counts["reopen"]; got > most {
					t.Errorf("%d entries: %d requests, expected at most %d", entries, got, most)
				}
				return
			}
			l.expect("reopen", byKind(kind, cleanBefore+entries*(1+scanRequests+warmCommit), cleanAfter+entries, 0))
		})
	}
}

// TestReopenByProbes: probe never needs more requests than serve, and as many as
// package cost says, where the end of the log takes a list, a full list and more.
func TestReopenByProbes(t *testing.T) {
	for _, flushed := range []bool{false, true} {
		for _, entries := range []int{63, 64, 65, 79, 500, 998, 999, 1000, 1001, 1500} {
			reopen := map[manifest.Kind]int{}
			for _, kind := range []manifest.Kind{manifest.Serve, manifest.Probe} {
				s := openService(t)
				onVirtualTime(t, func(ctx context.Context) {
					l := newRequestLog(ctx, t, s, kind)
					w := l.open(nil)
					if flushed {
						mustAppend(ctx, t, w, row("k", "v"))
						mustFlush(ctx, t, w)
					}
					for range entries {
						mustAppend(ctx, t, w, row("k", "v"))
					}
					if err := w.Close(ctx); err != nil {
						t.Fatal(err)
					}
					l.recorder.Take()
					l.step("reopen", func() error { l.open(nil); return nil })
					reopen[kind] = l.counts["reopen"]
				})
			}
			want := cost.Open(manifest.Probe, cost.Opening{Entries: int64(entries), HintEvery: 16, FlushedBefore: flushed}).Requests
			if got := reopen[manifest.Probe]; float64(got) != want || got > reopen[manifest.Serve] {
				t.Errorf("%d entries, flushed %v: probe takes %d requests, expected %v; serve takes %d", entries, flushed, got, want, reopen[manifest.Serve])
			}
		}
	}
}

// TestReopenWithACursor: what the change cost before its tailer wrote nothing any
// more (docs/facts/memwal.md §3, "Replay").
func TestReopenWithACursor(t *testing.T) {
	s := openService(t)
	onVirtualTime(t, func(ctx context.Context) {
		l := newRequestLog(ctx, t, s, manifest.Serve)
		w := l.open(nil)
		for range 50 {
			mustAppend(ctx, t, w, row("k", "v"))
		}
		l.recorder.Take()
		l.step("reopen", func() error { l.open(func(c *wal.Config) { c.CursorPerEntry = true }); return nil })
		l.expect("reopen", cleanAfter+50*(1+warmCommit))
	})
}

// TestReopenClean: a shard all of whose entries a generation holds. Probe needs at
// most half of what scan needs, and its constant does not depend on the log.
func TestReopenClean(t *testing.T) {
	forEachPolicy(t, func(ctx context.Context, t *testing.T, s *service, kind manifest.Kind) {
		l := newRequestLog(ctx, t, s, kind)
		w := l.open(nil)
		for range 10 {
			mustAppend(ctx, t, w, row("k", "v"))
		}
		mustFlush(ctx, t, w)
		if err := w.Close(ctx); err != nil {
			t.Fatal(err)
		}
		l.recorder.Take()
		l.step("reopen", func() error { l.open(nil); return nil })
		l.expect("reopen", byKind(kind, cleanBefore, cleanAfter, probeOpen+probeReplay))
		if probeOpen+probeReplay > cleanBefore/2 {
			t.Errorf("%d is more than half of %d", probeOpen+probeReplay, cleanBefore)
		}
	})
}
