package metadata_test

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/lakebench/lakebench/internal/backend/fault"
	"github.com/lakebench/lakebench/internal/sim/checker"
	"github.com/lakebench/lakebench/internal/sim/explore"
	"github.com/lakebench/lakebench/internal/sim/explore/metadata"
	"github.com/lakebench/lakebench/internal/sim/explore/simulated"
	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/store"
)

// forEach runs a test on both layouts and transports.
func forEach(t *testing.T, test func(t *testing.T, cfg metadata.Config)) {
	for _, layout := range []store.Layout{store.V1, store.V2} {
		for _, transport := range []simulated.Transport{simulated.Direct, simulated.SDK} {
			t.Run(fmt.Sprintf("%v/%s", layout, transport), func(t *testing.T) {
				cfg, err := metadata.Default()
				if err != nil {
					t.Fatal(err)
				}
				cfg.Layout, cfg.Services.Transport = layout, transport
				test(t, cfg)
			})
		}
	}
}

// The stores stand the shipped scenario, and everything in it comes about: all
// faults, the crash, and every outcome that the contract knows.
func TestShippedScenarioHolds(t *testing.T) {
	const schedules = 3
	forEach(t, func(t *testing.T, cfg metadata.Config) {
		search := explore.DefaultConfig()
		search.Scenario, search.Policies, search.Schedules = cfg.Scenario(metadata.Name), cfg.Policies, schedules
		report, err := explore.Explore(t.Context(), search)
		if err != nil || report.Err() != nil || len(report.Warnings) > 0 {
			t.Errorf("%v, %v, %q", err, report.Err(), report.Warnings)
		}
		if report.Schedules != schedules || report.Distinct != schedules {
			t.Errorf("%d interleavings in %d schedules, want %d", report.Distinct, report.Schedules, schedules)
		}
	})
}

func TestOutcomesComeAbout(t *testing.T) {
	cfg, err := metadata.Default()
	if err != nil {
		t.Fatal(err)
	}
	s := cfg.Scenario(metadata.Name)
	run, err := s.Run(t.Context(), explore.Case{Seed: 1, Policy: task.Random{}, Faults: s.Faults, Operations: s.Operations}, false)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	crashed := 0
	for _, o := range run.History.Operations {
		found[fmt.Sprintf("%s %s", o.Call.Kind, o.Answer.Outcome)]++
		if o.Actor == "writer-2" {
			crashed++
		}
	}
	for _, want := range []string{
		"get ok", "get not-found", "get refused", "cas ok", "cas conflict", "cas unknown", "cas refused",
		"delete ok", "delete not-found", "delete conflict", "guarded ok", "guarded guard", "guarded conflict", "guarded unknown",
	} {
		if found[want] == 0 {
			t.Errorf("no operation ended as %s: %v", want, found)
		}
	}
	if crashed == 0 || crashed >= cfg.Operations {
		t.Errorf("the node that crashes made %d of %d operations", crashed, cfg.Operations)
	}
}

// One case is one run: the same interleaving, the same answers and the same
// timeline, on one thread and on two.
func TestRunsAreDeterministic(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	forEach(t, func(t *testing.T, cfg metadata.Config) {
		s := cfg.Scenario(metadata.Name)
		for _, policy := range []task.Policy{task.FIFO{}, task.Random{}, task.PCT{Depth: 3, Choices: 2000}} {
			c := explore.Case{Seed: 7, Policy: policy, Faults: s.Faults, Operations: 40}
			var first string
			for _, threads := range []int{1, 2, 2} {
				runtime.GOMAXPROCS(threads)
				got := describeRun(t, s, c)
				if first == "" {
					first = got
				}
				if got != first {
					t.Fatalf("%v on %d threads is another run", policy, threads)
				}
			}
		}
	})
}

// A run is the same again when it is replayed: its schedule as switches, and its
// faults as rules that are due once.
func TestRunsAreReplayed(t *testing.T) {
	forEach(t, func(t *testing.T, cfg metadata.Config) {
		s := cfg.Scenario(metadata.Name)
		c := explore.Case{Seed: 3, Policy: task.Random{}, Faults: s.Faults, Operations: 80}
		run, err := s.Run(t.Context(), c, true)
		if err != nil {
			t.Fatal(err)
		}
		inline := run.Happened.Inline()
		faults, err := fault.ParseInline("faults", inline)
		if err != nil {
			t.Fatalf("%v in %s", err, inline)
		}
		schedule, err := task.ParseSchedule(run.Trace.Schedule.String())
		if err != nil {
			t.Fatal(err)
		}
		again := explore.Case{Seed: 3, Policy: task.Replay{Schedule: schedule}, Faults: faults, Operations: 80}
		if got, want := describeRun(t, s, again), describeRun(t, s, c); got != want {
			t.Error("the replay is another run")
		}
	})
}

// describeRun is everything that one can see of a run.
func describeRun(t *testing.T, s explore.Scenario, c explore.Case) string {
	t.Helper()
	run, err := s.Run(t.Context(), c, true)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%016x %d %v\n", run.Trace.Hash, run.Requests, run.Trace.Elapsed)
	if err := checker.WriteJSON(&b, run.History); err != nil {
		t.Fatal(err)
	}
	if err := run.WriteTimeline(&b, 120); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// What is drawn for one actor does not depend on the others: a rule with a
// probability hits the same of its requests whatever the schedule.
func TestFaultsStayWithTheirActors(t *testing.T) {
	cfg, err := metadata.Default()
	if err != nil {
		t.Fatal(err)
	}
	s := cfg.Scenario(metadata.Name)
	faults, err := fault.Parse("test", `on dynamodb GetItem p 0.1 : throttle`)
	if err != nil {
		t.Fatal(err)
	}
	hits := func(policy task.Policy) map[string][]string {
		run, err := s.Run(t.Context(), explore.Case{Seed: 5, Policy: policy, Faults: faults, Operations: 50}, false)
		if err != nil {
			t.Fatal(err)
		}
		of := map[string][]string{}
		for _, r := range run.Happened {
			of[r.Actor] = append(of[r.Actor], r.Select.String())
		}
		return of
	}
	a, b := hits(task.FIFO{}), hits(task.Random{})
	if len(a) < 4 {
		t.Fatalf("faults of %d actors are too few to compare: %v", len(a), a)
	}
	for actor := range a {
		// They make about as many requests; what the shorter one has is the same.
		n := min(len(a[actor]), len(b[actor]))
		if fmt.Sprint(a[actor][:n]) != fmt.Sprint(b[actor][:n]) {
			t.Errorf("%s: %v under fifo, %v under random", actor, a[actor], b[actor])
		}
	}
}

// A run ends with the last request that is on its way, whoever has given it up.
func TestLateRequestsAreWaitedFor(t *testing.T) {
	cfg, err := metadata.Default()
	if err != nil {
		t.Fatal(err)
	}
	cfg.Writers, cfg.Readers, cfg.Mix = 1, 0, map[string]metadata.Mix{metadata.Writers: {"cas": 1}}
	faults, err := fault.Parse("test", `on dynamodb cause mutate : timeout 1ms lands 1h`)
	if err != nil {
		t.Fatal(err)
	}
	run, err := cfg.Scenario(metadata.Name).Run(t.Context(), explore.Case{Seed: 1, Policy: task.FIFO{}, Faults: faults, Operations: 1}, false)
	if err != nil || run.Failed() != nil || run.Trace.Elapsed < time.Hour {
		t.Errorf("%v, %+v after %v", err, run.Failed(), run.Trace.Elapsed)
	}
}

// Each list counts as a read of every key that it is about.
func TestListsAreReads(t *testing.T) {
	cfg, err := metadata.Default()
	if err != nil {
		t.Fatal(err)
	}
	cfg.Writers, cfg.Readers, cfg.Mix, cfg.Faults = 0, 1, map[string]metadata.Mix{metadata.Readers: {"list": 1}}, nil
	s := cfg.Scenario(metadata.Name)
	run, err := s.Run(t.Context(), explore.Case{Seed: 1, Policy: task.FIFO{}, Operations: 1}, false)
	if err != nil || run.Failed() != nil {
		t.Fatal(err, run)
	}
	var got []string
	for _, o := range run.History.Operations {
		got = append(got, fmt.Sprint(o.Call.Key, " ", o.Answer))
	}
	// Every other key exists from the start: lease/a, tbl/b and tbl/c.
	want := []string{`tbl/a not-found`, `tbl/b ok, found "x"`, `tbl/c ok, found "x"`, `tbl/ConditionalCheckFailed not-found`}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("a list is recorded as %q, want %q", got, want)
	}
}

// The checks of the shipped scenario, held against runs of a store that breaks
// what they are about, are in the mutants (testdata/mutants). Here: a scenario
// without a check does not make it.
func TestChecksAreThoseAskedFor(t *testing.T) {
	cfg, err := metadata.Parse("s.yaml", []byte(strings.Replace(small, "[linearizable]", "[answers, linearizable]", 1)))
	if err != nil {
		t.Fatal(err)
	}
	s := cfg.Scenario("s.yaml")
	run, err := s.Run(t.Context(), explore.Case{Seed: 1, Policy: task.FIFO{}, Operations: 3}, false)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range run.Checks {
		names = append(names, c.Name)
	}
	if want := "[tasks answers linearizable]"; fmt.Sprint(names) != want {
		t.Errorf("checks %v, want %s", names, want)
	}
}
