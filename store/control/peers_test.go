package control_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"

	"github.com/lakebench/lakebench/internal/storetest"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/control"
)

func peer(node, incarnation string, mode control.Mode) control.Peer {
	return control.Peer{Node: node, Incarnation: incarnation, Mode: mode}
}

// changed checks that err names the incarnation found, "" for none.
func (w *world) changed(what string, err error, incarnation string) {
	w.Helper()
	var changed *control.PeerChangedError
	if !errors.Is(err, control.ErrPeerChanged) || !errors.As(err, &changed) {
		w.Errorf("%s: error %v, want a PeerChangedError", what, err)
		return
	}
	found := ""
	if changed.Found != nil {
		found = changed.Found.Incarnation
	}
	if found != incarnation || !strings.Contains(err.Error(), `"a"`) {
		w.Errorf("%s: error %q found %q, want incarnation %q of the node", what, err, found, incarnation)
	}
}

// has checks a node's record, nil for none.
func (w *world) has(want *control.Peer) {
	w.Helper()
	got, err := w.theirs.Peer(w.ctx, "a")
	w.must(err)
	if diff := cmp.Diff(want, got); diff != "" {
		w.Errorf("record of node a (-want +got):\n%s", diff)
	}
}

// TestPeerLife: a node's record is its own, until another process registers under
// its id or an operator removes it.
func TestPeerLife(t *testing.T) {
	w := newWorld(t).made()
	first, second := peer("a", "i1", control.ModeDual), peer("a", "i2", control.ModeV2Only)
	w.has(nil)
	w.must(remove(w.ctx, w.ours, "a")) // nothing to remove
	w.must(w.ours.PutPeer(w.ctx, first))
	first.Heartbeat, first.MarkerObserved = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC), true
	w.must(w.ours.PutPeer(w.ctx, first))
	w.has(&first)

	replaced, err := w.theirs.Register(w.ctx, second)
	w.must(err)
	if diff := cmp.Diff(&first, replaced); diff != "" {
		t.Errorf("replaced (-want +got):\n%s", diff)
	}
	w.changed("the first's heartbeat", w.ours.PutPeer(w.ctx, first), "i2")
	w.must(w.ours.Withdraw(w.ctx, first, nil)) // it is not the first's any more
	w.has(&second)
	w.must(w.theirs.Withdraw(w.ctx, second, replaced))
	w.has(&first)
	w.must(w.ours.Withdraw(w.ctx, first, nil))
	w.has(nil)
	w.must(w.ours.PutPeer(w.ctx, first))
	w.must(remove(w.ctx, w.theirs, "a"))
	w.has(nil)

	for _, node := range []string{"", strings.Repeat("n", 257), "\xff"} {
		w.is("node id", w.ours.PutPeer(w.ctx, peer(node, "i", control.ModeV1)), store.ErrInvalid)
		w.is("node id", remove(w.ctx, w.ours, node), store.ErrInvalid)
	}
	if err := w.ours.PutPeer(w.ctx, peer("a", "i", 0)); err == nil {
		t.Error("a record without a mode is written")
	}
}

// TestPeerRaces: a record that has changed since it was read is not replaced.
func TestPeerRaces(t *testing.T) {
	first := peer("a", "i1", control.ModeDual)
	beats := first
	beats.Heartbeat = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	old := peer("a", "i2", control.ModeV1)
	t.Run("remove a node that is alive", func(t *testing.T) {
		w := newWorld(t).made()
		w.must(w.theirs.PutPeer(w.ctx, first))
		w.meanwhile(func() { w.must(w.theirs.PutPeer(w.ctx, beats)) })
		w.changed("remove", remove(w.ctx, w.ours, "a"), "i1")
		w.has(&beats)
	})
	t.Run("heartbeat while another registers", func(t *testing.T) {
		w := newWorld(t).made()
		w.must(w.ours.PutPeer(w.ctx, first))
		w.meanwhile(func() { _, err := w.theirs.Register(w.ctx, old); w.must(err) })
		w.changed("heartbeat", w.ours.PutPeer(w.ctx, beats), "i2")
		w.has(&old)
	})
	t.Run("heartbeat that comes late", func(t *testing.T) {
		// A finalizer must not take the v1-only node for a dual one (hazard 11).
		w := newWorld(t).made()
		w.must(w.ours.PutPeer(w.ctx, first))
		late, deliver := storetest.Delayed()
		w.faults.Next(transact, append([]storetest.Fault{late}, every(storetest.NeverArrives)...)...)
		w.is("heartbeat", w.ours.PutPeer(w.ctx, beats), store.ErrUnknown)
		_, err := w.theirs.Register(w.ctx, old)
		w.must(err)
		w.must(deliver())
		w.has(&old)
	})
	t.Run("two register", func(t *testing.T) {
		w := newWorld(t).made()
		w.meanwhile(func() { w.must(w.theirs.PutPeer(w.ctx, first)) })
		replaced, err := w.ours.Register(w.ctx, old)
		w.must(err)
		if replaced == nil || replaced.Incarnation != "i1" {
			t.Errorf("replaced %+v, want the record that came first", replaced)
		}
		w.has(&old)
	})
}

// small returns one record a page.
type small struct{ control.Client }

func (s small) Query(ctx context.Context, in *dynamodb.QueryInput, opts ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	with, one := *in, int32(1)
	with.Limit = &one
	return s.Client.Query(ctx, &with, opts...)
}

// TestPeers: every node is listed, and nothing else.
func TestPeers(t *testing.T) {
	w := newWorld(t).made()
	w.must(w.ours.InstallBarrier(w.ctx, b("b1")))
	var want []control.Peer
	for _, node := range []string{"a", "a/b", strings.Repeat("n", 256), "peer/", "ü"} {
		p := peer(node, "i", control.ModeDual)
		w.must(w.ours.PutPeer(w.ctx, p))
		want = append(want, p)
	}
	for what, r := range map[string]*control.Records{"one page": w.ours, "many pages": openRecords(t, small{w.direct}, 3)} {
		got, err := r.Peers(w.ctx)
		w.must(err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
}

// TestV1VoidsBackfill: a v1-only record that appears voids the backfill, and so
// does one that goes: what its node wrote may not be in v2
// (docs/spec/metadata-store.md §4).
func TestV1VoidsBackfill(t *testing.T) {
	old, again, now := peer("a", "i1", control.ModeV1), peer("a", "i2", control.ModeV1), peer("a", "i3", control.ModeDual)
	register := func(p control.Peer) func(w *world) error {
		return func(w *world) error { _, err := w.ours.Register(w.ctx, p); return err }
	}
	for what, c := range map[string]struct {
		before *control.Peer
		do     func(w *world) error
		voids  bool
	}{
		"v1 registers":               {nil, register(old), true},
		"v1 registers once more":     {&old, register(again), true},
		"v1 registers over dual":     {&now, register(old), true},
		"v1 registers by heartbeat":  {nil, func(w *world) error { return w.ours.PutPeer(w.ctx, old) }, true},
		"v1 renews":                  {&old, func(w *world) error { return w.ours.PutPeer(w.ctx, old) }, false},
		"dual registers over v1":     {&old, register(now), true},
		"v1 is removed":              {&old, func(w *world) error { return remove(w.ctx, w.ours, "a") }, true},
		"dual registers":             {nil, register(now), false},
		"dual registers once more":   {&now, register(peer("a", "i4", control.ModeDual)), false},
		"dual renews":                {&now, func(w *world) error { return w.ours.PutPeer(w.ctx, now) }, false},
		"dual is removed":            {&now, func(w *world) error { return remove(w.ctx, w.ours, "a") }, false},
		"dual gives way to v1 again": {&now, func(w *world) error { return w.ours.Withdraw(w.ctx, now, &old) }, true},
	} {
		t.Run(what, func(t *testing.T) {
			w := newWorld(t).made()
			if c.before != nil {
				w.must(w.theirs.PutPeer(w.ctx, *c.before))
			}
			w.must(w.theirs.SaveBackfill(w.ctx, nil, control.Backfill{Run: "r1", State: control.BackfillComplete}))
			w.must(c.do(w))
			progress, err := w.theirs.Backfill(w.ctx)
			w.must(err)
			if voided := progress.State == control.BackfillVoided; voided != c.voids || voided && progress.VoidedBy != "a" {
				t.Errorf("backfill %+v, want it voided: %v", progress, c.voids)
			}
		})
	}
	t.Run("before its record goes", func(t *testing.T) {
		w := newWorld(t).made()
		w.must(w.theirs.PutPeer(w.ctx, old))
		w.must(w.theirs.SaveBackfill(w.ctx, nil, control.Backfill{Run: "r1", State: control.BackfillComplete}))
		w.faults.Next("PutItem", storetest.Refused("ValidationException"))
		if err := register(now)(w); err == nil {
			t.Error("registered, although the backfill could not be voided")
		}
		w.has(&old)
	})
}

func TestModes(t *testing.T) {
	names := []string{"v1", "dual", "v2-authoritative", "v2-only"}
	for i, m := range control.Modes() {
		parsed, err := control.ParseMode(names[i])
		if err != nil || parsed != m || m.String() != names[i] {
			t.Errorf("mode %q is %v, %v", names[i], parsed, err)
		}
		if got, want := m.ReadsV2(), i >= 2; got != want {
			t.Errorf("mode %v reads v2: %v, want %v", m, got, want)
		}
	}
	for _, bad := range []string{"", "V1", "v2", "authoritative"} {
		if _, err := control.ParseMode(bad); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("ParseMode(%q): %v, want ErrInvalid", bad, err)
		}
	}
	for _, bad := range []control.Mode{0, 5, -1} {
		if err := bad.Validate(); !errors.Is(err, store.ErrInvalid) || !strings.Contains(err.Error(), fmt.Sprint(int(bad))) {
			t.Errorf("mode %d: %v, want ErrInvalid that names it", int(bad), err)
		}
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
