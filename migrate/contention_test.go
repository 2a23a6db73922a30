package migrate_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/migrate"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/dual"
)

// TestBackfillBatchSize: a creation that contention over records has cancelled is
// followed by one of half as many, and each that succeeds by one with one more; where
// only the barrier's check was in the way it is sent again as it was.
func TestBackfillBatchSize(t *testing.T) {
	for _, c := range []struct {
		rules, there string // there: a record that v2 has already
		want         []int  // records of the creations that succeeded, of 98
	}{
		{"", "", []int{49, 49}},
		// 49 → 24; what is left of 49 records is not a full one of 26.
		{`key "tbl/*" nth 1 : conflict`, "", []int{24, 25, 26, 23}},
		{`key "tbl/*" nth 1 : throttle action`, "", []int{24, 25, 26, 23}},
		// 49 → 24 → 12 → 6.
		{`key "tbl/*" nth 1..3 : conflict`, "", []int{6, 7, 8, 9, 10, 9, 11, 12, 13, 13}},
		// 49 → 24 → 12 → 6 → 3 → 1 → 1.
		{`key "tbl/*" nth 1..6 : conflict`, "", []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 4, 10, 11, 12, 13, 3}},
		{`key "barrier" nth 1..9 : conflict`, "", []int{49, 49}},
		// Ten tries (write.DefaultBackoff) are enough.
		{`key "barrier" nth 1..10 : conflict`, "", []int{24, 25, 26, 23}},
		// It is in the first batch; the 48 others were as they had been read, and are sent
		// at once.
		{"", "tbl/00007", []int{48, 25, 24}},
	} {
		t.Run(c.rules+c.there, func(t *testing.T) {
			rules := c.rules
			if rules != "" {
				rules = "on dynamodb TransactWriteItems cause backfill " + rules
			}
			virtually(t, rules, func(ctx context.Context, l *lake) {
				items := records(98, 10)
				l.load(items)
				l.init()
				if c.there != "" {
					l.set(tableV2, c.there, items[c.there])
				}
				var got []int
				l.after = func(s served) {
					if s.api == "TransactWriteItems" && s.outcome == "ok" {
						got = append(got, int(s.wru-2)/4) // units of a creation: 2 and 4 a small record
					}
				}
				r, err := l.migrator(l.client()).Backfill(ctx, migrate.DefaultBackfillOptions())
				if err != nil || r.Progress.Converged != 98 {
					t.Fatalf("%+v, %v", r, err)
				}
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Error(diff)
				}
				if diff := cmp.Diff(items, l.contents(tableV2)); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// TestBackfillContended: batches cost at most 5% more than records one by one,
// however busy the nodes are.
func TestBackfillContended(t *testing.T) {
	single, batched := contended(t, 1), contended(t, migrate.MaxBatch)
	if batched > 1.05*single {
		t.Errorf("%.2f write units an item in batches, %.2f one by one", batched, single)
	}
}

// contended returns the write units an item of a backfill while four nodes write as
// fast as they can, one record in ten over and over, in transactions that last.
func contended(t *testing.T, batch int) (perItem float64) {
	t.Helper()
	const items, hot = 1000, 100
	_, err := task.Run(t.Context(), task.VirtualConfig{}, func(ctx context.Context) error {
		engine := contentious()
		engine.CommitDelay, engine.ChecksConflict = 10*time.Millisecond, false
		l := newLake(ctx, t, engine, "")
		l.load(records(items, 10))
		l.init()
		working, stop := task.WithCancel(l.quiet())
		group := task.NewGroup(working, 0)
		for i := range uint64(4) {
			n, rng := l.node(fmt.Sprint("writer-", i), control.ModeDual), rand.New(rand.NewPCG(1, i))
			group.Go("writer", func(ctx context.Context) error {
				return busy(ctx, n, rng, func() string { return fmt.Sprintf("tbl/%05d", rng.IntN(hot)*items/hot) })
			})
		}
		o := migrate.DefaultBackfillOptions()
		o.Batch = batch
		r, err := l.migrator(l.client()).Backfill(ctx, o)
		stop(context.Canceled)
		if failed := errors.Join(err, group.Wait()); failed != nil {
			return failed
		}
		if r.Progress.State != control.BackfillComplete || r.Progress.Scanned != items || r.Problems.Count != 0 {
			t.Errorf("%+v", r)
		}
		if diff := cmp.Diff(l.contents(tableV1), l.contents(tableV2)); diff != "" {
			t.Error(diff)
		}
		perItem = l.wru() / items
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return perItem
}

// busy replaces one record after the other until ctx ends.
func busy(ctx context.Context, n *dual.Store, rng *rand.Rand, key func() string) error {
	for task.Sleep(ctx, time.Duration(rng.IntN(4))*time.Millisecond) == nil {
		k := key()
		held, err := n.Get(ctx, k)
		if err == nil {
			err = n.CAS(cause.With(ctx, cause.Mutate), k, store.Exactly(held), fmt.Appendf(nil, "%016x", rng.Uint64()))
		}
		if err != nil && ctx.Err() == nil && !errors.Is(err, store.ErrContention) && !errors.Is(err, store.ErrConflict) {
			return err
		}
	}
	return nil
}
