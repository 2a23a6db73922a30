package migrate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/item"
)

// A tally counts what became of items.
type tally struct {
	converged int64 // equal in both layouts, gone from both included
	created   int64 // by this process
	found     int64 // of the converged ones, there and equal before
	problems  int64
}

// A converger makes items of v1 be in v2.
type converger struct {
	*Migrator
	size    *batchSize
	workers int
	pace    *pacer

	// readFirst: look what v2 has before creating. A creation that fails costs as
	// much as one that succeeds, a read a fraction.
	readFirst bool

	mu    sync.Mutex // guards tally; never held over a yield
	tally tally
}

func (c *converger) count(change func(t *tally)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(&c.tally)
}

// page brings all items of a page to their end: converged, or recorded as a
// problem. Only then may the cursor move past them (hazard 8).
func (c *converger) page(ctx context.Context, items []original) (tally, error) {
	c.tally = tally{}
	var open []original
	for _, it := range items {
		if it.kind == "" {
			open = append(open, it)
			continue
		}
		if err := c.problem(ctx, it.key, it.kind, it.detail); err != nil {
			return c.tally, err
		}
	}
	open, err := c.missing(ctx, open)
	if err != nil {
		return c.tally, err
	}
	ctx, cancel := task.WithCancel(ctx)
	defer cancel(context.Canceled)
	group := task.NewGroup(ctx, c.workers)
	for batch := range slices.Chunk(open, c.size.most) {
		if err = c.pace.wait(ctx, len(batch)); err != nil {
			break
		}
		group.Go("create records of "+c.v2Table(), func(ctx context.Context) error {
			err := c.create(ctx, batch)
			if err != nil {
				cancel(err)
			}
			return err
		})
	}
	if failed := group.Wait(); failed != nil {
		err = failed
	}
	// What one page found predicts what the next one will find.
	c.readFirst = 2*c.tally.found > int64(len(items))
	return c.tally, err
}

// missing returns the items that v2 does not hold as v1 does.
func (c *converger) missing(ctx context.Context, items []original) ([]original, error) {
	if !c.readFirst {
		return items, nil
	}
	found, err := c.present(ctx, items)
	if err != nil {
		return nil, err
	}
	var missing []original
	for _, it := range items {
		if value, ok := found[it.key]; !ok || !bytes.Equal(value, it.value) {
			missing = append(missing, it)
			continue
		}
		c.count(func(t *tally) { t.converged++; t.found++ })
	}
	return missing, nil
}

// create makes transactions of the items. What is left of one that was refused is
// sent again at once, without the items whose conditions failed: those are looked at
// one by one, and the others have just been found to be as they were read.
func (c *converger) create(ctx context.Context, batch []original) error {
	n, try := c.size.of(len(batch)), 1
	for len(batch) > 0 {
		err := c.sender.TransactOnce(ctx, c.creation(batch[:n]))
		var refusal *item.RefusedError
		switch {
		case err == nil:
			c.count(func(t *tally) { t.converged += int64(n); t.created += int64(n) })
			c.size.done(n)
			batch, try = batch[n:], 1
			n = c.size.of(len(batch))
		case errors.As(err, &refusal):
			rest, err := c.refused(ctx, batch[:n], refusal)
			if err != nil {
				return err
			}
			batch, try = append(rest, batch[n:]...), 1
			if len(rest) > 0 {
				c.size.lost(n)
			}
			if n = len(rest); n == 0 {
				n = c.size.of(len(batch))
			}
		default:
			if try, err = c.again(ctx, n, try, err); err != nil {
				return store.Failed("backfill", c.v2Table(), batch[0].key, err)
			}
			n = c.size.of(len(batch))
		}
	}
	return nil
}

// again waits after a creation of n records that contention has cancelled, or that
// got no answer: to create again what it may have created does no harm, it is found
// then. It returns the number of the next try.
func (c *converger) again(ctx context.Context, n, try int, err error) (int, error) {
	worn := try >= c.cfg.Backoff.Tries
	switch {
	case !divisible(err):
		return 0, err
	case worn && n == 1:
		return 0, fmt.Errorf("gave up after %d tries, the last: %w", try, err)
	case n > 1 && (worn || byRecords(err)):
		c.size.lost(n)
		try = 0
	}
	return try + 1, task.Sleep(ctx, c.cfg.Backoff.Wait(try+1, c.jitter()))
}

// divisible reports whether the parts of a transaction that failed may succeed.
func divisible(err error) bool {
	return errors.Is(err, store.ErrContention) || errors.Is(err, store.ErrUnknown)
}

// refused settles the items whose actions failed and returns the others.
func (c *converger) refused(ctx context.Context, batch []original, refusal *item.RefusedError) ([]original, error) {
	failed := make(map[int]bool)
	checked := make(map[int]bool) // v1 is not as it was read
	holds := make(map[int]item.Failure)
	for _, f := range refusal.Failed {
		i, onV2 := place(f.Action)
		if i < 0 {
			return nil, errBarrier
		}
		failed[i] = true
		if onV2 {
			holds[i] = f
		} else {
			checked[i] = true
		}
	}
	var rest []original
	for i, it := range batch {
		if !failed[i] {
			rest = append(rest, it)
			continue
		}
		// v1 holds what was read, and v2 the same: that is what was wanted.
		if value, strange := v2Value(holds[i].Item); !checked[i] && strange == "" && bytes.Equal(value, it.value) {
			c.count(func(t *tally) { t.converged++; t.found++ })
			continue
		}
		if err := c.settle(ctx, it.key); err != nil {
			return nil, err
		}
	}
	return rest, nil
}

// settleTries is how often a key may change under the migrator before it gives up:
// running the verb again goes on from there.
const settleTries = 20

// settle makes one key converge on what v1 holds now
// (docs/spec/metadata-store.md §5): gone, then v2 must be absent; a different
// value in v2 is never overwritten.
func (c *converger) settle(ctx context.Context, key string) error {
	var err error
	for range settleTries {
		var pairs []both
		if pairs, err = c.readBoth(ctx, []string{key}); err != nil {
			return err
		}
		b := pairs[0]
		switch {
		case b.equal():
			c.count(func(t *tally) { t.converged++ })
			return nil
		case b.v1 == nil:
			return c.problem(ctx, key, control.Orphan, "v2 has the key, v1 does not")
		case b.v1.kind != "":
			return c.problem(ctx, key, b.v1.kind, b.v1.detail)
		case b.strange != "":
			return c.problem(ctx, key, control.Differing, "the record of v2 is none that a store writes: "+b.strange)
		case b.v2.Exists:
			return c.problem(ctx, key, control.Differing, "v2 holds another value than v1")
		}
		err = c.sender.Transact(ctx, c.creation([]original{*b.v1}))
		var refusal *item.RefusedError
		switch {
		case err == nil:
			c.count(func(t *tally) { t.converged++; t.created++ })
			return nil
		case errors.As(err, &refusal) && refusal.Action == 0:
			return errBarrier
		case !errors.As(err, &refusal) && !divisible(err):
			return store.Failed("backfill", c.v2Table(), key, err)
		}
	}
	return store.Failed("backfill", c.v2Table(), key, fmt.Errorf("gave up after %d tries, the last: %w", settleTries, err))
}

func (c *converger) problem(ctx context.Context, key string, kind control.ProblemKind, detail string) error {
	c.count(func(t *tally) { t.problems++ })
	return c.records.RecordProblem(ctx, control.Problem{Key: key, Kind: kind, Detail: detail, Found: task.Now(ctx)})
}
