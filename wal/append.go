package wal

import (
	"context"
	"errors"
	"fmt"

	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/manifest/object"
	"github.com/lakebench/lakebench/wal/entry"
)

// Append appends rows to the log and returns the position of their entry, which
// they may share with other appends. It returns once they are there for good: all
// of them, or, with an error, none; unless the error is ErrUnknown, when they may
// be.
//
// The caller whose append begins an entry also writes it, for all who join. So
// what is measured under its context is the entry.
func (w *Writer) Append(ctx context.Context, rows ...Row) (position uint64, err error) {
	if len(rows) == 0 {
		return 0, fmt.Errorf("%w: an append without rows", ErrInvalid)
	}
	b, first := w.join(rows)
	if first {
		b.gather(ctx, w.cfg.Group)
		// Others rely on this entry, whatever becomes of its first append's caller.
		w.write(context.WithoutCancel(ctx), b)
	}
	return b.wait(ctx)
}

// A batch is the appends that share an entry.
type batch struct {
	rows  []Row
	bytes int
	// full ends the wait for more, done the wait for the outcome: both by being
	// closed.
	full, done *task.Queue[struct{}]
	position   uint64
	err        error
}

// join adds rows to the open batch, or opens one, and reports which.
func (w *Writer) join(rows []Row) (b *batch, first bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if first = w.open == nil; first {
		w.open = &batch{full: task.NewQueue[struct{}](1), done: task.NewQueue[struct{}](1)}
	}
	b = w.open
	b.rows = append(b.rows, rows...)
	for _, r := range rows {
		b.bytes += len(r.Key) + len(r.Value)
	}
	if len(b.rows) >= w.cfg.Group.Rows || b.bytes >= w.cfg.Group.Bytes {
		w.open = nil
		b.full.Close()
	}
	return b, first
}

// shut takes no more appends into b.
func (w *Writer) shut(b *batch) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open == b {
		w.open = nil
	}
}

// gather gives others time to join.
func (b *batch) gather(ctx context.Context, g Group) {
	if g.Wait <= 0 {
		return
	}
	ctx, stop := task.WithTimeout(ctx, g.Wait)
	defer stop()
	_, _ = b.full.Get(ctx) // full, or it is time
}

// wait returns the outcome. Who stops waiting does not know it.
func (b *batch) wait(ctx context.Context) (uint64, error) {
	if _, err := b.done.Get(ctx); !errors.Is(err, task.ErrClosed) {
		return 0, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	return b.position, b.err
}

// write writes a batch's entry. While the one before is on its way more appends
// may join.
func (w *Writer) write(ctx context.Context, b *batch) {
	defer b.done.Close()
	if b.err = w.appending.Lock(ctx); b.err != nil {
		w.shut(b)
		return
	}
	defer w.appending.Unlock()
	w.shut(b)
	if b.err = w.usable(); b.err == nil {
		b.position, b.err = w.put(ctx, b.rows)
	}
}

// put writes an entry at the next position. The caller holds w.appending.
func (w *Writer) put(ctx context.Context, rows []Row) (uint64, error) {
	e := entry.Entry{WriterEpoch: w.epoch, Generation: w.active().generation, Rows: rows}
	for {
		position := w.next
		again, err := w.log.create(ctx, position, e)
		switch {
		case err == nil && again:
			err = w.confirm(ctx, position)
		case errors.Is(err, object.ErrExists):
			if err = w.taken(ctx, position, err); err == nil {
				w.next++
				continue
			}
		case errors.Is(err, ErrUnknown):
			err = w.end(fmt.Errorf("%w: %w", ErrPoisoned, err))
		}
		if err != nil {
			return 0, err
		}
		w.next++
		w.applied(rows, position)
		return position, nil
	}
}

// confirm makes sure that an entry counts which was sent more than once. The first
// may have landed, been replayed and flushed by another writer, and collected
// before the second created it anew, where no reader looks any more (hazard 14). A
// writer that still holds the shard now had no successor when the entry was there:
// every later one finds it.
func (w *Writer) confirm(ctx context.Context, position uint64) error {
	if err := w.fenceCheck(ctx); err != nil {
		return w.end(fmt.Errorf("%w: appended at %s, but it is not certain that this counts: %w", ErrUnknown, w.log.url(position), err))
	}
	return nil
}

// taken decides what to do about another writer's entry in our place. nil means
// that the next place is ours: the sentinel of an opener that has lost the shard
// meanwhile is in no writer's way.
func (w *Writer) taken(ctx context.Context, position uint64, exists error) error {
	if err := w.fenceCheck(ctx); err != nil {
		if errors.Is(err, ErrFenced) {
			return w.end(err)
		}
		return err
	}
	other, err := w.log.read(ctx, position)
	switch {
	case err != nil:
		return err
	case other.WriterEpoch > w.epoch:
		return w.end(w.log.failed(position, &FencedError{w.epoch, other.WriterEpoch}))
	case other.Sentinel:
		w.saw(position, other)
		return nil
	}
	return w.end(fmt.Errorf("%w: there are rows of epoch %d where ours would have been: %w", ErrPoisoned, other.WriterEpoch, exists))
}

// active returns the memtable that appends go to.
func (w *Writer) active() *memtable {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.tables.active
}

// applied makes appended rows visible.
func (w *Writer) applied(rows []Row, position uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tables.active.add(rows, position)
}

// saw remembers where sentinels are: they are never deleted.
func (w *Writer) saw(position uint64, e entry.Entry) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if e.Sentinel {
		w.sentinels[position] = true
	}
}
