package migrate

import (
	"fmt"
	"math"
	"time"

	"github.com/lakebench/lakebench/internal/units"
	"github.com/lakebench/lakebench/store/control"
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

// scan adds a scan of a whole table in pages of at most so many items.
func (p *Plan) scan(items, bytes int64, pageSize int) {
	pages := max(ceil(items, int64(pageSize)), ceil(bytes, units.MaxPageBytes), 1)
	p.Requests += pages
	p.RRU += max(math.Ceil(float64(bytes)/units.ReadBlock), float64(pages))
	p.Time += time.Duration(pages) * scanPageTime
}

func ceil(n, by int64) int64 { return (n + by - 1) / by }

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

// bucketBytes is about what the attribute bucket adds to an item: its name, a
// family and a shard.
const bucketBytes = 22

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
	p.control(5, 0)
	if left == 0 {
		return report, nil
	}
	size := t.v1.bytes / max(t.v1.items, 1)
	perPage := min(left, int64(o.PageSize), units.MaxPageBytes/max(size, 1)+1)
	pages := ceil(left, perPage)
	batch := int64(o.Batch)
	full, rest := left/perPage, left%perPage
	transactions := full*ceil(perPage, batch) + ceil(rest, batch)
	p.step("scan about %d items of v1 and create those that v2 lacks, up to %d in a transaction", left, batch)
	p.scan(left, left*size, o.PageSize)
	p.Requests += transactions + pages
	p.WRU += float64(left)*(units.TransactWrite(size)+units.TransactWrite(size+bucketBytes)) +
		float64(transactions)*units.TransactWrite(0) + float64(pages)*units.Write(0)
	p.Time += time.Duration(transactions)*transactionTime/time.Duration(o.Workers) + time.Duration(pages)*controlTime
	if o.Rate > 0 {
		p.Time = max(p.Time, time.Duration(float64(left)/o.Rate*float64(time.Second)))
	}
	return report, nil
}

func (p *Plan) compare(t tables) {
	p.step("scan both tables, about %d and %d items, and compare counts and sums of digests", t.v1.items, t.v2.items)
	other := &Plan{}
	p.scan(t.v1.items, t.v1.bytes, MaxPageSize)
	other.scan(t.v2.items, t.v2.bytes, MaxPageSize)
	p.Requests += other.Requests
	p.RRU += other.RRU
	// Both at once, and so as long as the longer one.
	p.Time += max(0, other.Time-time.Duration(max(ceil(t.v1.bytes, units.MaxPageBytes), 1))*scanPageTime)
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
