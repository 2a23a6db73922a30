package task_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lakebench/lakebench/internal/sim/task"
)

func TestGroupWaitsForAllAndReturnsTheFirstError(t *testing.T) {
	onBoth(t, func(ctx context.Context) error {
		var ended atomic.Int32
		waitForCancel := func(ctx context.Context) error {
			defer ended.Add(1)
			return task.Sleep(ctx, time.Hour)
		}
		err := inGroup(ctx, waitForCancel, waitForCancel, func(context.Context) error { return errBoom })
		return errors.Join(want("group", err, errBoom), wantEqual("tasks ended", ended.Load(), 2))
	})
}

func TestGroupCancelsWithTheErrorAsCause(t *testing.T) {
	onBoth(t, func(ctx context.Context) error {
		var cause error
		_ = inGroup(ctx,
			func(ctx context.Context) error { cause = task.Sleep(ctx, time.Hour); return nil },
			func(context.Context) error { return errBoom })
		return want("the other task's sleep", cause, errBoom)
	})
}

func TestGroupWaitsEvenWhenCancelled(t *testing.T) {
	onBoth(t, func(ctx context.Context) error {
		ctx, cancel := task.WithCancel(ctx)
		g := task.NewGroup(ctx, 0)
		var ended atomic.Bool
		g.Go("slow", func(ctx context.Context) error {
			_ = task.Sleep(context.WithoutCancel(ctx), time.Millisecond)
			ended.Store(true)
			return nil
		})
		cancel(errBoom)
		return errors.Join(want("group", g.Wait(), nil), wantEqual("the task has ended", ended.Load(), true))
	})
}

func TestGroupWithoutTasks(t *testing.T) {
	onBoth(t, func(ctx context.Context) error { return task.NewGroup(ctx, 1).Wait() })
}

func TestGroupLimit(t *testing.T) {
	onBoth(t, func(ctx context.Context) error {
		var running, most atomic.Int32
		g := task.NewGroup(ctx, 3)
		for range 20 {
			g.Go("t", func(ctx context.Context) error {
				defer running.Add(-1)
				if n := running.Add(1); n > most.Load() {
					most.Store(n)
				}
				task.Yield(ctx)
				return nil
			})
		}
		err := g.Wait()
		if most.Load() > 3 {
			return fmt.Errorf("%d tasks at once, want 3", most.Load())
		}
		return err
	})
}

func TestGroupWithLimitStartsNothingOnceCancelled(t *testing.T) {
	onBoth(t, func(ctx context.Context) error {
		g := task.NewGroup(ctx, 1)
		g.Go("first", func(context.Context) error { return errBoom })
		for range 10 {
			g.Go("later", func(ctx context.Context) error {
				if ctx.Err() == nil {
					return nil // got in before the first one failed
				}
				return errors.New("a task started in a cancelled group")
			})
		}
		return want("group", g.Wait(), errBoom)
	})
}

func TestPanicBecomesAnErrorThatNamesTheTask(t *testing.T) {
	onBoth(t, func(ctx context.Context) error {
		g := task.NewGroup(ctx, 1)
		g.Go("writer-1", func(context.Context) error { panic(errBoom) })
		err := g.Wait()
		var p *task.PanicError
		if !errors.As(err, &p) || p.Task != "writer-1" || len(p.Stack) == 0 {
			return fmt.Errorf("got %w, want a PanicError of writer-1", err)
		}
		if !strings.HasPrefix(err.Error(), `task "writer-1" panicked at group_test.go:`) || strings.Contains(err.Error(), "\n") {
			return fmt.Errorf("message %q", err.Error())
		}
		return want("the panic's value", err, errBoom)
	})
}

func TestPanicOfTheRuntimeNamesTheLine(t *testing.T) {
	onBoth(t, func(ctx context.Context) error {
		var nothing *int
		err := inGroup(ctx, func(context.Context) error { *nothing = 1; return nil })
		if !strings.HasPrefix(err.Error(), `task "t1" panicked at group_test.go:`) {
			return fmt.Errorf("message %q", err.Error())
		}
		return nil
	})
}

// A test that calls t.FailNow in a task must not hang. (On virtual time it ends
// the goroutine of Run, see TestGoexit.)
func TestGoexitOfATaskEndsItsGroup(t *testing.T) {
	g := task.NewGroup(t.Context(), 1)
	g.Go("t", func(context.Context) error { runtime.Goexit(); return nil })
	if err := g.Wait(); err == nil || !strings.Contains(err.Error(), "Goexit") {
		t.Errorf("group of a task that ended by Goexit: %v", err)
	}
}
