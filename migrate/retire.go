package migrate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/control"
)

// RetireOptions are what is given up.
type RetireOptions struct {
	// Confirm is the name of the v1 table, which will be deleted with all that it
	// holds.
	Confirm string
	// Retention is how long v1 has to be kept after the finalization: at least as
	// long as any append operation is (docs/notes/metadata-layout.txt, "Operational
	// rollout").
	Retention time.Duration
	Owner     string // names who retires
	DryRun    bool
}

// Validate refuses options that confirm nothing.
func (o RetireOptions) Validate(v1 string) error {
	switch {
	case o.Confirm != v1:
		return fmt.Errorf("%w: confirmed is %q; deleting table %s for good has to be confirmed by its name", store.ErrInvalid, o.Confirm, v1)
	case o.Retention <= 0:
		return fmt.Errorf("%w: retention %v; it is how long v1 is kept after the finalization", store.ErrInvalid, o.Retention)
	case o.Owner == "":
		return fmt.Errorf("%w: no owner; name who retires v1", store.ErrInvalid)
	}
	return nil
}

// A RetireReport is what a retirement did.
type RetireReport struct {
	Deleted string // the table that is gone, "" if it was gone before
	Plan    *Plan  // of a dry run
}

// Retire deletes v1: once the migration is final, the retention is over and every
// registered node is v2-only. The retired record comes first, so that no node opens
// that would want v1; then the nodes are looked at once more.
func (m *Migrator) Retire(ctx context.Context, o RetireOptions) (*RetireReport, error) {
	if err := o.Validate(m.cfg.Table); err != nil {
		return nil, err
	}
	ctx = cause.With(ctx, cause.Control)
	t, err := m.inUse(ctx)
	if err != nil {
		return nil, err
	}
	if err := m.retirable(ctx, o.Retention); err != nil {
		return nil, err
	}
	if o.DryRun {
		return &RetireReport{Plan: planRetire(m.cfg.Table, t.v1)}, nil
	}
	if err := m.records.Retire(ctx, control.Retired{Owner: o.Owner, Since: task.Now(ctx)}); err != nil {
		return nil, err
	}
	if err := m.onlyV2(ctx); err != nil {
		return nil, err
	}
	_, err = m.cfg.Client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: &m.cfg.Table})
	var gone *types.ResourceNotFoundException
	switch {
	case errors.As(err, &gone):
		return &RetireReport{}, nil
	case err != nil:
		return nil, fmt.Errorf("delete table %s: %w", m.cfg.Table, err)
	}
	return &RetireReport{Deleted: m.cfg.Table}, nil
}

const retireVerb = "retire"

func (m *Migrator) retirable(ctx context.Context, retention time.Duration) error {
	s, err := m.records.State(ctx)
	switch {
	case err != nil:
		return err
	case s.Marker == nil:
		return refuse(retireVerb, "finalize first", "the migration is not final: v1 is the authority")
	}
	if until := s.Marker.Published.Add(retention); task.Now(ctx).Before(until) {
		return refuse(retireVerb, fmt.Sprintf("wait until %s", date(until)),
			"the migration was finalized on %s, and v1 is to be kept for %v", date(s.Marker.Published), retention)
	}
	return m.onlyV2(ctx)
}

// onlyV2 refuses while a node is registered that reads or writes v1.
func (m *Migrator) onlyV2(ctx context.Context) error {
	peers, err := m.records.Peers(ctx)
	if err != nil {
		return err
	}
	var reasons []Reason
	for _, p := range peers {
		if p.Mode != control.ModeV2Only {
			reasons = append(reasons, Reason{
				What: fmt.Sprintf("node %q is in mode %v", p.Node, p.Mode),
				Do:   "restart it in mode v2-only, or, if it is gone for good, remove its record (peers remove)",
			})
		}
	}
	if len(reasons) > 0 {
		return &RefusedError{Verb: retireVerb, Reasons: reasons}
	}
	return nil
}
