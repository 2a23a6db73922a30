package migration_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/lakebench/lakebench/internal/backend/fault"
	"github.com/lakebench/lakebench/internal/sim/checker"
	"github.com/lakebench/lakebench/internal/sim/explore"
	"github.com/lakebench/lakebench/internal/sim/explore/migration"
	"github.com/lakebench/lakebench/internal/sim/task"
)

// soak is how many schedules TestExplore runs; make soak sets it.
var soak = flag.Int("soak", 0, "number of schedules of TestExplore; 0: as many as a usual test run takes")

// The schedules of every day, and of a short test: the race detector makes one take
// ten times as long. On telling ones every rule of the faults takes effect.
const (
	daily   = 101
	short   = 30
	telling = 500
)

// campaignEnv makes the test binary a program that explores the scenario and prints
// what it found: with a mutant in it, that is how a mutant is looked for.
const campaignEnv = "LAKEBENCH_EXPLORE_MIGRATION"

func TestMain(m *testing.M) {
	if os.Getenv(campaignEnv) != "" {
		if err := printCatch(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// search explores the shipped scenario, and makes a failure small if asked to.
func search(ctx context.Context, schedules int, shrink bool) (*explore.Report, error) {
	cfg, err := migration.Default()
	if err != nil {
		return nil, err
	}
	s := explore.DefaultConfig()
	s.Scenario, s.Policies = migration.Scenario(cfg), cfg.Policies
	s.Schedules, s.Parallel = schedules, runtime.GOMAXPROCS(0)
	if !shrink {
		s.ShrinkRuns = 0
	}
	return explore.Explore(ctx, s)
}

// TestExplore: on no schedule does a user of the store notice the migration, nor do
// the tables break a promise. A failure prints the line that replays it.
func TestExplore(t *testing.T) {
	schedules := daily
	switch {
	case *soak > 0:
		schedules = *soak
	case testing.Short():
		schedules = short
	}
	// Schedules make much garbage in a small heap.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	r, err := search(t.Context(), schedules, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Err(); err != nil {
		var b strings.Builder
		_ = r.WriteText(&b, 160) // a builder never fails
		t.Fatalf("%v\n%s", err, b.String())
	}
	if len(r.Warnings) > 0 && schedules >= telling { // a rule that never took effect
		t.Errorf("%q", r.Warnings)
	}
	t.Logf("%d schedules, %d interleavings, %d requests, %d operations", r.Schedules, r.Distinct, r.Requests, r.Recorded)
}

// TestRepeatedTransactionIsNoCopy: an operator's transaction whose answer was lost is
// repeated under its token, after a user has deleted what it copied. The answer is
// that of the first time, and nothing is written.
func TestRepeatedTransactionIsNoCopy(t *testing.T) {
	cfg, err := migration.Default()
	if err != nil {
		t.Fatal(err)
	}
	// Found by soaks, and made smaller there.
	for _, c := range []struct {
		what, schedule, faults string
		seed                   uint64
		operations             int
	}{
		{
			"by a call of its own", "4@59>3,6@62>6.2",
			`on dynamodb cause backfill actor "operator-1" nth 14 : error-after;
			on dynamodb cause backfill actor "operator-2" nth 13 : error-after;
			on dynamodb TransactWriteItems cause backfill actor "operator-1" nth 4 : delay 80ms`, 2524, 16,
		},
		{"by the same call", "", `on dynamodb cause backfill actor "operator-1" nth 11 : error-after`, 357, 15},
	} {
		policy, err := explore.ParseReplay(c.schedule)
		if err != nil {
			t.Fatal(err)
		}
		rules, err := fault.ParseInline("faults", c.faults)
		if err != nil {
			t.Fatal(err)
		}
		r, err := migration.Scenario(cfg).Run(t.Context(), explore.Case{Seed: c.seed, Policy: policy, Faults: rules, Operations: c.operations}, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, check := range r.Checks {
			if check.Verdict != checker.Passed {
				t.Errorf("repeated %s: check %s: %s", c.what, check.Name, check.Detail)
			}
		}
	}
}

// TestReach: what the scenario is about does happen in it. The marker is published
// on nearly every schedule, mostly while nodes are at work, and most operations of
// users succeed.
func TestReach(t *testing.T) {
	cfg, err := migration.Default()
	if err != nil {
		t.Fatal(err)
	}
	s := migration.Scenario(cfg)
	const runs = 40
	published, atWork, ok, all := 0, 0, 0, 0
	for seed := range uint64(runs) {
		r, err := s.Run(t.Context(), explore.Case{Seed: seed, Policy: task.Random{}, Faults: cfg.Faults, Operations: cfg.Operations}, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range r.Checks {
			if c.Name != migration.Marker {
				continue
			}
			if strings.HasPrefix(c.Detail, "published") {
				published++
			}
			if !strings.Contains(c.Detail, " 0 nodes") && strings.HasPrefix(c.Detail, "published") {
				atWork++
			}
		}
		for _, o := range r.History.Operations {
			all++
			if o.Answer.Outcome == "ok" || o.Answer.Outcome == "not-found" {
				ok++
			}
		}
	}
	if published < runs*9/10 || atWork < runs*3/4 || ok < all/2 {
		t.Errorf("of %d runs %d were finalized, %d of them with nodes at work; of %d operations %d succeeded", runs, published, atWork, all, ok)
	}
}

// A catch is what a campaign found; Schedule 0 is nothing.
type catch struct {
	Schedule int // from 1
	Check    string
	Detail   string
	Command  string
}

// mostSchedules is how many schedules it may take to find a mutant.
const mostSchedules = 200

func printCatch() error {
	r, err := search(context.Background(), mostSchedules, false)
	if err != nil {
		return err
	}
	var c catch
	if f := r.Failure; f != nil {
		c = catch{f.Index + 1, f.Check.Name, f.Check.Detail, f.Command()}
	}
	return json.NewEncoder(os.Stdout).Encode(c)
}
