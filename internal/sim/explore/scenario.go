package explore

import (
	"context"
	"errors"
	"fmt"

	"github.com/lakebench/lakebench/internal/backend/fault"
	"github.com/lakebench/lakebench/internal/sim/checker"
)

// A Scenario is what is explored: who does what on which services, and what must
// hold afterwards.
type Scenario struct {
	// Name is how a report calls it.
	Name string
	// Flags name it on the command line, for the line that replays a failure.
	Flags []string
	// Actors are the names of its actors. Each is a node of its own, which may
	// crash, and a task: in schedules, task 1 sets up, and 2 is the first actor.
	Actors []string
	// Operations is how many operations each actor makes.
	Operations int
	// Faults are the rules for what goes wrong.
	Faults fault.Rules
	// Open sets up one run, before any actor runs.
	Open func(ctx context.Context, s Setup) (World, error)
}

// Setup is what a run is made of.
type Setup struct {
	Seed       uint64
	Operations int // of each actor
	// Faults decides about the requests of all actors.
	Faults *fault.Injector
	// Log takes what is to be seen in the timeline.
	Log *Log
}

// A World is one run of a scenario.
type World interface {
	// Act is the life of an actor, by its index. It ends when the actor's node
	// crashes, which is no error; an error of Act is a failure of the run.
	Act(ctx context.Context, actor int) error
	// Checks returns what held, once all actors have ended: the same checks, in the
	// same order, in every run.
	Checks(ctx context.Context) ([]Check, error)
	// History is what the actors did.
	History() checker.History
}

// A Check is what one run says about something that must hold.
type Check struct {
	Name    string
	Verdict checker.Verdict
	// Detail is one line.
	Detail string
	// Failing is a part of the history that fails on its own, if there is one.
	Failing checker.History
	// Operations are the numbers of the operations that the check complains of,
	// as the run's Log has them.
	Operations []int
}

// TasksCheck is the name of the check that every scenario has: that all tasks
// come to their end, without an error or a panic, and leave no others behind.
const TasksCheck = "tasks"

// Validate reports what keeps a scenario from being run.
func (s Scenario) Validate() error {
	switch {
	case s.Name == "":
		return errors.New("explore: a scenario without a name")
	case len(s.Actors) == 0:
		return fmt.Errorf("explore: scenario %s has no actors", s.Name)
	case s.Operations < 1:
		return fmt.Errorf("explore: scenario %s: each actor makes %d operations, expected at least 1", s.Name, s.Operations)
	case s.Open == nil:
		return fmt.Errorf("explore: scenario %s opens nothing", s.Name)
	}
	return nil
}
