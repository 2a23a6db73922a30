package task_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/lakebench/lakebench/internal/sim/task"
)

var rewrite = flag.Bool("rewrite", false, "write testdata/traces.txt")

const (
	printTraceEnv = "LAKEBENCH_TASK_PRINT_TRACES" // makes the test binary a program that prints traces
	goldenTraces  = "testdata/traces.txt"
)

// program uses everything: groups within groups, a lock, a semaphore, a queue,
// sleeps, deadlines and cancellations. It writes what happens as it happens.
func program(log io.Writer, seed uint64) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		start := task.Now(ctx)
		say := func(ctx context.Context, format string, args ...any) {
			fmt.Fprintf(log, "%v "+format+"\n", append([]any{task.Since(ctx, start)}, args...)...)
		}
		var mu task.Mutex
		sem, q := task.NewSemaphore(2), task.NewQueue[int](2)
		g := task.NewGroup(ctx, 6)
		for i := range 12 {
			g.Go(fmt.Sprint("worker-", i), func(ctx context.Context) error {
				rng := rand.New(rand.NewPCG(seed, uint64(i)))
				for range 6 {
					ctx, cancel := task.WithTimeout(ctx, time.Duration(rng.IntN(20)+1)*time.Millisecond)
					var err error
					op := rng.IntN(6)
					switch op {
					case 0:
						if err = mu.Lock(ctx); err == nil {
							err = task.Sleep(ctx, time.Duration(rng.IntN(10))*time.Millisecond)
							mu.Unlock()
						}
					case 1:
						if err = sem.Acquire(ctx); err == nil {
							task.Yield(ctx)
							sem.Release()
						}
					case 2:
						err = q.Put(ctx, i)
					case 3:
						_, err = q.Get(ctx)
					case 4:
						err = times(ctx, 3, func(ctx context.Context, i int) error {
							return task.Sleep(ctx, time.Duration(i*5)*time.Millisecond)
						})
					case 5:
						cancel()
						err = task.Sleep(ctx, time.Second)
					}
					say(ctx, "worker %d op %d: %v", i, op, err)
					cancel()
				}
				return nil
			})
		}
		return g.Wait()
	}
}

func programPolicies(seed uint64) []task.VirtualConfig {
	return []task.VirtualConfig{
		{Seed: seed, Policy: task.FIFO{}},
		{Seed: seed, Policy: task.Random{}},
		{Seed: seed, Policy: task.PCT{Depth: 3, Choices: 300}},
	}
}

// writeTraces runs the program in many ways and writes a line for each.
func writeTraces(w io.Writer) error {
	for seed := range uint64(5) {
		for _, cfg := range programPolicies(seed) {
			log := fnv.New64a()
			cfg.Record = true
			trace, err := task.Run(context.Background(), cfg, program(log, seed))
			if err != nil {
				return fmt.Errorf("policy %v, seed %d: %w", cfg.Policy, seed, err)
			}
			fmt.Fprintf(w, "seed %d, %v: tasks %d, steps %d, choices %d, switches %d, elapsed %v, hash %016x, schedule %d, log %016x\n",
				seed, cfg.Policy, trace.Tasks, trace.Steps, trace.Choices, trace.Switches, trace.Elapsed, trace.Hash,
				len(trace.Schedule), log.Sum64())
		}
	}
	return nil
}

func printTrace() {
	if err := writeTraces(os.Stdout); err != nil {
		fmt.Println(err)
	}
}

// The traces are those of the golden file, in this process (which may have the
// race detector in it) and in others with other numbers of processors.
func TestTracesAreTheSameEverywhere(t *testing.T) {
	var here bytes.Buffer
	if err := writeTraces(&here); err != nil {
		t.Fatal(err)
	}
	if *rewrite {
		if err := os.WriteFile(goldenTraces, here.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	golden, err := os.ReadFile(goldenTraces)
	if err != nil {
		t.Fatal(err)
	}
	if got := here.String(); got != string(golden) {
		t.Errorf("in this process:\n%s\nwant, as in %s (go test ./task -run TestTraces -update writes it):\n%s", got, goldenTraces, golden)
	}
	for _, procs := range []string{"1", "2"} {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), printTraceEnv+"=1", "GOMAXPROCS="+procs)
		out, err := cmd.CombinedOutput()
		if err != nil || !bytes.Equal(out, golden) {
			t.Errorf("in a process with GOMAXPROCS=%s: %v\n%s", procs, err, out)
		}
	}
}

// Different seeds lead to different interleavings, and one seed to one.
func TestHashTellsInterleavingsApart(t *testing.T) {
	seen := map[uint64]bool{}
	for seed := range uint64(50) {
		run := func() uint64 {
			return virtually(t, task.VirtualConfig{Seed: seed, Policy: task.Random{}}, program(io.Discard, 1)).Hash
		}
		first, second := run(), run()
		if first != second {
			t.Fatalf("seed %d: hashes %x and %x", seed, first, second)
		}
		seen[first] = true
	}
	if len(seen) != 50 {
		t.Errorf("50 seeds gave %d interleavings", len(seen))
	}
	seen = map[uint64]bool{}
	for _, schedule := range []string{"", "1@1>2", "1@2>2", "1@3>2"} {
		s, err := task.ParseSchedule(schedule)
		if err != nil {
			t.Fatal(err)
		}
		seen[virtually(t, task.VirtualConfig{Policy: task.Replay{Schedule: s}}, func(ctx context.Context) error {
			return times(ctx, 2, func(ctx context.Context, _ int) error {
				for range 3 {
					task.Yield(ctx)
				}
				return nil
			})
		}).Hash] = true
	}
	if len(seen) != 4 {
		t.Errorf("4 moments of one switch gave %d interleavings", len(seen))
	}
	hashes := map[string]uint64{}
	for seed := range uint64(20) { // one order of two tasks is one hash, and so is the other
		var order string
		trace := virtually(t, task.VirtualConfig{Seed: seed, Policy: task.Random{}}, func(ctx context.Context) error {
			return times(ctx, 2, func(_ context.Context, i int) error { order += fmt.Sprint(i); return nil })
		})
		if h, ok := hashes[order]; ok && h != trace.Hash {
			t.Errorf("order %s has hashes %x and %x", order, h, trace.Hash)
		}
		hashes[order] = trace.Hash
	}
}
