package dual_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/dual"
)

// TestMirror: a dual mutation wants v2 absent or as expected. Another value fails
// closed, or is healed; v1 is looked at first (docs/spec/metadata-store.md §4,
// "Dual mutation").
func TestMirror(t *testing.T) {
	create := mutation{"create", "new", func(s store.MetaStore) error {
		return s.CAS(context.Background(), "tbl/a", store.Absent(), []byte("new"))
	}}
	for _, c := range []struct {
		what       string
		inV1, inV2 string
		want       error // of a node that fails closed
		heal       error
	}{
		{"equal", "old", "old", nil, nil},
		{"not yet copied", "old", "-", nil, nil},
		{"differing", "old", "other", store.ErrMirrorConflict, nil},
		{"differing, empty", "old", "", store.ErrMirrorConflict, nil},
		{"changed", "other", "other", store.ErrConflict, store.ErrConflict},
		{"changed, and v2 behind", "other", "old", store.ErrConflict, store.ErrConflict},
		{"orphan", "-", "old", store.ErrConflict, store.ErrConflict},
	} {
		for _, m := range mutations() {
			mirrored(t, m, c.what, c.inV1, c.inV2, c.want, c.heal)
		}
	}
	mirrored(t, create, "both absent", "-", "-", nil, nil)
	mirrored(t, create, "orphan", "-", "old", store.ErrMirrorConflict, nil)
	mirrored(t, create, "orphan of this value", "-", "new", store.ErrMirrorConflict, nil)
	mirrored(t, create, "exists", "old", "old", store.ErrConflict, store.ErrConflict)
}

func mirrored(t *testing.T, m mutation, what, inV1, inV2 string, closed, heal error) {
	t.Helper()
	for mirror, want := range map[dual.Mirror]error{dual.FailClosed: closed, dual.Heal: heal} {
		t.Run(m.name+" "+what+" "+mirror.String(), func(t *testing.T) {
			l := newLake(t)
			l.write("lease/a", "held", "held")
			l.write("tbl/a", inV1, inV2)
			cfg := l.config(l.direct, "a", control.ModeDual)
			cfg.Mirror = mirror
			err := m.do(openNode(t, cfg))
			switch {
			case want == nil:
				l.must(err)
				l.holds("tbl/a", m.after, m.after)
				return
			case errors.Is(want, store.ErrConflict) && m.name == "Delete" && inV1 == "-":
				want = store.ErrNotFound
			}
			l.is("mutation", err, want)
			l.holds("tbl/a", inV1, inV2)
			var conflict *dual.MirrorConflictError
			if errors.As(err, &conflict) {
				if conflict.Table != lake2 || conflict.Key != "tbl/a" || string(conflict.Found.Value) != inV2 || !strings.Contains(err.Error(), "repair") {
					t.Errorf("error %+v %q, want the value found in %s and what to do", conflict, err, lake2)
				}
			}
		})
	}
}

// TestAuthoritativeMirror: v1 follows v2 whatever it held, since nodes that write
// v2 alone leave it behind.
func TestAuthoritativeMirror(t *testing.T) {
	for _, m := range mutations() {
		for _, inV1 := range []string{"old", "-", "other"} {
			t.Run(m.name+" over "+inV1, func(t *testing.T) {
				l := newLake(t)
				l.write("lease/a", "lost", "held")
				l.write("tbl/a", inV1, "old")
				l.finalize()
				l.must(m.do(l.open("a", control.ModeV2Authoritative)))
				l.holds("tbl/a", m.after, m.after)
			})
		}
		t.Run(m.name+" of what v1 alone holds", func(t *testing.T) {
			l := newLake(t)
			l.write("lease/a", "held", "held")
			l.write("tbl/a", "old", "other")
			l.finalize()
			l.is("mutation", m.do(l.open("a", control.ModeV2Authoritative)), store.ErrConflict)
			l.holds("tbl/a", "old", "other")
		})
	}
}
