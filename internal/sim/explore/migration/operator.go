package migration

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/aws/smithy-go"

	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/migrate"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/item"
)

// An operator carries a migration out, as the runbook says, and knows nothing but
// what its verbs tell and which nodes run.
type operator struct {
	*migrate.Migrator
	world *world
	name  string
	rng   *rand.Rand
}

// rounds bounds what an operator tries.
const rounds = 80

// operate is the life of an operator.
func (w *world) operate(ctx context.Context, name string) error {
	client, err := w.fleet.service.Node(name)
	if err != nil {
		return err
	}
	cfg := migrate.DefaultConfig()
	cfg.Client, cfg.Table, cfg.Shards = client, tableName, w.fleet.shards()
	cfg.Random = rand.NewPCG(w.fleet.service.Stream(name), streamTokens)
	cfg.Backoff = item.Backoff{Tries: 5, Base: 2 * time.Millisecond, Max: 20 * time.Millisecond}
	m, err := migrate.New(cfg)
	if err != nil {
		return err
	}
	o := &operator{Migrator: m, world: w, name: name, rng: rand.New(rand.NewPCG(w.fleet.service.Stream(name), streamNode))}
	for range rounds {
		final, err := o.round(ctx)
		if errors.Is(err, control.ErrNoLayout) { // the other operator crashed in its init
			_, err = o.Init(ctx, migrate.InitOptions{})
		}
		over := final || ctx.Err() != nil // nothing is left to do, or it has crashed
		if !over && err != nil && !expected(err) {
			return fmt.Errorf("%s: %w", name, err)
		}
		if over {
			break
		}
		_ = task.Sleep(ctx, time.Duration(o.rng.IntN(12))*time.Millisecond) // the next round sees a crash
	}
	return nil
}

// expected reports whether a verb may end with this error: it was refused, or faults have kept it
// from its work.
func expected(err error) bool {
	for _, e := range []error{migrate.ErrRefused, store.ErrUnknown, store.ErrContention, store.ErrNoTable, control.ErrBackfillChanged, control.ErrPeerChanged} {
		if errors.Is(err, e) {
			return true
		}
	}
	// An error of the service that no mistake of the migrator's can be behind.
	var service *smithy.OperationError
	var named smithy.APIError
	return errors.As(err, &service) && (!errors.As(err, &named) || named.ErrorCode() != "ValidationException")
}

// round does what comes next; it returns true if nothing does.
func (o *operator) round(ctx context.Context) (final bool, err error) {
	draw := o.rng.IntN(12)
	s, err := o.Status(ctx, nil)
	switch {
	case err != nil:
		return false, err
	case s.Marker != nil:
		return true, nil
	case s.Mode == control.ModeV1:
		_, err = o.Init(ctx, migrate.InitOptions{})
		return false, err
	}
	if err := o.bury(ctx, s.Nodes); err != nil {
		return false, err
	}
	switch {
	case draw == 0 && s.Barrier != nil:
		_, err = o.Abort(ctx, migrate.AbortOptions{Owner: o.name, ID: s.Barrier.ID})
	case draw == 1 || s.Backfill.Problems > 0:
		_, err = o.Repair(ctx, migrate.DefaultRepairOptions())
	case s.Backfill.State != string(control.BackfillComplete):
		_, err = o.Backfill(ctx, o.backfill())
	case draw == 2:
		_, err = o.Verify(ctx, migrate.DefaultVerifyOptions())
	default:
		err = o.finalize(ctx, s)
	}
	return false, err
}

// bury removes the records of nodes that do not run any more.
func (o *operator) bury(ctx context.Context, peers []control.Peer) error {
	incarnations := make(map[string]string, len(peers))
	for _, p := range peers {
		incarnations[p.Node] = p.Incarnation
	}
	for _, name := range o.world.fleet.dead(peers) {
		remove := migrate.DefaultRemovePeerOptions()
		remove.Node, remove.Incarnation = name, incarnations[name]
		remove.HeartbeatWait = 0 // its operators know which nodes run
		if _, err := o.RemovePeer(ctx, remove); err != nil {
			return err
		}
	}
	return nil
}

func (o *operator) backfill() migrate.BackfillOptions {
	b := migrate.DefaultBackfillOptions()
	b.PageSize, b.Batch, b.Workers = 1+o.rng.IntN(4), 1+o.rng.IntN(3), 1+o.rng.IntN(2)
	return b
}

// finalize tries to, and repairs what keeps it from it.
func (o *operator) finalize(ctx context.Context, s *migrate.Status) error {
	f := migrate.DefaultFinalizeOptions()
	f.Owner, f.Nodes = o.name, o.world.fleet.alive()
	f.NoNodes = len(f.Nodes) == 0
	f.MaxPause, f.HeartbeatWait, f.HeartbeatPoll = 600*time.Millisecond, 150*time.Millisecond, 5*time.Millisecond
	if s.Barrier != nil && o.rng.IntN(2) == 0 {
		f.TakeOver = s.Barrier.ID
	}
	_, err := o.Finalize(ctx, f)
	if errors.Is(err, migrate.ErrRefused) && s.Barrier == nil && o.rng.IntN(2) == 0 {
		_, err = o.Repair(ctx, migrate.DefaultRepairOptions())
	}
	return err
}
