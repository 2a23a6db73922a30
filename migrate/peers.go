package migrate

import (
	"context"
	"errors"
	"fmt"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/control"
)

// Peers returns the records of all nodes, by node id. They count until they are
// removed.
func (m *Migrator) Peers(ctx context.Context) ([]control.Peer, error) {
	ctx = cause.With(ctx, cause.Control)
	if _, err := m.inUse(ctx); err != nil {
		return nil, err
	}
	return m.records.Peers(ctx)
}

// RemovePeerOptions name the node whose record is removed.
type RemovePeerOptions struct {
	Node   string
	DryRun bool
}

// A RemovePeerReport is what a removal did.
type RemovePeerReport struct {
	Removed *control.Peer // nil: there was no such record
	Plan    *Plan         // of a dry run
}

// RemovePeer removes the record of a node that is gone for good; only its operator
// can know that. One that wrote v1 only voids the backfill first, since nothing else
// would tell that it was there.
func (m *Migrator) RemovePeer(ctx context.Context, o RemovePeerOptions) (*RemovePeerReport, error) {
	ctx = cause.With(ctx, cause.Control)
	if err := control.CheckNode(o.Node); err != nil {
		return nil, err
	}
	if _, err := m.inUse(ctx); err != nil {
		return nil, err
	}
	p, err := m.records.Peer(ctx, o.Node)
	if err != nil {
		return nil, err
	}
	report := &RemovePeerReport{Removed: p}
	if o.DryRun {
		report.Plan = planRemovePeer(p)
		return report, nil
	}
	if p == nil {
		return report, nil
	}
	err = m.records.RemovePeer(ctx, o.Node)
	if errors.Is(err, control.ErrPeerChanged) {
		return nil, refuse("peers remove", "stop it first", "node %q has written its record just now, so it is alive", o.Node)
	}
	return report, err
}

// inUse is open for verbs that do without v1, which may be retired.
func (m *Migrator) inUse(ctx context.Context) (tables, error) {
	t, err := m.check(ctx)
	if errors.Is(err, store.ErrNoTable) && t.v2.exists {
		err = nil
	}
	if err != nil {
		return t, err
	}
	if !t.v2.exists {
		return t, fmt.Errorf("%w: %s; create it with the verb init", store.ErrNoTable, m.v2Table())
	}
	return t, control.CheckLayout(ctx, m.cfg.Client, m.v2Table(), m.cfg.Shards)
}
