package task

import (
	"container/heap"
	"context"
	"math"
	"time"
)

// never is a time that the clock does not reach.
const never = math.MaxInt64

func (r *virtual) now(context.Context) time.Time { return r.cfg.Start.Add(time.Duration(r.clock)) }

func (r *virtual) sleep(ctx context.Context, d time.Duration) error {
	until := r.clock + min(int64(d), never-1-r.clock)
	alone := r.ready.len() == 0 && (len(r.timers) == 0 || until < r.timers[0].at)
	if alone && r.stuck == nil && r.steps+1 < r.checkAt {
		r.step(r.current)
		r.moveTo(until)
		return nil
	}
	return r.block(ctx, "sleep", nil, until)
}

// timeUp is the end of a sleep.
func (t *virtualTask) timeUp() { t.unblock(false) }

// advance moves the clock to the next timer and lets go off what is due then. It
// reports whether there was one.
func (r *virtual) advance() bool {
	if len(r.timers) == 0 {
		return false
	}
	r.moveTo(r.timers[0].at)
	for len(r.timers) > 0 && r.timers[0].at == r.clock {
		t := r.timers[0]
		r.unset(t)
		t.owner.timeUp()
	}
	return true
}

func (r *virtual) moveTo(at int64) { r.clock, r.moved = at, r.steps }

// A timer calls its owner when the clock reaches at.
type timer struct {
	at    int64
	order uint64 // in which timers of the same time were set, and go off
	index int    // in the heap, from 1; 0: not set
	owner interface{ timeUp() }
}

func (r *virtual) set(t *timer, at int64) {
	r.timersSet++
	t.at, t.order = at, r.timersSet
	heap.Push(&r.timers, t)
}

func (r *virtual) unset(t *timer) {
	if t.index > 0 {
		heap.Remove(&r.timers, t.index-1)
	}
}

// timerHeap is a heap.Interface with the next timer first.
type timerHeap []*timer

func (h timerHeap) Len() int { return len(h) }

func (h timerHeap) Less(i, j int) bool {
	if h[i].at != h[j].at {
		return h[i].at < h[j].at
	}
	return h[i].order < h[j].order
}

func (h timerHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i+1, j+1
}

func (h *timerHeap) Push(x any) {
	t := x.(*timer)
	t.index = len(*h) + 1
	*h = append(*h, t)
}

func (h *timerHeap) Pop() any {
	last := len(*h) - 1
	t := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	t.index = 0
	return t
}
