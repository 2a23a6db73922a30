package explore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lakebench/lakebench/internal/backend/fault"
	"github.com/lakebench/lakebench/internal/sim/checker"
	"github.com/lakebench/lakebench/internal/sim/task"
)

// A Case is all that decides what happens in a run of a scenario.
type Case struct {
	Seed       uint64
	Policy     task.Policy
	Faults     fault.Rules
	Operations int // of each actor
}

// A Run is what became of a case.
type Run struct {
	Case    Case
	Trace   task.Trace
	Checks  []Check // TasksCheck first, then the scenario's
	History checker.History
	// Requests counts attempts, those that a rule answered included.
	Requests int64
	// Fired counts for each rule of the case how often it had its effect.
	Fired []int64
	// Happened are the faults that took place, each as a rule that is due once.
	Happened fault.Rules
	// Log is what happened; nil unless it was asked for.
	Log *Log
}

// Failed returns the first check that failed, nil if none did.
func (r *Run) Failed() *Check { return r.first(checker.Failed) }

// Inconclusive returns the first check that gave up, nil if none did.
func (r *Run) Inconclusive() *Check { return r.first(checker.Inconclusive) }

func (r *Run) first(v checker.Verdict) *Check {
	i := slices.IndexFunc(r.Checks, func(c Check) bool { return c.Verdict == v })
	if i < 0 {
		return nil
	}
	return &r.Checks[i]
}

// check returns the check of that name.
func (r *Run) check(name string) *Check {
	i := slices.IndexFunc(r.Checks, func(c Check) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &r.Checks[i]
}

// Run runs one case; detailed keeps its log and its schedule. It returns an error if
// there is no run: the scenario could not be set up, or ctx ended.
func (s Scenario) Run(ctx context.Context, c Case, detailed bool) (*Run, error) {
	rules, origin := perActor(c.Faults, s.Actors)
	r := &Run{Case: c, Fired: make([]int64, len(c.Faults))}
	var (
		world    World
		injector *fault.Injector
		happened []fault.Firing
		setupErr error
	)
	trace, runErr := task.Run(ctx, task.VirtualConfig{Seed: c.Seed, Policy: c.Policy, Record: detailed}, func(ctx context.Context) error {
		if detailed {
			r.Log = newLog(ctx)
		}
		injector = fault.New(ctx, rules, fault.Config{Seed: c.Seed, Observe: func(ctx context.Context, f fault.Firing) {
			r.Fired[origin[f.Index]]++
			happened = append(happened, f)
			r.Log.Note(ctx, faultMark+f.Rule.Effect.String())
		}})
		// A task of its own, so that the actors have their numbers whatever it starts.
		g := task.NewGroup(ctx, 0)
		g.Go("set-up", func(ctx context.Context) error {
			world, setupErr = s.Open(ctx, Setup{c.Seed, c.Operations, injector, r.Log})
			return nil
		})
		if err := g.Wait(); err != nil || setupErr != nil {
			return err
		}
		return errors.Join(s.act(ctx, world), injector.Wait())
	})
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case setupErr != nil:
		return nil, fmt.Errorf("setting up scenario %s: %w", s.Name, setupErr)
	case world == nil:
		return nil, runErr // the policy, or a stuck set-up
	}
	r.Trace = trace
	r.Requests = injector.Counts().Forwarded + injector.Counts().Stopped
	r.Happened = once(happened)
	r.History = world.History()
	checks, err := world.Checks(ctx)
	if err != nil {
		return nil, err
	}
	r.Checks = append([]Check{tasksCheck(runErr)}, checks...)
	return r, ctx.Err()
}

// act runs the actors, each under a node of its own.
func (s Scenario) act(ctx context.Context, w World) error {
	g := task.NewGroup(ctx, 0)
	for i, name := range s.Actors {
		g.Go(name, func(ctx context.Context) error {
			ctx, end := fault.Node(ctx, name)
			defer end()
			return w.Act(ctx, i)
		})
	}
	return g.Wait()
}

func tasksCheck(err error) Check {
	if err == nil {
		return Check{Name: TasksCheck, Verdict: checker.Passed, Detail: "all tasks ended"}
	}
	return Check{Name: TasksCheck, Verdict: checker.Failed, Detail: strings.ReplaceAll(err.Error(), "\n", "; ")}
}

// perActor draws rules with a probability for each actor apart (see the package
// comment). origin has for each rule that comes out the index of the one that
// went in.
func perActor(rules fault.Rules, actors []string) (expanded fault.Rules, origin []int) {
	for i, r := range rules {
		if r.Select.P == 0 || r.Actor != "" {
			expanded, origin = append(expanded, r), append(origin, i)
			continue
		}
		for _, name := range actors {
			r.Actor = name
			expanded, origin = append(expanded, r), append(origin, i)
		}
	}
	return expanded, origin
}

// once returns what fired as rules that do so at the same requests and at no
// other, in the order of the rules that they come from.
func once(firings []fault.Firing) fault.Rules {
	slices.SortStableFunc(firings, func(a, b fault.Firing) int { return a.Index - b.Index })
	rules := make(fault.Rules, len(firings))
	for i, f := range firings {
		rules[i] = f.Only()
	}
	return rules
}
