package migration

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/lakebench/lakebench/internal/sim/checker"
	"github.com/lakebench/lakebench/internal/sim/explore"
	"github.com/lakebench/lakebench/internal/sim/explore/metadata"
	"github.com/lakebench/lakebench/internal/sim/explore/simulated"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/control"
	v1 "github.com/lakebench/lakebench/store/v1"
	v2 "github.com/lakebench/lakebench/store/v2"
)

// A world is one run. Its tasks touch it one at a time.
type world struct {
	*metadata.World
	cfg     metadata.Config
	setup   explore.Setup
	users   int // actors that are nodes; the others are operators
	working int // actors that have not ended
	fleet   *fleet
	watch   *watch
}

func open(ctx context.Context, cfg metadata.Config, s explore.Setup) (*world, error) {
	w := &world{cfg: cfg, setup: s, users: len(cfg.Actors())}
	w.working = w.users + len(operators)
	w.watch = &watch{acts: map[string]int{}}
	var err error
	w.World, err = metadata.Open(ctx, cfg, s, func(service *simulated.DynamoDB) metadata.Nodes {
		w.fleet = newFleet(cfg, service, w.watch)
		return w.fleet
	}, w.watch)
	return w, err
}

// Streams of random numbers of one actor.
const (
	streamTokens = 0x746f6b656e73
	streamNode   = 0x6e6f6465
)

// Act implements explore.World.
func (w *world) Act(ctx context.Context, actor int) error {
	defer w.end(ctx)
	if actor >= w.users {
		return w.operate(ctx, operators[actor-w.users])
	}
	err := w.World.Act(ctx, actor)
	w.fleet.leave(ctx, w.cfg.Actors()[actor])
	return err
}

// end lets the last actor look at what is left.
func (w *world) end(ctx context.Context) {
	if w.working--; w.working > 0 {
		return
	}
	ctx = context.WithoutCancel(ctx)
	if s, err := w.authority(ctx); err != nil {
		w.watch.complain(Equality, "the authority cannot be opened: %v", err)
	} else {
		w.Audit(ctx, s)
	}
	w.watch.end(ctx)
}

// authority returns what holds the truth, without faults.
func (w *world) authority(ctx context.Context) (store.MetaStore, error) {
	random := rand.NewPCG(w.setup.Seed, streamTokens)
	if w.watch.marker == nil {
		cfg := v1.DefaultConfig()
		cfg.Client, cfg.Table, cfg.Random = w.watch.client, tableName, random
		return v1.Open(ctx, cfg)
	}
	cfg := v2.DefaultConfig()
	cfg.Client, cfg.Table, cfg.Random, cfg.Shards = w.watch.client, v2.TableName(tableName), random, w.fleet.shards()
	return v2.Open(ctx, cfg)
}

// Checks implements explore.World.
func (w *world) Checks(ctx context.Context) ([]explore.Check, error) {
	checks, err := w.World.Checks(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{Pause, Marker, Equality, Waits, Refresh, Copies, Backfilled} {
		checks = append(checks, w.watch.check(name))
	}
	return checks, nil
}

func (w *watch) check(name string) explore.Check {
	c := explore.Check{Name: name, Verdict: checker.Passed, Detail: cmp.Or(w.stage, "never published")}
	if text, failed := w.complaints[name]; failed {
		c.Verdict, c.Detail = checker.Failed, text
	}
	return c
}

// complain keeps the first complaint of each check.
func (w *watch) complain(name, format string, args ...any) {
	if w.complaints == nil {
		w.complaints = map[string]string{}
	}
	if _, known := w.complaints[name]; !known {
		w.complaints[name] = fmt.Sprintf(format, args...)
	}
}

// final reports whether the migration is final.
func (w *watch) final() bool { return w.marker != nil }

// modeOf is the mode of a node, 0 of what is none.
func (f *fleet) modeOf(actor string) control.Mode {
	if n := f.nodes[actor]; n != nil && n.store != nil {
		return n.store.Mode()
	}
	return 0
}
