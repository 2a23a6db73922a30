package task_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/lakebench/lakebench/internal/sim/task"
)

func TestQueueIsFirstInFirstOut(t *testing.T) {
	onBoth(t, func(ctx context.Context) error {
		q := task.NewQueue[int](2)
		return inGroup(ctx,
			func(ctx context.Context) error {
				defer q.Close()
				for i := range 20 {
					if err := q.Put(ctx, i); err != nil {
						return err
					}
				}
				return nil
			},
			func(ctx context.Context) error {
				for i := range 20 {
					got, err := q.Get(ctx)
					if err := errors.Join(err, wantEqual("value", got, i)); err != nil {
						return err
					}
				}
				_, err := q.Get(ctx)
				return want("drained", err, task.ErrClosed)
			})
	})
}

func TestQueueClose(t *testing.T) {
	onBoth(t, func(ctx context.Context) error {
		q := task.NewQueue[string](2)
		err := q.Put(ctx, "left")
		q.Close()
		q.Close()
		got, errLeft := q.Get(ctx)
		_, errDrained := q.Get(ctx)
		return errors.Join(err, errLeft,
			wantEqual("value left", got, "left"),
			want("get from drained", errDrained, task.ErrClosed),
			want("put into closed", q.Put(ctx, "more"), task.ErrClosed))
	})
}

func TestQueueCloseWakesAll(t *testing.T) {
	onBoth(t, func(ctx context.Context) error {
		empty, full := task.NewQueue[int](1), task.NewQueue[int](0) // 0 is 1
		return errors.Join(full.Put(ctx, 0), inGroup(ctx,
			func(ctx context.Context) error {
				return times(ctx, 3, func(ctx context.Context, _ int) error {
					_, err := empty.Get(ctx)
					return want("get", err, task.ErrClosed)
				})
			},
			func(ctx context.Context) error {
				return times(ctx, 3, func(ctx context.Context, _ int) error {
					return want("put", full.Put(ctx, 1), task.ErrClosed)
				})
			},
			func(ctx context.Context) error {
				err := task.Sleep(ctx, time.Microsecond)
				empty.Close()
				full.Close()
				return err
			}))
	})
}

func TestQueueOfADoneContext(t *testing.T) {
	onBoth(t, func(ctx context.Context) error {
		done, cancel := task.WithCancel(ctx)
		cancel(errBoom)
		q := task.NewQueue[int](2)
		err := q.Put(ctx, 1)
		_, get := q.Get(done)
		return errors.Join(err, want("put", q.Put(done, 2), errBoom), want("get", get, errBoom))
	})
}

// A consumer that is cancelled when it has been woken for a value, but has not
// taken it, leaves it to the next one; so does a producer with room.
func TestQueuePassesOnWhatACancelledWaiterWasWokenFor(t *testing.T) {
	onBoth(t, func(ctx context.Context) error {
		q := task.NewQueue[int](1)
		mine, cancel := task.WithCancel(ctx)
		get := func(ctx context.Context) error { _, err := q.Get(ctx); return err }
		return inGroup(ctx,
			func(ctx context.Context) error {
				if get(mine) == nil {
					return q.Put(ctx, 1) // for the other one
				}
				return nil
			},
			get,
			func(ctx context.Context) error { return q.Put(ctx, 1) },
			func(context.Context) error { cancel(errBoom); return nil })
	})
	onBoth(t, func(ctx context.Context) error {
		q := task.NewQueue[int](1)
		mine, cancel := task.WithCancel(ctx)
		if err := q.Put(ctx, 0); err != nil {
			return err
		}
		return inGroup(ctx,
			func(ctx context.Context) error {
				if q.Put(mine, 1) == nil {
					_, err := q.Get(ctx)
					return err
				}
				return nil
			},
			func(ctx context.Context) error { return q.Put(ctx, 2) },
			func(ctx context.Context) error { _, err := q.Get(ctx); return err },
			func(context.Context) error { cancel(errBoom); return nil })
	})
}

// TestQueuePassesOnAWakeUpThatIsNotWanted wakes a consumer and cancels it at
// once: in one of two cases it gives up, and then the next in line must learn of
// the value. Real time only, where both come together.
func TestQueuePassesOnAWakeUpThatIsNotWanted(t *testing.T) {
	for range 40 {
		q := task.NewQueue[int](1)
		mine, cancel := task.WithCancel(t.Context())
		// Only a lost wake-up waits for so long.
		bounded, end := task.WithTimeout(t.Context(), 30*time.Second)
		g := task.NewGroup(bounded, 0)
		g.Go("gives up", func(ctx context.Context) error {
			if _, err := q.Get(mine); err == nil {
				return q.Put(ctx, 1) // for the other one
			}
			return nil
		})
		time.Sleep(time.Millisecond) // so that it is the first in line
		g.Go("stays", func(ctx context.Context) error { _, err := q.Get(ctx); return err })
		time.Sleep(time.Millisecond)
		err := q.Put(t.Context(), 1)
		cancel(errBoom)
		if err := errors.Join(err, g.Wait()); err != nil {
			t.Fatalf("the value was not passed on: %v", err)
		}
		end()
	}
}

func TestQueueUnderCancellation(t *testing.T) {
	onBoth(t, func(ctx context.Context) error { return queueUnderCancellation(ctx, task.NewQueue[value](2)) })
}

type value struct{ producer, number int }

type queue interface {
	Put(ctx context.Context, v value) error
	Get(ctx context.Context) (value, error)
	Close()
}

// queueUnderCancellation has producers and consumers that never give up and
// others that do at any moment. Every value put must be got once, in the order
// of its producer as far as one consumer sees. Whoever does not give up must
// come through.
func queueUnderCancellation(ctx context.Context, q queue) error {
	var mu sync.Mutex
	put, got := map[value]bool{}, map[value]bool{}
	produce := func(ctx context.Context, producer int) error {
		for n := range 8 {
			v := value{producer, n}
			mu.Lock()
			put[v] = true
			mu.Unlock()
			if err := q.Put(ctx, v); err != nil {
				mu.Lock()
				delete(put, v)
				mu.Unlock()
				return err
			}
		}
		return nil
	}
	consume := func(ctx context.Context) error {
		seen := map[int]int{}
		for {
			v, err := q.Get(ctx)
			if err != nil {
				return err
			}
			mu.Lock()
			twice := got[v]
			got[v] = true
			mu.Unlock()
			if last, ok := seen[v.producer]; twice || ok && v.number <= last {
				return fmt.Errorf("got %v twice or after number %d", v, last)
			}
			seen[v.producer] = v.number
		}
	}
	// givesUp is cancelled by another task after a few steps; only a wrong value is
	// an error then.
	givesUp := func(ctx context.Context, i int, fn func(ctx context.Context) error) error {
		mine, cancel := task.WithCancel(ctx)
		return inGroup(ctx,
			func(context.Context) error {
				if err := fn(mine); err != nil && !errors.Is(err, errBoom) && !errors.Is(err, task.ErrClosed) {
					return err
				}
				return nil
			},
			func(ctx context.Context) error {
				for range 5 * i {
					task.Yield(ctx)
				}
				cancel(errBoom)
				return nil
			})
	}
	slowly := func(ctx context.Context, fn func(ctx context.Context) error) error {
		return errors.Join(task.Sleep(ctx, time.Microsecond), fn(ctx))
	}
	consumers := task.NewGroup(ctx, 0)
	for i := range 4 {
		consumers.Go("consumer", func(ctx context.Context) error {
			if i%2 == 0 {
				return givesUp(ctx, i+1, consume)
			}
			return want("consumer", slowly(ctx, consume), task.ErrClosed)
		})
	}
	err := times(ctx, 4, func(ctx context.Context, i int) error {
		if i%2 == 0 {
			return givesUp(ctx, i+1, func(ctx context.Context) error { return produce(ctx, i) })
		}
		return slowly(ctx, func(ctx context.Context) error { return produce(ctx, i) })
	})
	q.Close()
	err = errors.Join(err, consumers.Wait())
	for v := range put {
		if !got[v] {
			err = errors.Join(err, fmt.Errorf("lost %v", v))
		}
	}
	return errors.Join(err, wantEqual("values got", len(got), len(put)))
}
