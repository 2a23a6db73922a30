package workloads

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/lakebench/lakebench/history"
	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/meter"
	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/internal/units"
	"github.com/lakebench/lakebench/migrate"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/run"
	"github.com/lakebench/lakebench/run/load"
	"github.com/lakebench/lakebench/store/control"
)

// The variants of migration.
const (
	variantSingle  = "single"
	variantBatched = "batched"
)

// migration measures what it costs to move a lake from v1 to v2 while its nodes go
// on working, and how long they have to wait.
func migration() *run.Workload {
	return &run.Workload{
		Name:    "migration",
		Summary: "What backfilling a record costs while nodes go on working, and how long writes pause at the end.",
		Version: 1,
		Variants: []run.Variant{
			{Name: variantSingle, Doc: "a transaction creates one record"},
			{Name: variantBatched, Doc: fmt.Sprintf("a transaction creates up to %d records", migrate.MaxBatch)},
		},
		Params: []run.Param{
			{Name: "records", Kind: run.Integer, Min: 2, Max: 100_000_000, Default: "100,300,1000,10000", Swept: true, Doc: "records of v1 when the migration begins"},
			{Name: "page_size", Kind: run.Integer, Min: 1, Max: migrate.MaxPageSize, Default: "1000", Swept: true, Doc: "records that a request of the backfill reads"},
			{Name: "writers", Kind: run.Integer, Min: 0, Max: 256, Default: "0,4", Swept: true, Doc: "nodes that write meanwhile; 0: none"},
			{Name: "readers", Kind: run.Integer, Min: 0, Max: 256, Default: "1", Doc: "nodes that refresh their catalog meanwhile, if there are writers"},
			{Name: "think_ms", Kind: run.Integer, Min: 0, Max: 60_000, Default: "20", Doc: "milliseconds between two operations of a node, on average"},
			{Name: "after", Kind: run.Integer, Min: 0, Max: 100_000, Default: "20", Doc: "operations of each node after the migration"},
			{Name: "tables", Kind: run.Integer, Min: 1, Max: history.MaxTables, Default: "40", Doc: "tables among the records, with a lease each"},
			{
				Name: "item_bytes", Kind: run.Integer, Min: 1, Max: units.MaxItemBytes, Default: "300",
				Doc: "size of an item of the v1 table, attribute names included",
			},
		},
		Metrics: results.Metrics{
			{
				Name: "requests/item", Doc: "requests of the backfill for each record that it found",
				Noun: "requests", Per: "item", Assume: results.Exact, Better: results.LowerIsBetter, Column: results.Column{Heading: [2]string{"requests", "per item"}, Priority: 12},
			},
			{
				Name: "wru/item", Doc: "write units of the backfill for each of them",
				Noun: "write units", Per: "item", Assume: results.Exact, Better: results.LowerIsBetter, Column: results.Column{Heading: [2]string{"write units", "per item"}, Priority: 11},
			},
			{
				Name: "pause-requests", Doc: "requests of the finalization while writes are paused",
				Noun: "requests in the pause", Assume: results.Exact, Better: results.LowerIsBetter, Column: results.Column{Heading: [2]string{"requests", "in pause"}, Priority: 10},
			},
			conflicts("requests refused for another writer's value or transaction, in phase steady"),
		},
		Focus:         results.Focus{X: "records", Metrics: []string{"wru/item", "requests/item", "pause-requests"}},
		Headline:      migrationHeadline,
		Deterministic: func(p load.Point) bool { return p["writers"].(int64) == 0 },
		Free:          []string{"bytes/op"}, // the backfill's cursor is a key, which one depends on the order of a scan
		Traces:        true,
		Check:         checkMigration,
		Held: func(cfg run.Config, p load.Point) float64 {
			return 2 * itemsHeld(cfg, float64(p["records"].(int64)), cfg.Params.Int("item_bytes")) // in v1 and v2 in the end
		},
		Prepare: prepareMigration,
	}
}

// migrationHeadline speaks of what is paid for: batches save most of the requests,
// and few of the write units.
func migrationHeadline(doc *results.Document) string {
	most := run.Largest(doc, "records")
	writers := func(r run.Reading) string { return r.Count("writers", "writer", "writers") }
	return run.Claim{
		What: "backfilling one of " + most.Count("records", "record", "records") + " costs", Again: "it costs", Metric: "wru/item",
		On: "on", Variants: []string{variantSingle, variantBatched}, Named: []string{"records", "writers"},
	}.Say(
		run.Case{Given: "With " + writers(most), At: most},
		run.Case{Given: "With " + writers(most.Least("writers")), At: most.Least("writers")},
	)
}

func checkMigration(cfg run.Config) error {
	tables := cfg.Params.Int("tables")
	for _, n := range cfg.Params["records"] {
		if n.(int64) < 2*tables {
			return &run.ParamError{Workload: cfg.Workload.Name, Name: "records", Value: fmt.Sprint(n), Problem: fmt.Sprintf("%d tables and their leases are more records than that", tables)}
		}
	}
	return checkItemBytes(cfg, cfg.Params.Int("item_bytes"))
}

// migrationSite is a lake that is made and migrated anew in every repeat.
type migrationSite struct {
	*run.Site
	initial map[string][]byte // what v1 holds at the beginning
	found   run.CheckList
}

func prepareMigration(_ context.Context, s *run.Site) (run.Subject, error) {
	m := &migrationSite{Site: s, initial: map[string][]byte{}}
	for r, err := range m.records() {
		if err != nil {
			return nil, err
		}
		m.initial[r.Key] = s.Value(r)
	}
	return m, nil
}

// records are those of a generated lake, and a lease for each table.
func (m *migrationSite) records() iter.Seq2[history.Record, error] {
	tables := m.Config.Params.Int("tables")
	return withLeases(generated(tables, m.Int("records")-2*tables, m.itemBytes(), m.Config.Seed), m.itemBytes())
}

func (m *migrationSite) itemBytes() int64 { return m.Config.Params.Int("item_bytes") }

// keysOf returns the keys under a prefix at the beginning, sorted.
func (m *migrationSite) keysOf(prefix string) []string {
	return slices.Sorted(func(yield func(string) bool) {
		for key := range m.initial {
			if strings.HasPrefix(key, prefix) && !yield(key) {
				return
			}
		}
	})
}

// A move is one migration of one lake.
type move struct {
	*migrationSite
	r        *run.Recorder
	lake     *lake
	tracker  *tracker
	nodes    []*migrationNode
	migrator *migrate.Migrator
	// failedReads counts them, atomically.
	failedReads int64
}

// The actors of a migration, beside its nodes.
const actorMigrator = "migrator"

// The operations of a migration, beside those of its nodes.
const (
	opBackfill = "backfill"
	opPause    = "pause" // from barrier to marker
)

// Measure implements run.Subject.
func (m *migrationSite) Measure(ctx context.Context, r *run.Recorder) error {
	mv, err := m.newMove(ctx, r)
	if err != nil {
		return err
	}
	group := task.NewGroup(ctx, 0)
	for _, n := range mv.nodes {
		group.Go(n.name, func(ctx context.Context) error { return n.work(ctx) })
		group.Go("heartbeats of "+n.name, func(ctx context.Context) error { return n.beat(ctx) })
	}
	group.Go(opPause, mv.pause)
	group.Go(actorMigrator, func(ctx context.Context) error {
		defer mv.tracker.over()
		return mv.migrate(ctx)
	})
	if err := group.Wait(); err != nil {
		return err
	}
	r.Watch = nil
	bookConflicts(r)
	for _, n := range mv.nodes {
		if err := n.node.Close(ctx); err != nil {
			return err
		}
	}
	return mv.checkInvariants(m.Setup(ctx))
}

// newMove makes a lake before its migration, with its nodes in mode dual.
func (m *migrationSite) newMove(ctx context.Context, r *run.Recorder) (*move, error) {
	setup := m.Setup(ctx)
	name := fmt.Sprintf("%s-%d", r.Variant, r.Repeat)
	l, err := newLake(setup, m.Site, name, control.ModeV1, m.records(), m.Int("records"))
	if err != nil {
		return nil, err
	}
	l.mode = control.ModeDual // it was not loaded into v2: that is what is measured
	mv := &move{migrationSite: m, r: r, lake: l, tracker: newTracker(l)}
	r.Watch = mv.tracker.watch
	cfg := migrate.DefaultConfig()
	cfg.Client, cfg.Table, cfg.Random = mv.tracker.client(r.Client()), l.v1, m.Random(name+" migrator")
	cfg.Progress = func(p migrate.Progress) { r.Progress("measuring "+r.Variant+", "+p.Step, p.Done, p.Total) }
	if mv.migrator, err = migrate.New(cfg); err != nil {
		return nil, err
	}
	return mv, mv.openNodes(ctx)
}

// migrate is what the operator does.
func (mv *move) migrate(ctx context.Context) error {
	ctx = cause.WithActor(ctx, actorMigrator)
	options := migrate.DefaultBackfillOptions()
	options.PageSize = int(mv.Int("page_size"))
	if mv.r.Variant == variantSingle {
		options.Batch = 1
	}
	var report *migrate.BackfillReport
	err := mv.r.Meter.Operation(meter.InPhase(ctx, meter.PhaseSteady), opBackfill, time.Time{}, func(ctx context.Context) error {
		return mv.again(ctx, func() (err error) {
			report, err = mv.migrator.Backfill(ctx, options)
			return err
		})
	})
	if err != nil {
		return err
	}
	mv.perItem(report.Progress.Scanned)
	return mv.again(ctx, func() error {
		_, err := mv.migrator.Finalize(ctx, mv.finalization())
		return err
	})
}

func (mv *move) finalization() migrate.FinalizeOptions {
	options := migrate.DefaultFinalizeOptions()
	options.Owner = "lakebench"
	for _, n := range mv.nodes {
		if n.writes {
			options.Nodes = append(options.Nodes, n.name)
		}
	}
	options.NoNodes = len(options.Nodes) == 0
	return options
}

// resumes bounds how often a verb that a fault has ended is run again.
const resumes = 50

// again runs a verb, and runs it again if an injected fault has ended it.
func (mv *move) again(ctx context.Context, verb func() error) error {
	err := verb()
	for range resumes {
		if err == nil || mv.Faults == nil || ctx.Err() != nil {
			break
		}
		err = verb()
	}
	return err
}

// perItem sets the metrics of the backfill.
func (mv *move) perItem(records int64) {
	if records == 0 {
		return
	}
	var requests, wru float64
	for _, row := range mv.r.Meter.Ledger(meter.PhaseSteady).Rows {
		if row.Cause == cause.Backfill {
			requests += float64(row.Attempts)
			wru += row.WRU
		}
	}
	mv.r.Metrics["requests/item"] = requests / float64(records)
	mv.r.Metrics["wru/item"] = wru / float64(records)
}

// pause is an operation of its own, from the barrier to the marker.
func (mv *move) pause(ctx context.Context) error {
	if _, err := mv.tracker.barrier.Get(ctx); err != nil {
		return ended(err)
	}
	return mv.r.Meter.Operation(meter.InPhase(ctx, meter.PhasePause), opPause, time.Time{}, func(ctx context.Context) error {
		_, err := mv.tracker.marker.Get(ctx)
		return ended(err)
	})
}

// Checks implements run.Subject.
func (m *migrationSite) Checks(context.Context) ([]results.Check, error) { return m.found.All(), nil }

// known is a copy of what the lake holds at the beginning, for one node.
func (m *migrationSite) known() map[string][]byte { return maps.Clone(m.initial) }
