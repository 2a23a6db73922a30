package migration_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/lakebench/lakebench/explore"
	"github.com/lakebench/lakebench/explore/migration"
	"github.com/lakebench/lakebench/explore/simulated"
	"github.com/lakebench/lakebench/task"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func search(t *testing.T, schedules int, seed uint64) *explore.Report {
	t.Helper()
	cfg, err := migration.Default()
	if err != nil {
		t.Fatal(err)
	}
	s := explore.DefaultConfig()
	s.Scenario, s.Policies = migration.Scenario(cfg), cfg.Policies
	s.Schedules, s.Seed, s.Parallel = schedules, seed, runtime.GOMAXPROCS(0)
	r, err := explore.Explore(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	if r.Failure != nil {
		var b writer
		_ = r.WriteText(&b, 160)
		t.Fatalf("%v\n%s", r.Err(), b)
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	return r
}

type writer []byte

func (w *writer) Write(p []byte) (int, error) { *w = append(*w, p...); return len(p), nil }

func TestExplore(t *testing.T) {
	began := time.Now()
	r := search(t, 90, 1)
	t.Logf("%d schedules, %d requests, %d operations in %v, %v", r.Schedules, r.Requests, r.Recorded, time.Since(began), r.Warnings)
	_ = simulated.Direct
	_ = task.FIFO{}
}

func TestCoverage(t *testing.T) {
	cfg, err := migration.Default()
	if err != nil {
		t.Fatal(err)
	}
	s := migration.Scenario(cfg)
	n := map[string]int{}
	for seed := range uint64(40) {
		r, err := s.Run(context.Background(), explore.Case{Seed: seed, Policy: task.Random{}, Faults: cfg.Faults, Operations: cfg.Operations}, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range r.Checks {
			if c.Name == "marker" {
				n[c.Detail]++
			}
		}
		for _, o := range r.History.Operations {
			n["op "+string(o.Answer.Outcome)]++
		}
		n["elapsed"] += int(r.Trace.Elapsed.Milliseconds())
	}
	t.Log(n)
}
