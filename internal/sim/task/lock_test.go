package task_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lakebench/lakebench/internal/sim/task"
)

func TestMutexExcludes(t *testing.T) {
	onBoth(t, func(ctx context.Context) error {
		var mu task.Mutex
		count := 0
		err := times(ctx, 5, func(ctx context.Context, _ int) error {
			for range 10 {
				if err := mu.Lock(ctx); err != nil {
					return err
				}
				n := count
				task.Yield(ctx)
				count = n + 1
				mu.Unlock()
			}
			return nil
		})
		return errors.Join(err, wantEqual("count", count, 50))
	})
}

// An increment that gives the lock up between reading and writing loses updates:
// taking a lock that is free must be a point at which another task can run.
func TestLockIsAPointOfChoice(t *testing.T) {
	lost := 0
	for _, cfg := range policies() {
		count := 0
		var mu task.Mutex
		locked := func(ctx context.Context, fn func()) {
			_ = mu.Lock(ctx)
			defer mu.Unlock()
			fn()
		}
		_, err := task.Run(t.Context(), cfg, func(ctx context.Context) error {
			return times(ctx, 2, func(ctx context.Context, _ int) error {
				var n int
				locked(ctx, func() { n = count })
				locked(ctx, func() { count = n + 1 })
				return nil
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		if count == 1 {
			lost++
		}
	}
	if lost < seeds/4 {
		t.Errorf("the lost update showed in %d of %d schedules", lost, len(policies()))
	}
}

func TestTryLock(t *testing.T) {
	onBoth(t, func(ctx context.Context) error {
		var mu task.Mutex
		first, second := mu.TryLock(), mu.TryLock()
		mu.Unlock()
		third := mu.TryLock()
		mu.Unlock()
		return errors.Join(
			wantEqual("free", first, true), wantEqual("taken", second, false), wantEqual("free again", third, true),
			mu.Lock(ctx))
	})
}

func TestReleaseWithoutHoldingPanics(t *testing.T) {
	for _, release := range []func(){
		func() { new(task.Mutex).Unlock() },
		func() { task.NewSemaphore(2).Release() },
	} {
		func() {
			defer func() {
				if v := recover(); v == nil || !strings.Contains(fmt.Sprint(v), "is not held") {
					t.Errorf("recovered %v", v)
				}
			}()
			release()
		}()
	}
}

func TestSemaphoreAdmitsItsNumber(t *testing.T) {
	onBoth(t, func(ctx context.Context) error {
		sem := task.NewSemaphore(3)
		var inside, most atomic.Int32
		err := times(ctx, 10, func(ctx context.Context, _ int) error {
			for range 5 {
				if err := sem.Acquire(ctx); err != nil {
					return err
				}
				if n := inside.Add(1); n > most.Load() {
					most.Store(n)
				}
				task.Yield(ctx)
				inside.Add(-1)
				sem.Release()
			}
			return nil
		})
		if most.Load() > 3 {
			return fmt.Errorf("%d inside, want at most 3", most.Load())
		}
		return errors.Join(err, wantEqual("inside at the end", inside.Load(), 0))
	})
}

func TestLockOfADoneContext(t *testing.T) {
	onBoth(t, func(ctx context.Context) error {
		ctx, cancel := task.WithCancel(ctx)
		cancel(errBoom)
		var mu task.Mutex
		return errors.Join(
			want("lock", mu.Lock(ctx), errBoom),
			wantEqual("the lock is free", mu.TryLock(), true),
			want("lock taken", mu.Lock(ctx), errBoom))
	})
}

// Waiters come in one after another and get in in that order, when no other one
// comes meanwhile.
func TestSemaphoreServesInOrder(t *testing.T) {
	_, err := task.Run(t.Context(), task.VirtualConfig{}, func(ctx context.Context) error {
		var mu task.Mutex
		var order []int
		_ = mu.Lock(ctx)
		g := task.NewGroup(ctx, 0)
		for i := range 5 {
			g.Go("t", func(ctx context.Context) error {
				defer mu.Unlock()
				err := mu.Lock(ctx)
				order = append(order, i)
				return err
			})
			task.Yield(ctx)
		}
		mu.Unlock()
		err := g.Wait()
		return errors.Join(err, wantEqual("order", fmt.Sprint(order), "[0 1 2 3 4]"))
	})
	if err != nil {
		t.Error(err)
	}
}

// A task that is overtaken keeps its turn: it gets in before those behind it.
func TestOvertakenWaiterStaysFirst(t *testing.T) {
	_, err := task.Run(t.Context(), task.VirtualConfig{}, func(ctx context.Context) error {
		var mu task.Mutex
		var order []string
		_ = mu.Lock(ctx)
		g := task.NewGroup(ctx, 0)
		for _, name := range []string{"first", "second"} {
			g.Go(name, func(ctx context.Context) error {
				defer mu.Unlock()
				err := mu.Lock(ctx)
				order = append(order, name)
				return err
			})
			task.Yield(ctx)
		}
		mu.Unlock()
		overtook := mu.TryLock()
		task.Yield(ctx)
		mu.Unlock()
		err := g.Wait()
		return errors.Join(err, wantEqual("overtook", overtook, true), wantEqual("order", fmt.Sprint(order), "[first second]"))
	})
	if err != nil {
		t.Error(err)
	}
}

// Waiters that give up at any moment must not take a wake-up with them.
func TestCancelledWaitersLeaveNoPlaceUnseen(t *testing.T) {
	onBoth(t, func(ctx context.Context) error { return semaphoreUnderCancellation(ctx, task.NewSemaphore(1)) })
}

type semaphore interface {
	Acquire(ctx context.Context) error
	Release()
}

// semaphoreUnderCancellation lets waiters time out or be cancelled around the
// moment of a release. Those that never give up must all get in; if one does
// not, a virtual run ends in a deadlock.
func semaphoreUnderCancellation(ctx context.Context, sem semaphore) error {
	use := func(ctx context.Context) error {
		if err := sem.Acquire(ctx); err != nil {
			return err
		}
		defer sem.Release()
		return task.Sleep(context.WithoutCancel(ctx), time.Microsecond)
	}
	return times(ctx, 6, func(ctx context.Context, i int) error {
		switch i % 3 {
		case 0:
			ctx, cancel := task.WithTimeout(ctx, time.Duration(i+1)*time.Microsecond)
			defer cancel()
			_ = use(ctx)
			return nil
		case 1:
			mine, cancel := task.WithCancel(ctx)
			return inGroup(ctx,
				func(context.Context) error { _ = use(mine); return nil },
				func(ctx context.Context) error {
					err := task.Sleep(ctx, time.Microsecond)
					cancel(errBoom)
					return err
				})
		}
		for range 3 {
			if err := use(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}
