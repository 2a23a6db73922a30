package workloads

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/history"
	"github.com/lakebench/lakebench/internal/digest"
	"github.com/lakebench/lakebench/internal/meter"
	"github.com/lakebench/lakebench/internal/sim/checker"
	"github.com/lakebench/lakebench/internal/units"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/run"
	"github.com/lakebench/lakebench/run/load"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/catalog"
	"github.com/lakebench/lakebench/store/keyspace"
	"github.com/lakebench/lakebench/store/v1"
	"github.com/lakebench/lakebench/store/v2"
)

// appendHistory measures what a lake costs a day once its history is as long as
// its retention: what commits write, what expires meanwhile, and the refreshes of
// its readers.
func appendHistory() *run.Workload {
	return &run.Workload{
		Name:    "append-history",
		Summary: "What a day of commits, expiry and catalog refreshes costs at a given retention.",
		Version: 1,
		Variants: []run.Variant{
			{Name: variantV1, Doc: "one-key-per-item table, read by Scan with a filter"},
			{Name: variantV2, Doc: "prefix-isolated, sharded table, queried shard after shard"},
		},
		Params: []run.Param{
			{
				Name: "days", Span: "retention", Unit: day, Kind: run.Integer, Min: 1, Max: int64(history.MaxRetention / day), Default: "1,3,7,30", Swept: true,
				Doc: "lifetime of the records of appends, manifests and tombstones",
			},
			{
				Name: "commits_per_second", Kind: run.Decimal, Least: 0.0001, Most: 1000, Default: "0.05", Swept: true,
				Doc: "commits on all tables together",
			},
			{
				Name: "operations", Kind: run.Integer, Min: 100, Max: 10_000_000, Default: "1000",
				Doc: "writes and expiries replayed in each repeat, as the history has them",
			},
			{Name: "tables", Kind: run.Integer, Min: 1, Max: history.MaxTables, Default: "1000", Doc: "tables of the lake"},
			{
				Name: "item_bytes", Kind: run.Integer, Min: 1, Max: units.MaxItemBytes, Default: "300",
				Doc: "size of an item of the v1 table, attribute names included",
			},
			{
				Name: "page_limit", Kind: run.Integer, Min: 0, Max: math.MaxInt32, Default: "1000",
				Doc: "most items that a request evaluates; 0: as many as fit 1 MB",
			},
			{Name: "refreshes", Kind: run.Integer, Min: 1, Max: 1_000_000, Default: "4", Doc: "refreshes measured in each repeat, spread over its operations"},
			{
				Name: "refresh_seconds", Span: "refresh_interval", Unit: time.Second, Kind: run.Integer, Min: 1, Max: 86_400, Default: "60",
				Doc: "time from one refresh of a reader to its next",
			},
			{Name: "readers", Kind: run.Integer, Min: 1, Max: 1_000_000, Default: "1", Doc: "readers that refresh their catalog"},
		},
		Metrics: results.Metrics{
			{
				Name: "usd/day", Doc: "dollars for a day of the lake's commits, expiries and refreshes",
				Noun: "US dollars", Per: "day", Assume: results.Exact, Better: results.LowerIsBetter, Money: true, Column: results.Column{Heading: [2]string{"$ per", "day"}, Priority: 12},
			},
			{
				Name: "rru/day", Doc: "read units of a day: those of a refresh as measured × refreshes a day",
				Noun: "read units", Per: "day", Assume: results.Exact, Better: results.LowerIsBetter, Column: results.Column{Heading: [2]string{"read units", "per day"}, Priority: 11},
			},
			{
				Name: "wru/day", Doc: "write units of a day: those of a write and of an expiry × as many as a day has",
				Noun: "write units", Per: "day", Assume: results.Exact, Better: results.LowerIsBetter, Column: results.Column{Heading: [2]string{"write units", "per day"}, Priority: 10},
			},
		},
		Focus:         results.Focus{X: "days", Metrics: []string{"usd/day", "rru/day", "wru/day"}},
		Headline:      appendHeadline,
		Deterministic: run.Always,
		Check:         checkAppend,
		Held: func(cfg run.Config, p load.Point) float64 {
			lake := appendConfig(cfg, p)
			return itemsHeld(cfg, lake.Steady(), int64(lake.ItemBytes))
		},
		Prepare: prepareAppend,
	}
}

func appendHeadline(doc *results.Document) string {
	most := run.Largest(doc, "days")
	days := func(r run.Reading) string { return "With " + r.Count("days", "day", "days") + " of history" }
	return run.Claim{
		What: fmt.Sprintf("a day of the lake (%s commits a second, %s refreshing every %s s) costs", most.Value("commits_per_second"),
			most.Count("readers", "reader", "readers"), most.Value("refresh_seconds")),
		Again: "it costs", Metric: "usd/day", On: "on", Variants: []string{variantV1, variantV2}, Named: []string{"days", "commits_per_second"},
	}.Say(run.Case{Given: days(most), At: most}, run.Case{Given: days(most.Least("days")), At: most.Least("days")})
}

const day = 24 * time.Hour

// The operations of append-history, beside the refresh.
const (
	opWrite  = "write"  // a record that a commit makes or replaces
	opExpire = "expire" // a record whose time has come
)

func checkAppend(cfg run.Config) error {
	for p := range load.Points(cfg.Workload.Axes(cfg.Params)) {
		if err := appendConfig(cfg, p).Validate(); err != nil {
			return &run.ParamError{Workload: cfg.Workload.Name, Name: "item_bytes", Value: fmt.Sprint(cfg.Params.Int("item_bytes")), Problem: err.Error()}
		}
	}
	return nil
}

// appendConfig is the lake of a point.
func appendConfig(cfg run.Config, p load.Point) history.Config {
	lake := history.DefaultConfig()
	lake.Tables = int(cfg.Params.Int("tables"))
	lake.ItemBytes = int(cfg.Params.Int("item_bytes"))
	lake.CommitsPerSecond = p["commits_per_second"].(float64)
	lake.Retention = time.Duration(p["days"].(int64)) * day
	return lake
}

// appendSite is a lake whose first retention is over, in the layouts that are
// measured.
type appendSite struct {
	*run.Site
	lake    *history.Lake
	replays map[string]*replay // by variant
	found   run.CheckList
}

// A replay is how far the history has been played in one layout.
type replay struct {
	table  string
	at     time.Duration     // every operation before has been made
	tables map[string][]byte // what a refresh must list
	broken bool              // an operation failed, so the contents are not the history's
}

func prepareAppend(ctx context.Context, s *run.Site) (run.Subject, error) {
	lake, err := history.New(appendConfig(s.Config, s.Point), s.Config.Seed)
	if err != nil {
		return nil, err
	}
	a := &appendSite{Site: s, lake: lake, replays: map[string]*replay{}}
	for _, v := range s.Variants {
		if err := a.prepare(ctx, v.Name); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// prepare loads what is live when the first commit's records are about to expire.
func (a *appendSite) prepare(ctx context.Context, variant string) error {
	r := &replay{at: a.lake.Config().Retention, tables: map[string][]byte{}}
	a.replays[variant] = r
	client, item := a.SetupClient(), v1.Item
	create := func(ctx context.Context, name string) error { return v1.Create(ctx, client, name) }
	if variant == variantV2 {
		item = itemV2
		create = func(ctx context.Context, name string) error {
			return v2.Create(ctx, client, a.configV2(nil, name, "create"))
		}
	}
	var err error
	if r.table, err = a.Backend.Table(ctx, fmt.Sprintf("%d-%s", a.Number, variant), create); err != nil {
		return err
	}
	live := func(yield func(history.Record, error) bool) {
		for rec := range a.lake.Live(r.at - 1) {
			if keyspace.Family(rec.Key) == catalogFamily {
				r.tables[rec.Key] = a.Value(rec)
			}
			if !yield(rec, nil) {
				return
			}
		}
	}
	return a.Load(ctx, live, int64(a.lake.Config().Steady())+int64(a.lake.Config().Tables), run.Table{Name: r.table, Item: item})
}

// itemV2 is v2.Item under the default shard counts.
func itemV2(key string, value []byte) map[string]types.AttributeValue {
	return v2.Item(keyspace.DefaultShardCounts(), key, value)
}

func (a *appendSite) configV2(client v2.Client, table, user string) v2.Config {
	cfg := v2.DefaultConfig()
	cfg.Client, cfg.Table, cfg.Random = client, table, a.Random(user)
	cfg.PageLimit = int(a.Config.Params.Int("page_limit"))
	return cfg
}

func (a *appendSite) open(ctx context.Context, r *run.Recorder) (store.MetaStore, error) {
	table := a.replays[r.Variant].table
	if r.Variant == variantV2 {
		return v2.Open(ctx, a.configV2(r.Client(), table, r.Name()))
	}
	cfg := v1.DefaultConfig()
	cfg.Client, cfg.Table, cfg.Random = r.Client(), table, a.Random(r.Name())
	cfg.PageLimit = int(a.Config.Params.Int("page_limit"))
	return v1.Open(ctx, cfg)
}

// Measure implements run.Subject: it plays the next stretch of the history, with
// refreshes in between.
func (a *appendSite) Measure(ctx context.Context, r *run.Recorder) error {
	opened, err := a.open(ctx, r)
	if err != nil {
		return err
	}
	p := a.replays[r.Variant]
	ops := a.next(p)
	s := run.Record(opened, r.Record(ctx, a.initial(p, ops)), slices.Sorted(maps.Keys(p.tables)))
	steps := a.steps(p, s, catalog.New(s, catalogPrefix), ops)
	driver := load.Closed{Clients: 1, Operations: len(steps)}
	if err := r.Loop(ctx, meter.PhaseSteady, driver, func(s load.Start) run.Operation { return steps[s.Index] }); err != nil {
		return err
	}
	return a.perDay(r)
}

// next takes the operations of a repeat from the history.
func (a *appendSite) next(p *replay) []history.Op {
	ops := make([]history.Op, 0, a.Config.Params.Int("operations"))
	for op := range a.lake.Ops(p.at, history.Horizon) {
		if len(ops) == cap(ops) {
			break
		}
		ops = append(ops, op)
		p.at = op.At + 1
	}
	return ops
}

// initial is what the table holds of all that the operations and the refreshes
// are about.
func (a *appendSite) initial(p *replay, ops []history.Op) []checker.Entry {
	held := maps.Clone(p.tables)
	seen := map[string]bool{}
	for _, op := range ops {
		if before, exists := op.Before(); exists && !seen[op.Record.Key] {
			held[before.Key] = a.Value(before)
		}
		seen[op.Record.Key] = true
	}
	return entriesOf(held)
}

// entriesOf turns what a table holds into the beginning of a history.
func entriesOf(held map[string][]byte) []checker.Entry {
	entries := make([]checker.Entry, 0, len(held))
	for _, key := range slices.Sorted(maps.Keys(held)) {
		entries = append(entries, checker.Entry{Key: key, Value: checker.Bytes(held[key])})
	}
	return entries
}

// steps are the operations in order, with the refreshes spread evenly among them,
// the last one at the end.
func (a *appendSite) steps(p *replay, s store.MetaStore, reader *catalog.Catalog, ops []history.Op) []run.Operation {
	refreshes := int(a.Config.Params.Int("refreshes"))
	steps := make([]run.Operation, 0, len(ops)+refreshes)
	done := 0
	for i := range refreshes {
		for ; done < len(ops)*(i+1)/refreshes; done++ {
			steps = append(steps, a.apply(p, s, ops[done]))
		}
		steps = append(steps, a.refresh(p, reader))
	}
	return steps
}

// apply is one operation of the history.
func (a *appendSite) apply(p *replay, s store.MetaStore, op history.Op) run.Operation {
	expected := store.Absent()
	if before, exists := op.Before(); exists {
		expected = store.Exactly(a.Value(before))
	}
	key := op.Record.Key
	after, exists := op.After()
	do := func(ctx context.Context) error { return s.Delete(ctx, key, a.Value(op.Record)) }
	name := opExpire
	if exists {
		name = opWrite
		do = func(ctx context.Context) error { return s.CAS(ctx, key, expected, a.Value(after)) }
	}
	return run.Operation{Name: name, Do: func(ctx context.Context) error {
		err := do(ctx)
		p.broken = p.broken || err != nil
		return err
	}, After: func(context.Context) error {
		if exists && keyspace.Family(key) == catalogFamily {
			p.tables[key] = a.Value(after)
		}
		return nil
	}}
}

func (a *appendSite) refresh(p *replay, reader *catalog.Catalog) run.Operation {
	return run.Operation{Name: opRefresh, Do: reader.Refresh, After: func(ctx context.Context) error {
		view, err := reader.View(ctx)
		if err != nil {
			return err
		}
		c := results.Check{Name: checkExpected, Status: results.Passed, Detail: "keys and values are those of the history at that moment"}
		if got, want := digest.Of(view.Entries), digest.Of(p.tables); got != want && !p.broken {
			c.Status, c.Detail = results.Failed, fmt.Sprintf("%s at %s listed %v, expected %v", p.table, run.PointText(a.Point), got, want)
		}
		a.found.Add(c)
		return nil
	}}
}

// perDay works out what a day costs from what was measured of each kind of
// operation and how many of each kind a day has. That is free of the chance that
// brings few or many commits in the short time that was replayed.
func (a *appendSite) perDay(r *run.Recorder) error {
	l := r.Meter.Ledger(meter.PhaseSteady)
	count := map[string]int64{}
	for _, o := range l.Operations {
		count[o.Name] = o.Count()
	}
	cfg := a.lake.Config()
	commits := cfg.CommitsPerSecond * day.Seconds()
	refreshes := float64(a.Config.Params.Int("readers")) * day.Seconds() / float64(a.Config.Params.Int("refresh_seconds"))
	var rru, wru float64
	for _, part := range []struct {
		operation string
		apis      []string // that only this operation uses
		perDay    float64
	}{
		// Append, manifest and table of each commit; lease and tombstone of some.
		{opWrite, []string{"PutItem"}, commits * (3 + cfg.LeaseShare + cfg.TombstoneShare)},
		// In the long run all of that goes again, but for the table.
		{opExpire, []string{"DeleteItem"}, commits * (2 + cfg.LeaseShare + cfg.TombstoneShare)},
		{opRefresh, []string{"Scan", "Query"}, refreshes},
	} {
		n := count[part.operation]
		if n == 0 {
			return fmt.Errorf("the replay contains no %s, so its cost is unknown; increase operations", part.operation)
		}
		for _, row := range l.Rows {
			if slices.Contains(part.apis, row.API) {
				rru += row.RRU / float64(n) * part.perDay
				wru += row.WRU / float64(n) * part.perDay
			}
		}
	}
	r.Metrics["rru/day"], r.Metrics["wru/day"] = rru, wru
	r.Metrics["usd/day"] = a.Config.Prices.DynamoDB(rru, wru)
	return nil
}

// checkEnd is about the whole table after the last repeat.
const checkEnd = "the tables end as the history does"

// Checks implements run.Subject.
func (a *appendSite) Checks(ctx context.Context) ([]results.Check, error) {
	for variant, p := range inOrder(a.replays) {
		c := results.Check{Name: checkEnd, Status: results.Passed, Detail: "keys and values of every family are those that are live at that moment"}
		var want digest.Set
		for rec := range a.lake.Live(p.at - 1) {
			want.Add(rec.Key, a.Value(rec))
		}
		got, err := contentsOf(ctx, a.SetupClient(), p.table)
		switch {
		case err != nil:
			return nil, err
		case p.broken:
			c.Status, c.Detail = results.Skipped, "operations failed under the faults that were asked for"
		case got != want:
			c.Status, c.Detail = results.Failed, fmt.Sprintf("%s at %s ends with %v, expected %v", variant, run.PointText(a.Point), got, want)
		}
		a.found.Add(c)
	}
	return a.found.All(), nil
}

// inOrder yields a map by key.
func inOrder[V any](m map[string]V) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if !yield(key, m[key]) {
				return
			}
		}
	}
}
