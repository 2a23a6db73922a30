// Package held holds sync locks where another task may run, and where none can.
package held

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/lakebench/lakebench/internal/sim/task"
)

type client interface {
	Get(ctx context.Context, key string) error
}

type store struct {
	mu     sync.Mutex
	rw     sync.RWMutex
	lock   task.Mutex
	queue  *task.Queue[int]
	client client
	hook   func(ctx context.Context)
	count  int
}

func (s *store) toTheEnd(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	return s.client.Get(ctx, "k") // want "held"
}

func (s *store) between(ctx context.Context) {
	task.Yield(ctx)
	s.mu.Lock()
	task.Yield(ctx) // want "held"
	s.mu.Unlock()
	task.Yield(ctx)
}

func (s *store) forReading(ctx context.Context) {
	s.rw.RLock()
	_, _ = s.queue.Get(ctx) // want "held"
	s.rw.RUnlock()
	s.rw.Lock()
	_ = s.lock.Lock(ctx) // want "held"
	s.rw.Unlock()
}

func (s *store) functionValue(ctx context.Context) {
	s.mu.Lock()
	s.hook(ctx) // want "held"
	s.mu.Unlock()
	s.hook(ctx)
}

// deeper yields two calls further down, without being given a context.
func (s *store) deeper() { s.deepest(context.TODO()) }

func (s *store) deepest(ctx context.Context) { _ = task.Sleep(ctx, time.Second) }

func (s *store) throughOthers() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deeper() // want "held"
}

func (s *store) onOneWay(ctx context.Context, some bool) {
	if some {
		s.mu.Lock()
	}
	task.Yield(ctx) // want "held"
	if some {
		s.mu.Unlock()
	}
}

func (s *store) earlyReturn(ctx context.Context, some bool) {
	s.mu.Lock()
	if some {
		s.mu.Unlock()
		task.Yield(ctx)
		return
	}
	task.Yield(ctx) // want "held"
	s.mu.Unlock()
}

func (s *store) nextRound(ctx context.Context) {
	for range 3 {
		task.Yield(ctx) // want "held"
		s.mu.Lock()
	}
}

func (s *store) cases(ctx context.Context, n int) {
	s.mu.Lock()
	switch n {
	case 1:
		s.mu.Unlock()
	case 2:
		task.Yield(ctx) // want "held"
		s.mu.Unlock()
	default:
		panic("no case")
	}
	task.Yield(ctx)
}

func (s *store) brokenOut(ctx context.Context, n int) {
	s.mu.Lock()
	switch {
	case n == 1:
		if s.count > 0 {
			break
		}
		s.mu.Unlock()
	default:
		s.mu.Unlock()
	}
	task.Yield(ctx) // want "held"
}

func (s *store) onTheSpot(ctx context.Context) {
	s.mu.Lock()
	func() {
		task.Yield(ctx) // want "held"
	}()
	s.mu.Unlock()
	later := func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		task.Yield(ctx) // want "held"
	}
	later()
}

func (s *store) deferred(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer task.Yield(ctx) // want "held"
}

type embedded struct{ sync.Mutex }

func (e *embedded) method(ctx context.Context) {
	e.Lock()
	defer e.Unlock()
	for ctx.Err() == nil {
		task.Yield(ctx) // want "held"
	}
}

// Nothing here yields.
func (s *store) quiet(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	start := task.Now(ctx)
	_ = task.Since(ctx, start)
	_ = context.WithValue(ctx, s, s)
	_, _ = ctx.Deadline()
	slog.InfoContext(ctx, "quiet")
	own, cancel := task.WithCancel(ctx)
	defer cancel(nil)
	s.keep(own)
	s.lock.TryLock()
	_ = []func(){func() { task.Yield(ctx) }} // made here, called elsewhere
}

func (s *store) keep(context.Context) { s.count++ }

// A lock of the runtime may be held.
func (s *store) right(ctx context.Context) error {
	if err := s.lock.Lock(ctx); err != nil {
		return err
	}
	defer s.lock.Unlock()
	return s.client.Get(ctx, "k")
}
