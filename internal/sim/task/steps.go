package task

import (
	"context"
	"slices"
	"time"
)

// step counts a step of t, and now and then looks at the limits and at contexts
// that end without telling.
func (r *virtual) step(t *virtualTask) {
	if r.stuck != nil {
		return
	}
	t.steps++
	r.steps++
	if r.steps >= r.checkAt {
		r.check()
	}
}

// pollEvery is the number of steps between two looks at the outside context.
const pollEvery = 64

func (r *virtual) check() {
	r.poll()
	switch {
	case r.live.len() == 0: // that was the last step
	case r.cfg.MaxSteps > 0 && r.steps >= r.cfg.MaxSteps:
		r.giveUp(ErrStepLimit)
	case r.steps-r.moved >= r.cfg.LivelockSteps:
		r.giveUp(ErrLivelock)
	case r.interrupted && r.steps >= r.graceEnd:
		r.giveUp(ErrInterrupted)
	}
	r.setCheck()
}

func (r *virtual) setCheck() {
	r.checkAt = min(r.steps+pollEvery, r.moved+r.cfg.LivelockSteps)
	if r.polled.len() > 0 {
		r.checkAt = r.steps + 1
	}
	if r.cfg.MaxSteps > 0 {
		r.checkAt = min(r.checkAt, r.cfg.MaxSteps)
	}
	if r.interrupted {
		r.checkAt = min(r.checkAt, r.graceEnd)
	}
}

// poll looks at the contexts that end without telling, and reports whether one
// had ended.
func (r *virtual) poll() (found bool) {
	for _, c := range slices.Collect(r.polled.all()) {
		if err := c.hook.Context.Err(); err != nil {
			c.expire(err)
			found = true
		}
	}
	if !r.interrupted && r.outside.Err() != nil {
		r.interrupted = true
		r.graceEnd = r.steps + r.cfg.GraceSteps
		r.root.expire(r.outside.Err())
		found = true
	}
	return found
}

// pass is a step after which the running task could go on; yields means that it
// asks for another one to run.
func (r *virtual) pass(yields bool) error {
	t := r.current
	r.step(t)
	if r.stuck == nil && r.ready.len() > 0 {
		if i := r.choose(t, yields); i != stay {
			next := r.ready.remove(i)
			t.state = runnable
			r.ready.push(t)
			r.switchTo(next)
			t.park()
		}
	}
	if r.stuck != nil {
		return r.refuse(t)
	}
	return nil
}

// block is a step of the running task that ends when something unblocks it, at
// the latest when the clock reaches until.
func (r *virtual) block(ctx context.Context, what string, on any, until int64) error {
	t := r.current
	r.step(t)
	if r.stuck != nil {
		return r.refuse(t)
	}
	if ctx.Err() != nil { // the step may have noticed an interrupt
		return context.Cause(ctx)
	}
	r.inRow = 0
	t.state, t.what, t.on, t.since, t.cancelled = waiting, what, on, r.clock, false
	r.contextOf(ctx).enrol(t)
	if until != never {
		r.set(&t.timer, until)
	}
	r.dispatch()
	if r.next != t {
		t.park()
	}
	t.state = running
	switch {
	case r.stuck != nil:
		return r.refuse(t)
	case t.cancelled:
		return context.Cause(ctx)
	}
	return nil
}

// unblock makes a waiting task runnable.
func (t *virtualTask) unblock(cancelled bool) {
	if t.state != waiting {
		return
	}
	t.state, t.cancelled, t.on, t.waiter = runnable, cancelled, nil, nil
	t.r.unset(&t.timer)
	t.context.strike(t)
	t.r.ready.push(t)
}

// dispatch finds who is next when the running task cannot go on; it moves the
// clock as far as that takes.
func (r *virtual) dispatch() {
	for {
		n := r.ready.len()
		switch {
		case n == 1 || n > 1 && r.stuck != nil:
			r.switchTo(r.ready.remove(0))
			return
		case n > 1:
			r.switchTo(r.ready.remove(r.choose(nil, false)))
			return
		case r.live.len() == 0:
			r.next = nil
			return
		case r.poll() || r.advance():
		default:
			r.giveUp(ErrDeadlock)
		}
	}
}

// choose asks the policy who is next: stay, or an index in the ready queue. cur
// is the running task, or nil when it cannot go on.
func (r *virtual) choose(cur *virtualTask, yields bool) int {
	r.choices++
	i := r.chooser.choose(r, cur, yields)
	if r.cfg.Record && i != r.usual(cur) {
		to := cur
		if i != stay {
			to = r.ready.at(i)
		}
		r.recorded = append(r.recorded, recordedSwitch{r.current, r.current.steps, to})
	}
	r.inRow++
	return i
}

// stay is the choice of the running task.
const stay = -1

// patience is how many choices in a row may fall on a task that goes on from
// step to step, before the usual choice is another one. Otherwise a loop that
// yields until another task has done something would be a livelock wherever the
// policy does not switch by itself.
const patience = 10_000

// usual is the choice that schedules do not record: the running task while it
// can go on, else the one that has been able to run for longest.
func (r *virtual) usual(cur *virtualTask) int {
	if cur != nil && r.inRow < patience {
		return stay
	}
	return 0
}

func (r *virtual) switchTo(next *virtualTask) {
	r.next = next
	from := r.current
	if from == next || r.stuck != nil {
		return
	}
	r.switches++
	r.inRow = 0
	r.hash = mix(mix(mix(r.hash, from.identity), uint64(from.steps)), next.identity)
}

// mix hashes x into h, with the finalizer of SplitMix64.
func mix(h, x uint64) uint64 {
	h = h*0x9e3779b97f4a7c15 + x + 0x632be59bd9b4e019
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// giveUp ends the run: whoever waits is woken and told why.
func (r *virtual) giveUp(reason error) {
	if r.stuck != nil {
		return
	}
	r.stuck = &StuckError{Reason: reason, Steps: r.steps, Elapsed: time.Duration(r.clock), Tasks: r.states()}
	for _, t := range r.inOrder() {
		t.unblock(true)
	}
	r.root.cancel(r.stuck)
}

// refusals is how many steps a task may try to make after the run was given up.
// One that tries more goes round in a loop that ignores errors.
const refusals = 10_000

func (r *virtual) refuse(t *virtualTask) error {
	t.refused++
	if t.refused > refusals {
		panic(unwinding{r.stuck})
	}
	return r.stuck
}
