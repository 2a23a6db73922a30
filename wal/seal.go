package wal

import (
	"context"
	"fmt"
)

// Seal marks the shard as being dropped, and appends no more. What was appended
// stays in the log, so that Unseal loses nothing.
func (w *Writer) Seal(ctx context.Context) error {
	if err := w.appending.Lock(ctx); err != nil {
		return err
	}
	defer w.appending.Unlock()
	if err := w.store.Seal(ctx); err != nil {
		return err
	}
	_ = w.end(fmt.Errorf("%w: by this writer; unseal it and open it again to go on", ErrSealed))
	return nil
}

// Unseal takes a seal back. A writer that has sealed the shard stays ended: open
// the shard again to append.
func (w *Writer) Unseal(ctx context.Context) error { return w.store.Unseal(ctx) }

// Close appends no more, waits for what is under way, and leaves what the next
// opener can use.
func (w *Writer) Close(ctx context.Context) error {
	if err := w.appending.Lock(ctx); err != nil {
		return err
	}
	defer w.appending.Unlock()
	_ = w.end(ErrClosed)
	return w.store.Close(ctx)
}
