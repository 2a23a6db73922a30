package migrate

import (
	"fmt"
	"time"

	"github.com/lakebench/lakebench/internal/cost"
	"github.com/lakebench/lakebench/internal/units"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/keyspace"
)

// A Plan is what a verb would do. Its numbers are estimates: they rest on
// DynamoDB's own counts of items and bytes, which lag by hours on AWS, on items of
// equal size, and on assumed times.
type Plan struct {
	Steps    []string
	Requests int64
	RRU, WRU float64
	Time     time.Duration
}

// Assumed times of requests, on AWS and within a Region. They only serve estimates.
const (
	controlTime     = 10 * time.Millisecond
	scanPageTime    = 60 * time.Millisecond // 1 MB, strongly consistent
	transactionTime = 60 * time.Millisecond // of some hundred actions
)

func (p *Plan) step(format string, args ...any) {
	p.Steps = append(p.Steps, fmt.Sprintf(format, args...))
}

// control adds requests for single control records.
func (p *Plan) control(reads, writes int64) {
	p.Requests += reads + writes
	p.RRU += float64(reads)
	p.WRU += float64(2 * writes)
	p.Time += time.Duration(reads+writes) * controlTime
}

// add adds a cost and the time that it takes.
func (p *Plan) add(c cost.Cost, t time.Duration) {
	p.Requests += int64(c.Requests)
	p.RRU += c.RRU
	p.WRU += c.WRU
	p.Time += t
}

// meanBytes is the mean size of a table's items, rounded up.
func meanBytes(d described) int64 { return (d.bytes + d.items - 1) / max(d.items, 1) }

// pagesTime is what the pages of a scan take.
func pagesTime(scan cost.Cost) time.Duration { return time.Duration(scan.Requests) * scanPageTime }

func planInit(t tables, name string) *Plan {
	p := &Plan{}
	if !t.v2.exists {
		p.step("create table %s, on demand", name)
		p.Requests++
		p.Time += controlTime
	}
	p.step("write its layout record, unless it is there")
	p.control(2, 1)
	return p
}

func (m *Migrator) planBackfill(b *control.Backfill, o BackfillOptions, t tables) (*BackfillReport, error) {
	report := &BackfillReport{Plan: &Plan{}}
	left := t.v1.items
	p := report.Plan
	switch {
	case b == nil:
		p.step("begin a run")
	case b.State == control.BackfillVoided:
		p.step("begin a new run: run %s was voided by node %q", b.Run, b.VoidedBy)
	case b.State == control.BackfillComplete:
		report.Progress, left = *b, 0
		p.step("look again at open problems: run %s is complete", b.Run)
	default:
		report.Progress, left = *b, max(0, left-b.Scanned)
		p.step("go on with run %s after %d items", b.Run, b.Scanned)
	}
	if left == 0 {
		p.control(5, 0)
		return report, nil
	}
	// Families differ in the length of their names alone.
	c := cost.Copy{Records: left, ItemBytes: meanBytes(t.v1), Family: keyspace.Appends, PageSize: int64(o.PageSize), Pairs: int64(o.Batch)}
	p.step("scan about %d items of v1 and create those that v2 lacks, up to %d in a transaction", left, o.Batch)
	pages := cost.Drain(c.Records, c.ItemBytes, c.PageSize)
	p.add(cost.Backfill(c), pagesTime(pages)+time.Duration(pages.Requests)*controlTime+
		time.Duration(c.Transactions())*transactionTime/time.Duration(o.Workers))
	if o.Rate > 0 {
		p.Time = max(p.Time, time.Duration(float64(left)/o.Rate*float64(time.Second)))
	}
	return report, nil
}

func (p *Plan) compare(t tables) {
	p.step("scan both tables, about %d and %d items, and compare counts and sums of digests", t.v1.items, t.v2.items)
	v1 := cost.Drain(t.v1.items, meanBytes(t.v1), MaxPageSize)
	v2 := cost.Drain(t.v2.items, meanBytes(t.v2), MaxPageSize)
	// Both at once, and so as long as the longer one.
	p.add(v1.Plus(v2, 1), max(pagesTime(v1), pagesTime(v2)))
}

func (m *Migrator) planVerify(t tables) *Plan {
	p := &Plan{}
	p.compare(t)
	p.step("where they differ, read both records of each key in a transaction")
	return p
}

func (m *Migrator) planFinalize(t tables, nodes int) *Plan {
	p := &Plan{}
	p.step("wait for a heartbeat of each of %d nodes", nodes)
	p.step("install the write barrier: dual nodes cannot write from here on")
	p.control(8, 1)
	p.compare(t)
	p.step("publish the completion marker: v2 is the authority from here on, for good")
	p.control(PauseRequests-1, 1)
	return p
}

func planAbort(b *control.Barrier) *Plan {
	p := &Plan{}
	if b == nil {
		p.step("nothing: there is no write barrier")
		return p
	}
	p.step("remove write barrier %s of %s", b.ID, b.Owner)
	p.control(1, 2)
	return p
}

func planRepair(found *Verification) *Plan {
	p := &Plan{}
	if found == nil {
		return p
	}
	n := found.Total() - found.Differences[DiffUnmigratable]
	p.step("make %d records of v2 what v1 is, each in a transaction of its own (%s)", n, found.Summary())
	p.Requests += n
	p.WRU += float64(n) * 3 * units.TransactWrite(0)
	p.Time += time.Duration(n) * transactionTime
	return p
}

func planRetire(name string, v1 described) *Plan {
	p := &Plan{}
	p.step("write the retired record: from then on only nodes in mode v2-only open")
	p.control(2, 1)
	if v1.exists {
		p.step("delete table %s with about %d items", name, v1.items)
		p.Requests++
		p.Time += controlTime
	}
	return p
}

func planRemovePeer(found *control.Peer) *Plan {
	p := &Plan{}
	if found == nil {
		p.step("nothing: there is no such record")
		return p
	}
	p.step("remove the record of node %q (mode %v, heartbeat %s)", found.Node, found.Mode, date(found.Heartbeat))
	p.control(2, 1)
	return p
}
