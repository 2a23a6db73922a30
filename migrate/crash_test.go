package migrate_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lakebench/lakebench/internal/backend/fault"
	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/migrate"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/dual"
)

// victim is the node that crashes.
const victim = "migrator"

// A crashCase is a verb that crashes at some request, and what must be so once
// somebody has run it, or another verb, again.
type crashCase struct {
	name    string
	arrange func(l *lake)
	crash   func(ctx context.Context, m *migrate.Migrator) error
	resume  func(ctx context.Context, m *migrate.Migrator) error
	// final: the end is that v2 is the authority; nil: whatever the crashed verb had
	// come to.
	final *bool
	// bare: v2 does not exist before, nor does a node that needs it.
	bare bool
}

// crashItems are copied in pages of ten and transactions of four.
const crashItems = 30

func backfillSmall(ctx context.Context, m *migrate.Migrator) error {
	o := migrate.DefaultBackfillOptions()
	o.PageSize, o.Batch = 10, 4
	r, err := m.Backfill(ctx, o)
	if err == nil && r.Progress.State != control.BackfillComplete {
		err = fmt.Errorf("the backfill ended as %+v", r)
	}
	return err
}

func finalizeA(ctx context.Context, m *migrate.Migrator) error {
	_, err := m.Finalize(ctx, finalizing("a"))
	return err
}

func abortMine(ctx context.Context, m *migrate.Migrator) error {
	_, err := m.Abort(ctx, migrate.AbortOptions{Owner: owner})
	return err
}

func repairAll(ctx context.Context, m *migrate.Migrator) error {
	_, err := m.Repair(ctx, migrate.DefaultRepairOptions())
	return err
}

func crashCases() []crashCase {
	yes, no := true, false
	copied := func(l *lake) { l.backfillAll() }
	damaged := func(l *lake) {
		l.backfillAll()
		l.remove(tableV2, "tbl/00003")
		l.remove(tableV1, "tbl/00007")
		l.set(tableV2, "tbl/00011", "other")
		if err := l.records().RecordProblem(l.quiet(), control.Problem{Key: "tbl/00011", Kind: control.Differing, Detail: "d"}); err != nil {
			l.t.Fatal(err)
		}
	}
	paused := func(l *lake) {
		l.backfillAll()
		if err := l.records().InstallBarrier(l.quiet(), control.Barrier{ID: "left", Owner: owner, Installed: task.Now(l.ctx)}); err != nil {
			l.t.Fatal(err)
		}
	}
	return []crashCase{
		{name: "init, then init", arrange: func(*lake) {}, crash: initV2, resume: initV2, final: &no, bare: true},
		{name: "backfill, then backfill", arrange: func(*lake) {}, crash: backfillSmall, resume: backfillSmall, final: &no},
		{name: "backfill after a void, then backfill", arrange: func(l *lake) { l.backfillAll(); l.void("old") }, crash: backfillSmall, resume: backfillSmall, final: &no},
		{name: "finalize, then finalize", arrange: copied, crash: finalizeA, resume: finalizeA, final: &yes},
		{name: "finalize, then abort", arrange: copied, crash: finalizeA, resume: abortUnlessFinal, final: nil},
		{name: "abort, then abort", arrange: paused, crash: abortMine, resume: abortMine, final: &no},
		{name: "abort, then finalize", arrange: paused, crash: abortMine, resume: finalizeA, final: &yes},
		{name: "repair, then repair", arrange: damaged, crash: repairAll, resume: repairAll, final: &no},
	}
}

func initV2(ctx context.Context, m *migrate.Migrator) error {
	_, err := m.Init(ctx, migrate.InitOptions{})
	return err
}

// abortUnlessFinal aborts; what is final cannot be.
func abortUnlessFinal(ctx context.Context, m *migrate.Migrator) error {
	if s, err := m.Status(ctx, nil); err != nil || s.Marker != nil {
		return err
	}
	return abortMine(ctx, m)
}

// TestCrashEverywhere: a verb that crashes before or after any one of its requests
// leaves a state from which it works: converged, equal, nothing lost.
func TestCrashEverywhere(t *testing.T) {
	for _, c := range crashCases() {
		t.Run(c.name, func(t *testing.T) {
			n := c.requests(t)
			if n < 5 {
				t.Fatalf("%d requests", n)
			}
			for i := 1; i <= n; i++ {
				for _, effect := range []string{"crash-before", "crash-after"} {
					c.run(t, fmt.Sprintf(`on dynamodb actor %q nth %d : %s`, victim, i, effect))
				}
			}
			t.Logf("crashed at each of %d requests", n)
		})
	}
}

// requests counts those of the verb without a crash.
func (c crashCase) requests(t *testing.T) (n int) {
	t.Helper()
	virtually(t, "", func(ctx context.Context, l *lake) {
		stop := l.prepare(c)
		defer stop()
		node, end := fault.Node(ctx, victim)
		defer end()
		if err := c.crash(node, l.migrator(l.client())); err != nil {
			t.Fatal(err)
		}
		for _, s := range l.served {
			if s.actor == victim {
				n++
			}
		}
	})
	return n
}

// prepare makes what the case begins with, and keeps node a alive.
func (l *lake) prepare(c crashCase) (stop func()) {
	l.t.Helper()
	l.load(records(crashItems, 10))
	if c.bare {
		return func() {}
	}
	l.init()
	a := l.node("a", control.ModeDual)
	c.arrange(l)
	return beating(l.quiet(), a)
}

func (c crashCase) run(t *testing.T, rule string) {
	t.Helper()
	virtually(t, rule, func(ctx context.Context, l *lake) {
		stop := l.prepare(c)
		defer stop()
		node, end := fault.Node(ctx, victim)
		defer end()
		if err := c.crash(node, l.migrator(l.client())); err == nil && !errors.Is(context.Cause(node), fault.ErrCrashed) {
			t.Errorf("%s: nothing crashed", rule)
		}
		l.safe(rule)
		next, end := fault.Node(ctx, "next")
		defer end()
		if err := c.resume(next, l.migrator(l.client())); err != nil {
			t.Errorf("%s: again: %v", rule, err)
			return
		}
		l.settled(rule, c)
	})
}

// safe holds what a crash left against what must hold at any time: the layouts are
// never said to be equal when they are not.
func (l *lake) safe(rule string) {
	l.t.Helper()
	b, err := l.records().Backfill(l.quiet())
	if err != nil && !errors.Is(err, store.ErrNoTable) {
		l.t.Fatal(err)
	}
	state, err := l.records().State(l.quiet())
	if err != nil {
		l.t.Fatal(err)
	}
	if (state.Marker != nil || b != nil && b.State == control.BackfillComplete && l.problems() == 0) && !cmp.Equal(l.contents(tableV1), l.contents(tableV2)) {
		l.t.Errorf("%s: backfill %+v, marker %+v, and the layouts differ", rule, b, state.Marker)
	}
	if state.Marker != nil && (state.Barrier == nil || state.Barrier.ID != state.Marker.BarrierID) {
		l.t.Errorf("%s: marker %+v without its barrier, %+v", rule, state.Marker, state.Barrier)
	}
}

func (l *lake) problems() (n int) {
	l.t.Helper()
	if err := l.records().Problems(l.quiet(), func(control.Problem) error { n++; return nil }); err != nil {
		l.t.Fatal(err)
	}
	return n
}

// settled holds the end of a case against what it must be.
func (l *lake) settled(rule string, c crashCase) {
	l.t.Helper()
	state, err := l.records().State(l.quiet())
	if err != nil {
		l.t.Fatal(err)
	}
	if c.final != nil && (state.Marker != nil) != *c.final {
		l.t.Errorf("%s: marker %+v", rule, state.Marker)
	}
	if (state.Barrier != nil) != (state.Marker != nil) {
		l.t.Errorf("%s: barrier %+v with marker %+v", rule, state.Barrier, state.Marker)
	}
	if n := len(l.contents(tableV1)); n < crashItems-1 {
		l.t.Errorf("%s: v1 has %d records", rule, n)
	}
	if c.bare {
		l.node("a", control.ModeDual)
		return
	}
	if diff := cmp.Diff(l.contents(tableV1), l.contents(tableV2)); diff != "" {
		l.t.Errorf("%s (-v1 +v2):\n%s", rule, diff)
	}
	if l.problems() != 0 {
		l.t.Errorf("%s: problems are open", rule)
	}
	l.writable(rule)
}

// writable checks that a node can write, and that both layouts then hold it.
func (l *lake) writable(rule string) {
	l.t.Helper()
	w := l.node("writer", control.ModeDual)
	if err := w.CAS(l.quiet(), "tbl/after", store.Absent(), []byte("x")); err != nil {
		l.t.Errorf("%s: a write afterwards: %v", rule, err)
	}
	for _, table := range []string{tableV1, tableV2} {
		if got := l.contents(table)["tbl/after"]; got != "x" {
			l.t.Errorf("%s: %s holds %q", rule, table, got)
		}
	}
}

// TestTwoAtOnce: any two verbs at once end as some order of them would, on many
// schedules.
func TestTwoAtOnce(t *testing.T) {
	verbs := map[string]func(context.Context, *migrate.Migrator) error{
		"init": initV2, "backfill": backfillSmall, "finalize": finalizeA, "abort": abortMine, "repair": repairAll,
	}
	names := []string{"init", "backfill", "finalize", "abort", "repair"}
	for i, one := range names {
		for _, two := range names[i:] {
			t.Run(one+" and "+two, func(t *testing.T) {
				for seed := range uint64(8) {
					twoAtOnce(t, seed, verbs[one], verbs[two])
				}
			})
		}
	}
}

func twoAtOnce(t *testing.T, seed uint64, one, two func(context.Context, *migrate.Migrator) error) {
	t.Helper()
	_, err := task.Run(t.Context(), task.VirtualConfig{Seed: seed, Policy: task.Random{}}, func(ctx context.Context) error {
		l := newLake(ctx, t, contentious(), "")
		l.load(records(crashItems, 10))
		l.init()
		a := l.node("a", control.ModeDual)
		if seed%2 == 0 {
			l.backfillAll()
		}
		if seed%4 == 0 {
			l.set(tableV2, "tbl/00003", "other")
		}
		stop := beating(l.quiet(), a)
		defer stop()
		group := task.NewGroup(ctx, 0)
		for _, verb := range []func(context.Context, *migrate.Migrator) error{one, two} {
			m := l.migrator(l.client())
			group.Go("verb", func(ctx context.Context) error {
				if err := verb(ctx, m); err != nil && !errors.Is(err, migrate.ErrRefused) {
					return err
				}
				return nil
			})
		}
		if err := group.Wait(); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		rule := fmt.Sprintf("seed %d", seed)
		if state, err := l.records().State(l.quiet()); err != nil || state.Marker != nil {
			l.safe(rule)
			return err
		}
		// From wherever they left it the migration goes on to its end.
		for _, verb := range []func(context.Context, *migrate.Migrator) error{abortMine, repairAll, backfillSmall, finalizeA} {
			if err := verb(ctx, l.migrator(l.client())); err != nil {
				t.Errorf("seed %d: %v", seed, err)
			}
		}
		yes := true
		l.settled(rule, crashCase{final: &yes})
		return nil
	})
	if err != nil {
		t.Errorf("seed %d: %v", seed, err)
	}
}

// TestStaleNode: a dual node that wakes up after the marker does not write v1 alone,
// nor with what it knew (hazard 4).
func TestStaleNode(t *testing.T) {
	virtually(t, `on dynamodb TransactWriteItems actor "stale" nth 1 : delay 30s`, func(ctx context.Context, l *lake) {
		stop := beating(l.quiet(), l.ready(20))
		defer stop()
		stale, err := l.open(l.quiet(), l.client(), "stale", control.ModeDual)
		if err != nil {
			t.Fatal(err)
		}
		node, end := fault.Node(ctx, "stale")
		defer end()
		group := task.NewGroup(ctx, 0)
		group.Go("stale write", func(context.Context) error {
			return stale.CAS(node, "tbl/00003", store.Exactly([]byte(records(20, 10)["tbl/00003"])), []byte("late"))
		})
		_ = task.Sleep(ctx, time.Second)
		if _, err := l.migrator(l.client()).Finalize(ctx, finalizing("a")); err != nil {
			t.Fatal(err)
		}
		var b *dual.Store
		if b, err = l.open(l.quiet(), l.setup, "b", control.ModeV2Authoritative); err != nil {
			t.Fatal(err)
		}
		if err := b.CAS(l.quiet(), "tbl/00003", store.Exactly([]byte(records(20, 10)["tbl/00003"])), []byte("newer")); err != nil {
			t.Fatal(err)
		}
		if err := group.Wait(); !errors.Is(err, store.ErrConflict) {
			t.Errorf("the late write: %v, want a conflict with the newer value", err)
		}
		if v1, v2 := l.contents(tableV1)["tbl/00003"], l.contents(tableV2)["tbl/00003"]; v1 != "newer" || v2 != "newer" {
			t.Errorf("v1 holds %q, v2 %q", v1, v2)
		}
	})
}
