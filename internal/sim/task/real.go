package task

import (
	"context"
	"fmt"
	goruntime "runtime"
	"time"
)

// realRuntime is goroutines and the machine's clock.
type realRuntime struct{}

func (realRuntime) now(context.Context) time.Time { return time.Now() }

func (realRuntime) sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (realRuntime) yield(context.Context) error {
	goruntime.Gosched()
	return nil
}

func (realRuntime) point(context.Context) error { return nil }

func (realRuntime) spawn(ctx context.Context, _ string, fn func(context.Context)) { go fn(ctx) }

func (realRuntime) waiter(context.Context, string, any) waiter {
	return realWaiter(make(chan struct{}, 1))
}

func (realRuntime) self(context.Context) fmt.Stringer { return nil }

func (realRuntime) withDeadline(ctx context.Context, t time.Time) (context.Context, context.CancelFunc) {
	return context.WithDeadline(ctx, t)
}

func (realRuntime) withCancel(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	return context.WithCancelCause(ctx)
}

type realWaiter chan struct{}

func (w realWaiter) wait(ctx context.Context) error {
	select {
	case <-w:
	case <-ctx.Done():
	}
	return context.Cause(ctx)
}

func (w realWaiter) wake() {
	select {
	case w <- struct{}{}:
	default: // woken already
	}
}
