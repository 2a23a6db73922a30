// Package task is how lakebench waits and runs things at once: groups, locks,
// queues, sleep and the clock.
//
// The packages named in docs/design.md §2 use nothing else for it, so that the same
// code runs on real goroutines and, unchanged, on a runtime where tasks run one
// at a time, time jumps, and a seed decides who is next (see [Run]). The runtime
// comes with the context; a context without one runs on real time.
//
// What a task of one runtime waits for must be released by a task of the same
// runtime: groups, locks and queues are not bridges between two of them.
package task

import (
	"context"
	"fmt"
	"time"
)

// runtime is what a clock, a group, a lock or a queue needs from below. The
// context passed to each method is the caller's.
type runtime interface {
	// now returns the current time.
	now(ctx context.Context) time.Time
	// sleep waits for d or until ctx is done, and returns why ctx was done.
	sleep(ctx context.Context, d time.Duration) error
	// yield lets another task run. It returns an error if the run was given up.
	yield(ctx context.Context) error
	// point comes before an operation on something that tasks share. Where a
	// seed decides who is next, another task may run first.
	point(ctx context.Context) error
	// spawn starts fn as a task of its own.
	spawn(ctx context.Context, name string, fn func(ctx context.Context))
	// waiter returns a place to wait for one wake-up: what is the kind of thing
	// waited for, on the thing itself.
	waiter(ctx context.Context, what string, on any) waiter
	// self names the calling task, nil where tasks are anonymous.
	self(ctx context.Context) fmt.Stringer
	// withDeadline and withCancel derive contexts that end on this runtime.
	withDeadline(ctx context.Context, t time.Time) (context.Context, context.CancelFunc)
	withCancel(ctx context.Context) (context.Context, context.CancelCauseFunc)
}

// A waiter is woken by another task. wake never blocks, may come before wait,
// and counts once however often it came.
type waiter interface {
	// wait returns nil once woken, or why ctx is done; that comes first.
	wait(ctx context.Context) error
	wake()
}

type runtimeKey struct{}

func from(ctx context.Context) runtime {
	if r, ok := ctx.Value(runtimeKey{}).(runtime); ok {
		return r
	}
	return realRuntime{}
}

// Now returns the time of ctx's runtime. Real time carries Go's monotonic
// reading; virtual time starts at a fixed instant.
func Now(ctx context.Context) time.Time { return from(ctx).now(ctx) }

// Since returns the time that has passed since t on ctx's runtime.
func Since(ctx context.Context, t time.Time) time.Duration { return Now(ctx).Sub(t) }

// Sleep waits for d, or until ctx is done: then it returns the context's cause.
// It looks at ctx first, so a done context never sleeps; d ≤ 0 only yields.
func Sleep(ctx context.Context, d time.Duration) error {
	r := from(ctx)
	if ctx.Err() != nil {
		if err := r.point(ctx); err != nil {
			return err
		}
		return context.Cause(ctx)
	}
	if d <= 0 {
		return r.yield(ctx)
	}
	return r.sleep(ctx, d)
}

// Yield is a point at which another task may run. When a virtual run has been
// given up (see [StuckError]) it does not return: the task unwinds.
func Yield(ctx context.Context) {
	if err := from(ctx).yield(ctx); err != nil {
		panic(unwinding{err})
	}
}

// WithCancel is context.WithCancelCause on ctx's runtime. Contexts that tasks
// wait on must come from here, since a virtual runtime must learn of their end.
func WithCancel(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	return from(ctx).withCancel(ctx)
}

// WithDeadline is context.WithDeadline on ctx's runtime.
func WithDeadline(ctx context.Context, t time.Time) (context.Context, context.CancelFunc) {
	return from(ctx).withDeadline(ctx, t)
}

// WithTimeout is context.WithTimeout on ctx's runtime.
func WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return WithDeadline(ctx, Now(ctx).Add(d))
}
