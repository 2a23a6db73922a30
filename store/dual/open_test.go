package dual_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lakebench/lakebench/internal/storetest"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/dual"
	"github.com/lakebench/lakebench/store/keyspace"
)

// TestForbidden opens a node in every mode in every state of a migration
// (docs/spec/metadata-store.md §4).
func TestForbidden(t *testing.T) {
	ctx := context.Background()
	v1, dualMode, authoritative, only := control.ModeV1, control.ModeDual, control.ModeV2Authoritative, control.ModeV2Only
	for _, c := range []struct {
		state string
		reach func(l *testLake)
		want  map[control.Mode]any // a mode to serve in, or why not
	}{
		{"initialized", func(*testLake) {}, map[control.Mode]any{
			v1: v1, dualMode: dualMode, authoritative: control.ErrNotFinalized, only: control.ErrNotFinalized,
		}},
		{"barrier", (*testLake).barrier, map[control.Mode]any{
			v1: dual.ErrFinalizing, dualMode: dualMode, authoritative: control.ErrNotFinalized, only: control.ErrNotFinalized,
		}},
		{"final", (*testLake).finalize, map[control.Mode]any{
			v1: control.ErrFinalized, dualMode: authoritative, authoritative: authoritative, only: only,
		}},
		{"retired", func(l *testLake) {
			l.finalize()
			l.must(l.records.Retire(ctx, control.Retired{Owner: "test"}))
		}, map[control.Mode]any{v1: dual.ErrRetired, dualMode: dual.ErrRetired, authoritative: dual.ErrRetired, only: only}},
	} {
		for mode, want := range c.want {
			t.Run(c.state+" "+mode.String(), func(t *testing.T) {
				l := newLake(t)
				c.reach(l)
				s, err := dual.Open(ctx, l.config(l.direct, "a", mode))
				if serves, ok := want.(control.Mode); ok {
					l.must(err)
					l.mode(s, serves)
					l.peer("a", serves, serves.ReadsV2())
					return
				}
				wantForbidden(t, err, mode, want.(error))
				l.noPeer("a")
			})
		}
	}
	t.Run("before init", func(t *testing.T) {
		l := legacyLake(t)
		for _, mode := range control.Modes()[1:] {
			_, err := dual.Open(ctx, l.config(l.direct, "a", mode))
			wantForbidden(t, err, mode, dual.ErrNotInitialized)
		}
	})
}

// wantForbidden checks that err names what is wrong, where, and what to do.
func wantForbidden(t *testing.T, err error, mode control.Mode, reason error) {
	t.Helper()
	var forbidden *dual.ForbiddenError
	if !errors.Is(err, dual.ErrForbidden) || !errors.Is(err, reason) || !errors.As(err, &forbidden) {
		t.Errorf("error %v, want a ForbiddenError for %v", err, reason)
		return
	}
	if forbidden.Mode != mode || forbidden.Advice == "" {
		t.Errorf("forbidden mode %v, advice %q; want %v and some", forbidden.Mode, forbidden.Advice, mode)
	}
	for _, want := range []string{lake, `"a"`, mode.String(), forbidden.Advice} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("message %q lacks %q", err, want)
		}
	}
}

// TestRecordThenLook: a node that is being opened while a finalization begins has
// written its record before it looks. So whoever installs the barrier and finds no
// record there stops it (docs/spec/metadata-store.md §4, "peers"; hazard 11).
func TestRecordThenLook(t *testing.T) {
	ctx := context.Background()
	for what, c := range map[string]struct {
		mode  control.Mode
		reach func(l *testLake)
		want  any
	}{
		"v1, barrier":    {control.ModeV1, (*testLake).barrier, dual.ErrFinalizing},
		"v1, marker":     {control.ModeV1, (*testLake).finalize, control.ErrFinalized},
		"dual, barrier":  {control.ModeDual, (*testLake).barrier, control.ModeDual},
		"dual, marker":   {control.ModeDual, (*testLake).finalize, control.ModeV2Authoritative},
		"dual, retired":  {control.ModeDual, func(l *testLake) { l.finalize(); l.must(l.records.Retire(ctx, control.Retired{})) }, dual.ErrRetired},
		"v1, the record": {control.ModeV1, func(l *testLake) { l.noPeer("a") }, control.ModeV1},
	} {
		t.Run(what, func(t *testing.T) {
			l := newLake(t)
			l.faults.Next("TransactWriteItems", before(func() { c.reach(l) })) // the record on its way
			s, err := dual.Open(ctx, l.config(l.faulty, "a", c.mode))
			if serves, ok := c.want.(control.Mode); ok {
				l.must(err)
				l.mode(s, serves)
				l.peer("a", serves, serves.ReadsV2())
				return
			}
			wantForbidden(t, err, c.mode, c.want.(error))
			l.noPeer("a")
		})
	}
}

// TestRefusedLeavesRecord: a node that may not open after all puts the record back
// that it has replaced, whose process may be alive.
func TestRefusedLeavesRecord(t *testing.T) {
	ctx, l := context.Background(), newLake(t)
	alive := l.open("a", control.ModeDual)
	was, err := l.records.Peers(ctx)
	l.must(err)
	l.faults.Next("TransactWriteItems", before(l.finalize))
	_, err = dual.Open(ctx, l.config(l.faulty, "a", control.ModeV1))
	wantForbidden(t, err, control.ModeV1, control.ErrFinalized)
	is, err := l.records.Peers(ctx)
	l.must(err)
	if diff := cmp.Diff(was, is); diff != "" {
		t.Errorf("records after the refusal (-before +after):\n%s", diff)
	}
	l.must(alive.Heartbeat(ctx))
	l.mode(alive, control.ModeV2Authoritative)
}

// TestV1BeforeInit: without a v2 table there is neither barrier nor marker, and no
// record; the node registers once the table exists
// (docs/spec/metadata-store.md §4).
func TestV1BeforeInit(t *testing.T) {
	ctx, l := context.Background(), legacyLake(t)
	s := l.open("a", control.ModeV1)
	l.must(s.CAS(ctx, "tbl/a", store.Absent(), []byte("1")))
	l.must(s.Heartbeat(ctx))
	l.get(s, "tbl/a", "1")
	initialize(t, l.direct, lake, 1)
	l.noPeer("a")
	l.must(s.Heartbeat(ctx))
	l.peer("a", control.ModeV1, false)

	t.Run("init while it opens", func(t *testing.T) {
		l := legacyLake(t)
		look, register := storetest.Through, storetest.After(storetest.Through, func() { initialize(t, l.direct, lake, 1) })
		l.faults.Next("GetItem", look, register)
		openNode(t, l.config(l.faulty, "a", control.ModeV1))
		l.peer("a", control.ModeV1, false)
	})
	t.Run("barrier at once", func(t *testing.T) {
		l := legacyLake(t)
		s := l.open("a", control.ModeV1)
		initialize(t, l.direct, lake, 1)
		l.barrier()
		wantForbidden(t, s.Heartbeat(ctx), control.ModeV1, dual.ErrFinalizing)
		l.is("CAS", s.CAS(ctx, "tbl/a", store.Absent(), nil), dual.ErrFinalizing)
		_, err := s.Get(ctx, "tbl/a")
		l.is("Get", err, dual.ErrFinalizing)
		// The finalization is given up: the node is fit again.
		l.must(l.records.RemoveBarrier(ctx, "b1"))
		l.must(s.Heartbeat(ctx))
		l.must(s.CAS(ctx, "tbl/a", store.Absent(), nil))
	})
}

// TestV2OnlyWaits: a node that stops mirroring v1 waits for everybody who may read
// it (docs/spec/metadata-store.md §4; hazard 4).
func TestV2OnlyWaits(t *testing.T) {
	ctx, l := context.Background(), newLake(t)
	reader, other := l.open("reader", control.ModeDual), l.open("other", control.ModeDual)
	l.finalize()
	l.must(other.Heartbeat(ctx))
	_, err := dual.Open(ctx, l.config(l.direct, "a", control.ModeV2Only))
	wantForbidden(t, err, control.ModeV2Only, dual.ErrPeersBehind)
	if err != nil && (!strings.Contains(err.Error(), "reader (dual)") || strings.Contains(err.Error(), "other")) {
		t.Errorf("message %q, want it to name the reader and nobody else", err)
	}
	l.noPeer("a")
	l.must(reader.Heartbeat(ctx))
	first, second := l.open("a", control.ModeV2Only), l.open("b", control.ModeV2Only)
	l.must(first.CAS(ctx, "tbl/a", store.Absent(), []byte("1")))
	l.must(second.CAS(ctx, "tbl/a", is("1"), []byte("2")))
	l.holds("tbl/a", "-", "2")
	l.get(reader, "tbl/a", "2")
}

// TestSameNodeTwice: a node whose id another process has taken stops: what the
// record says is not about it any more.
func TestSameNodeTwice(t *testing.T) {
	ctx, l := context.Background(), newLake(t)
	first := l.open("a", control.ModeDual)
	second := l.open("a", control.ModeDual)
	wantForbidden(t, first.Heartbeat(ctx), control.ModeDual, control.ErrPeerChanged)
	_, getErr := first.Get(ctx, "tbl/a")
	_, pageErr := first.Page(ctx, "tbl/", 0, "")
	var listErr error
	for _, err := range first.List(ctx, "tbl/") {
		listErr = err
	}
	for what, err := range map[string]error{
		"Get": getErr, "Page": pageErr, "List": listErr,
		"CAS": first.CAS(ctx, "tbl/a", store.Absent(), nil), "Delete": first.Delete(ctx, "tbl/a", nil),
		"GuardedMutate": first.GuardedMutate(ctx, store.Guard{Key: "lease/a"}, store.Mutation{Key: "tbl/a"}),
	} {
		l.is(what, err, control.ErrPeerChanged)
	}
	l.must(first.Close(ctx)) // leaves the other's record alone
	l.peer("a", control.ModeDual, false)
	l.must(second.Heartbeat(ctx))
	l.must(second.CAS(ctx, "tbl/a", store.Absent(), nil))
}

// TestRemovedPeer: a node that was taken for dead and is not counts again from its
// next heartbeat on, and knows what has happened meanwhile.
func TestRemovedPeer(t *testing.T) {
	ctx, l := context.Background(), newLake(t)
	s := l.open("a", control.ModeDual)
	l.must(remove(ctx, l.records, "a"))
	l.finalize()
	l.must(s.Heartbeat(ctx))
	l.mode(s, control.ModeV2Authoritative)
	l.peer("a", control.ModeV2Authoritative, true)
}

// TestClose: a closed node serves no more, and nobody waits for it; but who has
// written v1 alone stays on record.
func TestClose(t *testing.T) {
	ctx, l := context.Background(), newLake(t)
	nodes := map[string]*dual.Store{"old": l.open("old", control.ModeV1), "new": l.open("new", control.ModeDual)}
	for _, s := range nodes {
		l.must(s.Close(ctx))
		l.is("CAS", s.CAS(ctx, "tbl/a", store.Absent(), nil), dual.ErrClosed)
		l.is("Heartbeat", s.Heartbeat(ctx), dual.ErrClosed)
		_, err := s.Get(ctx, "tbl/a")
		l.is("Get", err, dual.ErrClosed)
	}
	l.peer("old", control.ModeV1, false)
	l.noPeer("new")
	l.holds("tbl/a", "-", "-")
}

func TestConfig(t *testing.T) {
	l := newLake(t)
	for what, change := range map[string]func(*dual.Config){
		"client":     func(c *dual.Config) { c.Client = nil },
		"table":      func(c *dual.Config) { c.Table = "" },
		"long table": func(c *dual.Config) { c.Table = strings.Repeat("t", 250) },
		"node":       func(c *dual.Config) { c.Node = "" },
		"long node":  func(c *dual.Config) { c.Node = strings.Repeat("n", 257) },
		"no mode":    func(c *dual.Config) { c.Mode = 0 },
		"mode":       func(c *dual.Config) { c.Mode = 9 },
		"mirror":     func(c *dual.Config) { c.Mirror = 9 },
		"shards":     func(c *dual.Config) { c.Shards = keyspace.ShardCounts{} },
		"page limit": func(c *dual.Config) { c.PageLimit = -1 },
		"parallel":   func(c *dual.Config) { c.Parallel = 0 },
		"random":     func(c *dual.Config) { c.Random = nil },
		"back-off":   func(c *dual.Config) { c.Backoff.Tries = 0 },
	} {
		cfg := l.config(l.direct, "a", control.ModeDual)
		change(&cfg)
		if _, err := dual.Open(context.Background(), cfg); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("bad %s: %v, want ErrInvalid", what, err)
		}
	}
	cfg := l.config(l.direct, "a", control.ModeDual)
	cfg.Shards.Default = 16
	if _, err := dual.Open(context.Background(), cfg); !errors.Is(err, control.ErrLayout) {
		t.Errorf("other shard counts: %v, want ErrLayout", err)
	}
}

// remove removes what is recorded of a node, if anything.
func remove(ctx context.Context, r *control.Records, node string) error {
	p, err := r.Peer(ctx, node)
	if err != nil || p == nil {
		return err
	}
	return r.RemovePeer(ctx, *p)
}
