package task

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// VirtualConfig configures [Run]. Its zero value is the default: first in,
// first out, from DefaultStart, nothing recorded.
type VirtualConfig struct {
	// Seed decides every random choice of Policy.
	Seed uint64
	// Policy picks among the tasks that can run; nil is FIFO.
	Policy Policy
	// Start is the virtual time at which the run begins; zero is DefaultStart.
	Start time.Time
	// MaxSteps is the most steps of a run; 0 is no limit. A step is a point
	// at which another task may run: a yield, a sleep, a wait, a use of a lock or
	// a queue, the end of a task.
	MaxSteps int64
	// LivelockSteps is how many steps without the clock moving are a livelock;
	// 0 is DefaultLivelockSteps.
	LivelockSteps int64
	// GraceSteps is how many steps tasks have to wind down in once the context
	// given to Run is cancelled; 0 is DefaultGraceSteps.
	GraceSteps int64
	// Record keeps the schedule, to be replayed (see Trace.Schedule).
	Record bool
}

// DefaultLivelockSteps, DefaultGraceSteps and DefaultStart stand for zero values
// in a VirtualConfig.
const (
	DefaultLivelockSteps = 10_000_000
	DefaultGraceSteps    = 1_000_000
)

// DefaultStart is not today on purpose: a test must not pass because virtual and
// real time happen to be close.
func DefaultStart() time.Time { return time.Date(2030, time.January, 1, 0, 0, 0, 0, time.UTC) }

// DefaultVirtualConfig returns what the zero value stands for.
func DefaultVirtualConfig() VirtualConfig { return VirtualConfig{}.withDefaults() }

func (c VirtualConfig) withDefaults() VirtualConfig {
	if c.Policy == nil {
		c.Policy = FIFO{}
	}
	if c.Start.IsZero() {
		c.Start = DefaultStart()
	}
	if c.LivelockSteps == 0 {
		c.LivelockSteps = DefaultLivelockSteps
	}
	if c.GraceSteps == 0 {
		c.GraceSteps = DefaultGraceSteps
	}
	return c
}

// Validate reports limits below zero and a policy that makes no sense.
func (c VirtualConfig) Validate() error {
	for _, limit := range []struct {
		name  string
		value int64
	}{
		{"MaxSteps", c.MaxSteps},
		{"LivelockSteps", c.LivelockSteps},
		{"GraceSteps", c.GraceSteps},
	} {
		if limit.value < 0 {
			return fmt.Errorf("task: %s is %d, want 0 (the default) or more", limit.name, limit.value)
		}
	}
	if c.Policy != nil {
		return c.Policy.Validate()
	}
	return nil
}

// A Trace is what a run was like. It is the same for one program, configuration
// and Go version, whatever GOMAXPROCS, and with or without the race detector.
type Trace struct {
	// Tasks counts the tasks that were started, the root included.
	Tasks int
	// Steps counts the points at which another task might have run, Choices
	// those at which there was more than one to choose from, Switches those at
	// which the running task changed.
	Steps, Choices, Switches int64
	// Elapsed is how far the clock moved.
	Elapsed time.Duration
	// Hash identifies the interleaving: which task was switched to after how
	// many steps of which other. Two runs of one program that interleave
	// differently have different hashes but for a chance of 2⁻⁶⁴ a pair.
	Hash uint64
	// Schedule is what Replay needs to do it again; nil unless recorded.
	Schedule Schedule
	// Missed counts the switches of a replayed schedule that could not be made:
	// the task did not come that far, or the other one could not run. 0 when the
	// schedule is of this very program and configuration.
	Missed int
}

// Run runs fn as the root task of a virtual runtime, and the tasks that it
// starts, until all have ended. Tasks run one at a time on goroutines of their
// own; a task keeps running until it comes to a step (see MaxSteps), and then
// the policy picks among those that can run. When none can, the clock jumps to
// the next timer.
//
// The error is fn's, joined with a *StrayError when fn returned before tasks it
// had started, and with a *StuckError when the run was given up: no task could
// ever run again, the clock stood still for too long, or MaxSteps was reached.
// Then waits return that error and yields unwind their task. The trace is valid
// in any case. No goroutine outlives Run.
//
// A run within a task of another one is a single step of that one.
//
// The cancellation of ctx reaches the tasks' contexts at a step, and so in
// bounded time as long as they make steps; its deadline is of real time and not
// theirs.
func Run(ctx context.Context, cfg VirtualConfig, fn func(ctx context.Context) error) (Trace, error) {
	if err := cfg.Validate(); err != nil {
		return Trace{}, err
	}
	cfg = cfg.withDefaults()
	r := &virtual{
		cfg:     cfg,
		outside: ctx,
		chooser: cfg.Policy.chooser(rand.New(rand.NewPCG(cfg.Seed, 0))),
	}
	r.setCheck()
	r.root = makeContext(ctx, r)
	defer r.root.cancel(context.Canceled)
	defer r.stop()

	var rootErr, strayErr error
	r.start(r.root, "root", func(ctx context.Context) {
		rootErr = protect("root", func() error { return fn(ctx) })
		if r.stuck == nil {
			strayErr = r.dismissStrays()
		}
	})
	r.next = r.ready.remove(0)
	r.loop()

	errs := []error{strayErr}
	if r.stuck != nil {
		errs = append(errs, r.stuck)
	}
	if rootErr != nil && (r.stuck == nil || !errors.Is(rootErr, r.stuck)) {
		errs = append([]error{rootErr}, errs...)
	}
	return r.trace(), joined(errs)
}

// joined is errors.Join without a wrapper around a single error.
func joined(errs []error) error {
	var some []error
	for _, err := range errs {
		if err != nil {
			some = append(some, err)
		}
	}
	if len(some) == 1 {
		return some[0]
	}
	return errors.Join(some...)
}

// dismissStrays cancels the tasks that the root leaves behind, so that the run
// ends.
func (r *virtual) dismissStrays() error {
	if r.live.len() == 1 {
		return nil
	}
	err := &StrayError{}
	for _, s := range r.states() {
		if s.ID != rootID {
			err.Tasks = append(err.Tasks, s)
		}
	}
	r.root.cancel(err)
	return err
}

func (r *virtual) trace() Trace {
	t := Trace{
		Tasks:    r.spawned,
		Steps:    r.steps,
		Choices:  r.choices,
		Switches: r.switches,
		Elapsed:  time.Duration(r.clock),
		Hash:     mix(r.hash, uint64(r.steps)),
		Schedule: r.schedule(),
	}
	if rp, ok := r.chooser.(*replayer); ok {
		t.Missed = rp.total - rp.made
	}
	return t
}
