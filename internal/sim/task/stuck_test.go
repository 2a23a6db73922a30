package task_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/lakebench/lakebench/internal/sim/task"
)

// stuck runs fn, which must be given up for the reason, and checks that no
// goroutine is left.
func stuck(t *testing.T, cfg task.VirtualConfig, reason error, fn func(ctx context.Context) error) task.StuckError {
	t.Helper()
	_, err := task.Run(t.Context(), cfg, fn)
	var s *task.StuckError
	if !errors.As(err, &s) || !errors.Is(err, reason) {
		t.Fatalf("error %v, want %v", err, reason)
	}
	goleak.VerifyNone(t)
	return *s
}

// deadlock is two tasks that take two locks in different orders, and bystanders.
func deadlock(ctx context.Context) error {
	var a, b task.Mutex
	g := task.NewGroup(ctx, 0)
	cross := func(first, second *task.Mutex) func(ctx context.Context) error {
		return func(ctx context.Context) error {
			if err := first.Lock(ctx); err != nil {
				return err
			}
			defer first.Unlock()
			if err := task.Sleep(ctx, time.Second); err != nil {
				return err
			}
			if err := second.Lock(ctx); err != nil {
				return fmt.Errorf("second lock: %w", err)
			}
			defer second.Unlock()
			return errors.New("both locks taken")
		}
	}
	g.Go("left", cross(&a, &b))
	g.Go("right", cross(&b, &a))
	g.Go("reader", func(ctx context.Context) error {
		_, err := task.NewQueue[int](4).Get(ctx)
		return err
	})
	return g.Wait()
}

func TestDeadlockIsReported(t *testing.T) {
	err := stuck(t, task.VirtualConfig{}, task.ErrDeadlock, deadlock)
	const want = `task: after 11 steps, at +1s: deadlock: no task can run and no timer is set
  0 "root", 1 steps: waits for group #1 (3 running) since +0s
  1 "left", 4 steps: waits for lock #2 (last taken by 2 "right") since +1s
  2 "right", 4 steps: waits for lock #3 (last taken by 1 "left") since +1s
  3 "reader", 2 steps: waits for a value in a queue #4 (0 of 4 used) since +0s`
	if err.Error() != want {
		t.Errorf("report\n%s\nwant\n%s", &err, want)
	}
	if err.Elapsed != time.Second || len(err.Tasks) != 4 || err.Tasks[3].ID != "3" {
		t.Errorf("report %+v", err)
	}
}

func TestDeadlockShowsInEverySchedule(t *testing.T) {
	for _, cfg := range policies() {
		stuck(t, cfg, task.ErrDeadlock, deadlock)
	}
}

func TestDeadlineIsNoDeadlock(t *testing.T) {
	virtually(t, task.VirtualConfig{}, func(ctx context.Context) error {
		ctx, cancel := task.WithTimeout(ctx, time.Hour)
		defer cancel()
		_, err := task.NewQueue[int](1).Get(ctx)
		return want("get", err, context.DeadlineExceeded)
	})
}

func TestLivelockIsReported(t *testing.T) {
	spin := func(ctx context.Context) error {
		return times(ctx, 3, func(ctx context.Context, _ int) error {
			for {
				task.Yield(ctx)
			}
		})
	}
	for _, policy := range []task.Policy{task.FIFO{}, task.Random{}, task.PCT{Depth: 2, Choices: 100}, task.Replay{}} {
		err := stuck(t, task.VirtualConfig{Policy: policy, LivelockSteps: 100_000}, task.ErrLivelock, spin)
		if err.Steps != 100_000 || len(err.Tasks) != 4 {
			t.Errorf("policy %v: %v", policy, &err)
		}
	}
}

func TestDefaultLivelockLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("10 million steps")
	}
	err := stuck(t, task.VirtualConfig{}, task.ErrLivelock, func(ctx context.Context) error {
		if err := task.Sleep(ctx, time.Second); err != nil {
			return err
		}
		for {
			task.Yield(ctx)
		}
	})
	const want = `task: after 10000001 steps, at +1s: livelock: tasks run but the clock stands still
  0 "root", 10000001 steps: runs`
	if err.Error() != want {
		t.Errorf("report\n%s\nwant\n%s", &err, want)
	}
}

func TestMovingClockIsNoLivelock(t *testing.T) {
	virtually(t, task.VirtualConfig{LivelockSteps: 100}, func(ctx context.Context) error {
		for range 1000 {
			if err := task.Sleep(ctx, 1); err != nil {
				return err
			}
		}
		return nil
	})
}

// A loop that yields until another task is done comes to its end under every
// policy, also under those that would let it run for ever.
func TestPatienceWithLoopsThatYield(t *testing.T) {
	for _, cfg := range policies() {
		virtually(t, cfg, func(ctx context.Context) error {
			ready := false
			return inGroup(ctx,
				func(ctx context.Context) error {
					for !ready {
						task.Yield(ctx)
					}
					return nil
				},
				func(context.Context) error { ready = true; return nil })
		})
	}
}

func TestStepLimit(t *testing.T) {
	err := stuck(t, task.VirtualConfig{MaxSteps: 1001}, task.ErrStepLimit, func(ctx context.Context) error {
		for {
			if err := task.Sleep(ctx, time.Hour); err != nil {
				return err
			}
		}
	})
	if err.Steps != 1001 {
		t.Errorf("given up after %d steps, want 1001", err.Steps)
	}
}

func TestStepLimitThatIsJustEnough(t *testing.T) {
	trace := virtually(t, task.VirtualConfig{}, program(io.Discard, 1))
	virtually(t, task.VirtualConfig{MaxSteps: trace.Steps}, program(io.Discard, 1))
	stuck(t, task.VirtualConfig{MaxSteps: trace.Steps - 1}, task.ErrStepLimit, program(io.Discard, 1))
}

// Tasks that ignore every error are taken down all the same.
func TestStubbornTasksAreUnwound(t *testing.T) {
	deferred := 0
	q := task.NewQueue[int](1)
	stubborn := map[string]func(ctx context.Context){
		"sleep": func(ctx context.Context) { _ = task.Sleep(ctx, time.Second) },
		"yield": task.Yield,
		"get":   func(ctx context.Context) { _, _ = q.Get(ctx) },
		"group": func(ctx context.Context) {
			_ = inGroup(ctx, func(ctx context.Context) error { return task.Sleep(ctx, time.Second) })
		},
	}
	stuck(t, task.VirtualConfig{MaxSteps: 1000}, task.ErrStepLimit, func(ctx context.Context) error {
		g := task.NewGroup(ctx, 0)
		for name, op := range stubborn {
			g.Go(name, func(ctx context.Context) error {
				defer func() { deferred++ }()
				for {
					op(ctx)
				}
			})
		}
		return g.Wait()
	})
	if deferred != len(stubborn) {
		t.Errorf("%d of %d tasks ran their deferred calls", deferred, len(stubborn))
	}
}

func TestErrorOfTheRootIsKept(t *testing.T) {
	_, err := task.Run(t.Context(), task.VirtualConfig{}, func(context.Context) error { return errBoom })
	if err != errBoom { //nolint:errorlint // not wrapped in anything
		t.Errorf("error %v, want boom as it is", err)
	}
}

func TestPanicOfTheRoot(t *testing.T) {
	_, err := task.Run(t.Context(), task.VirtualConfig{}, func(context.Context) error { panic("oh") })
	var p *task.PanicError
	if !errors.As(err, &p) || p.Task != "root" || p.Value != "oh" {
		t.Errorf("error %v, want a panic of the root", err)
	}
}

func TestStraysAreReported(t *testing.T) {
	ended := false
	trace, err := task.Run(t.Context(), task.VirtualConfig{}, func(ctx context.Context) error {
		g := task.NewGroup(ctx, 0)
		g.Go("forgotten", func(ctx context.Context) error {
			err := task.Sleep(ctx, time.Hour)
			ended = true
			return err
		})
		return errors.Join(errBoom, task.Sleep(ctx, time.Second))
	})
	var stray *task.StrayError
	if !errors.As(err, &stray) || !errors.Is(err, errBoom) {
		t.Fatalf("error %v, want a StrayError beside the root's own", err)
	}
	const want = `task: the root task returned while others still ran; wait for their groups
  1 "forgotten", 1 steps: sleeps until +1h0m0s`
	if stray.Error() != want || !ended || trace.Elapsed != time.Second {
		t.Errorf("the task has ended: %v, at +%v; report\n%s\nwant, at +1s\n%s", ended, trace.Elapsed, stray, want)
	}
	goleak.VerifyNone(t)
}

// A step limit that is reached while strays wind down is reported beside them.
func TestStrayThatDoesNotEnd(t *testing.T) {
	stuck(t, task.VirtualConfig{MaxSteps: 100}, task.ErrStepLimit, func(ctx context.Context) error {
		task.NewGroup(ctx, 0).Go("forgotten", func(ctx context.Context) error {
			for {
				task.Yield(ctx)
			}
		})
		return nil
	})
}

func TestInterrupt(t *testing.T) {
	outside, interrupt := context.WithCancelCause(t.Context())
	defer interrupt(nil)
	kept := 0
	_, err := task.Run(outside, task.VirtualConfig{}, func(ctx context.Context) error {
		err := times(ctx, 3, func(ctx context.Context, i int) error {
			for {
				if i == 0 && kept == 10 {
					interrupt(errBoom)
				}
				if err := task.Sleep(ctx, time.Second); err != nil {
					return err
				}
				kept++
			}
		})
		// What was measured is kept: there is time to wind down in.
		return errors.Join(err, task.Sleep(context.WithoutCancel(ctx), time.Second))
	})
	if !errors.Is(err, errBoom) || errors.As(err, new(*task.StuckError)) {
		t.Errorf("error %v, want the cause of the interrupt alone", err)
	}
	if kept < 10 || kept > 10+2*64 {
		t.Errorf("noticed after %d sleeps, want at most 64 steps after the 10th", kept)
	}
}

// A run that waits for something that only time brings notices the interrupt
// before it takes that for a deadlock.
func TestInterruptIsNoDeadlock(t *testing.T) {
	outside, interrupt := context.WithTimeout(t.Context(), 0)
	defer interrupt()
	_, err := task.Run(outside, task.VirtualConfig{}, func(ctx context.Context) error {
		if _, ok := ctx.Deadline(); ok {
			return errors.New("a real deadline shows in virtual time")
		}
		_, err := task.NewQueue[int](1).Get(ctx)
		return err
	})
	if !errors.Is(err, context.DeadlineExceeded) || errors.As(err, new(*task.StuckError)) {
		t.Errorf("error %v, want the deadline", err)
	}
}

// Whichever step notices the interrupt, a wait that begins with that very step
// ends.
func TestInterruptInEveryStep(t *testing.T) {
	outside, interrupt := context.WithCancelCause(t.Context())
	interrupt(errBoom)
	for before := range 2 * 64 {
		_, err := task.Run(outside, task.VirtualConfig{}, func(ctx context.Context) error {
			for range before {
				task.Yield(ctx)
			}
			_, err := task.NewQueue[int](1).Get(ctx)
			return err
		})
		if !errors.Is(err, errBoom) || errors.As(err, new(*task.StuckError)) {
			t.Errorf("after %d steps: error %v, want the cause of the interrupt alone", before, err)
		}
	}
}

func TestInterruptThatTasksIgnore(t *testing.T) {
	outside, interrupt := context.WithCancel(t.Context())
	interrupt()
	_, err := task.Run(outside, task.VirtualConfig{GraceSteps: 100}, func(ctx context.Context) error {
		for {
			if err := task.Sleep(context.WithoutCancel(ctx), time.Second); err != nil {
				return err
			}
		}
	})
	var s *task.StuckError
	if !errors.As(err, &s) || !errors.Is(err, task.ErrInterrupted) || s.Steps > 200 {
		t.Errorf("error %v, want it given up within 200 steps", err)
	}
	goleak.VerifyNone(t)
}

// t.FailNow in a task ends Run's goroutine, and leaves no other.
func TestGoexit(t *testing.T) {
	returned, unwound := false, 0
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = task.Run(t.Context(), task.VirtualConfig{}, func(ctx context.Context) error {
			return times(ctx, 5, func(ctx context.Context, i int) error {
				defer func() { unwound++ }()
				if i == 2 {
					task.Yield(ctx)
					runtime.Goexit()
				}
				return task.Sleep(ctx, time.Second)
			})
		})
		returned = true
	}()
	<-done
	if returned || unwound != 5 {
		t.Errorf("Run returned: %v; %d tasks unwound, want 5", returned, unwound)
	}
	goleak.VerifyNone(t)
}

func TestValidate(t *testing.T) {
	for text, cfg := range map[string]task.VirtualConfig{
		"MaxSteps is -1":      {MaxSteps: -1},
		"LivelockSteps is -2": {LivelockSteps: -2},
		"GraceSteps is -3":    {GraceSteps: -3},
		"pct depth=0":         {Policy: task.PCT{Choices: 1}},
		"pct depth=1":         {Policy: task.PCT{Depth: 1}},
		"0@0>1":               {Policy: task.Replay{Schedule: task.Schedule{{Task: "0", To: "1"}}}},
	} {
		_, err := task.Run(t.Context(), cfg, func(context.Context) error { panic("ran") })
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("error %v, want one with %q", err, text)
		}
	}
	if err := task.DefaultVirtualConfig().Validate(); err != nil {
		t.Errorf("default: %v", err)
	}
}
