package task

import (
	"context"
	"fmt"
	"runtime/debug"
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
	waiting []waiter
}

// NewGroup returns an empty group whose tasks run under a context derived from
// ctx. At most limit tasks run at once; 0 means any number.
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
// meanwhile, fn does not run. A panic of fn becomes the group's error.
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
		err := protect(name, func() error { return fn(ctx) })
		if g.limit != nil {
			g.limit.Release()
		}
		if err != nil {
			g.fail(err)
		}
		g.done()
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
		w := from(g.ctx).waiter(g.ctx, "group")
		g.waiting = append(g.waiting, w)
		g.mu.Unlock()
		if err := w.wait(context.WithoutCancel(g.ctx)); err != nil {
			return err // a runtime that gave up (deadlock, livelock)
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

func (g *Group) done() {
	g.mu.Lock()
	g.running--
	var wake []waiter
	if g.running == 0 {
		wake, g.waiting = g.waiting, nil
	}
	g.mu.Unlock()
	for _, w := range wake {
		w.wake()
	}
}

// A PanicError is a panic of a task.
type PanicError struct {
	Task  string
	Value any
	Stack []byte
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("task %q panicked: %v\n%s", e.Task, e.Value, e.Stack)
}

func protect(name string, fn func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Task: name, Value: v, Stack: debug.Stack()}
		}
	}()
	return fn()
}
