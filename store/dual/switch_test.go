package dual_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lakebench/lakebench/internal/storetest"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/dual"
)

// A mutation is each of the contract's, on "tbl/a", which holds "old" before and,
// unless removed, "new" after.
type mutation struct {
	name  string
	after string
	do    func(s store.MetaStore) error
}

func mutations() []mutation {
	ctx, held := context.Background(), store.Guard{Key: "lease/a", Expect: is("held")}
	return []mutation{
		{"CAS", "new", func(s store.MetaStore) error { return s.CAS(ctx, "tbl/a", is("old"), []byte("new")) }},
		{"Delete", "-", func(s store.MetaStore) error { return s.Delete(ctx, "tbl/a", []byte("old")) }},
		{"guarded put", "new", func(s store.MetaStore) error {
			return s.GuardedMutate(ctx, held, store.Mutation{Key: "tbl/a", Expect: is("old"), Next: []byte("new")})
		}},
		{"guarded delete", "-", func(s store.MetaStore) error {
			return s.GuardedMutate(ctx, held, store.Mutation{Key: "tbl/a", Expect: is("old"), Delete: true})
		}},
	}
}

// TestPaused: while the barrier is there dual nodes write nothing and read on, and
// once it is gone they write again.
func TestPaused(t *testing.T) {
	for _, m := range mutations() {
		t.Run(m.name, func(t *testing.T) {
			ctx, l := context.Background(), newLake(t)
			l.write("lease/a", "held", "held")
			l.write("tbl/a", "old", "old")
			s := l.open("a", control.ModeDual)
			l.barrier()
			l.is("mutation", m.do(s), store.ErrWritesPaused)
			l.is("mutation that would fail", s.CAS(ctx, "tbl/a", is("other"), nil), store.ErrWritesPaused)
			l.holds("tbl/a", "old", "old")
			l.get(s, "tbl/a", "old")
			l.mode(s, control.ModeDual)
			if got := s.Stats().Paused; got != 2 {
				t.Errorf("%d mutations paused, want 2", got)
			}
			l.must(l.records.RemoveBarrier(ctx, "b1"))
			l.must(m.do(s))
			l.holds("tbl/a", m.after, m.after)
		})
	}
}

// TestSwitchOnWrite: a dual node that meets the barrier and finds the marker turns
// to v2, and the mutation goes through there.
func TestSwitchOnWrite(t *testing.T) {
	for _, m := range mutations() {
		t.Run(m.name, func(t *testing.T) {
			l := newLake(t)
			l.write("lease/a", "held", "held")
			l.write("tbl/a", "old", "old")
			s := l.openFaulty("a", control.ModeDual)
			l.finalize()
			l.faults.Next("TransactWriteItems")
			l.must(m.do(s))
			l.holds("tbl/a", m.after, m.after)
			l.mode(s, control.ModeV2Authoritative)
			l.peer("a", control.ModeV2Authoritative, true)
			tokens := make(map[string]bool)
			for _, body := range l.faults.Sent("TransactWriteItems") {
				_, token, _ := strings.Cut(string(body), `"ClientRequestToken":"`)
				tokens[token[:32]] = true
			}
			if len(tokens) != 3 { // the refused, the node's record, the second
				t.Errorf("%d request tokens, want 3", len(tokens))
			}
		})
	}
}

// TestUnknownThenPaused: after an attempt without an answer the barrier's refusal
// settles nothing: the attempt may have landed before the barrier, or not at all.
// So the mutation is not made anew (docs/spec/metadata-store.md §1).
func TestUnknownThenPaused(t *testing.T) {
	for _, m := range mutations() {
		for what, c := range map[string]struct {
			fault storetest.Fault
			holds string
		}{"never arrives": {storetest.NeverArrives, "old"}, "fails before": {storetest.FailsBefore, "old"}} {
			t.Run(m.name+", "+what, func(t *testing.T) {
				l := newLake(t)
				l.write("lease/a", "held", "held")
				l.write("tbl/a", "old", "old")
				s := l.openFaulty("a", control.ModeDual)
				l.faults.Next("TransactWriteItems", storetest.After(c.fault, l.finalize))
				l.is("mutation", m.do(s), store.ErrUnknown)
				l.holds("tbl/a", c.holds, c.holds)
				if sent := len(l.faults.Sent("TransactWriteItems")); sent != 2 {
					t.Errorf("%d requests sent, want 2", sent)
				}
			})
		}
	}
	t.Run("lost reply, then the marker", func(t *testing.T) {
		l := newLake(t)
		s := l.openFaulty("a", control.ModeDual)
		l.faults.Next("TransactWriteItems", storetest.After(storetest.LostReply, l.finalize))
		l.must(s.CAS(context.Background(), "tbl/a", store.Absent(), []byte("1"))) // a success under the same token
		l.holds("tbl/a", "1", "1")
	})
}

// TestStaleWriter: once v2-only nodes write, v1 is behind, and a dual node that has
// slept through it all neither writes over v2 nor believes v1 (hazard 4).
func TestStaleWriter(t *testing.T) {
	ctx := context.Background()
	for what, c := range map[string]struct {
		do   func(s store.MetaStore) error
		want error
		a, b string // what tbl/a holds in v1 and v2 then
	}{
		"replace what v1 holds": {
			func(s store.MetaStore) error { return s.CAS(ctx, "tbl/a", is("old"), []byte("mine")) }, store.ErrConflict, "old", "theirs",
		},
		"replace what v2 holds": {
			func(s store.MetaStore) error { return s.CAS(ctx, "tbl/a", is("theirs"), []byte("mine")) }, nil, "mine", "mine",
		},
		"create what v1 lacks": {
			func(s store.MetaStore) error { return s.CAS(ctx, "tbl/new", store.Absent(), nil) }, store.ErrConflict, "old", "theirs",
		},
		"delete what v1 holds": {
			func(s store.MetaStore) error { return s.Delete(ctx, "tbl/a", []byte("old")) }, store.ErrConflict, "old", "theirs",
		},
		"delete what v2 lacks": {
			func(s store.MetaStore) error { return s.Delete(ctx, "tbl/gone", []byte("old")) }, store.ErrNotFound, "old", "theirs",
		},
		"under a guard that v1 holds": {
			func(s store.MetaStore) error {
				return s.GuardedMutate(ctx, store.Guard{Key: "lease/a", Expect: is("held")}, store.Mutation{Key: "tbl/a", Expect: is("theirs"), Next: []byte("mine")})
			}, store.ErrGuard, "old", "theirs",
		},
	} {
		t.Run(what, func(t *testing.T) {
			l := newLake(t)
			for _, key := range []string{"tbl/a", "tbl/gone"} {
				l.write(key, "old", "old")
			}
			l.write("lease/a", "held", "held")
			s := l.open("stale", control.ModeDual)
			l.finalize()
			l.must(remove(ctx, l.records, "stale")) // somebody takes it for dead
			only := l.open("b", control.ModeV2Only)
			l.must(only.CAS(ctx, "tbl/a", is("old"), []byte("theirs")))
			l.must(only.CAS(ctx, "tbl/new", store.Absent(), nil))
			l.must(only.Delete(ctx, "tbl/gone", []byte("old")))
			l.must(only.CAS(ctx, "lease/a", is("held"), []byte("lost")))
			err := c.do(s)
			if c.want == nil {
				l.must(err)
			} else {
				l.is("stale mutation", err, c.want)
			}
			l.holds("tbl/a", c.a, c.b)
			var conflict *store.ConflictError
			if errors.As(err, &conflict) && conflict.Table != lake2 {
				t.Errorf("conflict in table %s, want it in %s", conflict.Table, lake2)
			}
		})
	}
}

// TestReaderLearns: a node that never writes learns of the marker with its next
// drain or heartbeat, whichever comes first (hazard 4).
func TestReaderLearns(t *testing.T) {
	ctx := context.Background()
	for what, learn := range map[string]func(s *dual.Store) error{
		"Heartbeat": func(s *dual.Store) error { return s.Heartbeat(ctx) },
		"Page":      func(s *dual.Store) error { _, err := s.Page(ctx, "tbl/", 0, ""); return err },
		"List": func(s *dual.Store) error {
			for _, err := range s.List(ctx, "tbl/") {
				return err
			}
			return nil
		},
		"ListFamily": func(s *dual.Store) error {
			for _, err := range s.ListFamily(ctx, "tbl") {
				return err
			}
			return nil
		},
	} {
		t.Run(what, func(t *testing.T) {
			l := newLake(t)
			s := l.open("a", control.ModeDual)
			l.must(learn(s))
			l.mode(s, control.ModeDual)
			l.finalize()
			l.must(learn(s))
			l.mode(s, control.ModeV2Authoritative)
			l.peer("a", control.ModeV2Authoritative, true)
		})
	}
}

// TestRefreshAfterMarker: no drain that begins after the marker touches v1, on
// whichever node.
func TestRefreshAfterMarker(t *testing.T) {
	ctx := context.Background()
	for _, mode := range []control.Mode{control.ModeDual, control.ModeV2Authoritative, control.ModeV2Only} {
		for what, drain := range map[string]func(s store.MetaStore){
			"List":       func(s store.MetaStore) { drainAll(t, s.List(ctx, "tbl/")) },
			"ListFamily": func(s store.MetaStore) { drainAll(t, s.ListFamily(ctx, "tbl")) },
			"Page": func(s store.MetaStore) {
				if _, err := s.Page(ctx, "tbl/", 0, ""); err != nil {
					t.Error(err)
				}
			},
		} {
			t.Run(mode.String()+" "+what, func(t *testing.T) {
				l := newLake(t)
				rec := storetest.NewRecorder(l.direct)
				if mode != control.ModeDual {
					l.finalize()
				}
				s := openNode(t, l.config(rec, "a", mode))
				if mode == control.ModeDual {
					l.finalize() // behind its back
				}
				rec.Take()
				drain(s)
				for _, line := range rec.Take() {
					if strings.HasPrefix(line, "Scan") || strings.Contains(line, " "+lake+" ") {
						t.Errorf("touches v1: %s", line)
					}
				}
			})
		}
	}
}

func drainAll(t *testing.T, seq func(yield func(store.Entry, error) bool)) {
	t.Helper()
	for _, err := range seq {
		if err != nil {
			t.Error(err)
		}
	}
}

// TestDrainKeepsLayout: a drain ends on the layout on which it began, whatever
// happens to the node meanwhile, and misses nothing
// (docs/spec/metadata-store.md §1).
func TestDrainKeepsLayout(t *testing.T) {
	ctx, l := context.Background(), newLake(t)
	want := make(map[string]string)
	for i := range 20 {
		key := fmt.Sprintf("tbl/%02d", i)
		l.write(key, "v", "v")
		want[key] = "v"
	}
	reader := l.open("a", control.ModeDual)
	first, err := reader.Page(ctx, "tbl/", 3, "")
	l.must(err)
	got := entries(first)
	listed := make(map[string]string)
	for e, err := range reader.List(ctx, "tbl/") {
		l.must(err)
		listed[e.Key] = string(e.Value)
		if len(listed) == 1 {
			l.finalize()
			l.must(reader.Heartbeat(ctx))
			l.mode(reader, control.ModeV2Authoritative)
			l.must(l.open("b", control.ModeV2Only).CAS(ctx, "tbl/new", store.Absent(), nil))
		}
	}
	if diff := cmp.Diff(want, listed); diff != "" {
		t.Errorf("List that began on v1 (-want +got):\n%s", diff)
	}
	for cursor := first.Cursor; cursor != ""; {
		p, err := reader.Page(ctx, "tbl/", 3, cursor)
		l.must(err)
		for key, value := range entries(p) {
			if _, twice := got[key]; twice {
				t.Errorf("key %q came twice", key)
			}
			got[key] = value
		}
		cursor = p.Cursor
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pages that began on v1 (-want +got):\n%s", diff)
	}
	want["tbl/new"] = ""
	if diff := cmp.Diff(want, l.keys(reader, "tbl/")); diff != "" {
		t.Errorf("a drain that begins now (-want +got):\n%s", diff)
	}
	_, err = l.open("c", control.ModeV2Only).Page(ctx, "tbl/", 3, first.Cursor)
	l.is("a cursor of v1 on a v2-only node", err, store.ErrBadCursor)
}

// TestCursorOfV2: a dual node that is shown another's cursor of v2 looks for the
// marker, and without one does not believe it.
func TestCursorOfV2(t *testing.T) {
	ctx, l := context.Background(), newLake(t)
	l.write("tbl/a", "1", "1")
	reader := l.open("a", control.ModeDual)
	cursor := store.Cursor{Layout: store.V2, Scope: store.PrefixScope(lake2, "tbl/"), Shard: 3}.Token()
	_, err := reader.Page(ctx, "tbl/", 3, cursor)
	l.is("before the marker", err, store.ErrBadCursor)
	l.finalize()
	_, err = reader.Page(ctx, "tbl/", 3, cursor)
	l.must(err)
	l.mode(reader, control.ModeV2Authoritative)
}

func entries(p store.Page) map[string]string {
	m := make(map[string]string)
	for _, e := range p.Entries {
		m[e.Key] = string(e.Value)
	}
	return m
}

// TestSwitchUnrecorded: a node that could not tell that it has turned is still
// waited for, and says so with its next heartbeat.
func TestSwitchUnrecorded(t *testing.T) {
	ctx, l := context.Background(), newLake(t)
	s := l.openFaulty("a", control.ModeDual)
	l.finalize()
	l.faults.Next("TransactWriteItems", make4(storetest.NeverArrives)...)
	_, err := s.Page(ctx, "tbl/", 0, "")
	l.must(err)
	l.mode(s, control.ModeV2Authoritative)
	l.peer("a", control.ModeDual, false)
	l.must(s.Heartbeat(ctx))
	l.peer("a", control.ModeV2Authoritative, true)
}

// make4 is a fault for every attempt of one call.
func make4(f storetest.Fault) []storetest.Fault {
	faults := make([]storetest.Fault, storetest.Attempts)
	for i := range faults {
		faults[i] = f
	}
	return faults
}

// TestMarkerUnread: a refresh that cannot find out which layout is the authority
// fails, and so does a mutation that the barrier has refused.
func TestMarkerUnread(t *testing.T) {
	ctx, l := context.Background(), newLake(t)
	s := l.openFaulty("a", control.ModeDual)
	l.barrier()
	l.faults.Next("GetItem", make4(storetest.FailsBefore)...)
	for _, err := range s.List(ctx, "tbl/") {
		if err == nil {
			t.Error("the listing goes on")
		}
	}
	l.faults.Next("GetItem", make4(storetest.FailsBefore)...)
	err := s.CAS(ctx, "tbl/a", store.Absent(), nil)
	l.is("CAS", err, store.ErrWritesPaused)
	if !strings.Contains(err.Error(), "marker") {
		t.Errorf("message %q does not say what could not be read", err)
	}
}

// TestTurnDuringHeartbeat: a drain that meets the marker while a heartbeat still
// holds what it read before makes the node fit, not forbidden.
func TestTurnDuringHeartbeat(t *testing.T) {
	l := newLake(t)
	l.write("tbl/a", "old", "old")
	s := l.openFaulty("a", control.ModeDual)
	drained := make(chan error, 1)
	// The heartbeat reads the node's record, whether v1 is retired, the marker, and
	// then the barrier.
	l.faults.Next("GetItem", storetest.Through, storetest.Through, storetest.Through, before(func() {
		l.finalize()
		go func() {
			for _, err := range s.List(context.Background(), "tbl/") {
				if err != nil {
					drained <- err
					return
				}
			}
			drained <- nil
		}()
		for s.Mode() == control.ModeDual {
			time.Sleep(time.Millisecond)
		}
	}))
	l.must(s.Heartbeat(context.Background()))
	l.must(<-drained)
	if sent := l.faults.Sent("GetItem"); !strings.Contains(string(sent[3]), "barrier") {
		t.Errorf("the fourth read is %s, want that of the barrier", sent[3])
	}
	l.mode(s, control.ModeV2Authoritative)
	l.get(s, "tbl/a", "old")
	l.peer("a", control.ModeV2Authoritative, true)
}
