package task_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/lakebench/lakebench/internal/sim/task"
)

func TestSleepOfADoneContext(t *testing.T) {
	onBoth(t, func(ctx context.Context) error {
		ctx, cancel := task.WithCancel(ctx)
		cancel(errBoom)
		return errors.Join(
			want("sleep", task.Sleep(ctx, time.Hour), errBoom),
			want("no sleep", task.Sleep(ctx, 0), errBoom))
	})
}

func TestSleepEndsWithItsContext(t *testing.T) {
	onBoth(t, func(ctx context.Context) error {
		mine, cancel := task.WithCancel(ctx)
		return inGroup(ctx,
			func(context.Context) error { return want("sleep", task.Sleep(mine, time.Hour), errBoom) },
			func(context.Context) error { cancel(errBoom); return nil })
	})
}

func TestDeadlines(t *testing.T) {
	onBoth(t, func(ctx context.Context) error {
		short, cancel := task.WithTimeout(ctx, time.Millisecond)
		defer cancel()
		long, cancelLong := task.WithTimeout(short, time.Hour)
		defer cancelLong()
		past, cancelPast := task.WithDeadline(ctx, task.Now(ctx))
		defer cancelPast()
		unused, cancelUnused := task.WithTimeout(ctx, time.Hour)
		cancelUnused()
		a, _ := short.Deadline()
		b, _ := long.Deadline()
		return errors.Join(
			wantEqual("a child's deadline", b, a),
			want("past", past.Err(), context.DeadlineExceeded),
			want("past's cause", context.Cause(past), context.DeadlineExceeded),
			want("sleep until the parent's deadline", task.Sleep(long, time.Hour), context.DeadlineExceeded),
			want("parent", short.Err(), context.DeadlineExceeded),
			want("child", long.Err(), context.DeadlineExceeded),
			want("child's cause", context.Cause(long), context.DeadlineExceeded),
			want("cancelled before its deadline", unused.Err(), context.Canceled))
	})
}

func TestCauses(t *testing.T) {
	onBoth(t, func(ctx context.Context) error {
		parent, cancelParent := task.WithCancel(ctx)
		child, cancelChild := task.WithCancel(context.WithValue(parent, key("between"), 1))
		first, cancelFirst := task.WithCancel(parent)
		cancelFirst(errors.New("own"))
		cancelParent(errBoom)
		late, cancelLate := task.WithCancel(child)
		cancelChild(errors.New("too late"))
		cancelLate(nil)
		plain, cancelPlain := task.WithCancel(ctx)
		cancelPlain(nil)
		return errors.Join(
			want("parent", parent.Err(), context.Canceled),
			want("parent's cause", context.Cause(parent), errBoom),
			want("child", child.Err(), context.Canceled),
			want("child's cause", context.Cause(child), errBoom),
			want("cause of a child of a done parent", context.Cause(late), errBoom),
			wantEqual("the first cause stays", context.Cause(first).Error(), "own"),
			want("no cause", context.Cause(plain), context.Canceled),
			want("unrelated", ctx.Err(), nil))
	})
}

// The rest is about virtual time only.

func virtually(t *testing.T, cfg task.VirtualConfig, fn func(ctx context.Context) error) task.Trace {
	t.Helper()
	trace, err := task.Run(t.Context(), cfg, fn)
	if err != nil {
		t.Error(err)
	}
	return trace
}

func TestTimeJumps(t *testing.T) {
	start := time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)
	trace := virtually(t, task.VirtualConfig{Start: start}, func(ctx context.Context) error {
		err := inGroup(ctx,
			func(ctx context.Context) error { return task.Sleep(ctx, 24*time.Hour) },
			func(ctx context.Context) error { return task.Sleep(ctx, time.Hour) })
		return errors.Join(err,
			wantEqual("now", task.Now(ctx), start.AddDate(0, 0, 1)),
			wantEqual("since", task.Since(ctx, start), 24*time.Hour))
	})
	if trace.Elapsed != 24*time.Hour {
		t.Errorf("elapsed %v, want 24h", trace.Elapsed)
	}
}

// Sleepers wake in the order of their times, and those of one time in the order
// in which they fell asleep; the clock shows exactly that time.
func TestSleepersWakeInOrder(t *testing.T) {
	virtually(t, task.VirtualConfig{}, func(ctx context.Context) error {
		const tasks = 40
		delay := func(i int) time.Duration { return time.Duration(i*7%4+1) * time.Second }
		var woke []int
		start := task.Now(ctx)
		err := times(ctx, tasks, func(ctx context.Context, i int) error {
			err := task.Sleep(ctx, delay(i))
			woke = append(woke, i)
			return errors.Join(err, wantEqual("clock", task.Since(ctx, start), delay(i)))
		})
		inOrder := slices.IsSortedFunc(woke, func(a, b int) int {
			return cmp.Or(cmp.Compare(delay(a), delay(b)), cmp.Compare(a, b))
		})
		if len(woke) != tasks || !inOrder {
			return fmt.Errorf("woke in the order %v", woke)
		}
		return err
	})
}

// Who waits in a cancelled context wakes in the order in which the tasks were
// started, whatever the order in which they began to wait and wherever below.
func TestCancellationWakesInTaskOrder(t *testing.T) {
	virtually(t, task.VirtualConfig{}, func(ctx context.Context) error {
		mine, cancel := task.WithCancel(ctx)
		var woke []int
		g := task.NewGroup(ctx, 0)
		for i := range 20 {
			g.Go("t", func(ctx context.Context) error {
				err := task.Sleep(ctx, time.Duration((i*7)%20+1))
				below := mine
				for range i % 3 {
					var done func(error)
					below, done = task.WithCancel(below)
					defer done(nil)
				}
				_ = task.Sleep(below, time.Hour)
				woke = append(woke, i)
				return err
			})
		}
		err := task.Sleep(ctx, time.Second)
		cancel(nil)
		err = errors.Join(err, g.Wait())
		return errors.Join(err, wantEqual("in task order", slices.IsSorted(woke), true), wantEqual("woken", len(woke), 20))
	})
}

func TestVeryLongSleep(t *testing.T) {
	virtually(t, task.VirtualConfig{}, func(ctx context.Context) error {
		long, cancel := task.WithTimeout(ctx, math.MaxInt64)
		defer cancel()
		return errors.Join(
			task.Sleep(ctx, time.Second),
			task.Sleep(long, math.MaxInt64),
			long.Err())
	})
}
