package migrate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/sim/task"
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
	Node string
	// Incarnation is that of the record: another process under the same node id has
	// another one.
	Incarnation string
	// HeartbeatWait is how old a record must be, and how long it is then watched for
	// a sign of life; HeartbeatPoll is the time between two looks.
	HeartbeatWait, HeartbeatPoll time.Duration
	DryRun                       bool
}

// DefaultRemovePeerOptions look for a sign of life as long as a finalization does.
func DefaultRemovePeerOptions() RemovePeerOptions {
	f := DefaultFinalizeOptions()
	return RemovePeerOptions{HeartbeatWait: f.HeartbeatWait, HeartbeatPoll: f.HeartbeatPoll}
}

// Validate refuses options that name no node, or none of its processes.
func (o RemovePeerOptions) Validate() error {
	switch {
	case o.Incarnation == "":
		return fmt.Errorf("%w: no incarnation of node %q; peers lists those on record", store.ErrInvalid, o.Node)
	case o.HeartbeatWait < 0 || o.HeartbeatPoll <= 0:
		return fmt.Errorf("%w: wait of %v for heartbeats, a look every %v; want times of more than 0", store.ErrInvalid, o.HeartbeatWait, o.HeartbeatPoll)
	}
	return control.CheckNode(o.Node)
}

// A RemovePeerReport is what a removal did.
type RemovePeerReport struct {
	Removed *control.Peer // nil: there was no such record
	Plan    *Plan         // of a dry run
}

// RemovePeer removes the record of a node that is gone for good. Only its operator can
// know that, but a node that gives a sign of life is refused: what it acknowledges
// later would be lost. One that wrote v1 only voids the backfill first, since nothing
// else would tell that it was there.
func (m *Migrator) RemovePeer(ctx context.Context, o RemovePeerOptions) (*RemovePeerReport, error) {
	ctx = cause.With(ctx, cause.Control)
	if err := o.Validate(); err != nil {
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
	if p != nil {
		if err := o.admit(ctx, p); err != nil {
			return nil, err
		}
	}
	if o.DryRun {
		report.Plan = planRemovePeer(p)
		return report, nil
	}
	if p == nil {
		return report, nil
	}
	if err := m.watch(ctx, o, *p); err != nil {
		return nil, err
	}
	err = m.records.RemovePeer(ctx, *p)
	if errors.Is(err, control.ErrPeerChanged) {
		return nil, alive(o.Node)
	}
	return report, err
}

const removePeerVerb = "peers remove"

// admit refuses a record of another process, and one that is too young.
func (o RemovePeerOptions) admit(ctx context.Context, p *control.Peer) error {
	if p.Incarnation != o.Incarnation {
		return refuse(removePeerVerb, fmt.Sprintf("look at peers; if that process is gone too, name incarnation %s", p.Incarnation),
			"the record of node %q is of incarnation %s, not %s: it was started again", o.Node, p.Incarnation, o.Incarnation)
	}
	if age := task.Since(ctx, p.Heartbeat); age < o.HeartbeatWait {
		return refuse(removePeerVerb, fmt.Sprintf("stop it, and run this again after %s", date(p.Heartbeat.Add(o.HeartbeatWait))),
			"node %q wrote a heartbeat %v ago, so it may be alive", o.Node, max(0, age).Round(time.Second))
	}
	return nil
}

// watch refuses if the record is not what it was all the time: its node may have
// another clock.
func (m *Migrator) watch(ctx context.Context, o RemovePeerOptions, seen control.Peer) error {
	for began := task.Now(ctx); task.Since(ctx, began) < o.HeartbeatWait; {
		m.report(Progress{Step: "look for a sign of life", Done: int64(task.Since(ctx, began).Seconds()), Total: int64(o.HeartbeatWait.Seconds())})
		if err := task.Sleep(ctx, min(o.HeartbeatPoll, o.HeartbeatWait)); err != nil {
			return err
		}
		now, err := m.records.Peer(ctx, o.Node)
		switch {
		case err != nil:
			return err
		case now == nil || *now != seen:
			return alive(o.Node)
		}
	}
	return nil
}

func alive(node string) error {
	return refuse(removePeerVerb, "stop it first", "node %q has written its record just now, so it is alive", node)
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
