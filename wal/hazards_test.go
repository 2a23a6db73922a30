package wal_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/lakebench/lakebench/manifest"
	"github.com/lakebench/lakebench/wal"
	"github.com/lakebench/lakebench/wal/entry"
)

// openThrough opens the shard through a client.
func (s *service) openThrough(ctx context.Context, t testing.TB, kind manifest.Kind, client wal.Client) *wal.Writer {
	t.Helper()
	w, err := wal.Open(ctx, s.config(kind, client))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// expectRows compares what counts in the shard's objects with keys, each once.
func (s *service) expectRows(ctx context.Context, t testing.TB, keys string) {
	t.Helper()
	there := counts(s.holdings(ctx, t))
	for _, key := range strings.Fields(keys) {
		if there[key] != 1 {
			t.Errorf("%s is there %d times", key, there[key])
		}
		delete(there, key)
	}
	if len(there) > 0 {
		t.Errorf("there is more: %v", there)
	}
}

// Hazards 4 and 5: whatever is answered to the PUT of an entry, it is appended
// once, in its place, and nobody is fenced.
func TestAnswersToTheEntry(t *testing.T) {
	for _, effect := range []string{
		"error-before", "error-before 503", "error-before reset", "error-before 200", "error-before 409", "error-before 409-bare", "error-before 304", "throttle",
		"error-after", "error-after 503", "error-after reset", "error-after 200", "error-after 200-precondition",
		"timeout 1s", "timeout 1s lands 500ms", "timeout 1s lands 1001ms", "timeout 1s lands 1m",
	} {
		t.Run(effect, func(t *testing.T) {
			s := openService(t)
			onVirtualTime(t, func(ctx context.Context) {
				client, injector := s.faulty(ctx, t, `on s3 PutObject cause wal nth 1 : `+effect)
				w := s.openThrough(ctx, t, manifest.Serialized, client)
				if p := mustAppend(ctx, t, w, row("a", "1")); p != 1 {
					t.Errorf("appended at %d", p)
				}
				if p := mustAppend(ctx, t, w, row("b", "1")); p != 2 {
					t.Errorf("appended at %d", p)
				}
				if err := injector.Wait(); err != nil {
					t.Fatal(err)
				}
				for _, warning := range injector.Warnings() {
					t.Error(warning)
				}
				s.expectRows(ctx, t, "a b")
			})
		})
	}
}

// A refused entry is not appended, and the writer goes on in the same place.
func TestARefusedEntry(t *testing.T) {
	s := openService(t)
	onVirtualTime(t, func(ctx context.Context) {
		client, _ := s.faulty(ctx, t, `on s3 PutObject cause wal nth 1 : error-before 403`)
		w := s.openThrough(ctx, t, manifest.Serialized, client)
		if _, err := w.Append(ctx, row("a", "1")); err == nil || errors.Is(err, wal.ErrUnknown) {
			t.Errorf("%v, expected a refusal", err)
		}
		if p := mustAppend(ctx, t, w, row("b", "1")); p != 1 {
			t.Errorf("appended at %d", p)
		}
		s.expectRows(ctx, t, "b")
	})
}

// An entry of which nothing can be found out poisons the writer: what comes after
// it must not be written before it is known.
func TestAnUnknownEntryPoisons(t *testing.T) {
	for effect, there := range map[string]string{"error-after": "a", "timeout 1s": ""} {
		t.Run(effect, func(t *testing.T) {
			s := openService(t)
			onVirtualTime(t, func(ctx context.Context) {
				client, _ := s.faulty(ctx, t, "on s3 PutObject cause wal nth 1 : "+effect+"\non s3 HeadObject cause wal : error-before")
				w := s.openThrough(ctx, t, manifest.Serialized, client)
				if _, err := w.Append(ctx, row("a", "1")); !errors.Is(err, wal.ErrUnknown) {
					t.Errorf("%v, expected ErrUnknown", err)
				}
				if _, err := w.Append(ctx, row("b", "1")); !errors.Is(err, wal.ErrPoisoned) {
					t.Errorf("%v, expected ErrPoisoned", err)
				}
				s.open(ctx, t, manifest.Serialized)
				s.expectRows(ctx, t, there)
			})
		})
	}
}

// Hazard 8: who lost the shard appends and flushes no more.
func TestWhoLostTheShard(t *testing.T) {
	forEachPolicy(t, func(ctx context.Context, t *testing.T, s *service, kind manifest.Kind) {
		before := s.open(ctx, t, kind)
		mustAppend(ctx, t, before, row("a", "1"))
		after := s.open(ctx, t, kind)
		if _, err := before.Append(ctx, row("b", "1")); !errors.Is(err, wal.ErrFenced) {
			t.Errorf("append: %v, expected ErrFenced", err)
		}
		if _, err := before.Flush(ctx); !errors.Is(err, wal.ErrFenced) {
			t.Errorf("flush: %v, expected ErrFenced", err)
		}
		if _, err := before.Collect(ctx, 0); !errors.Is(err, wal.ErrFenced) {
			t.Errorf("collect: %v, expected ErrFenced", err)
		}
		mustAppend(ctx, t, after, row("c", "1"))
		s.expectRows(ctx, t, "a c")
	})
}

// Hazard 8: an append that lands while a successor opens is below its sentinel, and
// replayed.
func TestAnAppendDuringTheOpening(t *testing.T) {
	forEachPolicy(t, func(ctx context.Context, t *testing.T, s *service, kind manifest.Kind) {
		before := s.open(ctx, t, kind)
		mustAppend(ctx, t, before, row("a", "1"))
		appended := false
		client := &hooked{Client: s.client(), before: func(method, key string) {
			if method == "PUT" && strings.Contains(key, "/wal/") && !appended { // the sentinel
				appended = true
				mustAppend(ctx, t, before, row("b", "1"))
			}
		}}
		after := s.openThrough(ctx, t, kind, client)
		if _, found, err := after.Reader().Get(ctx, "b"); !found || err != nil {
			t.Errorf("b was acknowledged, and is not found (%v)", err)
		}
		mustAppend(ctx, t, after, row("c", "1"))
		s.expectRows(ctx, t, "a b c")
	})
}

// Hazard 9: a flush that failed is made before those that come after it.
func TestAFailedFlushComesFirst(t *testing.T) {
	forEachPolicy(t, func(ctx context.Context, t *testing.T, s *service, kind manifest.Kind) {
		client, _ := s.faulty(ctx, t, `on s3 PutObject key "*_gen_1/*" nth 1..2 : error-before 403`)
		w := s.openThrough(ctx, t, kind, client)
		mustAppend(ctx, t, w, row("a", "1"))
		if _, err := w.Flush(ctx); err == nil {
			t.Fatal("the flush did not fail")
		}
		mustAppend(ctx, t, w, row("b", "1"))
		if _, err := w.Flush(ctx); err == nil {
			t.Fatal("the second flush did not fail")
		}
		s.expectRows(ctx, t, "a b")
		mustFlush(ctx, t, w)
		s.expectRows(ctx, t, "a b")
		after := s.open(ctx, t, kind)
		if rows, err := after.Reader().Scan(ctx); err != nil || text(rows) != "a=1 b=1" {
			t.Errorf("after reopening: %q (%v)", text(rows), err)
		}
	})
}

// Hazard 3, as a flush sees it: a commit of which nothing could be found out had
// its effect. The next flush must not list the generation again.
func TestAFlushThatLandedUnseen(t *testing.T) {
	forEachPolicy(t, func(ctx context.Context, t *testing.T, s *service, kind manifest.Kind) {
		if kind == manifest.Scan {
			return // it looks before it commits, and would not get as far
		}
		lost := errors.New("lost")
		broken := false
		client := &hooked{Client: s.client()}
		client.after = func(method, key string) error {
			if method == "PUT" && strings.HasSuffix(key, ".binpb") && broken || method == "HEAD" && broken {
				return lost
			}
			return nil
		}
		client.before = func(_, key string) {
			if strings.HasSuffix(key, "page_lookup.bin") { // the last object before the commit
				broken = true
			}
		}
		w := s.openThrough(ctx, t, kind, client)
		mustAppend(ctx, t, w, row("a", "1"))
		if _, err := w.Flush(ctx); !errors.Is(err, wal.ErrUnknown) {
			t.Fatalf("%v, expected ErrUnknown", err)
		}
		broken, client.before = false, nil
		mustAppend(ctx, t, w, row("b", "1"))
		mustFlush(ctx, t, w)
		s.expectRows(ctx, t, "a b")
		m, err := w.RefreshManifest(ctx)
		if err != nil || len(m.Generations) != 2 || m.CurrentGeneration != 3 {
			t.Errorf("%+v (%v), expected generations 1 and 2", m, err)
		}
	})
}

// Hazard 13: replay stops at an entry of a newer epoch, and at one that cannot be
// read, and says where it is.
func TestEntriesThatReplayRefuses(t *testing.T) {
	encoded := func(e entry.Entry) string {
		data, err := entry.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	whole := encoded(entry.Entry{WriterEpoch: 1, Rows: []wal.Row{row("b", "1")}})
	for _, c := range []struct {
		name, body string
		want       error
	}{
		{"a newer epoch", encoded(entry.Entry{WriterEpoch: 9, Rows: []wal.Row{row("b", "1")}}), wal.ErrFenced},
		{"a newer sentinel", encoded(entry.Entry{WriterEpoch: 9, Sentinel: true}), wal.ErrFenced},
		{"cut off", whole[:len(whole)-9], wal.ErrDamaged},
		{"cut off where a batch ends", whole[:len(whole)-8], wal.ErrDamaged},
		{"empty", "", wal.ErrDamaged},
		{"something else", "hello", wal.ErrDamaged},
	} {
		t.Run(c.name, func(t *testing.T) {
			forEachPolicy(t, func(ctx context.Context, t *testing.T, s *service, kind manifest.Kind) {
				w := s.open(ctx, t, kind)
				mustAppend(ctx, t, w, row("a", "1"))
				s.Put(t, s.at().WALKey(2), []byte(c.body))
				_, err := wal.Open(ctx, s.config(kind, s.client()))
				var at *wal.EntryError
				if !errors.Is(err, c.want) || !errors.As(err, &at) || at.Position != 2 || at.Path != s.at().URL(s.at().WALKey(2)) {
					t.Errorf("%v, expected %v at position 2", err, c.want)
				}
			})
		})
	}
}

// A gap hides what is above it, so it is an error and not the end.
func TestAGap(t *testing.T) {
	forEachPolicy(t, func(ctx context.Context, t *testing.T, s *service, kind manifest.Kind) {
		w := s.open(ctx, t, kind)
		for range 4 {
			mustAppend(ctx, t, w, row("a", "1"))
		}
		s.Remove(t, s.at().WALKey(3))
		_, err := wal.Open(ctx, s.config(kind, s.client()))
		var at *wal.EntryError
		if !errors.Is(err, wal.ErrGap) || !errors.As(err, &at) || at.Position != 3 {
			t.Errorf("%v, expected ErrGap at position 3", err)
		}
	})
}

// An entry is missing beyond the last one of which the manifest knows, so the opener
// takes its place for the end and puts its sentinel there. What it finds behind the
// sentinel gives the gap away, to it and to every opener after it.
func TestAGapBeyondTheLastSeen(t *testing.T) {
	for _, missing := range []uint64{3, 4} {
		t.Run(fmt.Sprintf("entry %d", missing), func(t *testing.T) {
			forEachPolicy(t, func(ctx context.Context, t *testing.T, s *service, kind manifest.Kind) {
				mustAppend(ctx, t, s.open(ctx, t, kind), row("a", "1")) // entry 1
				w := s.open(ctx, t, kind)                               // its sentinel is 2, the last seen
				for _, key := range []string{"b", "c", "d"} {
					mustAppend(ctx, t, w, row(key, "1")) // entries 3 to 5
				}
				s.Remove(t, s.at().WALKey(missing))
				for range 2 {
					_, err := wal.Open(ctx, s.config(kind, s.client()))
					var at *wal.EntryError
					if !errors.Is(err, wal.ErrGap) || !errors.As(err, &at) || at.Position != missing {
						t.Errorf("%v, expected ErrGap at position %d", err, missing)
					}
				}
			})
		})
	}
}

// The sentinel of an opener that lost its claim lies behind the winner's: it is no
// gap, and no rows are lost.
func TestALosersSentinelIsNoGap(t *testing.T) {
	forEachPolicy(t, func(ctx context.Context, t *testing.T, s *service, kind manifest.Kind) {
		mustAppend(ctx, t, s.open(ctx, t, kind), row("a", "1")) // entry 1
		loser, err := entry.Encode(entry.Entry{WriterEpoch: 1, Sentinel: true})
		if err != nil {
			t.Fatal(err)
		}
		client := &hooked{Client: s.client()}
		client.after = func(method, key string) error {
			if method == "PUT" && key == s.at().WALKey(2) { // the winner's sentinel
				s.Put(t, s.at().WALKey(3), loser)
			}
			return nil
		}
		w := s.openThrough(ctx, t, kind, client)
		mustAppend(ctx, t, w, row("b", "1"))
		s.open(ctx, t, kind)
		s.expectRows(ctx, t, "a b")
	})
}

// takeover opens the shard, writes, flushes and collects: all that could make an
// older writer's view of the log wrong.
func (s *service) takeover(ctx context.Context, t testing.TB, kind manifest.Kind) *wal.Writer {
	t.Helper()
	w := s.open(ctx, t, kind)
	mustAppend(ctx, t, w, row("taken", "over"))
	mustFlush(ctx, t, w)
	done, err := w.Collect(ctx, time.Hour)
	if err != nil || done.Entries == 0 {
		t.Fatalf("collected %+v (%v)", done, err)
	}
	return w
}

// Hazard 14: an opener that stalls between its claim and its replay takes an
// emptied position for the end, puts its sentinel there, and must find out. Two
// entries are collected meanwhile, so that there is none behind its sentinel either.
func TestAnOpenerThatStalls(t *testing.T) {
	forEachPolicy(t, func(ctx context.Context, t *testing.T, s *service, kind manifest.Kind) {
		s.open(ctx, t, kind)
		before := s.open(ctx, t, kind) // its sentinel is the entry before
		mustAppend(ctx, t, before, row("a", "1"))
		mustAppend(ctx, t, before, row("b", "1"))
		stalled := false
		client := &hooked{Client: s.client(), before: func(_, key string) {
			if key == s.at().WALKey(2) && !stalled {
				stalled = true
				s.takeover(ctx, t, kind)
			}
		}}
		w, err := wal.Open(ctx, s.config(kind, client))
		if err == nil {
			_, err = w.Append(ctx, row("lost", "1"))
			t.Fatalf("the shard was opened by an older epoch; its append ended with %v", err)
		}
		if !errors.Is(err, wal.ErrFenced) || !stalled {
			t.Errorf("%v, expected ErrFenced", err)
		}
		s.expectRows(ctx, t, "a b taken")
	})
}

// Hazard 14: an entry whose PUT had no answer is replayed, flushed and collected by
// a successor, and then created again. Whoever did that is not told that it counts.
func TestAnEntryCreatedAgain(t *testing.T) {
	forEachPolicy(t, func(ctx context.Context, t *testing.T, s *service, kind manifest.Kind) {
		stalled := false
		client := &hooked{Client: s.client(), after: func(method, key string) error {
			if method != "PUT" || !strings.Contains(key, "/wal/") || stalled {
				return nil
			}
			stalled = true
			s.takeover(ctx, t, kind)
			return errors.New("no answer")
		}}
		w := s.openThrough(ctx, t, kind, client)
		if _, err := w.Append(ctx, row("a", "1")); !errors.Is(err, wal.ErrUnknown) || !errors.Is(err, wal.ErrFenced) {
			t.Errorf("%v, expected ErrUnknown for ErrFenced", err)
		}
		s.expectRows(ctx, t, "a taken")
	})
}

// Hazard 14: the sentinel that keeps a writer out is never collected, not even by a
// later epoch that has not seen it.
func TestSentinelsStay(t *testing.T) {
	forEachPolicy(t, func(ctx context.Context, t *testing.T, s *service, kind manifest.Kind) {
		before := s.open(ctx, t, kind)
		mustAppend(ctx, t, before, row("a", "1"))
		s.takeover(ctx, t, kind)
		third := s.open(ctx, t, kind)
		mustAppend(ctx, t, third, row("third", "1"))
		mustFlush(ctx, t, third)
		if _, err := third.Collect(ctx, time.Hour); err != nil {
			t.Fatal(err)
		}
		if p, err := before.Append(ctx, row("lost", "1")); !errors.Is(err, wal.ErrFenced) {
			t.Errorf("appended at %d (%v), expected ErrFenced", p, err)
		}
		s.expectRows(ctx, t, "a taken third")
	})
}

// An opener that has lost the shard may still put its sentinel where the holder is
// about to append. That is in no writer's way.
func TestASentinelOfALoser(t *testing.T) {
	forEachPolicy(t, func(ctx context.Context, t *testing.T, s *service, kind manifest.Kind) {
		w := s.open(ctx, t, kind)
		loser, err := entry.Encode(entry.Entry{WriterEpoch: 1, Sentinel: true})
		if err != nil {
			t.Fatal(err)
		}
		s.Put(t, s.at().WALKey(1), loser)
		if p := mustAppend(ctx, t, w, row("a", "1")); p != 2 {
			t.Errorf("appended at %d, expected 2", p)
		}
		s.expectRows(ctx, t, "a")
	})
}

// A reader that meets a generation that was compacted and collected since refreshes
// its manifest, once.
func TestAReaderThatComesTooLate(t *testing.T) {
	forEachPolicy(t, func(ctx context.Context, t *testing.T, s *service, kind manifest.Kind) {
		w := s.open(ctx, t, kind)
		mustAppend(ctx, t, w, row("a", "1"))
		mustFlush(ctx, t, w)
		compacted := false
		client := &hooked{Client: s.client(), before: func(_, key string) {
			if strings.Contains(key, "_gen_1/") && !compacted {
				compacted = true
				if _, err := w.Compact(ctx); err != nil {
					t.Fatal(err)
				}
				if done, err := w.Collect(ctx, -time.Hour); err != nil || done.Generations != 1 {
					t.Fatalf("collected %+v (%v)", done, err)
				}
			}
		}}
		r, err := wal.NewReader(wal.ReaderConfig{Client: client, Location: s.at(), Policy: policy(kind)})
		if err != nil {
			t.Fatal(err)
		}
		got, found, err := r.Get(ctx, "a")
		if err != nil || !found || string(got.Value) != "1" || !compacted {
			t.Errorf("%q, %v (%v), expected 1 from the base table", got.Value, found, err)
		}
	})
}
