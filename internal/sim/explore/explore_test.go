package explore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/lakebench/lakebench/internal/backend/fault"
	"github.com/lakebench/lakebench/internal/sim/checker"
	"github.com/lakebench/lakebench/internal/sim/explore"
	"github.com/lakebench/lakebench/internal/sim/task"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func config(s explore.Scenario, policies ...string) explore.Config {
	cfg := explore.DefaultConfig()
	cfg.Scenario, cfg.Schedules, cfg.Policies = s, 200, nil
	for _, text := range policies {
		p, err := explore.ParsePolicy(text)
		if err != nil {
			panic(err)
		}
		cfg.Policies = append(cfg.Policies, p)
	}
	return cfg
}

func search(t *testing.T, cfg explore.Config) *explore.Report {
	t.Helper()
	report, err := explore.Explore(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// A read and a write that are not one step need one switch to go wrong: to
// another actor between them, which writes too. Nothing smaller fails, since
// without a switch each actor counts to its end before the next begins.
func TestPlantedBugIsFoundAndShrunk(t *testing.T) {
	for _, policy := range []string{"fifo", "random", "pct:2", "pct:3"} {
		t.Run(policy, func(t *testing.T) {
			f := search(t, config(countingScenario(4, 5), policy)).Failure
			if f == nil {
				t.Fatal("not found")
			}
			if f.Check.Name != "linearizable" || !f.Minimal {
				t.Errorf("check %s, minimal %v", f.Check.Name, f.Minimal)
			}
			small := f.Smallest.Case
			if got := len(f.Smallest.Trace.Schedule); got != 1 || small.Operations != 1 || len(small.Faults) != 0 {
				t.Errorf("shrunk to %d switches, %d operations, %d faults; want 1, 1 and 0", got, small.Operations, len(small.Faults))
			}
			replays(t, f)
		})
	}
}

// replays runs the line that the failure says replays it.
func replays(t *testing.T, f *explore.Failure) {
	t.Helper()
	schedule := flag(t, f.Command(), "--schedule")
	policy, err := explore.ParseReplay(schedule)
	if err != nil {
		t.Fatal(err)
	}
	c := explore.Case{Seed: f.Smallest.Case.Seed, Policy: policy, Faults: f.Smallest.Case.Faults, Operations: f.Smallest.Case.Operations}
	again, err := explore.Replay(t.Context(), f.Scenario, c)
	if err != nil || again.Failure == nil || len(again.Warnings) != 0 {
		t.Fatalf("the replay of %q: %v, %+v", schedule, err, again)
	}
	if got, want := again.Failure.Smallest.Trace.Hash, f.Smallest.Trace.Hash; got != want {
		t.Errorf("the replay's interleaving is %016x, want %016x", got, want)
	}
	if got, want := timeline(t, again.Failure), timeline(t, f); got != want {
		t.Errorf("the replay's timeline is\n%s\nwant\n%s", got, want)
	}
}

// flag returns what a command line says after a flag, without quotes.
func flag(t *testing.T, command, name string) string {
	t.Helper()
	_, rest, ok := strings.Cut(command, name+" ")
	if !ok {
		t.Fatalf("no %s in %s", name, command)
	}
	value, _, _ := strings.Cut(rest, " ")
	return strings.Trim(value, "'")
}

func timeline(t *testing.T, f *explore.Failure) string {
	t.Helper()
	var b bytes.Buffer
	if err := f.WriteTimeline(&b, 80); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The report, and the timeline in it, are the same however many schedules run at
// once and on however many threads.
func TestSearchIsDeterministic(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var first string
	for _, threads := range []int{1, 2} {
		runtime.GOMAXPROCS(threads)
		for _, parallel := range []int{1, 3, 16} {
			cfg := config(countingScenario(2, 2), "pct:1", "fifo", "random")
			cfg.Parallel = parallel
			got := text(t, search(t, cfg))
			if first == "" {
				first = got
			}
			if got != first {
				t.Errorf("%d threads, %d at once:\n%s\nwant\n%s", threads, parallel, got, first)
			}
		}
	}
	t.Log(first)
}

// Of two schedules that fail, the one that comes first is reported, also when the
// other one was the first to end; what came after it does not count.
func TestFirstThatFailsIsReported(t *testing.T) {
	ended := make(chan struct{})
	cfg := config(countingWith(1, 1, checker.DefaultLimits(), func(_ context.Context, w *counting, _ int) error {
		switch w.setup.Seed {
		case 3:
			<-ended
			return errors.New("the third fails")
		case 4:
			return errors.New("the fourth fails")
		}
		return nil
	}), "fifo")
	cfg.Parallel = 2
	cfg.Progress = func(p explore.Progress) {
		if p.Stage == "exploring" && p.Done == 3 {
			close(ended)
		}
	}
	report := search(t, cfg)
	if f := report.Failure; f == nil || f.Index != 2 || f.Check.Detail != "the third fails" || report.Schedules != 3 {
		t.Errorf("found %+v in %d schedules, want the third to fail", f, report.Schedules)
	}
}

func text(t *testing.T, r *explore.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := errors.Join(r.WriteJSON(&b), r.WriteText(&b, 80)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Tasks that wait for ever, errors and panics of actors are failures, whatever
// the scenario checks.
func TestTasksAreChecked(t *testing.T) {
	wait := task.NewQueue[int](1)
	for name, test := range map[string]struct {
		act  func(ctx context.Context, w *counting, actor int) error
		want string
	}{
		"deadlock": {func(ctx context.Context, _ *counting, _ int) error { _, err := wait.Get(ctx); return err }, "deadlock: no task can run"},
		"error":    {func(context.Context, *counting, int) error { return errors.New("boom") }, "boom"},
		"panic":    {func(context.Context, *counting, int) error { panic("boom") }, `task "counter-1" panicked at explore_test.go`},
		"stray": {func(ctx context.Context, _ *counting, _ int) error {
			task.NewGroup(context.WithoutCancel(ctx), 0).Go("left behind", func(ctx context.Context) error { return task.Sleep(ctx, 1) })
			return nil
		}, "the root task returned while others still ran"},
	} {
		t.Run(name, func(t *testing.T) {
			f := search(t, config(countingWith(2, 1, checker.DefaultLimits(), test.act), "random")).Failure
			if f == nil || f.Check.Name != explore.TasksCheck || !strings.Contains(f.Check.Detail, test.want) || strings.Contains(f.Check.Detail, "\n") {
				t.Errorf("found %+v, want a failure of the tasks in one line with %q", f, test.want)
			}
		})
	}
}

// A check that gives up has not passed.
func TestInconclusiveIsNotPassed(t *testing.T) {
	limits := checker.DefaultLimits()
	limits.Steps = 1
	cfg := config(countingWith(2, 2, limits, nil), "fifo", "random")
	cfg.Schedules = 5
	report := search(t, cfg)
	var gaveUp *explore.InconclusiveError
	if err := report.Err(); !errors.As(err, &gaveUp) || gaveUp.Count != 5 || gaveUp.Schedules != 5 {
		t.Errorf("%v, want 5 of 5 schedules inconclusive", report.Err())
	}
	if report.Verdict() != checker.Inconclusive || report.First == nil || report.First.Index != 0 {
		t.Errorf("verdict %s, first %+v", report.Verdict(), report.First)
	}
	if out := text(t, report); !strings.Contains(out, "INCONCLUSIVE") || strings.Contains(out, "Nothing was found") {
		t.Errorf("the report says:\n%s", out)
	}
}

// An interrupted search reports what it covered.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cfg := config(countingScenario(1, 3), "random")
	cfg.Progress = func(p explore.Progress) {
		if p.Done == 7 {
			cancel()
		}
	}
	report, err := explore.Explore(ctx, cfg)
	if !errors.Is(err, context.Canceled) || report == nil || report.Schedules != 7 || report.Failure != nil {
		t.Fatalf("%v, %+v; want 7 schedules and a cancelled context", err, report)
	}
	if out := text(t, report); !strings.Contains(out, "Interrupted: 7 of 200 schedules were run.") {
		t.Errorf("the report says:\n%s", out)
	}
}

// Smaller cases fail in other ways too, which are not what was found.
func TestShrinkingKeepsTheCheck(t *testing.T) {
	act := func(ctx context.Context, w *counting, _ int) error {
		if w.setup.Operations < 3 {
			return errors.New("too few operations")
		}
		for range w.setup.Operations {
			w.increment(ctx)
		}
		return nil
	}
	f := search(t, config(countingWith(3, 6, checker.DefaultLimits(), act), "random")).Failure
	if f == nil || f.Check.Name != "linearizable" || f.Smallest.Case.Operations != 3 {
		t.Errorf("found %+v, want a history that is not linearizable, of 3 operations", f)
	}
}

// faulty is a scenario whose actors only make requests, and fail when an actor
// meets these effects at requests in a row.
func faulty(t *testing.T, faults string, bad ...fault.Kind) explore.Scenario {
	t.Helper()
	s := countingWith(4, 30, checker.DefaultLimits(), func(ctx context.Context, w *counting, _ int) error {
		var met []fault.Kind
		for range w.setup.Operations {
			task.Yield(ctx)
			d := w.setup.Faults.Decide(ctx, fault.Request{Service: fault.DynamoDB, Operation: "PutItem"})
			if met = append(met, d.Effect.Kind); len(met) >= len(bad) && slices.Equal(met[len(met)-len(bad):], bad) {
				return errors.New("broken")
			}
		}
		return nil
	})
	s.Faults = rules(t, faults)
	return s
}

// Of all the faults that happened those are left that it takes, wherever they
// come from; those at requests in a row become one rule.
func TestFaultsAreShrunk(t *testing.T) {
	const load = "on dynamodb p 0.3 : throttle\non dynamodb p 0.2 : conflict\non any p 0.5 : delay 1ms\n"
	for name, test := range map[string]struct {
		faults string
		bad    []fault.Kind
		want   string // but for the actor and the number of the request
	}{
		"none":         {load, nil, ""},
		"one":          {load, []fault.Kind{fault.Conflict}, "on dynamodb actor nth : conflict"},
		"three alike":  {load, []fault.Kind{fault.Throttle, fault.Throttle, fault.Throttle}, "on dynamodb actor nth ..: throttle"},
		"two in a row": {load, []fault.Kind{fault.Throttle, fault.Conflict}, "on dynamodb actor nth : throttle; on dynamodb actor nth : conflict"},
		"counted":      {load + `on dynamodb nth 50..53 : error-after`, []fault.Kind{fault.ErrorAfter}, "on dynamodb nth : error-after"},
	} {
		t.Run(name, func(t *testing.T) {
			f := search(t, config(faulty(t, test.faults, test.bad...), "random")).Failure
			if f == nil {
				t.Fatal("not found")
			}
			numbers := regexp.MustCompile(`[0-9]+ ?|"counter-[0-9]" `)
			if got := numbers.ReplaceAllString(f.Smallest.Case.Faults.Inline(), ""); got != test.want || !f.Minimal {
				t.Errorf("left: %s, minimal %v; want %s", f.Smallest.Case.Faults.Inline(), f.Minimal, test.want)
			}
			if n := len(f.Smallest.Trace.Schedule); n != 0 {
				t.Errorf("%d switches left, want none", n)
			}
			replays(t, f)
		})
	}
}

// What was found before an interrupt is reported, as far as it was made smaller.
func TestInterruptedAfterAFailure(t *testing.T) {
	for _, stage := range []string{"exploring", "shrinking"} {
		ctx, cancel := context.WithCancel(t.Context())
		cfg := config(countingScenario(4, 20), "random")
		cfg.Parallel = 4
		cfg.Progress = func(p explore.Progress) {
			if p.Stage == stage && p.Total < cfg.Schedules || p.Stage == stage && p.Done == 5 {
				cancel()
			}
		}
		report, err := explore.Explore(ctx, cfg)
		if !errors.Is(err, context.Canceled) || report.Failure == nil || report.Failure.Minimal {
			t.Errorf("interrupted while %s: %v, %+v", stage, err, report.Failure)
			continue
		}
		if out := text(t, report); !strings.Contains(out, "FAILED: check linearizable") {
			t.Errorf("the report says:\n%s", out)
		}
		replays(t, report.Failure)
	}
}

// What is not determined by the case is noticed.
func TestUnstableScenario(t *testing.T) {
	runs := 0
	act := func(context.Context, *counting, int) error {
		if runs++; runs == 3 {
			return errors.New("once only")
		}
		return nil
	}
	report, err := explore.Explore(t.Context(), config(countingWith(1, 1, checker.DefaultLimits(), act), "fifo"))
	var unstable *explore.UnstableError
	if !errors.As(err, &unstable) || unstable.Index != 2 || report == nil {
		t.Errorf("%v, want schedule 3 to be unstable", err)
	}
}

// Of a scenario without choices all schedules are one interleaving.
func TestInterleavingsAreCounted(t *testing.T) {
	cfg := config(countingScenario(1, 3), "fifo", "random")
	cfg.Schedules = 9
	report := search(t, cfg)
	if report.Failure != nil || report.Schedules != 9 || report.Distinct != 1 {
		t.Errorf("%d schedules, %d interleavings, %v; want 9 and 1", report.Schedules, report.Distinct, report.Err())
	}
	want := []explore.PolicyCount{{Policy: cfg.Policies[0], Schedules: 5, Distinct: 1}, {Policy: cfg.Policies[1], Schedules: 4}}
	if fmt.Sprint(report.Policies) != fmt.Sprint(want) {
		t.Errorf("policies %v, want %v", report.Policies, want)
	}
}

func TestFiles(t *testing.T) {
	f := search(t, config(countingScenario(3, 2), "random")).Failure
	dir := filepath.Join(t.TempDir(), "new", "failure")
	names, err := f.WriteFiles(dir)
	if err != nil || len(names) != 5 {
		t.Fatalf("%v, %v", names, err)
	}
	data, err := os.Open(filepath.Join(dir, explore.FailingFile))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = data.Close() }() // it was only read
	h, err := checker.ReadJSON(data)
	if err != nil {
		t.Fatal(err)
	}
	if res, err := checker.Check(t.Context(), h, checker.DefaultLimits()); err != nil || res.Verdict != checker.Failed {
		t.Errorf("what was written as failing is %s, %v", res.Verdict, err)
	}
	line, err := os.ReadFile(filepath.Join(dir, explore.ReplayFile))
	if err != nil || strings.TrimSuffix(string(line), "\n") != f.Command() {
		t.Errorf("replay line %q, %v", line, err)
	}
}

func TestConfigIsValidated(t *testing.T) {
	for want, change := range map[string]func(c *explore.Config){
		"no actors":      func(c *explore.Config) { c.Scenario.Actors = nil },
		"without a name": func(c *explore.Config) { c.Scenario.Name = "" },
		"opens nothing":  func(c *explore.Config) { c.Scenario.Open = nil },
		"0 operations":   func(c *explore.Config) { c.Scenario.Operations = 0 },
		"0 schedules":    func(c *explore.Config) { c.Schedules = 0 },
		"no policies":    func(c *explore.Config) { c.Policies = nil },
		"at once":        func(c *explore.Config) { c.Parallel = 0 },
		"to shrink a":    func(c *explore.Config) { c.ShrinkRuns = -1 },
	} {
		cfg := config(countingScenario(1, 1), "fifo")
		change(&cfg)
		if _, err := explore.Explore(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
