package dynamo

import (
	"strings"
	"sync"
	"time"

	"github.com/lakebench/lakebench/internal/backend/dynamo/rows"
)

// table is one table and what is under way on its items.
type table struct {
	schema
	name, arn string
	number    int // of the tables ever made
	created   time.Time
	tags      []tag

	mu sync.RWMutex // what follows; never held over a yield
	billing
	rows *rows.Table
	held map[string]hold // by rows.Row.Identity: items of transactions in flight
}

// billing is how a table is billed.
type billing struct {
	provisioned throughput // zero on demand
	onDemand    time.Time  // when that was last chosen
}

// throughput is what a provisioned table is to have. The engine shows it and does
// not enforce it.
type throughput struct{ read, write int64 }

// newTable returns an empty table without keys.
func (e *Engine) newTable(name string) *table {
	return &table{
		name: strings.Clone(name),
		arn:  "arn:aws:dynamodb:" + e.cfg.Region + ":" + account + ":table/" + name,
		rows: rows.NewTable(),
		held: map[string]hold{},
	}
}

func byNumber(a, b *table) int { return a.number - b.number }

// table finds a table by name.
func (e *Engine) table(name string) (*table, *serviceError) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	t, ok := e.tables[name]
	if !ok {
		return nil, &serviceError{code: resourceNotFound, message: "Requested resource not found"}
	}
	return t, nil
}

// get reads one item as of now.
func (t *table) get(key rows.Row) (rows.Row, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.rows.Get(key)
}
