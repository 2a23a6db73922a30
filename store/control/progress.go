package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/store"
)

// backfillName is the sort key of the record of the backfill's progress.
const backfillName = "backfill"

// A BackfillState is how far a run of the backfill has come.
type BackfillState string

// The states of a run.
const (
	BackfillRunning BackfillState = "running"
	// BackfillComplete: every item of v1 was looked at, and has converged or is
	// recorded as a problem.
	BackfillComplete BackfillState = "complete"
	// BackfillVoided: a v1-only node has registered since the run began. What it
	// wrote where the run had been is not in v2, so the run proves nothing.
	BackfillVoided BackfillState = "voided"
)

// A Backfill is the progress of a run (docs/spec/metadata-store.md §4, "backfill
// progress"). The cursor is written only after every item up to it has converged
// or is recorded as a problem (hazard 8).
type Backfill struct {
	Run     string        `json:"run"` // unique
	Started time.Time     `json:"started"`
	State   BackfillState `json:"state"`
	// Cursor is the last key of v1 that is done, "" at the beginning and once all
	// are.
	Cursor string `json:"cursor"`
	// Counts of items: evaluated in v1; found or made equal in v2; of those, made.
	// What a crash made twice is counted once, by the run that wrote it down.
	Scanned   int64 `json:"scanned"`
	Converged int64 `json:"converged"`
	Created   int64 `json:"created"`
	// VoidedBy is the v1-only node, "" unless voided.
	VoidedBy string `json:"voidedBy,omitempty"`
}

// ErrBackfillChanged reports that the record of the backfill's progress is not the one
// to be replaced: another process has moved on, or a node has voided the run. Read
// it again and go on from there.
var ErrBackfillChanged = errors.New("the backfill's progress has changed")

// Backfill returns the progress of the latest run, nil if none has begun.
func (r *Records) Backfill(ctx context.Context) (*Backfill, error) {
	return load[Backfill](ctx, r, backfillName)
}

// SaveBackfill writes next if the record still is was, nil for none. Otherwise, and
// also if the outcome is unknown, the error is ErrBackfillChanged: since only items
// that have converged are behind a cursor, it does no harm if it still lands.
func (r *Records) SaveBackfill(ctx context.Context, was *Backfill, next Backfill) error {
	expected := store.Absent()
	if was != nil {
		value, err := was.bytes()
		if err != nil {
			return err
		}
		expected = store.Exactly(value)
	}
	value, err := next.bytes()
	if err != nil {
		return err
	}
	// A plain conditional write: it costs half of a transaction, and there is one
	// for every page.
	err = r.sender.Put(cause.With(ctx, cause.Control), at(r.table, backfillName), expected, value)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, store.ErrConflict), errors.Is(err, store.ErrUnknown):
		return fmt.Errorf("%w: table %s: %w", ErrBackfillChanged, r.table, err)
	}
	return store.Failed("write", r.table, at(r.table, backfillName).Name, err)
}

// VoidBackfill voids the run, if there is one that is not voided yet: node writes v1
// alone. A v1-only node calls it once it is registered and before it serves, and
// whoever replaces or removes a v1-only record before that
// (docs/spec/metadata-store.md §4).
func (r *Records) VoidBackfill(ctx context.Context, node string) error {
	const tries = 20 // each fails only if a page was finished meanwhile
	var err error
	for range tries {
		var b *Backfill
		if b, err = r.Backfill(ctx); err != nil || b == nil || b.State == BackfillVoided {
			return err
		}
		voided := *b
		voided.State, voided.VoidedBy = BackfillVoided, node
		if err = r.SaveBackfill(ctx, b, voided); !errors.Is(err, ErrBackfillChanged) {
			return err
		}
	}
	return err
}

// bytes is what the table holds for b.
func (b Backfill) bytes() ([]byte, error) {
	b.Started = stamp(b.Started)
	value, err := json.Marshal(b)
	if err != nil {
		return nil, fmt.Errorf("the backfill's progress: %w", err)
	}
	return value, nil
}
