package v2

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/store"
)

// drainParallel reads several shards at once, each with the requests that a
// sequential drain would make. When the caller stops early, or a shard fails, the
// others are stopped too; nothing runs on when the iterator has returned.
func (s *Store) drainParallel(ctx context.Context, sel selection) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		ctx, cancel := task.WithCancel(ctx)
		shards := s.cfg.Shards.Of(sel.family)
		workers := min(s.cfg.Parallel, shards)
		d := &drain{store: s, sel: sel, shards: shards, running: workers, pages: task.NewQueue[[]store.Entry](workers)}
		group := task.NewGroup(ctx, 0)
		defer func() {
			cancel(context.Canceled)
			_ = group.Wait() // its error has been yielded, or the caller has stopped
		}()
		for i := range workers {
			group.Go(fmt.Sprintf("drain %s %d", sel.name, i), d.work)
		}
		stopped, err := d.deliver(ctx, yield)
		if stopped {
			return
		}
		if err := errors.Join(err, group.Wait()); err != nil {
			yield(store.Entry{}, err)
		}
	}
}

// A drain is one parallel drain: workers take shards in order and hand over pages.
type drain struct {
	store  *Store
	sel    selection
	shards int
	pages  *task.Queue[[]store.Entry]

	mu      sync.Mutex // never held over a yield
	next    int        // the next shard that no task has taken
	running int        // workers
}

// take returns a shard to drain, and false when none is left.
func (d *drain) take() (int, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	shard := d.next
	d.next++
	return shard, shard < d.shards
}

// work drains shards until none is left. The last worker to end closes the queue.
func (d *drain) work(ctx context.Context) error {
	defer func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.running--; d.running == 0 {
			d.pages.Close()
		}
	}()
	for {
		shard, ok := d.take()
		if !ok {
			return nil
		}
		if err := d.shard(ctx, shard); err != nil {
			return err
		}
	}
}

// shard drains one shard.
func (d *drain) shard(ctx context.Context, shard int) error {
	for at := (place{shard: shard}); ; {
		entries, last, err := d.store.query(ctx, d.sel, at, d.store.cfg.PageLimit)
		if err != nil {
			return err
		}
		if len(entries) > 0 {
			if err := d.pages.Put(ctx, entries); err != nil {
				return err
			}
		}
		if last == "" {
			return nil
		}
		at.last = last
	}
}

// deliver yields what the workers read until they have ended, or the caller
// stops. The workers hear of ctx's end, so it need not.
func (d *drain) deliver(ctx context.Context, yield func(store.Entry, error) bool) (stopped bool, err error) {
	for {
		entries, err := d.pages.Get(context.WithoutCancel(ctx))
		switch {
		case errors.Is(err, task.ErrClosed):
			return false, nil
		case err != nil:
			return false, err
		}
		for _, e := range entries {
			if !yield(e, nil) {
				return true, nil
			}
		}
	}
}
