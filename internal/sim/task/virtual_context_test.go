package task_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/lakebench/lakebench/internal/sim/task"
)

type key string

// Contexts that others derive in the standard way, through values as the SDK
// does, end with the virtual one: at once, with its error and cause, and without
// a goroutine each.
func TestStandardContextsBelowVirtualOnes(t *testing.T) {
	virtually(t, task.VirtualConfig{}, func(ctx context.Context) error {
		before := runtime.NumGoroutine()
		byHand, cancel := task.WithCancel(context.WithValue(ctx, key("a"), 1))
		atTime, cancelTimer := task.WithTimeout(context.WithValue(byHand, key("b"), 2), time.Second)
		defer cancelTimer()
		below := func(ctx context.Context) context.Context {
			below, cancel := context.WithCancel(context.WithValue(ctx, key("c"), 3))
			context.AfterFunc(ctx, cancel) // for vet
			return below
		}
		children := []context.Context{below(byHand), below(atTime)}
		err := wantEqual("goroutines started", runtime.NumGoroutine()-before, 0)
		err = errors.Join(err, task.Sleep(ctx, time.Second),
			want("at its time", atTime.Err(), context.DeadlineExceeded),
			want("child", children[1].Err(), context.DeadlineExceeded),
			want("child's cause", context.Cause(children[1]), context.DeadlineExceeded),
			want("the other one", children[0].Err(), nil))
		cancel(errBoom)
		return errors.Join(err,
			want("by hand", children[0].Err(), context.Canceled),
			want("child's cause", context.Cause(children[0]), errBoom),
			wantEqual("value", children[1].Value(key("a")), any(1)))
	})
}

// A task may wait in a context of the standard kind, or in a virtual one below
// it: the end is noticed at the next step.
func TestWaitingBelowStandardContexts(t *testing.T) {
	for _, cfg := range policies() {
		virtually(t, cfg, func(ctx context.Context) error {
			standard, cancel := context.WithCancelCause(ctx)
			virtual, cancelVirtual := task.WithTimeout(standard, time.Hour)
			defer cancelVirtual()
			var direct, below, queued error
			err := inGroup(ctx,
				func(context.Context) error { direct = task.Sleep(standard, time.Minute); return nil },
				func(context.Context) error { below = task.Sleep(virtual, time.Minute); return nil },
				func(context.Context) error { _, queued = task.NewQueue[int](1).Get(standard); return nil },
				func(ctx context.Context) error {
					err := task.Sleep(ctx, time.Second)
					cancel(errBoom)
					return err
				})
			return errors.Join(err,
				want("directly", direct, errBoom), want("below", below, errBoom), want("queue", queued, errBoom),
				wantEqual("time", task.Since(ctx, task.DefaultStart()), time.Second))
		})
	}
}

// A context of one wait is forgotten after it.
func TestWaitsInStandardContextsCostNothingLater(t *testing.T) {
	virtually(t, task.VirtualConfig{}, func(ctx context.Context) error {
		standard, cancel := context.WithCancel(ctx)
		defer cancel()
		for range 1000 {
			if err := task.Sleep(standard, time.Second); err != nil {
				return err
			}
		}
		return wantEqual("contexts polled", task.Polled(ctx), 0)
	})
}

func TestContextsWithoutEnd(t *testing.T) {
	virtually(t, task.VirtualConfig{}, func(ctx context.Context) error {
		ctx, cancel := task.WithCancel(ctx)
		free := context.WithoutCancel(ctx)
		below, cancelBelow := task.WithTimeout(free, time.Minute)
		defer cancelBelow()
		cancel(errBoom)
		return errors.Join(
			want("below", below.Err(), nil),
			want("sleep", task.Sleep(free, time.Second), nil),
			want("sleep below", task.Sleep(below, time.Hour), context.DeadlineExceeded))
	})
}

// Contexts of a run may be used after it.
func TestCancelAfterTheRun(t *testing.T) {
	var late func()
	var inside context.Context
	virtually(t, task.VirtualConfig{}, func(ctx context.Context) error {
		inside, late = task.WithTimeout(ctx, time.Second)
		return nil
	})
	if !errors.Is(inside.Err(), context.Canceled) {
		t.Errorf("after the run, its contexts have ended with %v, want canceled", inside.Err())
	}
	late()
	if err := task.Sleep(context.WithoutCancel(inside), time.Second); !errors.Is(err, task.ErrEnded) {
		t.Errorf("a sleep after the run: %v, want %v", err, task.ErrEnded)
	}
}

func TestRunWithinARun(t *testing.T) {
	virtually(t, task.VirtualConfig{}, func(outer context.Context) error {
		var inner task.Trace
		err := task.Sleep(outer, time.Second)
		err = errors.Join(err, inGroup(outer,
			func(ctx context.Context) error {
				var err error
				inner, err = task.Run(ctx, task.VirtualConfig{}, func(ctx context.Context) error {
					return times(ctx, 2, func(ctx context.Context, _ int) error { return task.Sleep(ctx, time.Hour) })
				})
				return err
			},
			func(ctx context.Context) error { return task.Sleep(ctx, time.Minute) }))
		return errors.Join(err,
			wantEqual("inner time", inner.Elapsed, time.Hour),
			wantEqual("outer time", task.Since(outer, task.DefaultStart()), time.Minute+time.Second))
	})
}
