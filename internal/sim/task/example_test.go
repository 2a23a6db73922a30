package task_test

import (
	"context"
	"fmt"
	"time"

	"github.com/lakebench/lakebench/internal/sim/task"
)

// Two tasks take turns of a lock for two hours, which takes no time.
func ExampleRun() {
	trace, err := task.Run(context.Background(), task.VirtualConfig{Policy: task.Random{}, Seed: 1}, func(ctx context.Context) error {
		var mu task.Mutex
		start := task.Now(ctx)
		g := task.NewGroup(ctx, 0)
		for _, name := range []string{"first", "second"} {
			g.Go(name, func(ctx context.Context) error {
				if err := mu.Lock(ctx); err != nil {
					return err
				}
				defer mu.Unlock()
				err := task.Sleep(ctx, time.Hour)
				fmt.Println(name, "at", task.Since(ctx, start))
				return err
			})
		}
		return g.Wait()
	})
	fmt.Println(trace.Elapsed, err)
	// Output:
	// second at 1h0m0s
	// first at 2h0m0s
	// 2h0m0s <nil>
}

// A schedule that was recorded, or written by hand, is played again: here the
// second task runs first.
func ExampleReplay() {
	schedule, err := task.ParseSchedule("0@1>2")
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = task.Run(context.Background(), task.VirtualConfig{Policy: task.Replay{Schedule: schedule}}, func(ctx context.Context) error {
		g := task.NewGroup(ctx, 0)
		for _, name := range []string{"first", "second"} {
			g.Go(name, func(context.Context) error {
				fmt.Println(name)
				return nil
			})
		}
		return g.Wait()
	})
	fmt.Println(err)
	// Output:
	// second
	// first
	// <nil>
}
