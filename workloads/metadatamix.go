package workloads

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/lakebench/lakebench/history"
	"github.com/lakebench/lakebench/internal/meter"
	"github.com/lakebench/lakebench/internal/units"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/run"
	"github.com/lakebench/lakebench/run/load"
	"github.com/lakebench/lakebench/store/catalog"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/dual"
)

// metadataMix measures what a mix of everything that nodes do to metadata costs in
// each mode, and how often they get into each other's way.
func metadataMix() *run.Workload {
	share := func(name, byDefault, doc string) run.Param {
		return run.Param{Name: name, Kind: run.Integer, Min: 0, Max: 100, Default: byDefault, Doc: doc}
	}
	return &run.Workload{
		Name:     "metadata-mix",
		Summary:  "What point reads, CAS, guarded mutations and refreshes cost in every mode, side by side.",
		Version:  1,
		Variants: modeVariants(),
		Params: []run.Param{
			{Name: "concurrency", Kind: run.Integer, Min: 1, Max: 1024, Default: "1,2,4,16", Swept: true, Doc: "nodes at work at the same time, one operation each"},
			{Name: "operations", Kind: run.Integer, Min: 1, Max: 10_000_000, Default: "2000", Doc: "operations of all nodes together, in each repeat"},
			share("reads", "60", "percent of the operations that read one key"),
			share("cas", "25", "percent that replace a table's record, or renew a lease every fourth time"),
			share("guarded", "10", "percent that replace a table's record while its lease holds"),
			share("refreshes", "5", "percent that refresh the catalog; the shares add up to 100"),
			{Name: "tables", Kind: run.Integer, Min: 1, Max: history.MaxTables, Default: "100", Doc: "tables of the lake, each with a lease; some are in more demand than others"},
			{Name: "history_records", Kind: run.Integer, Min: 0, Max: 100_000_000, Default: "1000", Doc: "retained records beside tables and leases"},
			{
				Name: "item_bytes", Kind: run.Integer, Min: 1, Max: units.MaxItemBytes, Default: "300",
				Doc: "size of an item of the v1 table, attribute names included",
			},
			{
				Name: "page_limit", Kind: run.Integer, Min: 0, Max: math.MaxInt32, Default: "1000",
				Doc: "most items that a request evaluates; 0: as many as fit 1 MB",
			},
		},
		Metrics: results.Metrics{
			conflicts("requests refused for another writer's value or transaction; each is made again"),
		},
		Focus:         results.Focus{X: "concurrency", Metrics: []string{"usd/op", "requests/op", "conflicts/op"}},
		Headline:      mixHeadline,
		Deterministic: func(p load.Point) bool { return p["concurrency"].(int64) == 1 },
		Check:         checkMix,
		Held: func(cfg run.Config, _ load.Point) float64 {
			return itemsHeld(cfg, float64(cfg.Params.Int("history_records")+2*cfg.Params.Int("tables")), cfg.Params.Int("item_bytes"))
		},
		Prepare: prepareMix,
	}
}

// mixHeadline speaks of dollars: v2 makes more requests than v1, and they cost less.
func mixHeadline(doc *results.Document) string {
	most := run.Largest(doc, "concurrency")
	nodes := func(r run.Reading) string { return "With " + r.Count("concurrency", "node", "nodes") + " at work" }
	lake := fmt.Sprintf(", %s and %s %% refreshes", most.Count("history_records", "history record", "history records"), most.Value("refreshes"))
	return run.Claim{
		What: "an operation costs", Again: "it costs", Metric: "usd/op", On: "on", Variants: modeNames(), Named: []string{"concurrency"},
	}.Say(run.Case{Given: nodes(most) + lake, At: most}, run.Case{Given: nodes(most.Least("concurrency")), At: most.Least("concurrency")})
}

// The operations of metadata-mix, beside the refresh; the parameters that are
// their shares.
const (
	opRead    = "read"
	opCAS     = "cas"
	opGuarded = "guarded"
)

func checkMix(cfg run.Config) error {
	var sum int64
	for _, share := range []string{"reads", "cas", "guarded", "refreshes"} {
		sum += cfg.Params.Int(share)
	}
	if sum != 100 {
		return &run.ParamError{Workload: cfg.Workload.Name, Name: "reads", Value: fmt.Sprint(cfg.Params.Int("reads")), Problem: fmt.Sprintf("reads, cas, guarded and refreshes add up to %d; expected 100", sum)}
	}
	return checkItemBytes(cfg, cfg.Params.Int("item_bytes"))
}

// checkItemBytes refuses a size that no generated lake's items can have.
func checkItemBytes(cfg run.Config, n int64) error {
	lake := history.DefaultConfig()
	lake.ItemBytes = int(n)
	if err := lake.Validate(); err != nil {
		return &run.ParamError{Workload: cfg.Workload.Name, Name: "item_bytes", Value: fmt.Sprint(n), Problem: err.Error()}
	}
	return nil
}

// mixSite is a lake for each mode.
type mixSite struct {
	*run.Site
	lakes map[string]*lake // by variant
	// held is what tables and leases hold now, by variant.
	held   map[string]map[string][]byte
	tables []string // keys, the one in most demand first
	demand []uint64 // running sums of their weights
	found  run.CheckList
}

func prepareMix(ctx context.Context, s *run.Site) (run.Subject, error) {
	m := &mixSite{Site: s, lakes: map[string]*lake{}, held: map[string]map[string][]byte{}}
	initial := map[string][]byte{}
	total := int64(0)
	for r, err := range m.records() {
		if err != nil {
			return nil, err
		}
		if total++; strings.HasPrefix(r.Key, catalogPrefix) {
			m.tables = append(m.tables, r.Key)
		}
		if strings.HasPrefix(r.Key, catalogPrefix) || isLease(r.Key) {
			initial[r.Key] = s.Value(r)
		}
	}
	m.rank()
	for _, v := range s.Variants {
		mode, err := control.ParseMode(v.Name)
		if err != nil {
			return nil, err
		}
		if m.lakes[v.Name], err = newLake(ctx, s, v.Name, mode, m.records(), total); err != nil {
			return nil, err
		}
		m.held[v.Name] = maps.Clone(initial)
	}
	return m, nil
}

// records are those of a generated lake, and a lease for each table.
func (m *mixSite) records() iter.Seq2[history.Record, error] {
	p := m.Config.Params
	return withLeases(generated(p.Int("tables"), p.Int("history_records"), p.Int("item_bytes"), m.Config.Seed), p.Int("item_bytes"))
}

// record is a version of a record of the workload's size.
func (m *mixSite) record(key string, version uint64) history.Record {
	return history.Record{Key: key, Version: version, ItemBytes: int(m.Config.Params.Int("item_bytes"))}
}

// rank puts the tables into the order of demand, which falls with the rank as
// that of a generated lake does (1/rank).
func (m *mixSite) rank() {
	const most = 1 << 32
	rand.New(m.Random("rank")).Shuffle(len(m.tables), func(i, j int) { m.tables[i], m.tables[j] = m.tables[j], m.tables[i] })
	sum := uint64(0)
	for i := range m.tables {
		sum += most / uint64(i+1)
		m.demand = append(m.demand, sum)
	}
}

// A draw is what one operation is about. It depends on nothing but the seed and
// the operation's number.
type draw struct {
	name  string
	table string
	lease bool // a CAS renews the lease
	// version is that of the value to write, which no other operation writes.
	version uint64
}

func (m *mixSite) draw(repeat, index int) draw {
	p := m.Config.Params
	number := uint64(repeat)*uint64(p.Int("operations")) + uint64(index)
	random := rand.New(rand.NewPCG(m.Config.Seed, number))
	percent, x, lease := random.Int64N(100), random.Uint64N(m.demand[len(m.demand)-1]), random.IntN(4) == 0
	at, _ := slices.BinarySearch(m.demand, x+1)
	d := draw{name: opRefresh, table: m.tables[at], lease: lease, version: number + 1}
	for _, share := range []struct{ name, param string }{{opRead, "reads"}, {opCAS, "cas"}, {opGuarded, "guarded"}} {
		if percent -= p.Int(share.param); percent < 0 {
			d.name = share.name
			break
		}
	}
	return d
}

// Measure implements run.Subject: every client of the driver is a node.
func (m *mixSite) Measure(ctx context.Context, r *run.Recorder) error {
	held := m.held[r.Variant]
	recorder := r.Record(ctx, entriesOf(held))
	tables := slices.Sorted(slices.Values(m.tables))
	nodes := make([]*mixNode, m.Int("concurrency"))
	for i := range nodes {
		name := fmt.Sprintf("node-%d-%d", r.Repeat, i)
		opened, err := m.lakes[r.Variant].node(ctx, r.Client(), name, m.Config.Params.Int("page_limit"))
		if err != nil {
			return err
		}
		s := run.Record(opened, recorder, tables)
		nodes[i] = &mixNode{m, client{s, maps.Clone(held)}, opened, catalog.New(s, catalogPrefix)}
	}
	driver := load.Closed{Clients: len(nodes), Operations: int(m.Config.Params.Int("operations"))}
	err := r.Loop(ctx, meter.PhaseSteady, driver, func(s load.Start) run.Operation {
		return nodes[s.Client].operation(m.draw(r.Repeat, s.Index))
	})
	if err != nil {
		return err
	}
	bookConflicts(r)
	for _, n := range nodes {
		if err := n.node.Close(ctx); err != nil {
			return err
		}
	}
	return m.settle(m.Setup(ctx), m.lakes[r.Variant])
}

// settle takes down what the lake holds after a repeat, and whether both layouts
// hold the same where nodes write both.
func (m *mixSite) settle(ctx context.Context, l *lake) error {
	held := m.held[l.mode.String()]
	for err := range scan(ctx, m.SetupClient(), l.authority(), func(key string, value []byte) {
		if _, ours := held[key]; ours {
			held[key] = value
		}
	}) {
		return err
	}
	if !l.mirrors() {
		return nil
	}
	return l.checkMirrored(ctx, &m.found)
}

// Checks implements run.Subject.
func (m *mixSite) Checks(context.Context) ([]results.Check, error) { return m.found.All(), nil }

// bookConflicts sets the metric: what was refused for what another writer had
// written, or for a transaction of another.
func bookConflicts(r *run.Recorder) {
	l := r.Meter.Ledger(meter.PhaseSteady)
	var operations, refused int64
	for _, o := range l.Operations {
		operations += o.Count()
	}
	for _, a := range l.Attempts() {
		if a.Outcome == meter.ConditionFailed || a.Outcome == meter.Conflict {
			refused += a.Count
		}
	}
	r.Metrics["conflicts/op"] = float64(refused) / float64(operations)
}

// A mixNode is a node and what it knows of tables and leases.
type mixNode struct {
	*mixSite
	client
	node   *dual.Store
	reader *catalog.Catalog
}

func (n *mixNode) operation(d draw) run.Operation {
	op := run.Operation{Name: d.name, Tolerates: tolerable}
	switch d.name {
	case opRead:
		op.Do = func(ctx context.Context) error { return n.read(ctx, d.table) }
	case opCAS:
		key := d.table
		if d.lease {
			key = leaseOf(key)
		}
		op.Do = func(ctx context.Context) error { return n.replace(ctx, key, n.Value(n.record(key, d.version))) }
	case opGuarded:
		op.Do = func(ctx context.Context) error {
			return n.replaceUnder(ctx, leaseOf(d.table), d.table, n.Value(n.record(d.table, d.version)))
		}
	default:
		op.Do, op.After = n.reader.Refresh, n.look
	}
	return op
}

// checkComplete is made of every refresh; what it lists is for the checker.
const checkComplete = "every refresh lists every table"

// look takes what a refresh found.
func (n *mixNode) look(ctx context.Context) error {
	view, err := n.reader.View(ctx)
	if err != nil {
		return err
	}
	maps.Copy(n.known, view.Entries)
	c := results.Check{Name: checkComplete, Status: results.Passed, Detail: "no table is missing"}
	if len(view.Entries) != len(n.tables) {
		c.Status, c.Detail = results.Failed, fmt.Sprintf("a refresh at %s listed %d tables, expected %d", run.PointText(n.Point), len(view.Entries), len(n.tables))
	}
	n.found.Add(c)
	return nil
}
