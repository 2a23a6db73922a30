package migrate

import (
	"context"
	"errors"
	"time"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/control"
)

// A Status is where a migration stands (docs/spec/results.md §2, "migrate status").
type Status struct {
	// Mode is what nodes should be: v1 before init, dual until the finalization,
	// v2-authoritative after it, v2-only once v1 is retired.
	Mode     control.Mode     `json:"mode"`
	Barrier  *control.Barrier `json:"barrier"`
	Marker   *control.Marker  `json:"marker"`
	Backfill BackfillStatus   `json:"backfill"`
	Peers    PeerCounts       `json:"peers"`
	// Rollback names which binaries are safe: v1-only, dual-capable or v2-only.
	Rollback string `json:"rollback"`

	Nodes []control.Peer `json:"-"`
}

// BackfillStatus is the progress of the latest run. Run is empty and State is none
// before the first.
type BackfillStatus struct {
	Run       string `json:"run"`
	State     string `json:"state"`
	Scanned   int64  `json:"scanned"`
	Converged int64  `json:"converged"`
	Created   int64  `json:"created"`
	Problems  int64  `json:"problems"` // open
}

// PeerCounts are numbers of nodes. Unknown are those of the fleet that have no
// record: they may be old binaries, which write v1 only.
type PeerCounts struct {
	V1Only  int `json:"v1_only"`
	Unknown int `json:"unknown"`
	Dual    int `json:"dual"`
	V2      int `json:"v2"`
	V2Only  int `json:"v2_only"` // of V2: those that do not mirror to v1
}

// noBackfill is the state of a backfill that has not begun.
const noBackfill = "none"

// What is safe to roll back to (docs/spec/metadata-store.md §5).
const (
	RollbackV1Only = "v1-only"      // any binary: v1 is the authority
	RollbackDual   = "dual-capable" // v2 is, and v1 is a mirror of it
	RollbackV2Only = "v2-only"      // v1 is gone
)

// Status returns where the migration stands. nodes, which may be empty, is the fleet.
func (m *Migrator) Status(ctx context.Context, nodes []string) (*Status, error) {
	ctx = cause.With(ctx, cause.Control)
	t, err := m.check(ctx)
	if err != nil && (!errors.Is(err, store.ErrNoTable) || !t.v2.exists) {
		return nil, err
	}
	s := &Status{Mode: control.ModeV1, Rollback: RollbackV1Only, Backfill: BackfillStatus{State: noBackfill}}
	if !t.v2.exists {
		s.Peers.Unknown = len(nodes)
		return s, nil
	}
	state, err := m.records.State(ctx)
	if err != nil {
		return nil, err
	}
	s.Barrier, s.Marker = state.Barrier, state.Marker
	switch {
	case state.Retired != nil:
		s.Mode, s.Rollback = control.ModeV2Only, RollbackV2Only
	case state.Marker != nil:
		s.Mode, s.Rollback = control.ModeV2Authoritative, RollbackDual
	default:
		s.Mode = control.ModeDual
	}
	if err := m.backfillStatus(ctx, &s.Backfill); err != nil {
		return nil, err
	}
	if s.Nodes, err = m.records.Peers(ctx); err != nil {
		return nil, err
	}
	s.Peers = countPeers(s.Nodes, nodes)
	return s, nil
}

func (m *Migrator) backfillStatus(ctx context.Context, s *BackfillStatus) error {
	b, err := m.records.Backfill(ctx)
	if err != nil {
		return err
	}
	if b != nil {
		*s = BackfillStatus{Run: b.Run, State: string(b.State), Scanned: b.Scanned, Converged: b.Converged, Created: b.Created}
	}
	problems, err := m.problems(ctx)
	s.Problems = problems.Count
	return err
}

func countPeers(peers []control.Peer, fleet []string) (c PeerCounts) {
	known := make(map[string]bool, len(peers))
	for _, p := range peers {
		known[p.Node] = true
		switch p.Mode {
		case control.ModeV1:
			c.V1Only++
		case control.ModeDual:
			c.Dual++
		case control.ModeV2Only:
			c.V2++
			c.V2Only++
		default:
			c.V2++
		}
	}
	for _, node := range fleet {
		if !known[node] {
			c.Unknown++
		}
	}
	return c
}

func date(t time.Time) string { return t.UTC().Format(time.RFC3339) }
