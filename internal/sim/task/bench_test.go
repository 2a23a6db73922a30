package task_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/lakebench/lakebench/internal/sim/task"
)

// benchmarkTasks runs n tasks that share b.N calls of op.
func benchmarkTasks(b *testing.B, cfg task.VirtualConfig, n int, op func(ctx context.Context)) {
	cfg.LivelockSteps = 1 << 60
	b.ReportAllocs()
	_, err := task.Run(b.Context(), cfg, func(ctx context.Context) error {
		left := b.N
		g := task.NewGroup(ctx, 0)
		for i := range n {
			g.Go(fmt.Sprint("t", i), func(ctx context.Context) error {
				for left > 0 {
					left--
					op(ctx)
				}
				return nil
			})
		}
		return g.Wait()
	})
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkYield is a context switch with two tasks and more, and nearly nothing
// with one.
func BenchmarkYield(b *testing.B) {
	for _, bench := range []struct {
		policy task.Policy
		tasks  int
	}{
		{task.FIFO{}, 1},
		{task.FIFO{}, 2},
		{task.FIFO{}, 100},
		{task.Random{}, 2},
		{task.Random{}, 100},
		{task.PCT{Depth: 3, Choices: 1000}, 8},
		{task.Replay{}, 8},
	} {
		b.Run(fmt.Sprintf("%v/tasks=%d", bench.policy, bench.tasks), func(b *testing.B) {
			benchmarkTasks(b, task.VirtualConfig{Policy: bench.policy}, bench.tasks, task.Yield)
		})
	}
}

func BenchmarkSleep(b *testing.B) {
	for _, tasks := range []int{1, 8, 1000} {
		b.Run(fmt.Sprint("tasks=", tasks), func(b *testing.B) {
			benchmarkTasks(b, task.VirtualConfig{}, tasks, func(ctx context.Context) {
				_ = task.Sleep(ctx, time.Millisecond)
			})
		})
	}
}

// BenchmarkRequest is what the scheduler costs a request of a simulation: a
// deadline, a lock, the wait for the reply.
func BenchmarkRequest(b *testing.B) {
	for _, tasks := range []int{1, 8, 1000} {
		b.Run(fmt.Sprint("tasks=", tasks), func(b *testing.B) {
			var mu task.Mutex
			benchmarkTasks(b, task.VirtualConfig{}, tasks, func(ctx context.Context) {
				ctx, cancel := task.WithTimeout(ctx, time.Second)
				defer cancel()
				if mu.Lock(ctx) == nil {
					mu.Unlock()
				}
				_ = task.Sleep(ctx, time.Millisecond)
			})
		})
	}
}

// BenchmarkGo starts a task and waits for it.
func BenchmarkGo(b *testing.B) {
	benchmarkTasks(b, task.VirtualConfig{}, 1, func(ctx context.Context) {
		g := task.NewGroup(ctx, 0)
		g.Go("child", func(context.Context) error { return nil })
		_ = g.Wait()
	})
}

func BenchmarkQueue(b *testing.B) {
	q := task.NewQueue[int](16)
	benchmarkTasks(b, task.VirtualConfig{}, 1, func(ctx context.Context) {
		_ = q.Put(ctx, 1)
		_, _ = q.Get(ctx)
	})
}
