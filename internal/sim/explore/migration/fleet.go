package migration

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/sim/explore/metadata"
	"github.com/lakebench/lakebench/internal/sim/explore/simulated"
	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/dual"
	"github.com/lakebench/lakebench/store/keyspace"
	v1 "github.com/lakebench/lakebench/store/v1"
)

// tableName is that of every run's v1 table.
const tableName = "lake"

// A fleet is all nodes of a run. It is what metadata opens stores with.
type fleet struct {
	cfg     metadata.Config
	service *simulated.DynamoDB
	watch   *watch
	nodes   map[string]*node // that are alive
}

func newFleet(cfg metadata.Config, service *simulated.DynamoDB, w *watch) *fleet {
	f := &fleet{cfg: cfg, service: service, watch: w, nodes: map[string]*node{}}
	w.fleet = f
	return f
}

func (f *fleet) shards() keyspace.ShardCounts { return keyspace.ShardCounts{Default: f.cfg.Shards} }

// Create implements metadata.Nodes: v1 is all there is in the beginning.
func (f *fleet) Create(ctx context.Context) error {
	client, err := f.service.Setup()
	if err != nil {
		return err
	}
	f.watch.client = client
	return v1.Create(ctx, client, tableName)
}

// Table implements metadata.Nodes.
func (f *fleet) Table() string { return tableName }

// Item implements metadata.Nodes.
func (f *fleet) Item(key string, value []byte) map[string]types.AttributeValue {
	return v1.Item(key, value)
}

// Open implements metadata.Nodes: every node begins in mode v1, or, should the
// migration be further by then, in the mode in which it may.
func (f *fleet) Open(ctx context.Context, name string) (store.MetaStore, error) {
	n := f.nodes[name]
	if n == nil {
		client, err := f.service.Node(name)
		if err != nil {
			return nil, err
		}
		n = &node{fleet: f, name: name, client: client, rng: rand.New(rand.NewPCG(f.service.Stream(name), streamNode))}
		n.mirror = dual.Mirror(n.rng.IntN(2))
		n.every = heartbeatEvery * time.Duration(1+n.rng.IntN(4))
		f.nodes[name] = n
	}
	err := n.start(ctx, control.ModeV1)
	if errors.Is(err, dual.ErrForbidden) {
		err = n.start(ctx, control.ModeDual)
	}
	return n, err
}

// alive are the nodes that their operators know to run, by name.
func (f *fleet) alive() []string {
	var names []string
	for _, name := range f.cfg.Actors() {
		if f.nodes[name] != nil {
			names = append(names, name)
		}
	}
	return names
}

// leave takes a node out of the fleet, orderly unless it has crashed.
func (f *fleet) leave(ctx context.Context, name string) {
	n := f.nodes[name]
	delete(f.nodes, name)
	if n != nil && n.store != nil && ctx.Err() == nil {
		_ = n.store.Close(ctx) // its record stays then, and an operator removes it
	}
}

// A node is one that is upgraded while it is in use: now and then an operation finds
// that the process was started again, in the next mode.
type node struct {
	fleet  *fleet
	name   string
	client *simulated.Client
	rng    *rand.Rand
	mirror dual.Mirror
	store  *dual.Store
	beat   time.Time     // the last heartbeat
	every  time.Duration // between heartbeats
	opened uint64
}

var _ store.MetaStore = (*node)(nil)

// start opens the node's store in a mode, in place of the one that it has.
func (n *node) start(ctx context.Context, mode control.Mode) error {
	n.opened++
	cfg := dual.DefaultConfig()
	cfg.Client, cfg.Table, cfg.Node, cfg.Mode, cfg.Mirror = n.client, tableName, n.name, mode, n.mirror
	cfg.PageLimit, cfg.Parallel, cfg.Shards = n.fleet.cfg.PageLimit, n.fleet.cfg.Parallel, n.fleet.shards()
	cfg.Random = rand.NewPCG(n.fleet.service.Stream(n.name), streamTokens+n.opened)
	s, err := dual.Open(cause.With(ctx, cause.Control), cfg)
	if err != nil {
		return err
	}
	n.store, n.beat = s, task.Now(ctx)
	if mode == control.ModeV2Only {
		n.fleet.watch.unmirrored = true
		n.fleet.waited(n)
	}
	return nil
}

// waited complains of a node that is v2-only while another reads v1, which is not
// written any more now.
func (f *fleet) waited(n *node) {
	for _, name := range f.alive() {
		if f.modeOf(name) == control.ModeDual {
			f.watch.complain(Waits, "%s works v2-only while %s has not observed the marker", n.name, name)
		}
	}
}

// heartbeatEvery is how often a node that is in use renews its record, or a few times
// as long: some learn late that the migration is over.
const heartbeatEvery = 20 * time.Millisecond

// begin is what comes before an operation.
func (n *node) begin(ctx context.Context) {
	draw := n.rng.IntN(8) // the same number of draws whatever comes of them
	ctx = cause.With(ctx, cause.Control)
	switch mode := n.store.Mode(); {
	case draw == 0 && mode == control.ModeV1:
		n.restart(ctx, control.ModeDual)
	case draw < 4 && mode == control.ModeV2Authoritative: // soon, while others may not know of the marker
		n.restart(ctx, control.ModeV2Only)
	}
	if task.Since(ctx, n.beat) < n.every {
		return
	}
	n.beat = task.Now(ctx)
	if err := n.store.Heartbeat(ctx); errors.Is(err, dual.ErrForbidden) {
		n.restart(ctx, control.ModeDual)
	}
}

// restarts is how often a node that a fault kept from opening is started again.
const restarts = 20

// restart starts the node in a mode, or in the one that it had.
func (n *node) restart(ctx context.Context, mode control.Mode) {
	had := n.store.Mode()
	for range restarts {
		err := n.start(ctx, mode)
		if err == nil || ctx.Err() != nil {
			return
		}
		if errors.Is(err, dual.ErrForbidden) {
			mode = had // not yet: the old binary is started again
		}
		if task.Sleep(ctx, time.Millisecond) != nil {
			return
		}
	}
}

// Get implements store.MetaStore.
func (n *node) Get(ctx context.Context, key string) ([]byte, error) {
	n.begin(ctx)
	return n.store.Get(ctx, key)
}

// CAS implements store.MetaStore.
func (n *node) CAS(ctx context.Context, key string, expected store.Expectation, next []byte) error {
	n.begin(ctx)
	return n.store.CAS(ctx, key, expected, next)
}

// GuardedMutate implements store.MetaStore.
func (n *node) GuardedMutate(ctx context.Context, g store.Guard, m store.Mutation) error {
	n.begin(ctx)
	return n.store.GuardedMutate(ctx, g, m)
}

// Delete implements store.MetaStore.
func (n *node) Delete(ctx context.Context, key string, expected []byte) error {
	n.begin(ctx)
	return n.store.Delete(ctx, key, expected)
}

// Page implements store.MetaStore.
func (n *node) Page(ctx context.Context, prefix string, limit int, cursor string) (store.Page, error) {
	return n.store.Page(ctx, prefix, limit, cursor)
}

// List implements store.MetaStore.
func (n *node) List(ctx context.Context, prefix string) iter.Seq2[store.Entry, error] {
	n.begin(ctx)
	return n.store.List(n.fleet.watch.refreshing(ctx), prefix)
}

// ListFamily implements store.MetaStore.
func (n *node) ListFamily(ctx context.Context, family string) iter.Seq2[store.Entry, error] {
	n.begin(ctx)
	return n.store.ListFamily(n.fleet.watch.refreshing(ctx), family)
}

// dead are the nodes on record that do not run any more.
func (f *fleet) dead(peers []control.Peer) []string {
	var names []string
	for _, p := range peers {
		if !slices.Contains(f.alive(), p.Node) {
			names = append(names, p.Node)
		}
	}
	return names
}
