// Package dual is a node's view of the metadata store while it moves from v1 to v2
// (docs/spec/metadata-store.md §4).
//
// A node believes the control records and nothing else, least of all
// its own clock. It reads them where an old one could do harm, and where it cannot
// read them in time the service checks them within the transaction.
//
// # Writers
//
// While v1 is the authority a mutation is one transaction: the write barrier is
// absent, v1 is as expected, v2 is as expected or has not got the key yet. So no
// dual mutation lands once the barrier is there, however long it was on its way.
// The barrier comes first, for once it is there v1 may be behind and nothing that
// the other conditions say may be believed. A node that meets it looks for the
// marker; if that is there it turns to v2 and makes the mutation anew, which it may
// since every attempt of the first was answered. Once v2 is the authority a mutation
// is one transaction again, of v2 as expected and v1 whatever it holds.
//
// # Readers
//
// A dual node reads v1, and finalization does not wait for readers. This is why a
// node that has not heard of the marker does no harm (hazard 4):
//
//   - Until a v2-only node writes, every mutation writes both layouts in one
//     transaction, so v1 is as fresh as v2.
//   - A v2-only node opens only once every node's record reports that the node has
//     observed the marker. A node is on record before it serves, and says so only
//     after it has turned: what begins on it from then on reads v2.
//   - That leaves reads of v1 which began before their node turned and are still on
//     their way. They began while v1 was as fresh as v2, and v1 has changed since
//     only as v2 has. So what they find was current at some moment between their
//     beginning and their end, which is what a linearizable read promises. A drain
//     that began on v1 ends there for the same reason: a key that exists all the
//     while is in v1 all the while.
//
// A node that never writes learns of the marker by its heartbeat and at the
// beginning of each drain, where looking for it costs one request beside a scan. So
// no catalog refresh that begins after the marker touches v1.
//
// What the records cannot know is a process without one: a node that an operator has
// taken for dead, or the second of two under one node id. It finds out with its next
// heartbeat and may read an old v1 until then, if v2-only nodes write. It cannot
// write v1's values over v2's.
//
// All of it is claimed for a service whose transactions become visible at once
// (docs/spec/metadata-store.md §6, "Safety property").
package dual

import (
	"context"
	"sync/atomic"

	"github.com/lakebench/lakebench/internal/attempt"
	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/item"
	"github.com/lakebench/lakebench/store/v1"
	"github.com/lakebench/lakebench/store/v2"
)

// A Store is a node: a store.MetaStore on both layouts.
type Store struct {
	cfg         Config
	table2      string
	incarnation string
	records     *control.Records
	sender      *item.Sender // of transactions over both layouts
	layout1     item.Layout
	layout2     item.Layout
	v1          *v1.Store // nil in mode v2-only
	v2          *v2.Store // nil in mode v1

	mode   atomic.Int64 // a control.Mode; it turns at most once, from dual to v2-authoritative
	unfit  atomic.Pointer[error]
	paused atomic.Int64

	// recording is held while the node's record is written, so that an older one
	// does not come after a newer one.
	recording task.Mutex
}

var _ store.MetaStore = (*Store)(nil)

// Open returns the node's store once the node is recorded and has read the control
// records after that. The error is a *ForbiddenError if they forbid the mode.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	s, err := newStore(cfg)
	if err != nil {
		return nil, err
	}
	// A look before the record is written: a node that may not open leaves no
	// trace then, and one that opens on v2 records that at once.
	state, err := s.records.State(ctx)
	if err != nil {
		return nil, err
	}
	mode, err := s.admit(cfg.Mode, state)
	if err != nil {
		return nil, err
	}
	s.mode.Store(int64(mode))
	if err := s.openLayouts(ctx); err != nil {
		return nil, err
	}
	if err := s.join(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

func newStore(cfg Config) (*Store, error) {
	cfg.Random = &shared{source: cfg.Random}
	sender, err := item.NewSender(item.SenderConfig{Client: cfg.Client, Random: cfg.Random, Backoff: cfg.Backoff})
	if err != nil {
		return nil, err
	}
	table2 := v2.TableName(cfg.Table)
	records, err := control.New(control.Config{Client: cfg.Client, Table: table2, Random: cfg.Random, Backoff: cfg.Backoff})
	if err != nil {
		return nil, err
	}
	return &Store{
		cfg: cfg, table2: table2, incarnation: attempt.ID(cfg.Random, 8), records: records, sender: sender,
		layout1: v1.Layout(cfg.Table), layout2: v2.Layout(table2, cfg.Shards),
	}, nil
}

func (s *Store) openLayouts(ctx context.Context) (err error) {
	if s.cfg.Mode != control.ModeV2Only {
		if s.v1, err = v1.Open(ctx, s.cfg.v1()); err != nil {
			return err
		}
	}
	if s.cfg.Mode != control.ModeV1 {
		s.v2, err = v2.Open(ctx, s.cfg.v2())
	}
	return err
}

// Mode returns the mode in which the node serves now.
func (s *Store) Mode() control.Mode { return control.Mode(s.mode.Load()) }

// Stats counts what stood in the way of a node's mutations.
type Stats struct {
	item.Stats
	Paused int64 // refused by the write barrier, those that then went through on v2 included
}

// Stats returns the counts so far.
func (s *Store) Stats() Stats {
	total := Stats{Stats: s.sender.Stats(), Paused: s.paused.Load()}
	if s.v1 != nil {
		total.Stats = total.Plus(s.v1.Stats())
	}
	if s.v2 != nil {
		total.Stats = total.Plus(s.v2.Stats())
	}
	return total
}

// Close takes the node out of service: what is asked of it from now on fails with
// ErrClosed. Its record goes, too; only a v1 record stays until an operator
// removes it (docs/spec/metadata-store.md §4), since only the operator can know that no
// v1 writer is left.
func (s *Store) Close(ctx context.Context) error {
	if err := s.recording.Lock(ctx); err != nil {
		return err
	}
	defer s.recording.Unlock()
	closed := ErrClosed
	s.unfit.Store(&closed)
	if s.Mode() == control.ModeV1 {
		return nil
	}
	return s.records.Withdraw(ctx, s.self(ctx), nil)
}

// serving returns why the node must not serve, nil if it may.
func (s *Store) serving() error {
	if err := s.unfit.Load(); err != nil {
		return *err
	}
	return nil
}
