package task

import (
	"context"
	"fmt"
	"sync"
)

// A Group runs tasks and waits for all of them. The first error cancels the
// group's context, with that error as the cause.
type Group struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	limit  *Semaphore // nil: no limit

	mu      sync.Mutex // never held over a yield
	running int
	err     error
	waiting waitList
}

// NewGroup returns an empty group whose tasks run under a context derived from
// ctx. At most limit tasks run at once; 0 means any number. Wait must be called,
// even when Go was not.
func NewGroup(ctx context.Context, limit int) *Group {
	g := &Group{}
	g.ctx, g.cancel = WithCancel(ctx)
	if limit > 0 {
		g.limit = NewSemaphore(limit)
	}
	return g
}

// Go starts fn as a task; name appears in reports of what tasks wait for. With
// a limit it first waits for a free place; when the group is cancelled
// meanwhile, fn does not run. A task of a full group that calls Go on its own
// group waits for itself. A panic of fn becomes the group's error.
func (g *Group) Go(name string, fn func(ctx context.Context) error) {
	if g.limit != nil {
		if err := g.limit.Acquire(g.ctx); err != nil {
			g.fail(err)
			return
		}
	}
	g.mu.Lock()
	g.running++
	g.mu.Unlock()
	from(g.ctx).spawn(g.ctx, name, func(ctx context.Context) {
		// What fn does not live to say: it ended its goroutine, as t.FailNow does.
		err := fmt.Errorf("task %q ended by runtime.Goexit", name)
		defer func() { g.done(err) }()
		err = protect(name, func() error { return fn(ctx) })
	})
}

// Wait returns the first error once every task has ended, and ends the group's
// context. It waits for the tasks even when ctx is done: nothing outlives its
// group.
func (g *Group) Wait() error {
	for {
		g.mu.Lock()
		if g.running == 0 {
			err := g.err
			g.mu.Unlock()
			g.cancel(context.Canceled)
			return err
		}
		w := from(g.ctx).waiter(g.ctx, "group", g)
		g.waiting.add(w)
		g.mu.Unlock()
		if err := w.wait(context.WithoutCancel(g.ctx)); err != nil {
			return err // a runtime that gave up
		}
	}
}

func (g *Group) fail(err error) {
	g.mu.Lock()
	if g.err == nil {
		g.err = err
	}
	g.mu.Unlock()
	g.cancel(err)
}

// done books the end of a task. The place is free and the context cancelled
// before Wait can return.
func (g *Group) done(err error) {
	if err != nil {
		g.fail(err)
	}
	if g.limit != nil {
		g.limit.Release()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running--
	if g.running == 0 {
		g.waiting.wakeAll()
		g.waiting = waitList{}
	}
}

// detail is for the report of a run that is stuck.
func (g *Group) detail() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return fmt.Sprintf("%d running", g.running)
}
