package workloads

import (
	"context"
	"fmt"
	"iter"
	"math"
	"strings"

	"github.com/lakebench/lakebench/history"
	"github.com/lakebench/lakebench/internal/digest"
	"github.com/lakebench/lakebench/internal/meter"
	"github.com/lakebench/lakebench/internal/units"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/run"
	"github.com/lakebench/lakebench/run/load"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/catalog"
	"github.com/lakebench/lakebench/store/v1"
	"github.com/lakebench/lakebench/store/v2"
)

// The variants of catalog-refresh.
const (
	variantV1         = "v1"
	variantV2         = "v2"
	variantV2Parallel = "v2-parallel"
)

// parallelShards is how many shards v2-parallel drains at once: all eight of the
// table family (docs/spec/metadata-store.md §3).
const parallelShards = 8

// catalogRefresh measures what a reader pays for an up-to-date list of tables
// while the records that are no tables pile up: the problem
// that docs/notes/metadata-layout.txt states.
func catalogRefresh() *run.Workload {
	return &run.Workload{
		Name:    "catalog-refresh",
		Summary: "What listing all tables costs a reader as the retained history grows.",
		Version: 1,
		Variants: []run.Variant{
			{Name: variantV1, Doc: "one-key-per-item table, read by Scan with a filter"},
			{Name: variantV2, Doc: "prefix-isolated, sharded table, queried shard after shard"},
			{Name: variantV2Parallel, Doc: "the same, all shards queried at once"},
		},
		Params: []run.Param{
			{
				Name: "history_records", Kind: run.Integer, Min: 0, Max: 100_000_000, Default: "0,1000,10000,100000", Swept: true,
				Doc: "retained records that are no tables (appends, …)",
			},
			{Name: "tables", Kind: run.Integer, Min: 1, Max: history.MaxTables, Default: "1000", Swept: true, Doc: "tables of the lake"},
			{
				Name: "page_limit", Kind: run.Integer, Min: 0, Max: math.MaxInt32, Default: "1000", Swept: true,
				Doc: "most items that a request evaluates; 0: as many as fit 1 MB",
			},
			{
				Name: "item_bytes", Kind: run.Integer, Min: 1, Max: units.MaxItemBytes, Default: "300", Swept: true,
				Doc: "size of an item of the v1 table, attribute names included",
			},
			{Name: "refreshes", Kind: run.Integer, Min: 1, Max: 1_000_000, Default: "10", Doc: "refreshes that are measured, in each repeat"},
			{Name: "warmup", Kind: run.Integer, Min: 0, Max: 1_000_000, Default: "1", Doc: "refreshes before those, counted apart"},
			{
				Name: "consistency", Kind: run.Choice, Choices: []string{store.Strong.String(), store.Eventual.String()},
				Default: store.Strong.String(), Doc: "consistency of the reads; eventual costs half",
			},
			{Name: "prefix", Kind: run.Text, Default: "tbl/", Doc: "what the tables' keys begin with", Check: checkPrefix},
		},
		Imports:       true,
		Divisible:     true,
		Focus:         results.Focus{X: "history_records", Metrics: []string{"requests/op", "rru/op", "usd/op"}},
		Headline:      catalogHeadline,
		Deterministic: run.Always,
		Check:         checkCatalog,
		Held: func(cfg run.Config, p load.Point) float64 {
			return itemsHeld(cfg, float64(p["history_records"].(int64)+p["tables"].(int64)), p["item_bytes"].(int64))
		},
		Prepare: prepareCatalog,
	}
}

func catalogHeadline(doc *results.Document) string {
	most := run.Largest(doc, "history_records")
	records := func(r run.Reading) string { return r.Count("history_records", "history record", "history records") }
	pages := " and pages of " + most.Count("page_limit", "item", "items")
	if most.Value("page_limit") == "0" {
		pages = " and pages of 1 MB"
	}
	return run.Claim{
		What: "listing " + most.Count("tables", "table", "tables") + " takes", Again: "it takes", Metric: "requests/op",
		On: "on", Variants: []string{variantV1, variantV2, variantV2Parallel}, Named: []string{"history_records", "tables", "page_limit"},
	}.Say(
		run.Case{Given: "With " + records(most) + pages, At: most},
		run.Case{Given: "With " + records(most.Least("history_records")), At: most.Least("history_records")},
	)
}

func checkPrefix(prefix string) error {
	_, err := store.FamilyOfPrefix(prefix)
	return err
}

// checkCatalog refuses lakes that cannot be generated at some point of the
// sweep: keys and attribute names need their place in an item.
func checkCatalog(cfg run.Config) error {
	if n := cfg.Params.Int("refreshes"); int64(cfg.Worker.Of) > n {
		return &run.ParamError{Workload: cfg.Workload.Name, Name: "refreshes", Value: fmt.Sprint(n), Problem: fmt.Sprintf("%d workers divide them, so some would measure nothing", cfg.Worker.Of)}
	}
	if cfg.Source.Given() {
		return nil
	}
	if prefix := cfg.Params.Word("prefix"); prefix != "tbl/" {
		return &run.ParamError{Workload: cfg.Workload.Name, Name: "prefix", Value: prefix, Problem: "generated tables are under tbl/; another prefix needs --history or an existing table"}
	}
	for _, bytes := range cfg.Params["item_bytes"] {
		lake := history.DefaultConfig()
		lake.ItemBytes = int(bytes.(int64))
		if err := lake.Validate(); err != nil {
			return &run.ParamError{Workload: cfg.Workload.Name, Name: "item_bytes", Value: fmt.Sprint(bytes), Problem: err.Error()}
		}
	}
	return nil
}

// catalogSite is a lake in the layouts of the variants that are measured.
type catalogSite struct {
	*run.Site
	tableV1, tableV2 string
	want             *digest.Set // what a refresh must list; nil if only the table knows
	first            *digest.Set // what the first refresh listed
	found            run.CheckList
}

func prepareCatalog(ctx context.Context, s *run.Site) (run.Subject, error) {
	c := &catalogSite{Site: s}
	client := c.SetupClient()
	var tables []run.Table
	var err error
	if s.Measures(variantV1) {
		c.tableV1, err = c.table(ctx, "v1", func(ctx context.Context, name string) error {
			return v1.Create(ctx, client, name)
		})
		if err != nil {
			return nil, err
		}
		tables = append(tables, run.Table{Name: c.tableV1, Item: v1.Item})
	}
	if s.Measures(variantV2, variantV2Parallel) {
		c.tableV2, err = c.table(ctx, "v2", func(ctx context.Context, name string) error {
			return v2.Create(ctx, client, c.configV2(nil, name, 1, "create"))
		})
		if err != nil {
			return nil, err
		}
		tables = append(tables, run.Table{Name: c.tableV2, Item: itemV2})
	}
	switch {
	case c.existing(): // only the layouts themselves know what a refresh must list
		return c, nil
	case c.Config.SetUpElsewhere():
		tables = nil
	}
	return c, c.load(ctx, tables)
}

// load reads the records once, writes them to the tables and works out what a
// refresh must list.
func (c *catalogSite) load(ctx context.Context, tables []run.Table) error {
	prefix := c.Config.Params.Word("prefix")
	entries := map[string][]byte{}
	records := func(yield func(history.Record, error) bool) {
		for r, err := range c.records(ctx) {
			if err == nil && c.Measures(variantV2, variantV2Parallel) && r.Storable() != nil {
				err = fmt.Errorf("record %q cannot be held by v2: %w; measure it with --variant v1 alone", r.Key, r.Storable())
			}
			if strings.HasPrefix(r.Key, prefix) {
				entries[r.Key] = c.Value(r)
			}
			if !yield(r, err) {
				return
			}
		}
	}
	if err := c.Load(ctx, records, c.size(), tables...); err != nil {
		return err
	}
	want := digest.Of(entries)
	c.want = &want
	return nil
}

// records yields the records of the point.
func (c *catalogSite) records(ctx context.Context) iter.Seq2[history.Record, error] {
	if src := c.Config.Source; src.File != nil {
		return src.File.Records(ctx, nil)
	}
	return generated(c.Int("tables"), c.Int("history_records"), c.Int("item_bytes"), c.Config.Seed)
}

// existing reports whether the tables belong to the user, and are only read.
func (c *catalogSite) existing() bool { return c.Config.Source.Table != "" }

// table makes the table of a layout, or names the existing one.
func (c *catalogSite) table(ctx context.Context, layout string, create func(ctx context.Context, name string) error) (string, error) {
	switch {
	case c.Config.SetUpElsewhere():
		return c.Backend.TableName(fmt.Sprintf("%d-%s", c.Number, layout)), nil
	case !c.existing():
		return c.Backend.Table(ctx, fmt.Sprintf("%d-%s", c.Number, layout), create)
	case layout == "v1":
		return c.Config.Source.Table, nil
	default:
		return v2.TableName(c.Config.Source.Table), nil
	}
}

// size is how many records there are.
func (c *catalogSite) size() int64 { return c.Int("tables") + c.Int("history_records") }

func (c *catalogSite) consistency() store.Consistency {
	if c.Config.Params.Word("consistency") == store.Eventual.String() {
		return store.Eventual
	}
	return store.Strong
}

func (c *catalogSite) configV2(client v2.Client, table string, parallel int, user string) v2.Config {
	cfg := v2.DefaultConfig()
	cfg.Client = client
	cfg.Table = table
	cfg.PageLimit = int(c.Int("page_limit"))
	cfg.Parallel = parallel
	cfg.Consistency = c.consistency()
	cfg.Random = c.Random(user)
	return cfg
}

// open opens the layout of a variant for a reader.
func (c *catalogSite) open(ctx context.Context, r *run.Recorder) (catalog.Lister, error) {
	switch r.Variant {
	case variantV1:
		cfg := v1.DefaultConfig()
		cfg.Client = r.Client()
		cfg.Table = c.tableV1
		cfg.PageLimit = int(c.Int("page_limit"))
		cfg.Consistency = c.consistency()
		cfg.Random = c.Random(r.Name())
		return v1.Open(ctx, cfg)
	case variantV2:
		return v2.Open(ctx, c.configV2(r.Client(), c.tableV2, 1, r.Name()))
	default:
		return v2.Open(ctx, c.configV2(r.Client(), c.tableV2, parallelShards, r.Name()))
	}
}

// Measure implements run.Subject: a reader refreshes its catalog again and again.
func (c *catalogSite) Measure(ctx context.Context, r *run.Recorder) error {
	lister, err := c.open(ctx, r)
	if err != nil {
		return err
	}
	reader := catalog.New(lister, c.Config.Params.Word("prefix"))
	refresh := run.Operation{Name: opRefresh, Do: reader.Refresh, After: func(ctx context.Context) error {
		view, err := reader.View(ctx)
		if err != nil {
			return err
		}
		c.compare(r.Variant, digest.Of(view.Entries))
		return nil
	}}
	again := func(load.Start) run.Operation { return refresh }
	if n := c.Config.Params.Int("warmup"); n > 0 {
		driver := load.Closed{Clients: 1, Operations: int(n)}
		if err := r.Loop(ctx, meter.PhaseWarmUp, driver, again); err != nil {
			return err
		}
	}
	driver := load.Closed{Clients: 1, Operations: int(c.Config.Params.Int("refreshes"))}
	return r.Loop(ctx, meter.PhaseSteady, driver, again)
}

// The checks of catalog-refresh.
const (
	checkExpected = "every refresh lists the lake's tables"
	checkSame     = "all layouts list the same"
)

// compare looks at what one refresh listed.
func (c *catalogSite) compare(variant string, got digest.Set) {
	expected := results.Check{Name: checkExpected, Status: results.Passed, Detail: "keys and values are those that were generated or imported"}
	switch {
	case c.want == nil:
		expected.Status, expected.Detail = results.Skipped, "the table is not lakebench's own, so only the layouts can be compared"
	case got != *c.want:
		expected.Status = results.Failed
		expected.Detail = fmt.Sprintf("%s at %s listed %v, expected %v", variant, run.PointText(c.Point), got, *c.want)
	}
	c.found.Add(expected)
	if c.first == nil {
		c.first = &got
	}
	same := results.Check{Name: checkSame, Status: results.Passed, Detail: "keys and values are equal in every refresh of every variant"}
	switch {
	case got != *c.first:
		same.Status = results.Failed
		same.Detail = fmt.Sprintf("%s at %s listed %v, the first refresh %v", variant, run.PointText(c.Point), got, *c.first)
	case len(c.Variants) == 1:
		same.Status, same.Detail = results.Skipped, "one variant was measured, so there is nothing to compare it with"
	}
	c.found.Add(same)
}

// Checks implements run.Subject.
func (c *catalogSite) Checks(context.Context) ([]results.Check, error) { return c.found.All(), nil }
