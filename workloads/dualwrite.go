package workloads

import (
	"context"
	"fmt"
	"iter"
	"math"
	"time"

	"github.com/lakebench/lakebench/history"
	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/internal/backend/latency"
	"github.com/lakebench/lakebench/internal/cost"
	"github.com/lakebench/lakebench/internal/meter"
	"github.com/lakebench/lakebench/internal/units"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/run"
	"github.com/lakebench/lakebench/run/load"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/keyspace"
	"github.com/lakebench/lakebench/store/v2"
)

// dualWrite measures what one mutation costs in each mode, and what the write
// barrier's item, which every dual mutation checks, allows at most.
func dualWrite() *run.Workload {
	return &run.Workload{
		Name:     "dual-write",
		Summary:  "What one mutation costs in every mode, and the ceilings that the write barrier sets.",
		Version:  1,
		Variants: modeVariants(),
		Params: []run.Param{
			{
				Name: "item_bytes", Kind: run.Integer, Min: 1, Max: units.MaxItemBytes, Default: "300,1020,4000,16000", Swept: true,
				Doc: "size of an item of the v1 table, attribute names included; v2 adds its bucket",
			},
			{Name: "guarded", Kind: run.Switch, Default: "false,true", Swept: true, Doc: "whether each mutation is guarded by a lease of 200 bytes"},
			{Name: "operations", Kind: run.Integer, Min: 1, Max: 10_000_000, Default: "200", Doc: "mutations that are measured, in each repeat"},
			{Name: "tables", Kind: run.Integer, Min: 1, Max: history.MaxTables, Default: "20", Doc: "records that the mutations replace, one after the other"},
		},
		Metrics: results.Metrics{
			{
				Name: metricCeilingUnits, Doc: "mutations that the write units of the barrier's partition allow, for the whole lake",
				Noun: "operations allowed by units", Per: "second", Assume: results.Exact, Better: results.HigherIsBetter, Column: results.Column{Heading: [2]string{"per second", "by units"}, Priority: 11},
			},
			{
				Name: metricCeilingConflicts, Doc: "one mutation in each transaction's time, if checks of one item conflict",
				Noun: "operations allowed by conflicts", Per: "second", Assume: results.Exact, Better: results.HigherIsBetter, Column: results.Column{Heading: [2]string{"per second", "by conflicts"}, Priority: 10},
			},
		},
		Focus:         results.Focus{X: "item_bytes", Metrics: []string{"usd/op", "wru/op", metricCeilingUnits}},
		Headline:      dualWriteHeadline,
		Deterministic: run.Always,
		Traces:        true,
		Check:         checkDualWrite,
		Prepare:       prepareDualWrite,
	}
}

// dualWriteHeadline has a sentence without a guard, and one with it: a guard makes
// every mutation a transaction, so that what dual adds is less of the whole.
func dualWriteHeadline(doc *results.Document) string {
	most := run.Largest(doc, "item_bytes")
	plain, guarded := most.With("guarded", results.Bool(false)), most.With("guarded", results.Bool(true))
	return run.Claim{
		What: "replacing an item of " + most.Count("item_bytes", "byte", "bytes") + " costs", Again: "it costs", Metric: "usd/op",
		On: "on", Variants: modeNames(), Named: []string{"item_bytes", "guarded"},
	}.Say(run.Case{Given: "Without a guard", At: plain}, run.Case{Given: "Guarded by a lease", At: guarded})
}

const (
	metricCeilingUnits     = "ceiling-units/s"
	metricCeilingConflicts = "ceiling-conflicts/s"
)

// opMutate is the operation of dual-write.
const opMutate = "mutation"

// guardBytes is the size of a lease as a v1 item: what a node's id and a time
// need.
const guardBytes = 200

func checkDualWrite(cfg run.Config) error {
	for _, n := range cfg.Params["item_bytes"] {
		if err := checkItemBytes(cfg, n.(int64)); err != nil {
			return err
		}
	}
	return nil
}

// dualWriteSite is a lake for each mode.
type dualWriteSite struct {
	*run.Site
	lakes  map[string]*lake            // by variant
	tables map[string][]history.Record // by variant, as they are now
	found  run.CheckList
}

func prepareDualWrite(ctx context.Context, s *run.Site) (run.Subject, error) {
	d := &dualWriteSite{Site: s, lakes: map[string]*lake{}, tables: map[string][]history.Record{}}
	for _, v := range s.Variants {
		for r, err := range generated(s.Config.Params.Int("tables"), 0, s.Int("item_bytes"), s.Config.Seed) {
			if err != nil {
				return nil, err
			}
			if keyspace.Family(r.Key) == catalogFamily {
				d.tables[v.Name] = append(d.tables[v.Name], r)
			}
		}
		mode, err := control.ParseMode(v.Name)
		if err != nil {
			return nil, err
		}
		records := d.records(v.Name)
		if d.lakes[v.Name], err = newLake(ctx, s, v.Name, mode, records, int64(2*len(d.tables[v.Name]))); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// records are the tables of a variant and a lease for each.
func (d *dualWriteSite) records(variant string) iter.Seq2[history.Record, error] {
	return func(yield func(history.Record, error) bool) {
		for _, r := range d.tables[variant] {
			if !yield(r, nil) || !yield(leaseRecord(r.Key), nil) {
				return
			}
		}
	}
}

func leaseRecord(table string) history.Record {
	return history.Record{Key: leaseOf(table), ItemBytes: guardBytes}
}

// Measure implements run.Subject: one node replaces one record after the other.
func (d *dualWriteSite) Measure(ctx context.Context, r *run.Recorder) error {
	l := d.lakes[r.Variant]
	node, err := l.node(ctx, r.Client(), fmt.Sprintf("node-%d", r.Repeat), 0)
	if err != nil {
		return err
	}
	held := map[string][]byte{}
	for rec, err := range d.records(r.Variant) {
		if err != nil {
			return err
		}
		held[rec.Key] = d.Value(rec)
	}
	s := run.Record(node, r.Record(ctx, entriesOf(held)), nil)
	checks := 0
	r.Watch = func(t meter.TraceRecord) { checks += barrierChecks(t, v2.TableName(l.v1)) }
	driver := load.Closed{Clients: 1, Operations: int(d.Config.Params.Int("operations"))}
	if err := r.Loop(ctx, meter.PhaseSteady, driver, func(at load.Start) run.Operation { return d.mutation(s, r.Variant, at.Index) }); err != nil {
		return err
	}
	r.Watch = nil
	if err := d.ceilings(r, checks); err != nil {
		return err
	}
	return node.Close(ctx)
}

// mutation replaces the next table's record.
func (d *dualWriteSite) mutation(s store.MetaStore, variant string, index int) run.Operation {
	tables := d.tables[variant]
	at := &tables[index%len(tables)]
	next := *at
	next.Version++
	expect, value := store.Exactly(d.Value(*at)), d.Value(next)
	return run.Operation{
		Name: opMutate,
		Do: func(ctx context.Context) error {
			if !d.Bool("guarded") {
				return s.CAS(ctx, at.Key, expect, value)
			}
			lease := leaseRecord(at.Key)
			return s.GuardedMutate(ctx, store.Guard{Key: lease.Key, Expect: store.Exactly(d.Value(lease))},
				store.Mutation{Key: at.Key, Expect: expect, Next: value})
		},
		After: func(context.Context) error {
			*at = next
			return nil
		},
	}
}

// barrierChecks counts the actions of a request that check the write barrier of a
// v2 table.
func barrierChecks(t meter.TraceRecord, table string) (n int) {
	for _, target := range t.Targets {
		if t.Phase == meter.PhaseSteady && target.Action == "check" && target.Table == table && target.Key == barrierKey {
			n++
		}
	}
	return n
}

// barrierKey and markerKey are control records as a trace shows their keys
// (store/control).
var (
	barrierKey = controlKey("barrier")
	markerKey  = controlKey("marker")
)

func controlKey(name string) string {
	return keyspace.AttrBucket + "=" + control.Bucket + " " + keyspace.AttrKey + "=" + name
}

// ceilings sets how many mutations a second the barrier's item allows to the whole
// lake, where it is checked at all: by the units of the checks that were counted,
// and, if two checks of one item at a time conflict, by the time that a
// transaction takes.
func (d *dualWriteSite) ceilings(r *run.Recorder, checks int) error {
	if checks == 0 {
		return nil
	}
	l := r.Meter.Ledger(meter.PhaseSteady)
	perMutation := float64(checks) / float64(l.Operations[0].Count())
	r.Metrics[metricCeilingUnits] = cost.PartitionWRU / (perMutation * cost.BarrierCheck)
	took, err := d.transactionTime(l)
	if err == nil && took > 0 {
		r.Metrics[metricCeilingConflicts] = float64(time.Second) / float64(took)
	}
	return err
}

// transactionTime is the median time of a transaction: as measured on an endpoint
// and on the virtual clock. The embedded service on the real clock tells how fast
// this machine is, so there the built-in service times have to do.
func (d *dualWriteSite) transactionTime(l meter.Ledger) (time.Duration, error) {
	o := l.Operations[0]
	if d.Config.Virtual || d.Backend.Kind() == backend.Endpoint {
		return time.Duration(o.Service.HDR.ValueAtPercentile(50)), nil
	}
	times, err := latency.Default()
	if err != nil {
		return 0, err
	}
	p := times.Services["dynamodb"].Operations["TransactWriteItems"]
	t := l.Total()
	kb := math.Ceil(float64(t.BytesSent+t.BytesReceived) / float64(o.Count()) / units.KB)
	return time.Duration(float64(p.MedianUS)+kb*float64(p.PerKBUS)) * time.Microsecond, nil
}

// Checks implements run.Subject.
func (d *dualWriteSite) Checks(ctx context.Context) ([]results.Check, error) {
	for variant, l := range inOrder(d.lakes) {
		if !l.mirrors() {
			continue
		}
		if err := l.checkMirrored(ctx, &d.found); err != nil {
			return nil, fmt.Errorf("%s: %w", variant, err)
		}
	}
	return d.found.All(), nil
}
