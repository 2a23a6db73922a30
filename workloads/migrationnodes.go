package workloads

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/lakebench/lakebench/history"
	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/meter"
	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/run"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/catalog"
	"github.com/lakebench/lakebench/store/dual"
)

// A migrationNode is a dual node that works while its lake is migrated: a writer,
// or a reader that does nothing but refresh its catalog.
type migrationNode struct {
	*move
	client
	name   string
	writes bool
	node   *dual.Store
	reader *catalog.Catalog
	random *rand.Rand
	tables []string
	// mine are the records that this writer alone creates and deletes, made how
	// many it has created.
	mine []string
	made int
	left int64 // operations to make after the migration
}

// openNodes opens the lake's nodes, if there are writers.
func (mv *move) openNodes(ctx context.Context) error {
	writers, readers := mv.Int("writers"), mv.Config.Params.Int("readers")
	if writers == 0 {
		return nil
	}
	tables := mv.keysOf(catalogPrefix)
	retained := append(mv.keysOf("append-operation/"), mv.keysOf("lance-manifest/")...)
	history := mv.r.Record(ctx, entriesOf(mv.initial))
	for i := range writers + readers {
		n := &migrationNode{move: mv, writes: i < writers, tables: tables, left: mv.Config.Params.Int("after")}
		n.name = fmt.Sprintf("reader-%d", i-writers)
		if n.writes {
			n.name = fmt.Sprintf("writer-%d", i)
		}
		var err error
		if n.node, err = mv.lake.node(ctx, mv.r.Client(), n.name, 1000); err != nil {
			return err
		}
		s := run.Record(n.node, history, tables)
		n.client, n.reader = client{s, mv.known()}, catalog.New(s, catalogPrefix)
		n.random = rand.New(mv.Random(mv.lake.owner + " work of " + n.name))
		for at := i; n.writes && at < int64(len(retained)); at += writers {
			n.mine = append(n.mine, retained[at])
		}
		mv.nodes = append(mv.nodes, n)
	}
	return nil
}

// work makes one operation after the other until the migration is over, and then
// as many as are left.
func (n *migrationNode) work(ctx context.Context) error {
	ctx = cause.WithActor(ctx, n.name)
	for {
		phase := n.tracker.now()
		switch {
		case phase != meter.PhaseAfter && n.tracker.isOver(), phase == meter.PhaseAfter && n.left == 0:
			return nil
		case phase == meter.PhaseAfter:
			n.left--
		}
		name, do := n.draw()
		err := n.r.Meter.Operation(meter.InPhase(ctx, phase), name, time.Time{}, do)
		if err = n.accept(ctx, name, err); err != nil {
			return err
		}
		if err := n.think(ctx); err != nil {
			return err
		}
	}
}

// accept lets pass what nodes live with. A read that fails is for a check.
func (n *migrationNode) accept(ctx context.Context, name string, err error) error {
	switch {
	case err == nil || ctx.Err() != nil:
		return context.Cause(ctx)
	case n.Faults != nil || tolerable(err):
		return nil
	case name == opRead || name == opRefresh:
		atomic.AddInt64(&n.failedReads, 1)
		return nil
	}
	return fmt.Errorf("%s: %s: %w", n.name, name, err)
}

// think lets some time pass, on average as long as was asked for.
func (n *migrationNode) think(ctx context.Context) error {
	most := 2 * time.Duration(n.Config.Params.Int("think_ms")) * time.Millisecond
	if most == 0 {
		task.Yield(ctx)
		return nil
	}
	return task.Sleep(ctx, time.Duration(n.random.Int64N(int64(most))))
}

// opDelete is what a migration's writers do beside the operations of a mix.
const (
	opCreate = "create"
	opDelete = "delete"
)

// draw returns the node's next operation.
func (n *migrationNode) draw() (string, func(context.Context) error) {
	if !n.writes {
		return opRefresh, n.reader.Refresh
	}
	table := n.tables[n.random.IntN(len(n.tables))]
	value := n.fresh(table)
	switch percent := n.random.IntN(100); {
	case percent < 40:
		return opCAS, n.patiently(func(ctx context.Context) error { return n.replace(ctx, table, value) })
	case percent < 55:
		return opGuarded, n.patiently(func(ctx context.Context) error { return n.replaceUnder(ctx, leaseOf(table), table, value) })
	case percent < 75:
		key := fmt.Sprintf("append-operation/%s/%s-%d", table[len(catalogPrefix):], n.name, n.made)
		return opCreate, n.patiently(func(ctx context.Context) error {
			if err := n.create(ctx, key, n.fresh(key)); err != nil {
				return err
			}
			n.mine = append(n.mine, key)
			return nil
		})
	case percent < 90 && len(n.mine) > 0:
		at := n.random.IntN(len(n.mine))
		key := n.mine[at]
		n.mine = append(n.mine[:at], n.mine[at+1:]...)
		return opDelete, n.patiently(func(ctx context.Context) error { return n.remove(ctx, key) })
	}
	return opRead, func(ctx context.Context) error { return n.read(ctx, table) }
}

// fresh returns a value that no other node writes.
func (n *migrationNode) fresh(key string) []byte {
	n.made++
	version := uint64(n.made)<<16 | n.random.Uint64N(1<<16)
	return n.Value(history.Record{Key: n.name + key, Version: version, ItemBytes: int(n.itemBytes()) + len(n.name)})
}

// pausePoll is how long a writer waits before it tries again what a finalization
// has refused.
const pausePoll = 5 * time.Millisecond

// patiently makes an operation of a change: while writes are paused it is tried
// again.
func (n *migrationNode) patiently(change func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		for {
			err := change(ctx)
			if !errors.Is(err, store.ErrWritesPaused) || errors.Is(err, store.ErrUnknown) {
				return err
			}
			if err := task.Sleep(ctx, pausePoll); err != nil {
				return err
			}
		}
	}
}

// heartbeat is how often a node renews its record.
const heartbeat = 200 * time.Millisecond

// beat renews the node's record until the migration is over. It belongs to no
// phase (docs/spec/results.md §2).
func (n *migrationNode) beat(ctx context.Context) error {
	ctx = cause.With(cause.WithActor(ctx, n.name), cause.Setup)
	for !n.tracker.isOver() {
		if err := n.node.Heartbeat(ctx); err != nil && n.Faults == nil {
			return err
		}
		if err := task.Sleep(ctx, heartbeat); err != nil {
			return err
		}
	}
	return nil
}
