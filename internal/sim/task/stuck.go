package task

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// The reasons for which a run is given up.
var (
	// ErrDeadlock: no task can run, and no timer will ever change that.
	ErrDeadlock = errors.New("deadlock: no task can run and no timer is set")
	// ErrLivelock: tasks go on and on, and the clock stands still.
	ErrLivelock = errors.New("livelock: tasks run but the clock stands still")
	// ErrStepLimit: VirtualConfig.MaxSteps was reached.
	ErrStepLimit = errors.New("the limit of steps is reached")
	// ErrInterrupted: the context given to Run was cancelled, and GraceSteps
	// later tasks were still at work.
	ErrInterrupted = errors.New("interrupted, and tasks did not end")
	// ErrEnded: Run has returned, and one of its contexts was used to wait.
	ErrEnded = errors.New("the run has ended")
)

// A StuckError is a run that was given up.
type StuckError struct {
	Reason  error // one of the above
	Steps   int64
	Elapsed time.Duration // virtual
	Tasks   []State       // those that had not ended, in the order in which they started
}

// Error is the same text for the same run: a line for the run, one for each task.
func (e *StuckError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "task: after %d steps, at +%v: %v", e.Steps, e.Elapsed, e.Reason)
	writeTasks(&b, e.Tasks)
	return b.String()
}

// Unwrap returns the reason.
func (e *StuckError) Unwrap() error { return e.Reason }

// A StrayError is a root task that returned while others still ran: somewhere a
// group was not waited for.
type StrayError struct{ Tasks []State }

func (e *StrayError) Error() string {
	var b strings.Builder
	b.WriteString("task: the root task returned while others still ran; wait for their groups")
	writeTasks(&b, e.Tasks)
	return b.String()
}

// A State is what a task was doing.
type State struct {
	ID   ID
	Name string
	// Doing is "runs", "can run", or what the task waits for and since when, from
	// the start of the run. Locks, queues and groups are numbered in the order in
	// which the report mentions them.
	Doing string
	// Steps is how many steps the task had made.
	Steps int64
}

func writeTasks(b *strings.Builder, tasks []State) {
	for _, t := range tasks {
		fmt.Fprintf(b, "\n  %s %q, %d steps: %s", t.ID, t.Name, t.Steps, t.Doing)
	}
}

// states describes the tasks that have not ended.
func (r *virtual) states() []State {
	var states []State
	numbers := map[any]int{}
	for _, t := range r.inOrder() {
		s := State{ID: t.id(), Name: t.name, Steps: t.steps}
		switch t.state {
		case running:
			s.Doing = "runs"
		case runnable:
			s.Doing = "can run"
		case waiting:
			s.Doing = t.waitsFor(numbers)
		}
		states = append(states, s)
	}
	return states
}

func (t *virtualTask) waitsFor(numbers map[any]int) string {
	if t.on == nil {
		return fmt.Sprintf("sleeps until +%v", time.Duration(t.timer.at))
	}
	if numbers[t.on] == 0 {
		numbers[t.on] = len(numbers) + 1
	}
	text := fmt.Sprintf("waits for %s #%d", t.what, numbers[t.on])
	if d, ok := t.on.(interface{ detail() string }); ok {
		if detail := d.detail(); detail != "" {
			text += " (" + detail + ")"
		}
	}
	return fmt.Sprintf("%s since +%v", text, time.Duration(t.since))
}
