package explore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/lakebench/lakebench/internal/sim/task"
)

// Config is what to search.
type Config struct {
	Scenario Scenario
	// Seed is that of the first round of schedules.
	Seed uint64
	// Schedules is how many to run at most: the search ends with the first that
	// fails.
	Schedules int
	// Policies are taken in turn.
	Policies []Policy
	// Parallel is how many schedules run at once. What is found does not depend
	// on it.
	Parallel int
	// ShrinkRuns bounds the runs that making a failure smaller may take.
	ShrinkRuns int
	// Progress, unless nil, is told what was done; it may be called from several
	// tasks, one at a time, and must not wait.
	Progress func(Progress)
}

// Progress is how far a search has come.
type Progress struct {
	Stage       string // "exploring" or "shrinking"
	Done, Total int
}

// DefaultConfig searches 1,000 schedules of all policies from seed 1, one at a
// time. Scenario is for the caller to set.
func DefaultConfig() Config {
	return Config{Seed: 1, Schedules: 1000, Policies: DefaultPolicies(), Parallel: 1, ShrinkRuns: 3000}
}

// Validate reports the first setting that makes no sense.
func (c Config) Validate() error {
	if err := c.Scenario.Validate(); err != nil {
		return err
	}
	switch {
	case c.Schedules < 1:
		return fmt.Errorf("explore: %d schedules, expected at least 1", c.Schedules)
	case len(c.Policies) == 0:
		return errors.New("explore: no policies")
	case c.Parallel < 1:
		return fmt.Errorf("explore: %d schedules at once, expected at least 1", c.Parallel)
	case c.ShrinkRuns < 0:
		return fmt.Errorf("explore: %d runs to shrink a failure, expected 0 or more", c.ShrinkRuns)
	}
	return nil
}

// Explore searches for a schedule on which a check of the scenario fails, and
// makes the first one small. The report is what was covered, also beside an
// error: that ctx ended, or that the scenario could not be set up.
func Explore(ctx context.Context, cfg Config) (*Report, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	s := &search{cfg: cfg, failing: cfg.Schedules, ended: map[int]*summary{}, report: newReport(cfg)}
	var err error
	if s.choices, err = cfg.choices(ctx); err != nil {
		return s.report, err
	}
	err = s.run(ctx)
	switch {
	case s.failing < cfg.Schedules: // also if ctx has ended since
		s.report.Failure, err = cfg.shrink(ctx, s.failing, cfg.at(s.failing, s.choices))
	case err == nil:
		s.report.unmatched(cfg.Scenario.Faults)
	}
	return s.report, err
}

// choices returns about how many choices a run has, for policies that want to
// know: those of a run that does not depend on where the search begins, so that
// neither does any schedule.
func (c Config) choices(ctx context.Context) (int64, error) {
	for _, p := range c.Policies {
		if p.Name == PCT {
			run, err := c.Scenario.Run(ctx, c.with(0, task.FIFO{}), false)
			if err != nil {
				return 0, err
			}
			return run.Trace.Choices, nil
		}
	}
	return 0, nil
}

func (c Config) with(seed uint64, p task.Policy) Case {
	return Case{Seed: seed, Policy: p, Faults: c.Scenario.Faults, Operations: c.Scenario.Operations}
}

// at returns the case of a schedule.
func (c Config) at(index int, choices int64) Case {
	return c.with(c.seed(index), c.policy(index).task(choices))
}

func (c Config) seed(index int) uint64   { return c.Seed + uint64(index/len(c.Policies)) }
func (c Config) policy(index int) Policy { return c.Policies[index%len(c.Policies)] }

// A search hands out schedules in order. When one has failed, those before it
// are still finished, since the first that fails is the one to be reported.
type search struct {
	cfg     Config
	choices int64

	mu      sync.Mutex // never held over a yield
	next    int        // schedule to be run
	done    int
	failing int              // the first that failed; cfg.Schedules if none has
	ended   map[int]*summary // by index: those that are not in the report yet
	booked  int              // how many are, in order
	report  *Report
}

// A summary is what a search keeps of a run.
type summary struct {
	hash         uint64
	requests     int64
	operations   int
	fired        []int64
	inconclusive *Check
}

func summarize(r *Run) *summary {
	return &summary{r.Trace.Hash, r.Requests, len(r.History.Operations), r.Fired, r.Inconclusive()}
}

func (s *search) run(ctx context.Context) error {
	g := task.NewGroup(ctx, 0)
	for i := range min(s.cfg.Parallel, s.cfg.Schedules) {
		g.Go(fmt.Sprintf("explore %d", i), s.work)
	}
	err := g.Wait()
	s.bookRest()
	return err
}

func (s *search) work(ctx context.Context) error {
	for {
		index, ok := s.take()
		if !ok {
			return nil
		}
		run, err := s.cfg.Scenario.Run(ctx, s.cfg.at(index, s.choices), false)
		if err != nil {
			return err
		}
		s.end(index, run)
	}
}

func (s *search) take() (index int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	index = s.next
	s.next++
	return index, index < s.failing
}

// end takes note of a run. Runs are booked in the order of their schedules, up to
// the first that failed.
func (s *search) end(index int, run *Run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended[index] = summarize(run)
	if run.Failed() != nil {
		s.failing = min(s.failing, index)
	}
	for s.ended[s.booked] != nil && s.booked <= s.failing {
		s.report.add(s.cfg, s.booked, s.ended[s.booked])
		delete(s.ended, s.booked)
		s.booked++
	}
	s.done++
	if s.cfg.Progress != nil {
		s.cfg.Progress(Progress{"exploring", s.done, s.failing})
	}
}

// bookRest books what had ended out of order when the search was interrupted.
func (s *search) bookRest() {
	for _, index := range slices.Sorted(maps.Keys(s.ended)) {
		if index <= s.failing {
			s.report.add(s.cfg, index, s.ended[index])
		}
	}
}

// Replay runs one case and reports on it alone. A failure comes as it is: with
// the case's own schedule and faults.
func Replay(ctx context.Context, s Scenario, c Case) (*Report, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	s.Operations, s.Faults = c.Operations, c.Faults
	cfg := Config{Scenario: s, Seed: c.Seed, Schedules: 1, Policies: []Policy{{Name: replay}}}
	report := newReport(cfg)
	run, err := s.Run(ctx, c, true)
	if err != nil {
		return report, err
	}
	report.add(cfg, 0, summarize(run))
	report.unmatched(c.Faults)
	if run.Trace.Missed > 0 {
		report.Warnings = append(report.Warnings, fmt.Sprintf(
			"%d switches of the schedule could not be made: it is not of this scenario, seed and version", run.Trace.Missed))
	}
	if check := run.Failed(); check != nil {
		report.Failure = &Failure{Scenario: s, Policy: Policy{Name: replay}, Check: *check, Found: run, Smallest: run}
	}
	return report, nil
}

// replay is the name of the policy that a search does not know.
const replay = "replay"
