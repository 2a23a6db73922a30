package task

import (
	"context"
	"errors"
	"sync"
)

// A Semaphore admits a number of holders at once. Waiters are woken in the order
// in which they came, but one that arrives between a release and the wake-up may
// get in first.
type Semaphore struct {
	mu      sync.Mutex // never held over a yield
	free    int
	waiting []waiter
}

// NewSemaphore returns a semaphore with n places.
func NewSemaphore(n int) *Semaphore { return &Semaphore{free: n} }

// Acquire waits for a place, or until ctx is done: then it returns the cause and
// holds nothing.
func (s *Semaphore) Acquire(ctx context.Context) error {
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
		w := from(ctx).waiter(ctx, "lock")
		s.waiting = append(s.waiting, w)
		s.mu.Unlock()
		if err := w.wait(ctx); err != nil {
			s.leave(w)
			return err
		}
	}
}

// TryAcquire takes a place if one is free.
func (s *Semaphore) TryAcquire() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.free == 0 {
		return false
	}
	s.free--
	return true
}

// Release gives a place back.
func (s *Semaphore) Release() {
	s.mu.Lock()
	s.free++
	s.wakeOne()
	s.mu.Unlock()
}

func (s *Semaphore) wakeOne() {
	if len(s.waiting) > 0 {
		w := s.waiting[0]
		s.waiting = s.waiting[1:]
		w.wake()
	}
}

// leave forgets a waiter that gave up. If it had been woken already, its wake-up
// goes to the next one, or a free place would stay unseen.
func (s *Semaphore) leave(w waiter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, x := range s.waiting {
		if x == w {
			s.waiting = append(s.waiting[:i:i], s.waiting[i+1:]...)
			return
		}
	}
	if s.free > 0 {
		s.wakeOne()
	}
}

// A Mutex is a lock that may be held over a request. Its zero value is unlocked.
type Mutex struct {
	once sync.Once
	sem  *Semaphore
}

func (m *Mutex) init() *Semaphore {
	m.once.Do(func() { m.sem = NewSemaphore(1) })
	return m.sem
}

// Lock waits for the lock, or until ctx is done: then it returns the cause and
// holds nothing.
func (m *Mutex) Lock(ctx context.Context) error { return m.init().Acquire(ctx) }

// TryLock takes the lock if it is free.
func (m *Mutex) TryLock() bool { return m.init().TryAcquire() }

// Unlock frees the lock, which the caller must hold.
func (m *Mutex) Unlock() { m.init().Release() }

// ErrClosed is returned by a closed queue.
var ErrClosed = errors.New("task: queue closed")

// A Queue hands values from task to task, first in, first out.
type Queue[T any] struct {
	mu      sync.Mutex // never held over a yield
	items   []T
	cap     int
	closed  bool
	getters []waiter
	putters []waiter
}

// NewQueue returns a queue that holds up to capacity values, at least one.
func NewQueue[T any](capacity int) *Queue[T] { return &Queue[T]{cap: max(capacity, 1)} }

// Put waits for room and appends v. It returns ErrClosed, or ctx's cause.
func (q *Queue[T]) Put(ctx context.Context, v T) error {
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		q.mu.Lock()
		if q.closed {
			q.mu.Unlock()
			return ErrClosed
		}
		if len(q.items) < q.cap {
			q.items = append(q.items, v)
			wakeAll(&q.getters)
			q.mu.Unlock()
			return nil
		}
		w := from(ctx).waiter(ctx, "queue full")
		q.putters = append(q.putters, w)
		q.mu.Unlock()
		if err := w.wait(ctx); err != nil {
			return err
		}
	}
}

// Get waits for a value and takes it. It returns ErrClosed once the queue is
// closed and empty, or ctx's cause.
func (q *Queue[T]) Get(ctx context.Context) (T, error) {
	var zero T
	for {
		if ctx.Err() != nil {
			return zero, context.Cause(ctx)
		}
		q.mu.Lock()
		if len(q.items) > 0 {
			v := q.items[0]
			q.items[0] = zero
			q.items = q.items[1:]
			wakeAll(&q.putters)
			q.mu.Unlock()
			return v, nil
		}
		if q.closed {
			q.mu.Unlock()
			return zero, ErrClosed
		}
		w := from(ctx).waiter(ctx, "queue empty")
		q.getters = append(q.getters, w)
		q.mu.Unlock()
		if err := w.wait(ctx); err != nil {
			return zero, err
		}
	}
}

// Close lets Get drain what is left and then fail, and Put fail at once. It may
// be called more than once.
func (q *Queue[T]) Close() {
	q.mu.Lock()
	q.closed = true
	wakeAll(&q.getters)
	wakeAll(&q.putters)
	q.mu.Unlock()
}

// wakeAll wakes every waiter: those that find nothing wait again. Waking one
// would lose the wake-up of a waiter that gives up at that moment.
func wakeAll(ws *[]waiter) {
	for _, w := range *ws {
		w.wake()
	}
	*ws = nil
}
