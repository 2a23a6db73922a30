package dynamo

import (
	"github.com/lakebench/lakebench/internal/backend/tally"
	"github.com/lakebench/lakebench/internal/counts"
)

// Served is one request as the service saw it and bills it. Requests that fail
// are billed too, where AWS does (a failed condition, a cancelled transaction),
// although the error that the client gets does not show it.
type Served struct {
	API     string // the operation's name, such as "GetItem"
	Outcome string // one of the Outcome constants

	counts.Usage

	Tables []TableUsage // one per table touched, in order of first use
}

// TableUsage is a table's part of a request's units.
type TableUsage struct {
	Table    string
	RRU, WRU float64
}

// The outcome classes of docs/spec/results.md §1 that a service can tell.
const (
	OutcomeOK              = "ok"
	OutcomeAbsent          = "absent" // GetItem found nothing
	OutcomeConditionFailed = "condition-failed"
	OutcomeConflict        = "conflict"
	OutcomeThrottled       = "throttled"
	OutcomeServerError     = "server-error"
	OutcomeOther           = "other" // refused for what it asked
)

// bill collects what one request is charged.
type bill struct {
	Served
	first [1]TableUsage // nearly every request touches one table
}

func (b *bill) table(name string) *TableUsage {
	for i := range b.Tables {
		if b.Tables[i].Table == name {
			return &b.Tables[i]
		}
	}
	if b.Tables == nil {
		b.Tables = b.first[:0]
	}
	b.Tables = append(b.Tables, TableUsage{Table: name})
	return &b.Tables[len(b.Tables)-1]
}

func (b *bill) read(table string, units float64) {
	b.RRU += units
	b.table(table).RRU += units
}

func (b *bill) write(table string, units float64) {
	b.WRU += units
	b.table(table).WRU += units
}

// returned counts items in the answer.
func (b *bill) returned(items, bytes int) {
	b.Returned += int64(items)
	b.BytesReceived += int64(bytes)
}

// counter is the engine's own count, independent of any observer.
type counter struct{ tally.Tally }

func (c *counter) add(s *Served) { c.Count(tally.Request{API: s.API, Outcome: s.Outcome}, s.Usage) }

// Totals returns what was served so far.
func (e *Engine) Totals() tally.Totals { return e.counter.Totals() }
