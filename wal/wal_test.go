package wal_test

import (
	"context"
	"testing"

	"github.com/lakebench/lakebench/manifest"
)

func TestARowGoesAllTheWay(t *testing.T) {
	forEachPolicy(t, func(ctx context.Context, t *testing.T, s *service, kind manifest.Kind) {
		w := s.open(ctx, t, kind)
		mustAppend(ctx, t, w, row("a", "1"), row("b", "1"))
		mustAppend(ctx, t, w, row("b", "2"))
		mustFlush(ctx, t, w)
		mustAppend(ctx, t, w, row("c", "1"), deleted("a"))
		expect := func(where, scan string, gets map[string]string) {
			t.Helper()
			r := w.Reader()
			rows, err := r.Scan(ctx)
			if err != nil || text(rows) != scan {
				t.Errorf("%s: a scan has %q (%v), expected %q", where, text(rows), err, scan)
			}
			for key, want := range gets {
				got, found, err := r.Get(ctx, key)
				if err != nil || found != (want != "") || string(got.Value) != want {
					t.Errorf("%s: %s is %q, %v (%v), expected %q", where, key, got.Value, found, err, want)
				}
			}
		}
		all := map[string]string{"a": "", "b": "2", "c": "1", "d": ""}
		expect("memtable and generation", "a- b=2 c=1", all)

		if err := w.Close(ctx); err != nil {
			t.Fatal(err)
		}
		w = s.open(ctx, t, kind)
		expect("reopened", "a- b=2 c=1", all)
		mustFlush(ctx, t, w)
		expect("two generations", "a- b=2 c=1", all)
		done, err := w.Compact(ctx)
		if err != nil || done.Generations != 2 || done.Rows != 3 {
			t.Fatalf("compacted %+v (%v), expected 2 generations with 3 keys", done, err)
		}
		expect("compacted", "", all)
		mustAppend(ctx, t, w, row("b", "3"))
		all["b"] = "3"
		expect("above the base table", "b=3", all)
		w = s.open(ctx, t, kind)
		expect("reopened after the compaction", "b=3", all)
	})
}
