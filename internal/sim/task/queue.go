package task

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// ErrClosed is returned by a closed queue.
var ErrClosed = errors.New("task: queue closed")

// A Queue hands values from task to task, first in, first out.
//
// While there is a value and a task waits for one, the first in line has a
// wake-up that it has yet to act on; the same holds for room. So one wake-up a
// value is enough, and one that a cancelled waiter did not use is passed on.
type Queue[T any] struct {
	mu      sync.Mutex // never held over a yield
	items   []T
	cap     int
	closed  bool
	getters waitList
	putters waitList
}

// NewQueue returns a queue that holds up to capacity values, at least one.
func NewQueue[T any](capacity int) *Queue[T] { return &Queue[T]{cap: max(capacity, 1)} }

// Put waits for room and appends v. It returns ErrClosed, or ctx's cause.
func (q *Queue[T]) Put(ctx context.Context, v T) error {
	return q.await(ctx, "room in a queue", &q.putters, func() (bool, error) {
		switch {
		case q.closed:
			return true, ErrClosed
		case len(q.items) == q.cap:
			return false, nil
		}
		q.items = append(q.items, v)
		return true, nil
	})
}

// Get waits for a value and takes it. It returns ErrClosed once the queue is
// closed and empty, or ctx's cause.
func (q *Queue[T]) Get(ctx context.Context) (T, error) {
	var v T
	err := q.await(ctx, "a value in a queue", &q.getters, func() (bool, error) {
		switch {
		case len(q.items) > 0:
			var zero T
			v, q.items[0] = q.items[0], zero
			q.items = q.items[1:]
			return true, nil
		case q.closed:
			return true, ErrClosed
		}
		return false, nil
	})
	return v, err
}

// Close lets Get drain what is left and then fail, and Put fail at once. It may
// be called more than once.
func (q *Queue[T]) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.getters.wakeAll()
	q.putters.wakeAll()
}

// await waits in line until try, called under the lock, is done.
func (q *Queue[T]) await(ctx context.Context, what string, line *waitList, try func() (bool, error)) error {
	r := from(ctx)
	if err := r.point(ctx); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	q.mu.Lock()
	done, err := try()
	if done {
		q.passOn()
		q.mu.Unlock()
		return err
	}
	w := r.waiter(ctx, what, q)
	line.add(w)
	q.mu.Unlock()
	for {
		gaveUp := w.wait(ctx)
		q.mu.Lock()
		if gaveUp != nil {
			done, err = true, gaveUp
		} else {
			done, err = try()
		}
		if done {
			line.remove(w)
			q.passOn()
			q.mu.Unlock()
			return err
		}
		q.mu.Unlock() // overtaken
	}
}

// passOn wakes whoever can go on now.
func (q *Queue[T]) passOn() {
	if len(q.items) > 0 {
		q.getters.wakeFirst()
	}
	if len(q.items) < q.cap {
		q.putters.wakeFirst()
	}
}

// detail is for the report of a run that is stuck.
func (q *Queue[T]) detail() string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return fmt.Sprintf("%d of %d used", len(q.items), q.cap)
}
