package migrate

import (
	"context"
	"errors"
	"fmt"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/control"
)

// AbortOptions name the finalization that is ended.
type AbortOptions struct {
	// Owner names who aborts; a barrier of another owner has to be named by its id.
	Owner  string
	ID     string
	DryRun bool
}

// An AbortReport is what an abort did.
type AbortReport struct {
	// Removed is the barrier that is gone, nil if there was none.
	Removed *control.Barrier
	Plan    *Plan // of a dry run
}

// Abort removes the write barrier of a finalization that is not complete, so that
// dual nodes write again. The finalization, if it still runs, cannot publish any
// more. The error is a *RefusedError once the marker is there.
func (m *Migrator) Abort(ctx context.Context, o AbortOptions) (*AbortReport, error) {
	const verb = "abort"
	if o.Owner == "" {
		return nil, fmt.Errorf("%w: no owner; name who aborts", store.ErrInvalid)
	}
	ctx = cause.With(ctx, cause.Control)
	if _, err := m.open(ctx); err != nil {
		return nil, err
	}
	s, err := m.records.State(ctx)
	switch {
	case err != nil:
		return nil, err
	case s.Marker != nil:
		return nil, refuse(verb, "roll back to dual-capable binaries if you must", "the migration was finalized on %s, and v2 is the authority for good", date(s.Marker.Published))
	case s.Barrier != nil && s.Barrier.Owner != o.Owner && s.Barrier.ID != o.ID:
		return nil, refuse(verb, "wait for it; "+s.Barrier.Lift(),
			"the write barrier is of %s, installed %s", s.Barrier.Owner, date(s.Barrier.Installed))
	}
	report := &AbortReport{Removed: s.Barrier}
	if o.DryRun {
		report.Plan = planAbort(s.Barrier)
		return report, nil
	}
	if s.Barrier == nil {
		return report, nil
	}
	err = m.records.RemoveBarrier(ctx, s.Barrier.ID)
	if errors.Is(err, control.ErrFinalized) || errors.Is(err, control.ErrForeignBarrier) {
		return nil, refuse(verb, "run status to see where it stands", "the finalization went on meanwhile (%v)", err)
	}
	return report, err
}
