package task_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/lakebench/lakebench/internal/sim/task"
)

func TestMain(m *testing.M) {
	if os.Getenv(printTraceEnv) != "" {
		printTrace()
		return
	}
	goleak.VerifyTestMain(m)
}

// seeds is how many schedules of each random policy a test of both runtimes tries.
const seeds = 50

// policies is every way in which such a test runs on virtual time.
func policies() []task.VirtualConfig {
	cfgs := []task.VirtualConfig{{Policy: task.FIFO{}}, {Policy: task.Replay{}}}
	for seed := range uint64(seeds) {
		cfgs = append(cfgs,
			task.VirtualConfig{Seed: seed, Policy: task.Random{}},
			task.VirtualConfig{Seed: seed, Policy: task.PCT{Depth: 3, Choices: 50}})
	}
	return cfgs
}

// onBoth runs a test on real goroutines and on many virtual schedules. A failure
// names the policy and the seed.
func onBoth(t *testing.T, test func(ctx context.Context) error) {
	t.Run("real", func(t *testing.T) {
		if err := test(t.Context()); err != nil {
			t.Error(err)
		}
	})
	t.Run("virtual", func(t *testing.T) {
		for _, cfg := range policies() {
			if _, err := task.Run(t.Context(), cfg, test); err != nil {
				t.Errorf("policy %v, seed %d: %v", cfg.Policy, cfg.Seed, err)
			}
		}
	})
}

// inGroup runs tasks and waits for them.
func inGroup(ctx context.Context, tasks ...func(ctx context.Context) error) error {
	g := task.NewGroup(ctx, 0)
	for i, fn := range tasks {
		g.Go(fmt.Sprint("t", i+1), fn)
	}
	return g.Wait()
}

// times runs n copies of fn, which get their number from 0.
func times(ctx context.Context, n int, fn func(ctx context.Context, i int) error) error {
	g := task.NewGroup(ctx, 0)
	for i := range n {
		g.Go(fmt.Sprint("t", i+1), func(ctx context.Context) error { return fn(ctx, i) })
	}
	return g.Wait()
}

var errBoom = errors.New("boom")

// want reports that got is not an error of kind want (nil: no error).
func want(what string, got, want error) error {
	if !errors.Is(got, want) || want == nil && got != nil {
		return fmt.Errorf("%s: error %s, want %s", what, fmt.Sprint(got), fmt.Sprint(want))
	}
	return nil
}

func wantEqual[T comparable](what string, got, want T) error {
	if got != want {
		return fmt.Errorf("%s: %v, want %v", what, got, want)
	}
	return nil
}
