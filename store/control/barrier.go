package control

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/item"
)

// Sort keys of the records of a finalization.
const (
	barrierName = "barrier"
	markerName  = "marker"
	retiredName = "retired"
)

// A Barrier keeps dual nodes from writing (docs/spec/metadata-store.md §4,
// "write barrier"). A finalization installs it; once the marker exists it stays
// for ever.
type Barrier struct {
	ID        string    `json:"id"` // unique
	Owner     string    `json:"owner"`
	Installed time.Time `json:"installed"`
}

// Lift returns how an operator removes the barrier of a finalization that has crashed.
func (b Barrier) Lift() string {
	return fmt.Sprintf("if that finalization has crashed, lift its barrier: lakebench migrate abort --id %s", b.ID)
}

// A Marker reports that v2 is the authority. Nothing rewrites or removes it.
type Marker struct {
	BarrierID string    `json:"barrier"` // of the finalization that published it
	Published time.Time `json:"published"`
}

// Retired reports that v1 is being removed, or is gone: only v2-only nodes open.
type Retired struct {
	Owner string    `json:"owner"`
	Since time.Time `json:"since"`
}

var (
	// ErrForeignBarrier reports that the write barrier is not the one named. The
	// error is a *ForeignBarrierError.
	ErrForeignBarrier = errors.New("the write barrier is not this finalization's")
	// ErrFinalized reports that the completion marker exists, so that its barrier
	// must stay.
	ErrFinalized = errors.New("the migration is final")
	// ErrNotFinalized reports that there is no completion marker.
	ErrNotFinalized = errors.New("the migration is not final")
)

// A ForeignBarrierError tells which barrier was found in place of the one named.
// It is an ErrForeignBarrier.
type ForeignBarrierError struct {
	Table  string
	Wanted string   // its id; "": none
	Found  *Barrier // nil: none
}

func (e *ForeignBarrierError) Error() string {
	wanted, found := "no barrier", "none"
	if e.Wanted != "" {
		wanted = "barrier " + e.Wanted
	}
	if e.Found != nil {
		found = fmt.Sprintf("barrier %s of %s, installed %s", e.Found.ID, e.Found.Owner, e.Found.Installed.Format(time.RFC3339))
	}
	return fmt.Sprintf("%v: table %s: expected %s, found %s", ErrForeignBarrier, e.Table, wanted, found)
}

// Unwrap returns ErrForeignBarrier.
func (e *ForeignBarrierError) Unwrap() error { return ErrForeignBarrier }

// BarrierAbsent returns the action that fails if the write barrier is there. Every
// dual mutation carries it, and whatever else writes v2 before v2 is the
// authority: a worker that stalls must not write after the marker
// (hazards 3 and 4).
func (r *Records) BarrierAbsent() types.TransactWriteItem {
	return at(r.table, barrierName).Check(store.Absent())
}

// Barrier returns the write barrier, nil if there is none.
func (r *Records) Barrier(ctx context.Context) (*Barrier, error) {
	return load[Barrier](ctx, r, barrierName)
}

// Marker returns the completion marker, nil if there is none.
func (r *Records) Marker(ctx context.Context) (*Marker, error) {
	return load[Marker](ctx, r, markerName)
}

// InstallBarrier puts b, whose id must be new, where no barrier and no marker is.
// The error is a *ForeignBarrierError, ErrFinalized or store.ErrUnknown.
func (r *Records) InstallBarrier(ctx context.Context, b Barrier) error {
	return r.replaceBarrier(ctx, "", store.Absent(), b)
}

// TakeOver puts b, whose id must be new, in place of the barrier with exactly the
// id old: its owner can then neither publish nor remove. Errors are those of
// InstallBarrier.
func (r *Records) TakeOver(ctx context.Context, old string, b Barrier) error {
	held, err := r.held(ctx, old)
	if err != nil {
		return err
	}
	if b.ID == old {
		return fmt.Errorf("%w: a barrier is taken over under a new id, not under its own, %s", store.ErrInvalid, old)
	}
	return r.replaceBarrier(ctx, old, held, b)
}

// replaceBarrier puts b in place of what is held there, the barrier old.
func (r *Records) replaceBarrier(ctx context.Context, old string, held store.Expectation, b Barrier) error {
	if b.ID == "" {
		return fmt.Errorf("%w: a barrier without an id", store.ErrInvalid)
	}
	b.Installed = stamp(b.Installed)
	err := r.put(ctx, barrierName, held, b, at(r.table, markerName).Check(store.Absent()))
	return r.refused(ctx, err, old)
}

// RemoveBarrier removes the barrier with exactly this id, unless the marker
// exists. Where there is no barrier it does nothing. The error is a
// *ForeignBarrierError, ErrFinalized or store.ErrUnknown.
func (r *Records) RemoveBarrier(ctx context.Context, id string) error {
	held, err := r.held(ctx, id)
	if err == nil {
		barrier := at(r.table, barrierName)
		actions := []types.TransactWriteItem{at(r.table, markerName).Check(store.Absent()), barrier.Delete(held)}
		err = r.refused(ctx, r.transact(ctx, barrierName, actions, store.Absent()), id)
	}
	var foreign *ForeignBarrierError
	if errors.As(err, &foreign) && foreign.Found == nil {
		return nil
	}
	return err
}

// refused turns the refusal of {marker absent; barrier as wanted} into the errors
// of this package.
func (r *Records) refused(ctx context.Context, err error, wanted string) error {
	var refusal *item.RefusedError
	switch {
	case !errors.As(err, &refusal):
		return err
	case refusal.Action == 0:
		return r.finalized(ctx)
	}
	return r.foreign(refusal, wanted)
}

// PublishMarker makes v2 the authority, for ever, if the barrier is at exactly
// this id. To publish again under the same id does nothing. The error is a
// *ForeignBarrierError, ErrFinalized (by another) or store.ErrUnknown.
func (r *Records) PublishMarker(ctx context.Context, barrierID string) error {
	held, err := r.held(ctx, barrierID)
	if err != nil {
		return err
	}
	m := Marker{BarrierID: barrierID, Published: stamp(task.Now(ctx))}
	err = r.put(ctx, markerName, store.Absent(), m, at(r.table, barrierName).Check(held))
	var refusal *item.RefusedError
	switch {
	case !errors.As(err, &refusal):
		return err
	case refusal.Action == 0:
		return r.foreign(refusal, barrierID)
	}
	published, err := r.Marker(ctx)
	if err == nil && (published == nil || published.BarrierID != barrierID) {
		err = r.finalized(ctx)
	}
	return err
}

// stamp is a time as records keep it: in UTC and in whole seconds, so that a
// record's size does not depend on when it is written. Of a heartbeat that would be
// too coarse.
func stamp(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }

// Retire writes the retired record, which is there for ever, if the marker exists
// (ErrNotFinalized). From then on no node opens in another mode than v2-only; so
// look at the peers again afterwards, before v1 is deleted: one that opened before
// has its record by now. To retire again does nothing.
func (r *Records) Retire(ctx context.Context, retired Retired) error {
	marker, err := r.read(ctx, markerName)
	if err != nil {
		return err
	}
	if _, exists := marker.Value(); !exists {
		return fmt.Errorf("%w: table %s has no completion marker; v1 is still needed", ErrNotFinalized, r.table)
	}
	retired.Since = stamp(retired.Since)
	err = r.put(ctx, retiredName, store.Absent(), retired, at(r.table, markerName).Check(marker))
	var refusal *item.RefusedError
	if errors.As(err, &refusal) && refusal.Action == 1 {
		return nil
	}
	return err
}

// held returns the bytes of the barrier with exactly this id. No two barriers
// have one id, so a condition on the bytes is one on the id.
func (r *Records) held(ctx context.Context, id string) (store.Expectation, error) {
	held, err := r.read(ctx, barrierName)
	if err != nil {
		return held, err
	}
	value, exists := held.Value()
	if !exists {
		return held, &ForeignBarrierError{Table: r.table, Wanted: id}
	}
	found, err := parse[Barrier](r, barrierName, value)
	if err != nil {
		return held, err
	}
	if found.ID != id {
		return held, &ForeignBarrierError{Table: r.table, Wanted: id, Found: found}
	}
	return held, nil
}

// foreign is the error of an action that found another barrier.
func (r *Records) foreign(refusal *item.RefusedError, wanted string) error {
	foreign := &ForeignBarrierError{Table: r.table, Wanted: wanted}
	found, err := at(r.table, barrierName).Found(refusal.Item)
	if err != nil {
		return err
	}
	if found.Exists {
		if foreign.Found, err = parse[Barrier](r, barrierName, found.Value); err != nil {
			return err
		}
	}
	return foreign
}

func (r *Records) finalized(ctx context.Context) error {
	marker, err := r.Marker(ctx)
	if err != nil {
		return err
	}
	if marker == nil {
		return fmt.Errorf("completion marker of table %s: %w: it was there and is not any more", r.table, store.ErrMalformed)
	}
	return fmt.Errorf("%w: table %s: barrier %s published the completion marker %s", ErrFinalized, r.table, marker.BarrierID, marker.Published.Format(time.RFC3339))
}
