package task

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// A Semaphore admits a number of holders at once. Waiters get in in the order in
// which they came, but one that arrives between a release and the wake-up may
// get in first; who was overtaken keeps its turn.
type Semaphore struct {
	places int
	gate   gate
}

// NewSemaphore returns a semaphore with n places.
func NewSemaphore(n int) *Semaphore { return &Semaphore{places: n} }

// Acquire waits for a place, or until ctx is done: then it returns the cause and
// holds nothing.
func (s *Semaphore) Acquire(ctx context.Context) error {
	return s.gate.enter(ctx, "semaphore", s.places)
}

// TryAcquire takes a place if one is free.
func (s *Semaphore) TryAcquire() bool { return s.gate.tryEnter(s.places) }

// Release gives a place back. It panics when none is taken.
func (s *Semaphore) Release() { s.gate.leave("semaphore", s.places) }

// A Mutex is a lock that may be held over a request. Its zero value is unlocked.
type Mutex struct{ gate gate }

// Lock waits for the lock, or until ctx is done: then it returns the cause and
// holds nothing.
func (m *Mutex) Lock(ctx context.Context) error { return m.gate.enter(ctx, "lock", 1) }

// TryLock takes the lock if it is free.
func (m *Mutex) TryLock() bool { return m.gate.tryEnter(1) }

// Unlock frees the lock. It panics if the lock is not held.
func (m *Mutex) Unlock() { m.gate.leave("lock", 1) }

// A gate counts who is in. While a place is free and a task waits, the first
// in line has a wake-up that it has yet to act on.
type gate struct {
	mu      sync.Mutex // never held over a yield
	taken   int
	waiting waitList
	last    fmt.Stringer // the task that got in last, nil if unknown
}

func (g *gate) enter(ctx context.Context, what string, places int) error {
	r := from(ctx)
	if err := r.point(ctx); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	g.mu.Lock()
	if g.taken < places {
		g.take(r.self(ctx))
		g.mu.Unlock()
		return nil
	}
	w := r.waiter(ctx, what, g)
	g.waiting.add(w)
	g.mu.Unlock()
	for {
		err := w.wait(ctx)
		g.mu.Lock()
		free := g.taken < places
		if err == nil && !free {
			g.mu.Unlock()
			continue // overtaken
		}
		g.waiting.remove(w)
		if err == nil {
			g.take(r.self(ctx))
		}
		// A place that is left, or a wake-up not used, is the next one's.
		if g.taken < places {
			g.waiting.wakeFirst()
		}
		g.mu.Unlock()
		return err
	}
}

func (g *gate) take(self fmt.Stringer) {
	g.taken++
	g.last = self
}

func (g *gate) tryEnter(places int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.taken >= places {
		return false
	}
	g.take(nil)
	return true
}

func (g *gate) leave(what string, places int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.taken == 0 {
		panic(fmt.Sprintf("task: release of a %s that is not held (places: %d)", what, places))
	}
	g.taken--
	g.waiting.wakeFirst()
}

// detail is for the report of a run that is stuck.
func (g *gate) detail() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.last == nil {
		return ""
	}
	return fmt.Sprintf("last taken by %s", g.last)
}

// A waitList is who waits, first come first.
type waitList struct{ waiters []waiter }

func (l *waitList) add(w waiter) { l.waiters = append(l.waiters, w) }

func (l *waitList) remove(w waiter) {
	if i := slices.Index(l.waiters, w); i >= 0 {
		l.waiters = slices.Delete(l.waiters, i, i+1)
	}
}

// wakeFirst wakes the first in line, which stays there until it has got what it
// waits for or has given up.
func (l *waitList) wakeFirst() {
	if len(l.waiters) > 0 {
		l.waiters[0].wake()
	}
}

func (l *waitList) wakeAll() {
	for _, w := range l.waiters {
		w.wake()
	}
}
