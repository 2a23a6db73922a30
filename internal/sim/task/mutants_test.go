package task_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/lakebench/lakebench/internal/mutant"
	"github.com/lakebench/lakebench/internal/sim/task"
)

// TestMutants: the tests notice when a guard of this package is taken out.
func TestMutants(t *testing.T) { mutant.Run(t, "testdata/mutants") }

// The locks and queues below are wrong in ways that are easy to write. The tests
// of the right ones must notice.
func TestWrongLocksAndQueuesAreCaught(t *testing.T) {
	for name, check := range map[string]func(ctx context.Context) error{
		"semaphore, cancelled after the wake-up": func(ctx context.Context) error {
			return semaphoreUnderCancellation(ctx, &mutantSemaphore{free: 1})
		},
		"queue, one wake-up and none passed on": func(ctx context.Context) error {
			return queueUnderCancellation(ctx, &mutantQueue{cap: 2})
		},
		"queue, last in first out": func(ctx context.Context) error {
			return queueUnderCancellation(ctx, &mutantQueue{cap: 2, wakeAll: true, lifo: true})
		},
		"queue, value lost with its consumer": func(ctx context.Context) error {
			return queueUnderCancellation(ctx, &mutantQueue{cap: 2, wakeAll: true, lose: true})
		},
	} {
		caught := 0
		for _, cfg := range policies() {
			if _, err := task.Run(t.Context(), cfg, check); err != nil {
				caught++
			}
		}
		t.Logf("%s: caught in %d of %d schedules", name, caught, len(policies()))
		if caught == 0 {
			t.Errorf("%s: not caught", name)
		}
	}
}

// mutantSemaphore takes a waiter out of the line when it wakes it. If the waiter
// is cancelled before it acts on that, no other waiter learns of the free place.
type mutantSemaphore struct {
	mu      sync.Mutex
	free    int
	waiting []task.Waiter
}

func (s *mutantSemaphore) Acquire(ctx context.Context) error {
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		s.mu.Lock()
		if s.free > 0 {
			s.free--
			s.mu.Unlock()
			return nil
		}
		w := task.NewWaiter(ctx, "mutant", s)
		s.waiting = append(s.waiting, w)
		s.mu.Unlock()
		if err := w.Wait(ctx); err != nil {
			s.mu.Lock()
			s.waiting = slices.DeleteFunc(s.waiting, func(x task.Waiter) bool { return x == w })
			s.mu.Unlock()
			return err
		}
	}
}

func (s *mutantSemaphore) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free++
	if len(s.waiting) > 0 {
		w := s.waiting[0]
		s.waiting = s.waiting[1:]
		w.Wake()
	}
}

// mutantQueue wakes one waiter for each change and passes no wake-up on, or it
// wakes all.
type mutantQueue struct {
	wakeAll bool
	lifo    bool // last in, first out
	lose    bool // a cancelled consumer keeps the value that it took

	mu      sync.Mutex
	items   []value
	cap     int
	closed  bool
	waiting []task.Waiter
}

func (q *mutantQueue) Put(ctx context.Context, v value) error {
	return q.await(ctx, func() (bool, error) {
		switch {
		case q.closed:
			return true, task.ErrClosed
		case len(q.items) == q.cap:
			return false, nil
		}
		q.items = append(q.items, v)
		return true, nil
	})
}

func (q *mutantQueue) Get(ctx context.Context) (v value, err error) {
	err = q.await(ctx, func() (bool, error) {
		switch {
		case len(q.items) == 0:
			return q.closed, task.ErrClosed
		case q.lifo:
			v, q.items = q.items[len(q.items)-1], q.items[:len(q.items)-1]
		default:
			v, q.items = q.items[0], q.items[1:]
		}
		return true, nil
	})
	if q.lose && err == nil {
		task.Yield(ctx)
		err = context.Cause(ctx)
	}
	return v, err
}

func (q *mutantQueue) await(ctx context.Context, try func() (bool, error)) error {
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		q.mu.Lock()
		if done, err := try(); done {
			q.wake(q.wakeAll)
			q.mu.Unlock()
			return err
		}
		w := task.NewWaiter(ctx, "mutant", q)
		q.waiting = append(q.waiting, w)
		q.mu.Unlock()
		if err := w.Wait(ctx); err != nil {
			return err
		}
	}
}

func (q *mutantQueue) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.wake(true)
}

func (q *mutantQueue) wake(all bool) {
	for len(q.waiting) > 0 {
		w := q.waiting[0]
		q.waiting = q.waiting[1:]
		w.Wake()
		if !all {
			return
		}
	}
}
