package fault

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/lakebench/lakebench/internal/sim/task"
)

// An Exchange is one request of some transport and its answer, a T.
type Exchange[T any] interface {
	// Send hands the request to the service.
	Send(ctx context.Context) (T, error)
	// SendPart does so without the last leave entries of a batch, which the
	// answer reports as unprocessed; ErrWholeBatch if no entry would remain.
	SendPart(ctx context.Context, leave int64) (T, error)
	// Refuse returns what the service would have answered.
	Refuse(r Refusal) (T, error)
	// Cut ends an answer after this many bytes; 0: half-way.
	Cut(answer T, after int64, lost error) (T, error)
	// Drop frees an answer that is not delivered.
	Drop(answer T)
	// Detach makes a later Send independent of the caller, who goes on.
	Detach() error
}

// ErrWholeBatch means that a batch has no more entries than are to be left out.
var ErrWholeBatch = errors.New("every entry of the batch would be left out")

// Run carries out one request under the injector's rules.
func Run[T any](ctx context.Context, in *Injector, req Request, x Exchange[T]) (T, error) {
	var none T
	d, err := in.admit(ctx, req)
	if err != nil {
		in.stopped()
		return none, err
	}
	r := &run[T]{in, req, x, d}
	switch d.Effect.Kind {
	case ErrorBefore, Throttle, Conflict:
		in.stopped()
		return r.refuse()
	case ErrorAfter:
		answer, err := r.send(ctx)
		if err != nil {
			return none, err
		}
		x.Drop(answer)
		return r.refuse()
	case Timeout:
		return none, r.timeout(ctx)
	case Unprocessed:
		return r.sendPart(ctx)
	case Cut:
		answer, err := r.send(ctx)
		if err != nil {
			return none, err
		}
		return x.Cut(answer, d.Effect.Count, r.lost(io.ErrUnexpectedEOF))
	case CrashBefore:
		in.stopped()
		return none, r.crash(ctx)
	case CrashAfter:
		if answer, err := r.send(ctx); err == nil {
			x.Drop(answer)
		}
		return none, r.crash(ctx)
	case None, Delay:
	}
	return r.send(ctx)
}

// admit decides, and lets a delay pass. The error is why the request is not made.
func (in *Injector) admit(ctx context.Context, req Request) (Decision, error) {
	if err := ended(ctx); err != nil {
		return Decision{}, err
	}
	d := in.Decide(ctx, req)
	if d.Delay == 0 {
		return d, nil
	}
	if err := task.Sleep(ctx, d.Delay); err != nil {
		return d, err
	}
	return d, crashed(ctx)
}

// run is a request on its way.
type run[T any] struct {
	in  *Injector
	req Request
	x   Exchange[T]
	d   Decision
}

// send hands the request on. No answer reaches a node that crashed meanwhile.
func (r *run[T]) send(ctx context.Context) (T, error) {
	r.in.forwarded()
	answer, err := r.x.Send(ctx)
	return r.arrive(ctx, answer, err)
}

func (r *run[T]) arrive(ctx context.Context, answer T, err error) (T, error) {
	if gone := crashed(ctx); gone != nil && err == nil {
		r.x.Drop(answer)
		var none T
		return none, gone
	}
	return answer, err
}

func (r *run[T]) sendPart(ctx context.Context) (T, error) {
	answer, err := r.x.SendPart(ctx, r.d.Effect.Count)
	if errors.Is(err, ErrWholeBatch) {
		// What the service does when it can process nothing (API Reference,
		// BatchWriteItem).
		r.in.stopped()
		r.d.Effect = Effect{Kind: Throttle}
		return r.refuse()
	}
	r.in.forwarded()
	return r.arrive(ctx, answer, err)
}

func (r *run[T]) refuse() (T, error) {
	if r.d.Effect.Form == FormReset {
		var none T
		return none, r.lost(syscall.ECONNRESET)
	}
	return r.x.Refuse(refusal(r.req, r.d))
}

func (r *run[T]) lost(cause error) *LostError { return &LostError{Rule: r.d.Rule, cause: cause} }

func (r *run[T]) timeout(ctx context.Context) error {
	e := r.d.Effect
	if !e.Lands {
		r.in.stopped()
	} else {
		if err := r.x.Detach(); err != nil {
			r.in.stopped()
			return fmt.Errorf("fault %s: %w", r.d.Rule, err)
		}
		r.in.land(ctx, e.LandsAfter, r.landed)
	}
	if err := task.Sleep(ctx, e.Wait); err != nil {
		return err
	}
	return r.lost(os.ErrDeadlineExceeded)
}

// landed is the arrival of a request whose caller has gone.
func (r *run[T]) landed(ctx context.Context) {
	r.in.forwarded()
	if answer, err := r.x.Send(ctx); err == nil {
		r.x.Drop(answer)
	}
}

func (r *run[T]) crash(ctx context.Context) error {
	n := nodeOf(ctx) // there is one, or the rule had not matched
	n.crash(&CrashError{Node: n.name, Rule: r.d.Rule})
	return context.Cause(n.ctx)
}

// land sends a request after a while, whatever becomes of its caller: under the
// same runtime and with the same values, but not cancelled with it.
func (in *Injector) land(ctx context.Context, after time.Duration, send func(context.Context)) {
	detached := context.WithoutCancel(ctx)
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.landing == nil {
		in.landing = task.NewGroup(detached, 0)
	}
	in.landing.Go("late request", func(context.Context) error {
		if err := task.Sleep(detached, after); err != nil {
			return err // a runtime that gave up
		}
		send(detached)
		return nil
	})
}

// Wait waits until every request whose caller got a timeout has landed. It must
// be called after the last request of a run, before its counts are compared.
func (in *Injector) Wait() error {
	for {
		in.mu.Lock()
		g := in.landing
		in.landing = nil
		in.mu.Unlock()
		if g == nil {
			return nil
		}
		if err := g.Wait(); err != nil {
			return fmt.Errorf("fault: waiting for late requests: %w", err)
		}
	}
}

// A LostError is what the caller gets when an answer does not arrive.
type LostError struct {
	Rule  Rule
	cause error
}

func (e *LostError) Error() string { return fmt.Sprintf("%v, by fault %s", e.cause, e.Rule) }

// Unwrap returns what a real connection's error would wrap: syscall.ECONNRESET,
// os.ErrDeadlineExceeded or io.ErrUnexpectedEOF.
func (e *LostError) Unwrap() error { return e.cause }

// ConnectionError tells retryers that there was no answer.
func (e *LostError) ConnectionError() bool { return true }

// Timeout reports whether the answer did not come in time.
func (e *LostError) Timeout() bool { return errors.Is(e.cause, os.ErrDeadlineExceeded) }

// Temporary is part of net.Error.
func (e *LostError) Temporary() bool { return true }

// ReplyLost reports whether the reply went astray on a connection, not by the
// caller's patience.
func (e *LostError) ReplyLost() bool { return !e.Timeout() }

// Injected reports true: no real network is to blame.
func (e *LostError) Injected() bool { return true }
