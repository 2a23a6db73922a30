package task

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// An ID says where a task comes from: "0" is the root, "2" the second task
// that the root started, "2.1" the first that this one started. It does not
// depend on the order in which tasks happened to run, as long as each of them
// does the same.
type ID string

const rootID ID = "0"

func (t *virtualTask) id() ID {
	if t.parent == nil {
		return rootID
	}
	own := ID(strconv.Itoa(t.ordinal))
	if t.parent.parent == nil {
		return own
	}
	return t.parent.id() + "." + own
}

// String names the task in reports.
func (t *virtualTask) String() string { return fmt.Sprintf("%s %q", t.id(), t.name) }

func (id ID) valid() bool {
	if id == rootID {
		return true
	}
	for part := range strings.SplitSeq(string(id), ".") {
		if n, err := strconv.Atoi(part); err != nil || n < 1 || part != strconv.Itoa(n) {
			return false
		}
	}
	return true
}

// A Switch is a choice of the scheduler that is not the usual one. The usual
// choice is the running task while it can go on, else the one that has been able
// to run for longest.
type Switch struct {
	Task ID    // the task that made
	Step int64 // its so-manieth step, after which
	To   ID    // this one runs
}

func (s Switch) String() string { return fmt.Sprintf("%s@%d>%s", s.Task, s.Step, s.To) }

// A Schedule is all that distinguishes a run from one with the usual choices
// throughout. Every part of a schedule is a schedule as well: a failure is
// shrunk by leaving switches out. Since a switch is tied to a task's own steps
// and not to those of the run, the others keep their meaning then.
type Schedule []Switch

// String is one line without spaces: switches, as 1@17>2, with commas between.
func (s Schedule) String() string {
	parts := make([]string, len(s))
	for i, sw := range s {
		parts[i] = sw.String()
	}
	return strings.Join(parts, ",")
}

// ErrSchedule is a schedule that is not in the form that Schedule.String writes.
var ErrSchedule = errors.New("bad schedule")

// ParseSchedule reads what Schedule.String writes; "" is the empty schedule.
func ParseSchedule(text string) (Schedule, error) {
	if text == "" {
		return Schedule{}, nil
	}
	var s Schedule
	for part := range strings.SplitSeq(text, ",") {
		task, rest, _ := strings.Cut(part, "@")
		step, to, found := strings.Cut(rest, ">")
		n, err := strconv.ParseInt(step, 10, 64)
		sw := Switch{ID(task), n, ID(to)}
		if !found || err != nil || sw.check() != nil {
			return nil, fmt.Errorf("%w: switch %d is %q, want task@step>task as in 1@17>2.1", ErrSchedule, len(s)+1, part)
		}
		s = append(s, sw)
	}
	return s, nil
}

func (s Switch) check() error {
	if !s.Task.valid() || !s.To.valid() || s.Step < 1 {
		return fmt.Errorf("%w: no switch is %v", ErrSchedule, s)
	}
	return nil
}

// recordedSwitch is a Switch before its tasks' IDs are spelled out.
type recordedSwitch struct {
	task *virtualTask
	step int64
	to   *virtualTask
}

func (r *virtual) schedule() Schedule {
	if !r.cfg.Record {
		return nil
	}
	s := make(Schedule, len(r.recorded))
	for i, sw := range r.recorded {
		s[i] = Switch{sw.task.id(), sw.step, sw.to.id()}
	}
	return s
}

// Replay makes the switches of a schedule and the usual choices otherwise. A
// switch that cannot be made is counted in Trace.Missed.
type Replay struct{ Schedule Schedule }

// Validate reports a switch that none could be.
func (p Replay) Validate() error {
	for _, sw := range p.Schedule {
		if err := sw.check(); err != nil {
			return err
		}
	}
	return nil
}

func (p Replay) String() string { return "replay " + p.Schedule.String() }
