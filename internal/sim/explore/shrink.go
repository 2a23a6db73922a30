package explore

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/lakebench/lakebench/internal/backend/fault"
	"github.com/lakebench/lakebench/internal/sim/checker"
	"github.com/lakebench/lakebench/internal/sim/task"
)

// shrink runs a failing case again, with all details, and makes it smaller.
func (c Config) shrink(ctx context.Context, index int, failing Case) (*Failure, error) {
	// An interrupt must not take away what was found.
	found, err := c.Scenario.Run(context.WithoutCancel(ctx), failing, true)
	if err != nil {
		return nil, err
	}
	check := found.Failed()
	if check == nil {
		return nil, &UnstableError{c.Scenario.Name, index}
	}
	same := *found
	same.Case = found.replay()
	s := &shrinking{ctx: ctx, scenario: c.Scenario, check: check.Name, limit: c.ShrinkRuns, progress: c.Progress, found: found, best: &same}
	f := &Failure{Scenario: c.Scenario, Index: index, Policy: c.policy(index), Found: found, Minimal: s.shrink()}
	f.Runs, f.Smallest, f.Check = s.runs, s.best, *s.best.check(check.Name)
	f.Smallest.Case.Faults = joined(f.Smallest.Case.Faults)
	return f, s.err
}

// A shrinking makes a failing case smaller as long as the same check fails. What
// it tries are replays of the failing run: its schedule as switches, its faults
// as rules that are due once. Fewer faults and switches come first, then fewer
// operations.
type shrinking struct {
	ctx      context.Context
	scenario Scenario
	check    string
	limit    int
	progress func(Progress)

	found *Run // as the search found it
	best  *Run // the smallest that fails, as a replay
	runs  int
	err   error // ends it all
}

// shrink goes on until nothing can be left out any more. It reports whether that
// was reached, rather than the limit.
func (s *shrinking) shrink() (minimal bool) {
	if !s.fails(s.best.Case) { // the very same run
		return false
	}
	s.fewerOperations()
	if !s.oneFault() {
		s.oneRule()
	}
	s.leaveOut()
	if s.parts() > 1 {
		s.earlierFault()
		s.leaveOut()
	}
	if len(s.best.schedule()) > 0 {
		s.earlierSwitch()
		s.leaveOut()
	}
	return !s.exhausted()
}

// leaveOut leaves out what it can until no switch and no fault is left that the
// failure can do without.
func (s *shrinking) leaveOut() {
	for before := -1; before != s.size() && !s.exhausted(); {
		before = s.size()
		s.fewerOperations()
		minimize(s.best.Case.Faults, s.withFaults)
		minimize(s.best.schedule(), s.withSwitches)
	}
}

// replay returns the case that is this run again: the switches that were made,
// the faults that happened, and nothing else. The run must have been detailed.
func (r *Run) replay() Case {
	return Case{r.Case.Seed, task.Replay{Schedule: r.Trace.Schedule}, r.Happened, r.Case.Operations}
}

// schedule returns the switches of a replayed run.
func (r *Run) schedule() task.Schedule {
	p, _ := r.Case.Policy.(task.Replay)
	return p.Schedule
}

func (s *shrinking) parts() int { return len(s.best.schedule()) + len(s.best.Case.Faults) }

func (s *shrinking) size() int { return s.parts() + s.best.Case.Operations }

func (s *shrinking) exhausted() bool { return s.err != nil || s.runs >= s.limit }

// fails reports whether the case fails the check; then it is the best so far.
func (s *shrinking) fails(c Case) bool {
	if s.exhausted() {
		return false
	}
	s.runs++
	if s.progress != nil {
		s.progress(Progress{"shrinking", s.runs, s.limit})
	}
	run, err := s.scenario.Run(s.ctx, c, true)
	if err != nil {
		s.err = err
		return false
	}
	if c := run.check(s.check); c == nil || c.Verdict != checker.Failed {
		return false
	}
	run.Case = run.replay() // without what never came about
	s.best = run
	return true
}

func (s *shrinking) withFaults(part []fault.Rule) ([]fault.Rule, bool) {
	c := s.best.Case
	c.Faults = part
	ok := s.fails(c)
	return s.best.Case.Faults, ok
}

func (s *shrinking) withSwitches(part []task.Switch) ([]task.Switch, bool) {
	c := s.best.Case
	c.Policy = task.Replay{Schedule: part}
	ok := s.fails(c)
	return s.best.schedule(), ok
}

// fewerOperations looks for the fewest operations of each actor. Fewer do not
// always fail where more do, so it steps down by less and less.
func (s *shrinking) fewerOperations() {
	for step := s.best.Case.Operations / 2; step > 0; {
		c := s.best.Case
		c.Operations -= step
		if c.Operations < 1 || !s.fails(c) {
			step /= 2
		}
	}
}

// oneFault tries each fault alone and reports whether one was enough. Whatever is
// left out shifts all that comes after it, so that a few faults out of many are
// seldom arrived at step by step, while one alone often fails in some other way.
func (s *shrinking) oneFault() bool {
	all := s.best.Case.Faults
	if len(all) < 2 {
		return true
	}
	for n := range 1 + len(all) {
		if _, ok := s.withFaults(all[max(n-1, 0):n]); ok {
			return true
		}
	}
	return false
}

// oneRule tries each rule that had an effect alone, with other seeds and without
// any switch: what is left to be left out then is much less, and of one kind.
func (s *shrinking) oneRule() {
	c := s.found.Case
	for by := range uint64(oneRuleSeeds) {
		for i, rule := range c.Faults {
			if s.found.Fired[i] > 0 && s.fails(Case{c.Seed + by, task.Replay{}, fault.Rules{rule}, c.Operations}) {
				return
			}
		}
	}
}

// oneRuleSeeds bounds the seeds that oneRule tries.
const oneRuleSeeds = 64

// Limits of what earlierFault and earlierSwitch try.
const (
	earliestRequest = 12 // of an actor
	earliestStep    = 24 // of an actor
)

// fewOperations are the numbers of operations of each actor that they try, fewest
// first.
func (s *shrinking) fewOperations() []int {
	few := slices.DeleteFunc([]int{10, 20, 40}, func(n int) bool { return n >= s.best.Case.Operations })
	return append(few, s.best.Case.Operations)[:min(len(few)+1, 3)]
}

// earlierFault tries faults that had happened to an actor at one of the first
// requests that they could happen to, and nothing else: one, or those that
// happened at requests in a row.
func (s *shrinking) earlierFault() {
	patterns := slices.Concat(rows(s.best.Case.Faults), rows(s.found.Happened))
	patterns = slices.DeleteFunc(patterns, func(p fault.Rules) bool { return len(p) >= s.parts() })
	for _, operations := range s.fewOperations() {
		for n := range int64(earliestRequest) {
			for _, p := range patterns {
				if s.fails(Case{s.best.Case.Seed, task.Replay{}, moved(p, n+1), operations}) {
					return
				}
			}
		}
	}
}

// rows returns the rules that are due at requests in a row, whatever they do to
// them, each row once however often it comes.
func rows(rules fault.Rules) []fault.Rules {
	rules = slices.Clone(rules)
	slices.SortStableFunc(rules, func(a, b fault.Rule) int {
		return cmp.Or(strings.Compare(requests(a).String(), requests(b).String()), cmp.Compare(a.Select.First, b.Select.First))
	})
	var all []fault.Rules
	for from := 0; from < len(rules); {
		to := from + 1
		for to < len(rules) && requests(rules[to]) == requests(rules[from]) && rules[to].Select.First <= rules[to-1].Select.Last+1 {
			to++
		}
		row := moved(rules[from:to], 1)
		if !slices.ContainsFunc(all, func(r fault.Rules) bool { return slices.Equal(r, row) }) {
			all = append(all, row)
		}
		from = to
	}
	return all
}

// requests is the rule for what a rule's conditions are about.
func requests(r fault.Rule) fault.Rule {
	r.Select, r.Effect = fault.Selection{}, fault.Effect{}
	return r
}

// moved returns a row of rules that begins at the n-th request.
func moved(row fault.Rules, n int64) fault.Rules {
	row = slices.Clone(row)
	by := n - row[0].Select.First
	for i := range row {
		row[i].Select.First += by
		row[i].Select.Last += by
	}
	return row
}

// earlierSwitch tries one switch from one actor to another, at one of the first
// steps, in the place of all switches.
func (s *shrinking) earlierSwitch() {
	c := s.best.Case
	c.Operations = s.fewOperations()[0]
	for step := range int64(earliestStep) {
		for from := range s.scenario.Actors {
			for to := range s.scenario.Actors {
				c.Policy = task.Replay{Schedule: task.Schedule{{Task: actorTask(from), Step: step + 1, To: actorTask(to)}}}
				if from != to && s.fails(c) {
					return
				}
			}
		}
	}
}

// actorTask is the task of an actor; the first one sets up.
func actorTask(actor int) task.ID { return task.ID(strconv.Itoa(actor + 2)) }

// joined puts rules that are due at one request after another into one, which
// means the same.
func joined(rules fault.Rules) fault.Rules {
	var out fault.Rules
	for _, r := range rules {
		last := len(out) - 1
		if last < 0 || out[last].Select.First == 0 || out[last].Select.Last+1 != r.Select.First {
			out = append(out, r)
			continue
		}
		longer := r
		longer.Select.First = out[last].Select.First
		before := longer
		before.Select.Last = out[last].Select.Last
		if before == out[last] { // but for their requests they are the same
			out[last] = longer
		} else {
			out = append(out, r)
		}
	}
	return out
}

// minimize looks for a part of items that fails, such that it does not without
// any one of them: delta debugging (Zeller and Hildebrandt, "Simplifying and
// Isolating Failure-Inducing Input", 2002), by leaving out ever smaller runs of
// items. fails tries a part and returns what of it is worth keeping; items itself
// fails.
func minimize[T any](items []T, fails func(part []T) ([]T, bool)) {
	if len(items) == 0 {
		return
	}
	if _, ok := fails(nil); ok {
		return
	}
	for run := (len(items) + 1) / 2; ; run = max(run/2, 1) {
		removed := false
		for from := 0; from < len(items) && len(items) > 1; {
			to := min(from+run, len(items))
			if rest, ok := fails(slices.Concat(items[:from], items[to:])); ok {
				items, removed = rest, true
			} else {
				from = to
			}
		}
		if run == 1 && !removed {
			return
		}
	}
}
