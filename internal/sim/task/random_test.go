package task_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lakebench/lakebench/internal/sim/task"
)

// op is a step of a random program: something done with one of the locks or
// queues of a world, within a time limit.
type op struct {
	Kind  string
	Index int
	Limit time.Duration // 0: none
	Hold  time.Duration // how long to keep what was acquired; 0: yield
}

func (o op) String() string {
	return fmt.Sprintf("%s[%d] limit=%v hold=%v", o.Kind, o.Index, o.Limit, o.Hold)
}

var ops = rapid.Custom(func(t *rapid.T) op {
	return op{
		Kind:  rapid.SampledFrom([]string{"lock", "semaphore", "put", "get", "spawn", "sleep"}).Draw(t, "kind"),
		Index: rapid.IntRange(0, 1).Draw(t, "index"),
		Limit: time.Duration(rapid.IntRange(0, 5).Draw(t, "limit")) * time.Microsecond,
		Hold:  time.Duration(rapid.IntRange(0, 3).Draw(t, "hold")) * time.Microsecond,
	}
})

// world is what the tasks share, and how much of it is in use.
type world struct {
	locks      [2]task.Mutex
	holders    [2]atomic.Int32
	semaphore  *task.Semaphore
	inside     atomic.Int32
	queues     [2]*task.Queue[int64]
	next       atomic.Int64
	put, got   [2]atomic.Int64 // counts
	sumPut     atomic.Int64
	sumGot     atomic.Int64
	ordered    [2][]int64 // values put and not got; kept on virtual time only
	oneAtATime bool
}

const places = 2

func newWorld(oneAtATime bool) *world {
	return &world{
		semaphore:  task.NewSemaphore(places),
		queues:     [2]*task.Queue[int64]{task.NewQueue[int64](1), task.NewQueue[int64](3)},
		oneAtATime: oneAtATime,
	}
}

// do does op, and returns an error when the world is not as it must be.
func (w *world) do(ctx context.Context, o op) error {
	if o.Limit > 0 || o.Kind == "put" || o.Kind == "get" { // the others come through without
		var cancel func()
		ctx, cancel = task.WithTimeout(ctx, max(o.Limit, time.Microsecond))
		defer cancel()
	}
	switch o.Kind {
	case "lock":
		return w.holding(ctx, o, &w.locks[o.Index], &w.holders[o.Index], 1)
	case "semaphore":
		return w.holding(ctx, o, semaphoreLock{w.semaphore}, &w.inside, places)
	case "put":
		v := w.next.Add(1)
		if w.queues[o.Index].Put(ctx, v) == nil {
			w.put[o.Index].Add(1)
			w.sumPut.Add(v)
			if w.oneAtATime {
				w.ordered[o.Index] = append(w.ordered[o.Index], v)
			}
		}
	case "get":
		return w.get(ctx, o.Index)
	case "spawn":
		return inGroup(ctx,
			func(ctx context.Context) error { return w.do(ctx, op{Kind: "lock", Index: o.Index, Hold: o.Hold}) },
			func(ctx context.Context) error { return w.do(ctx, op{Kind: "sleep", Hold: o.Hold}) })
	case "sleep":
		w.hold(ctx, o.Hold)
	}
	return nil
}

type lock interface {
	Lock(ctx context.Context) error
	Unlock()
}

type semaphoreLock struct{ *task.Semaphore }

func (s semaphoreLock) Lock(ctx context.Context) error { return s.Acquire(ctx) }
func (s semaphoreLock) Unlock()                        { s.Release() }

func (w *world) holding(ctx context.Context, o op, l lock, holders *atomic.Int32, limit int32) error {
	if l.Lock(ctx) != nil {
		return nil
	}
	defer l.Unlock()
	defer holders.Add(-1)
	if n := holders.Add(1); n > limit {
		return fmt.Errorf("%d holders of %v, want at most %d", n, o, limit)
	}
	w.hold(context.WithoutCancel(ctx), o.Hold)
	return nil
}

func (*world) hold(ctx context.Context, d time.Duration) { _ = task.Sleep(ctx, d) }

func (w *world) get(ctx context.Context, i int) error {
	v, err := w.queues[i].Get(ctx)
	if err != nil {
		return nil //nolint:nilerr // in time or not, both is right
	}
	w.got[i].Add(1)
	w.sumGot.Add(v)
	if !w.oneAtATime {
		return nil
	}
	first := w.ordered[i][0]
	w.ordered[i] = w.ordered[i][1:]
	return wantEqual("value got", v, first)
}

// settle drains the queues and checks that nothing is held and nothing was lost.
func (w *world) settle(ctx context.Context) error {
	var errs []error
	for i, q := range w.queues {
		q.Close()
		for n := w.got[i].Load(); n < w.put[i].Load(); n++ {
			errs = append(errs, w.get(ctx, i))
		}
		_, err := q.Get(ctx)
		errs = append(errs, want("drained queue", err, task.ErrClosed), wantEqual("free lock", w.locks[i].TryLock(), true))
	}
	for range places {
		errs = append(errs, wantEqual("free place", w.semaphore.TryAcquire(), true))
	}
	errs = append(errs, wantEqual("sum of the values got", w.sumGot.Load(), w.sumPut.Load()))
	return errors.Join(errs...)
}

func (w *world) run(ctx context.Context, programs [][]op) error {
	err := times(ctx, len(programs), func(ctx context.Context, i int) error {
		for _, o := range programs[i] {
			if err := w.do(ctx, o); err != nil {
				return err
			}
		}
		return nil
	})
	return errors.Join(err, w.settle(ctx))
}

// Random programs come to their end with every invariant kept, and a failing
// seed is printed by rapid together with the flag that replays it.
func TestRandomPrograms(t *testing.T) {
	programs := rapid.SliceOfN(rapid.SliceOfN(ops, 1, 8), 1, 6)
	t.Run("virtual", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			program := programs.Draw(rt, "programs")
			cfg := task.VirtualConfig{
				Seed:   rapid.Uint64().Draw(rt, "seed"),
				Policy: rapid.SampledFrom([]task.Policy{task.FIFO{}, task.Random{}, task.PCT{Depth: 4, Choices: 100}}).Draw(rt, "policy"),
				Record: true,
			}
			trace, err := task.Run(t.Context(), cfg, func(ctx context.Context) error { return newWorld(true).run(ctx, program) })
			if err != nil {
				rt.Fatal(err)
			}
			cfg.Policy = task.Replay{Schedule: trace.Schedule}
			again, err := task.Run(t.Context(), cfg, func(ctx context.Context) error { return newWorld(true).run(ctx, program) })
			if err != nil || again.Hash != trace.Hash {
				rt.Fatalf("replay: %v, hash %x, want %x", err, again.Hash, trace.Hash)
			}
		})
	})
	t.Run("real", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			if err := newWorld(false).run(t.Context(), programs.Draw(rt, "programs")); err != nil {
				rt.Fatal(err)
			}
		})
	})
}
