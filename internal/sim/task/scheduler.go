package task

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
)

// virtual is the runtime of one Run. Only one goroutine at a time touches it:
// that of the task whose turn it is, or Run's own between two tasks.
//
// Each task runs on a coroutine (iter.Pull), because resuming one costs a
// fraction of waking a goroutine through a channel: the Go scheduler has no part
// in it. A task that stops picks who is next, leaves that in next and goes back
// to loop, which resumes it.
type virtual struct {
	cfg     VirtualConfig
	outside context.Context // given to Run; any goroutine may cancel it
	root    *virtualContext
	chooser chooser

	clock     int64 // nanoseconds since cfg.Start
	timers    timerHeap
	timersSet uint64

	current *virtualTask
	next    *virtualTask // whom loop resumes
	ready   readyQueue
	live    bag[*virtualTask]
	idle    []*worker
	polled  bag[*virtualContext] // their parents end without telling
	spawned int

	steps    int64
	choices  int64
	switches int64
	moved    int64 // the step at which the clock moved last
	inRow    int64 // choices in a row that fell on the running task
	hash     uint64
	recorded []recordedSwitch

	checkAt     int64 // the step at which to look at limits and at outside
	interrupted bool
	graceEnd    int64 // a step; set once interrupted
	stuck       *StuckError
}

// virtualTask is a task. What can wake it knows it: a timer, a waiter, a context.
type virtualTask struct {
	r        *virtual
	name     string
	parent   *virtualTask // nil: the root
	ordinal  int          // among the tasks that parent started, from 1
	children int          // how many it started itself
	identity uint64       // hash of the ordinals from the root down
	order    int          // in which the run started its tasks
	inLive   entry[*virtualTask]

	ctx    context.Context
	fn     func(context.Context)
	worker *worker // nil before it runs

	state   taskState
	steps   int64
	refused int // steps it tried to make after the run was given up

	// While it waits:
	what      string // for what kind of thing
	on        any    // for which
	since     int64  // on the clock
	timer     timer  // of a sleep
	waiter    *virtualWaiter
	context   *virtualContext // whose end ends the wait
	inContext entry[*virtualTask]
	cancelled bool // the wait ended so

	priority int64    // of PCT
	script   []Switch // of Replay: what is still to come
}

type taskState int

const (
	runnable taskState = iota
	running
	waiting
)

// start makes fn a task that can run.
func (r *virtual) start(ctx context.Context, name string, fn func(context.Context)) {
	t := &virtualTask{r: r, name: name, ctx: ctx, fn: fn, parent: r.current, order: r.spawned}
	t.inLive.member, t.inContext.member, t.timer.owner = t, t, t
	if p := t.parent; p != nil {
		p.children++
		t.ordinal = p.children
		t.identity = mix(p.identity, uint64(t.ordinal))
	}
	r.spawned++
	r.live.add(&t.inLive)
	r.chooser.admit(t)
	r.ready.push(t)
}

// run is the life of a task.
func (t *virtualTask) run() {
	defer t.end()
	defer func() {
		switch v := recover().(type) {
		case nil, unwinding:
		default:
			panic(v) // a bug of this package: what tasks run is protected
		}
	}()
	if t.r.stuck == nil {
		t.fn(t.ctx)
	}
}

func (t *virtualTask) end() {
	t.r.live.remove(&t.inLive)
	t.r.step(t)
	t.r.dispatch()
}

// inOrder returns the live tasks in the order in which they were started.
func (r *virtual) inOrder() []*virtualTask {
	return slices.SortedFunc(r.live.all(), byOrder)
}

func byOrder(a, b *virtualTask) int { return cmp.Compare(a.order, b.order) }

// worker is a coroutine that runs one task after another: making one costs more
// than a short task.
type worker struct {
	resume func() (struct{}, bool)
	stop   func()
	yield  func(struct{}) bool
	task   *virtualTask
}

func (r *virtual) newWorker() *worker {
	w := &worker{}
	w.resume, w.stop = iter.Pull(func(yield func(struct{}) bool) {
		w.yield = yield
		for {
			w.task.run()
			w.task = nil
			r.idle = append(r.idle, w)
			if !yield(struct{}{}) {
				return
			}
		}
	})
	return w
}

// park gives the turn to r.next, until it is this task's again.
func (t *virtualTask) park() { t.worker.yield(struct{}{}) }

// loop gives the turn to one task after another until none is left.
func (r *virtual) loop() {
	for t := r.next; t != nil; t = r.next {
		if t.worker == nil {
			t.worker = r.takeWorker()
			t.worker.task = t
		}
		r.current, t.state = t, running
		t.worker.resume()
	}
}

func (r *virtual) takeWorker() *worker {
	if n := len(r.idle); n > 0 {
		w := r.idle[n-1]
		r.idle = r.idle[:n-1]
		return w
	}
	return r.newWorker()
}

// stop ends the goroutines. Tasks are left only when one of them ended Run's own
// goroutine (runtime.Goexit, as t.FailNow does); they are unwound first.
func (r *virtual) stop() {
	if r.live.len() > 0 {
		r.giveUp(ErrInterrupted)
		r.loop()
	}
	for _, w := range r.idle {
		w.stop()
	}
	r.idle = nil
	r.giveUp(ErrEnded) // for whoever still uses one of its contexts
}

// The rest is the runtime interface.

func (r *virtual) yield(context.Context) error { return r.pass(true) }

func (r *virtual) point(context.Context) error { return r.pass(false) }

func (r *virtual) spawn(ctx context.Context, name string, fn func(context.Context)) {
	if r.stuck == nil { // or else it would end at once, and nothing waits for it
		r.start(ctx, name, fn)
	}
}

func (r *virtual) self(context.Context) fmt.Stringer { return r.current }

func (r *virtual) waiter(_ context.Context, what string, on any) waiter {
	return &virtualWaiter{task: r.current, what: what, on: on}
}

// virtualWaiter is a task's place in some line.
type virtualWaiter struct {
	task  *virtualTask
	what  string
	on    any
	woken bool
}

func (w *virtualWaiter) wait(ctx context.Context) error {
	if !w.woken && ctx.Err() == nil {
		w.task.waiter = w
		if err := w.task.r.block(ctx, w.what, w.on, never); err != nil {
			return err
		}
	}
	w.woken = false
	return context.Cause(ctx)
}

func (w *virtualWaiter) wake() {
	w.woken = true
	if w.task.waiter == w {
		w.task.unblock(false)
	}
}
