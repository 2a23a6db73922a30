package explore

import (
	"fmt"
	"strings"

	"github.com/lakebench/lakebench/internal/backend/fault"
	"github.com/lakebench/lakebench/internal/sim/checker"
	"github.com/lakebench/lakebench/internal/sim/task"
)

// A Report is what a search covered and found.
type Report struct {
	Scenario   string
	Actors     int
	Operations int // of each actor
	Seed       uint64
	Planned    int // schedules
	Schedules  int // that were run: all, or up to the first that failed
	// Distinct counts the interleavings among them.
	Distinct int
	Policies []PolicyCount
	// Requests and Recorded are over all schedules: attempts, and operations that
	// the checker saw.
	Requests, Recorded int64
	// Unsettled counts the schedules on which a check gave up; First is the first.
	Unsettled int
	First     *Unsettled
	// Failure is the first schedule that failed, nil if none did.
	Failure  *Failure
	Warnings []string

	seen  map[uint64]bool
	fired []int64
}

// PolicyCount is what one policy covered. Distinct counts interleavings that no
// policy had met before.
type PolicyCount struct {
	Policy              Policy
	Schedules, Distinct int
}

// Unsettled is a check that gave up.
type Unsettled struct {
	Index  int // of the schedule, from 0
	Seed   uint64
	Policy Policy
	Check  Check
}

// A Failure is a schedule on which a check failed.
type Failure struct {
	Scenario Scenario
	Index    int // of the schedule, from 0
	Policy   Policy
	// Check is what failed, in the smallest run.
	Check Check
	// Found is the run as it was found, Smallest what was left of it.
	Found, Smallest *Run
	// Runs is how many runs that took. Minimal means that nothing more can be left
	// out: no operation of all actors, no switch, no fault.
	Runs    int
	Minimal bool
}

func newReport(cfg Config) *Report {
	r := &Report{
		Scenario: cfg.Scenario.Name, Actors: len(cfg.Scenario.Actors), Operations: cfg.Scenario.Operations,
		Seed: cfg.Seed, Planned: cfg.Schedules, seen: map[uint64]bool{}, fired: make([]int64, len(cfg.Scenario.Faults)),
	}
	for _, p := range cfg.Policies {
		r.Policies = append(r.Policies, PolicyCount{Policy: p})
	}
	return r
}

func (r *Report) add(cfg Config, index int, s *summary) {
	count := &r.Policies[index%len(r.Policies)]
	r.Schedules++
	count.Schedules++
	r.Requests += s.requests
	r.Recorded += int64(s.operations)
	if !r.seen[s.hash] {
		r.seen[s.hash] = true
		r.Distinct++
		count.Distinct++
	}
	for i, n := range s.fired {
		r.fired[i] += n
	}
	if s.inconclusive != nil {
		r.Unsettled++
		if r.First == nil {
			r.First = &Unsettled{index, cfg.seed(index), cfg.policy(index), *s.inconclusive}
		}
	}
}

// unmatched warns of rules that never came about.
func (r *Report) unmatched(rules fault.Rules) {
	for i, rule := range rules {
		if r.fired[i] == 0 {
			r.Warnings = append(r.Warnings, fmt.Sprintf("fault %s: never happened in %d schedules", rule, r.Schedules))
		}
	}
}

// A FoundError is a search that found something.
type FoundError struct {
	Scenario string
	Check    Check
	Index    int // of the schedule, from 0
}

func (e *FoundError) Error() string {
	return fmt.Sprintf("scenario %s: check %s failed on schedule %d", e.Scenario, e.Check.Name, e.Index+1)
}

// An InconclusiveError is a search that found nothing, and in which a check gave
// up.
type InconclusiveError struct {
	Scenario         string
	Count, Schedules int
	First            Check
}

func (e *InconclusiveError) Error() string {
	return fmt.Sprintf("scenario %s: check %s gave up on %d of %d schedules: %s", e.Scenario, e.First.Name, e.Count, e.Schedules, e.First.Detail)
}

// An UnstableError is a schedule that failed once and not when it was run again:
// something in the scenario does not follow from its case.
type UnstableError struct {
	Scenario string
	Index    int // of the schedule, from 0
}

func (e *UnstableError) Error() string {
	return fmt.Sprintf("scenario %s: schedule %d failed once and not again, so it is not deterministic", e.Scenario, e.Index+1)
}

// Err returns the verdict as an error: a *FoundError, an *InconclusiveError, or
// nil if everything held.
func (r *Report) Err() error {
	switch {
	case r.Failure != nil:
		return &FoundError{r.Scenario, r.Failure.Check, r.Failure.Index}
	case r.Unsettled > 0:
		return &InconclusiveError{r.Scenario, r.Unsettled, r.Schedules, r.First.Check}
	}
	return nil
}

// Verdict is Err in a word.
func (r *Report) Verdict() checker.Verdict {
	switch {
	case r.Failure != nil:
		return checker.Failed
	case r.Unsettled > 0 || r.Schedules == 0:
		return checker.Inconclusive
	}
	return checker.Passed
}

// Command returns the line that replays the smallest failing run, for a POSIX
// shell.
func (f *Failure) Command() string {
	c := f.Smallest.Case
	words := append([]string{"lakebench", "explore"}, f.Scenario.Flags...)
	words = append(words, "--operations", fmt.Sprint(c.Operations), "--seed", fmt.Sprint(c.Seed),
		"--policy", replay, "--schedule", f.Smallest.schedule().String(), "--faults", c.Faults.Inline())
	for i, w := range words {
		words[i] = shellWord(w)
	}
	return strings.Join(words, " ")
}

// shellWord quotes what a POSIX shell would not take as it is.
func shellWord(w string) string {
	plain := w != "" && strings.IndexFunc(w, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-_./:=,", r)
	}) < 0
	if plain {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}

// ParseReplay is the policy of a replay, from what --schedule says.
func ParseReplay(schedule string) (task.Policy, error) {
	s, err := task.ParseSchedule(schedule)
	if err != nil {
		return nil, err
	}
	return task.Replay{Schedule: s}, nil
}
