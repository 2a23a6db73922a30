package dual_test

import (
	"context"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/internal/storetest"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/dual"
)

// TestRefusedUpFront: what has no room in v2, spans families or means nothing is
// refused before any request, in every mode but v1, where v1's rules hold
// (docs/spec/metadata-store.md §1 to §3).
func TestRefusedUpFront(t *testing.T) {
	ctx := context.Background()
	long := "tbl/" + strings.Repeat("k", 1021) // a byte over a sort key's limit
	// An item of exactly 409,600 bytes in v1 is larger in v2 by "bucket" and "tbl#00".
	large := make([]byte, 409_600-len("pk")-len("tbl/a")-len("value"))
	guard, same := store.Guard{Key: "lease/a", Expect: is("held")}, store.Guard{Key: "tbl/a"}
	get := func(key string) func(s *dual.Store) error {
		return func(s *dual.Store) error { _, err := s.Get(ctx, key); return err }
	}
	page := func(prefix string, limit int) func(s *dual.Store) error {
		return func(s *dual.Store) error { _, err := s.Page(ctx, prefix, limit, ""); return err }
	}
	list := func(prefix string) func(s *dual.Store) error {
		return func(s *dual.Store) error {
			for _, err := range s.List(ctx, prefix) {
				return err
			}
			return nil
		}
	}
	for _, c := range []struct {
		what string
		do   func(s *dual.Store) error
		want error
		inV1 error // what comes of it in mode v1
	}{
		{"get a long key", get(long), store.ErrTooLarge, store.ErrNotFound},
		{"create a long key", func(s *dual.Store) error { return s.CAS(ctx, long, store.Absent(), nil) }, store.ErrTooLarge, nil},
		{"delete a long key", func(s *dual.Store) error { return s.Delete(ctx, long, nil) }, store.ErrTooLarge, store.ErrNotFound},
		{"a long guard", func(s *dual.Store) error {
			return s.GuardedMutate(ctx, store.Guard{Key: long}, store.Mutation{Key: "tbl/b"})
		}, store.ErrTooLarge, nil},
		{"create a large item", func(s *dual.Store) error { return s.CAS(ctx, "tbl/a", store.Absent(), large) }, store.ErrTooLarge, nil},
		{"replace a large item", func(s *dual.Store) error { return s.CAS(ctx, "tbl/a", store.Exactly(large), nil) }, store.ErrTooLarge, store.ErrConflict},
		{"delete a large item", func(s *dual.Store) error { return s.Delete(ctx, "tbl/a", large) }, store.ErrTooLarge, store.ErrNotFound},
		{"create a large item under a guard", func(s *dual.Store) error {
			return s.GuardedMutate(ctx, guard, store.Mutation{Key: "tbl/a", Next: large})
		}, store.ErrTooLarge, store.ErrGuard},
		{"page of a long prefix", page(long, 1), store.ErrTooLarge, nil},
		{"page of all", page("", 1), store.ErrPrefixSpansFamilies, nil},
		{"page of a part of a family's name", page("tb", 1), store.ErrPrefixSpansFamilies, nil},
		{"list a part of a family's name", list("tb"), store.ErrPrefixSpansFamilies, nil},
		{"page of -1 items", page("tbl/", -1), store.ErrInvalid, store.ErrInvalid},
		{"guard on the target", func(s *dual.Store) error { return s.GuardedMutate(ctx, same, store.Mutation{Key: "tbl/a"}) }, store.ErrInvalid, store.ErrInvalid},
		{"no key", get(""), store.ErrInvalid, store.ErrInvalid},
	} {
		for _, mode := range control.Modes() {
			t.Run(c.what+", "+mode.String(), func(t *testing.T) {
				l := newLake(t)
				if mode.ReadsV2() {
					l.finalize()
				}
				rec := storetest.NewRecorder(l.direct)
				s := openNode(t, l.config(rec, "a", mode))
				rec.Take()
				err := c.do(s)
				if mode == control.ModeV1 {
					l.is(c.what, err, c.inV1)
					return
				}
				l.is(c.what, err, c.want)
				if requests := rec.Take(); len(requests) > 0 {
					t.Errorf("it made requests:\n%s", strings.Join(requests, "\n"))
				}
			})
		}
	}
}
