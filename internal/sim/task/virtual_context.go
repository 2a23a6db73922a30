package task

import (
	"context"
	"slices"
	"time"
)

// virtualContext is a context that ends by a task's hand or at a virtual time.
//
// It is a standard cancel context, so that contexts derived from it by others,
// through any number of values, hang on it in the standard way: without a
// goroutine, and with the cause handed down. That inner context can only be
// cancelled by hand; what ends it otherwise (a deadline, a parent) comes through
// the hook between it and the parent, which has the error to end with.
type virtualContext struct {
	context.Context                         // the inner one
	endInner        context.CancelCauseFunc // ends it by hand
	hook            hook

	r        *virtual
	parent   *virtualContext // in whose end it ends, nil if in none
	inParent entry[*virtualContext]
	inPolled entry[*virtualContext]
	children bag[*virtualContext]
	waiting  bag[*virtualTask]
	oneWait  bool // made for one wait
	ended    bool

	deadline    time.Time
	hasDeadline bool
	timer       timer
}

type contextKey struct{}

func makeContext(above context.Context, r *virtual) *virtualContext {
	c := &virtualContext{r: r, hook: hook{Context: above}}
	c.inParent.member, c.inPolled.member, c.timer.owner = c, c, c
	c.Context, c.endInner = context.WithCancelCause(&c.hook)
	return c
}

// derive returns a context that ends with above at the latest.
func (r *virtual) derive(above context.Context) *virtualContext {
	c := makeContext(above, r)
	c.deadline, c.hasDeadline = above.Deadline()
	switch parent := r.known(above); {
	case above.Err() != nil:
		c.expire(above.Err())
	case above.Done() == nil: // nothing above ends
	case parent != nil:
		c.parent = parent
		parent.children.add(&c.inParent)
	default:
		r.polled.add(&c.inPolled)
		r.setCheck()
	}
	return c
}

// known returns the context of this runtime that ctx ends with, nil if there is
// none: it has no end, or another context with an end of its own lies between.
func (r *virtual) known(ctx context.Context) *virtualContext {
	c, ok := ctx.Value(contextKey{}).(*virtualContext)
	if !ok || c.r != r || c.Done() != ctx.Done() {
		return nil
	}
	return c
}

// contextOf returns the context whose end is that of ctx, nil if ctx has none.
func (r *virtual) contextOf(ctx context.Context) *virtualContext {
	if ctx.Done() == nil {
		return nil
	}
	if c := r.known(ctx); c != nil {
		return c
	}
	c := r.derive(ctx)
	c.oneWait = true
	return c
}

func (r *virtual) withCancel(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	c := r.derive(ctx)
	return c, c.cancel
}

func (r *virtual) withDeadline(ctx context.Context, t time.Time) (context.Context, context.CancelFunc) {
	c := r.derive(ctx)
	if !c.ended && (!c.hasDeadline || t.Before(c.deadline)) {
		c.deadline, c.hasDeadline = t, true
		switch at := int64(t.Sub(r.cfg.Start)); {
		case at <= r.clock:
			c.expire(context.DeadlineExceeded)
		case at < never:
			r.set(&c.timer, at)
		}
	}
	return c, func() { c.cancel(context.Canceled) }
}

// timeUp is the deadline.
func (c *virtualContext) timeUp() { c.expire(context.DeadlineExceeded) }

// Deadline is in virtual time, so that of the context given to Run is not seen.
func (c *virtualContext) Deadline() (time.Time, bool) { return c.deadline, c.hasDeadline }

func (c *virtualContext) Value(key any) any {
	switch key.(type) {
	case runtimeKey:
		return c.r
	case contextKey:
		return c
	}
	return c.Context.Value(key)
}

// cancel ends c by hand.
func (c *virtualContext) cancel(cause error) {
	if !c.ended {
		c.endInner(cause)
		c.settle()
	}
}

// expire ends c with err.
func (c *virtualContext) expire(err error) {
	if !c.ended {
		c.hook.end(err)
		c.settle()
	}
}

// settle follows the end of the inner context: everything below ends as well,
// and who waits there is woken, in the order in which the tasks were started.
func (c *virtualContext) settle() {
	c.detach()
	woken := c.close(nil)
	slices.SortFunc(woken, byOrder)
	for _, t := range woken {
		t.unblock(true)
	}
}

func (c *virtualContext) detach() {
	if c.parent != nil {
		c.parent.children.remove(&c.inParent)
		c.parent = nil
	}
	if c.inPolled.in() {
		c.r.polled.remove(&c.inPolled)
	}
}

// close marks c and all below as ended, and returns who waits there with those
// in woken.
func (c *virtualContext) close(woken []*virtualTask) []*virtualTask {
	c.ended = true
	c.r.unset(&c.timer)
	woken = slices.AppendSeq(woken, c.waiting.all())
	for child := range c.children.all() {
		child.parent = nil
		child.hook.end(c.Err())
		woken = child.close(woken)
	}
	c.children = bag[*virtualContext]{}
	return woken
}

// enrol makes the end of c, if it has one, end t's wait.
func (c *virtualContext) enrol(t *virtualTask) {
	t.context = c
	if c != nil {
		c.waiting.add(&t.inContext)
	}
}

// strike undoes enrol.
func (c *virtualContext) strike(t *virtualTask) {
	if c == nil {
		return
	}
	t.context = nil
	c.waiting.remove(&t.inContext)
	if c.oneWait {
		c.detach()
	}
}

// hook is a parent that ends its one child with a given error.
type hook struct {
	context.Context // for values
	err             error
	endChild        func()
}

// open is the channel of hooks. It never closes: the child has registered an
// AfterFunc and does not wait for it.
var open = make(chan struct{})

func (h *hook) Done() <-chan struct{} { return open }

func (h *hook) Err() error { return h.err }

// AfterFunc is how package context lets a parent of a foreign type tell its
// child of its end. The child calls the result once it has ended by itself.
func (h *hook) AfterFunc(endChild func()) (stop func() bool) {
	h.endChild = endChild
	return func() bool { return true }
}

func (h *hook) end(err error) {
	h.err = err
	h.endChild()
}
