package migrate_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lakebench/lakebench/migrate"
	"github.com/lakebench/lakebench/store/control"
)

// TestThinPath: init, backfill, verify, finalize, status.
func TestThinPath(t *testing.T) {
	virtually(t, "", func(ctx context.Context, l *lake) {
		l.load(records(100, 10))
		m := l.migrator(l.client())
		if r, err := m.Init(ctx, migrate.InitOptions{}); err != nil || !r.Created {
			t.Fatalf("%+v, %v", r, err)
		}
		a := l.node("a", control.ModeDual)
		if r, err := m.Backfill(ctx, migrate.DefaultBackfillOptions()); err != nil || r.Progress.State != control.BackfillComplete {
			t.Fatalf("%+v, %v", r, err)
		}
		if v, err := m.Verify(ctx, migrate.DefaultVerifyOptions()); err != nil || !v.Equal() {
			t.Fatalf("%+v, %v", v, err)
		}
		stop := beating(l.quiet(), a)
		defer stop()
		if r, err := m.Finalize(ctx, finalizing("a")); err != nil || r.Marker == nil {
			t.Fatalf("%+v, %v", r, err)
		}
		s, err := m.Status(ctx, []string{"a"})
		if err != nil || s.Mode != control.ModeV2Authoritative || s.Rollback != migrate.RollbackDual {
			t.Fatalf("%+v, %v", s, err)
		}
		if diff := cmp.Diff(l.contents(tableV1), l.contents(tableV2)); diff != "" {
			t.Error(diff)
		}
	})
}
