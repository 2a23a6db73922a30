package task_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lakebench/lakebench/internal/sim/task"
)

// A recorded schedule leads to the same run again, whatever policy made it.
func TestReplay(t *testing.T) {
	for seed := range uint64(5) {
		for _, cfg := range append(programPolicies(seed), task.VirtualConfig{Policy: task.Replay{}}) {
			var log, again strings.Builder
			cfg.Record = true
			made := virtually(t, cfg, program(&log, seed))
			schedule, err := task.ParseSchedule(made.Schedule.String())
			if err != nil {
				t.Fatal(err)
			}
			replayed := virtually(t, task.VirtualConfig{Policy: task.Replay{Schedule: schedule}, Record: true}, program(&again, seed))
			if made.Hash != replayed.Hash || log.String() != again.String() || replayed.Missed != 0 {
				t.Errorf("policy %v, seed %d: replayed otherwise, %d switches missed", cfg.Policy, seed, replayed.Missed)
			}
			if !slices.Equal(made.Schedule, replayed.Schedule) {
				t.Errorf("policy %v, seed %d: recorded\n%v\nthen\n%v", cfg.Policy, seed, made.Schedule, replayed.Schedule)
			}
		}
	}
}

// The usual choices alone are the empty schedule.
func TestUsualScheduleIsEmpty(t *testing.T) {
	trace := virtually(t, task.VirtualConfig{Policy: task.Replay{}, Record: true}, program(io.Discard, 1))
	if len(trace.Schedule) != 0 || trace.Choices == 0 {
		t.Errorf("schedule %v of %d choices", trace.Schedule, trace.Choices)
	}
}

// A failure can be shrunk by leaving switches out: of the schedule of a lost
// update in a long run, one switch is needed.
func TestPartsOfASchedule(t *testing.T) {
	run := func(cfg task.VirtualConfig) (task.Trace, bool) {
		count := 0
		trace := virtually(t, cfg, func(ctx context.Context) error {
			return times(ctx, 3, func(ctx context.Context, _ int) error {
				for range 5 {
					task.Yield(ctx)
				}
				n := count
				task.Yield(ctx)
				count = n + 1
				return nil
			})
		})
		return trace, count < 3
	}
	var trace task.Trace
	for seed := range uint64(100) {
		var failed bool
		if trace, failed = run(task.VirtualConfig{Policy: task.Random{}, Seed: seed, Record: true}); failed {
			break
		}
	}
	schedule := trace.Schedule
	for i := 0; i < len(schedule); {
		part := slices.Delete(slices.Clone(schedule), i, i+1)
		if _, failed := run(task.VirtualConfig{Policy: task.Replay{Schedule: part}}); failed {
			schedule = part
		} else {
			i++
		}
	}
	if len(trace.Schedule) < 5 || len(schedule) != 1 {
		t.Errorf("shrunk from %d switches to %v, want 1", len(trace.Schedule), schedule)
	}
}

func TestMissedSwitches(t *testing.T) {
	schedule := task.Schedule{
		{Task: "1", Step: 1, To: "2"}, // made
		{Task: "1", Step: 9, To: "2"}, // task 1 makes 3 steps
		{Task: "2", Step: 1, To: "7"}, // there is no task 7
		{Task: "5.1", Step: 1, To: "1"},
	}
	trace := virtually(t, task.VirtualConfig{Policy: task.Replay{Schedule: schedule}}, func(ctx context.Context) error {
		return times(ctx, 2, func(ctx context.Context, _ int) error {
			task.Yield(ctx)
			task.Yield(ctx)
			return nil
		})
	})
	if trace.Missed != 3 {
		t.Errorf("missed %d switches, want 3", trace.Missed)
	}
}

func TestTaskIDs(t *testing.T) {
	_, err := task.Run(t.Context(), task.VirtualConfig{Policy: task.Random{}, Seed: 3}, func(ctx context.Context) error {
		return times(ctx, 3, func(ctx context.Context, i int) error {
			return times(ctx, i, func(ctx context.Context, _ int) error {
				_, err := task.NewQueue[int](1).Get(ctx)
				return err
			})
		})
	})
	var s *task.StuckError
	if !errors.As(err, &s) {
		t.Fatal(err)
	}
	var ids []string
	for _, state := range s.Tasks {
		ids = append(ids, string(state.ID))
	}
	slices.Sort(ids)
	if got, want := fmt.Sprint(ids), "[0 2 2.1 3 3.1 3.2]"; got != want {
		t.Errorf("tasks %s, want %s", got, want)
	}
}

func TestScheduleText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.Map(rapid.StringMatching(`0|[1-9][0-9]{0,3}(\.[1-9][0-9]?){0,3}`), func(s string) task.ID { return task.ID(s) })
		s := rapid.SliceOf(rapid.Custom(func(t *rapid.T) task.Switch {
			return task.Switch{Task: id.Draw(t, "task"), Step: rapid.Int64Min(1).Draw(t, "step"), To: id.Draw(t, "to")}
		})).Draw(t, "schedule")
		got, err := task.ParseSchedule(task.Schedule(s).String())
		if err != nil || !slices.Equal(got, s) {
			t.Errorf("parsed %v (%v), want %v", got, err, s)
		}
	})
	for _, bad := range []string{"1", "1@2", "1>2", "@1>2", "1@0>2", "1@-1>2", "1@x>2", "01@1>2", "1@1>0.1", "1@1>2.", "1@1>2,", "1@1>2 ", ",", "1@99999999999999999999>2"} {
		if s, err := task.ParseSchedule(bad); !errors.Is(err, task.ErrSchedule) {
			t.Errorf("%q parsed as %v (%v)", bad, s, err)
		}
	}
	_, err := task.ParseSchedule("1@1>2,1@x>2")
	if got, want := err.Error(), `bad schedule: switch 2 is "1@x>2", want task@step>task as in 1@17>2.1`; got != want {
		t.Errorf("error %q, want %q", got, want)
	}
}

// PCT finds a bug of depth d in a program of n tasks and k choices at least once
// in n·k^(d-1) runs. The bug here needs one task to stop at one certain step of
// 8 while another runs (depth 2).
func TestPCTKeepsItsPromise(t *testing.T) {
	const runs, steps = 2000, 8
	bug := func(ctx context.Context) (found bool, err error) {
		a := 0
		err = inGroup(ctx,
			func(ctx context.Context) error {
				for i := range steps {
					a = i
					task.Yield(ctx)
				}
				return nil
			},
			func(ctx context.Context) error {
				found = a == 5
				for range steps {
					task.Yield(ctx)
				}
				return nil
			})
		return found, err
	}
	count := func(policy task.Policy) (found int, most int64) {
		for seed := range uint64(runs) {
			var here bool
			trace := virtually(t, task.VirtualConfig{Seed: seed, Policy: policy}, func(ctx context.Context) (err error) {
				here, err = bug(ctx)
				return err
			})
			if here {
				found++
			}
			most = max(most, trace.Choices)
		}
		return found, most
	}
	const choices = 2*steps + 4
	found, most := count(task.PCT{Depth: 2, Choices: choices})
	if most > choices {
		t.Fatalf("%d choices, the test says %d", most, choices)
	}
	const tasks = 3
	promised := runs / (tasks * choices)
	t.Logf("found in %d of %d runs, promised %d", found, runs, promised)
	if found < promised {
		t.Errorf("PCT found the bug in %d of %d runs, it promises %d", found, runs, promised)
	}
	byChance, _ := count(task.Random{})
	if byChance >= found {
		t.Errorf("random found it in %d runs, PCT in %d: this bug does not need PCT", byChance, found)
	}
	if shallow, _ := count(task.PCT{Depth: 1, Choices: choices}); shallow != 0 {
		t.Errorf("PCT of depth 1 found a bug of depth 2 in %d runs", shallow)
	}
}

// With n tasks that can run, Random gives each the same chance.
func TestRandomIsFair(t *testing.T) {
	first := map[int]int{}
	for seed := range uint64(2000) {
		ran := -1
		virtually(t, task.VirtualConfig{Seed: seed, Policy: task.Random{}}, func(ctx context.Context) error {
			return times(ctx, 4, func(_ context.Context, i int) error {
				if ran < 0 {
					ran = i
				}
				return nil
			})
		})
		first[ran]++
	}
	for i, n := range first {
		if n < 430 || n > 570 { // 500 ± 3.6 standard deviations
			t.Errorf("task %d ran first in %d of 2000 runs", i, n)
		}
	}
}
