package meter

import (
	"cmp"
	"slices"
	"strings"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/counts"
)

// Ledger is what was counted in one phase: a copy, in a fixed order.
type Ledger struct {
	Phase  string
	Source counts.Source
	// Rows are the requests, sorted by service, API and cause, one for each.
	Rows []Row
	// Operations are the logical operations, sorted by name.
	Operations []Operation
}

// Row holds the counts of one kind of request.
type Row struct {
	Key
	Counts
}

// Operation holds the counts and times of one kind of logical operation.
type Operation struct {
	Name                string
	OK, Failed, Unknown int64
	Service, Response   Histogram
}

// Count is the number of operations, whatever their outcome.
func (o Operation) Count() int64 { return o.OK + o.Failed + o.Unknown }

// Attempt is a count of attempts of one kind with one outcome.
type Attempt struct {
	Key
	Outcome Outcome
	Count   int64
}

// Ledger returns a copy of what was counted in a phase.
func (m *Meter) Ledger(phase string) Ledger {
	l := Ledger{Phase: phase, Source: counts.Computed}
	if m.cfg.ReportCapacity {
		l.Source = counts.Reported
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	for k, c := range m.cells {
		if k.phase == phase {
			c.mu.Lock()
			l.Rows = append(l.Rows, Row{k.Key, c.Counts})
			c.mu.Unlock()
		}
	}
	for k, o := range m.operations {
		if k.phase == phase {
			l.Operations = append(l.Operations, o.snapshot(k.name))
		}
	}
	l.sort()
	return l
}

func (o *operation) snapshot(name string) Operation {
	o.mu.Lock()
	defer o.mu.Unlock()
	return Operation{
		Name:     name,
		OK:       o.outcomes[OperationOK],
		Failed:   o.outcomes[OperationFailed],
		Unknown:  o.outcomes[OperationUnknown],
		Service:  o.service.clone(),
		Response: o.response.clone(),
	}
}

func (l *Ledger) sort() {
	slices.SortFunc(l.Rows, func(a, b Row) int { return a.compare(b.Key) })
	slices.SortFunc(l.Operations, func(a, b Operation) int { return strings.Compare(a.Name, b.Name) })
}

func (k Key) compare(other Key) int {
	return cmp.Or(strings.Compare(k.Service, other.Service), strings.Compare(k.API, other.API), cmp.Compare(k.Cause, other.Cause))
}

// Without returns the ledger without the requests of some causes. Metrics leave
// out [cause.Setup] (docs/spec/results.md §2).
func (l Ledger) Without(causes ...cause.Label) Ledger {
	l.Rows = slices.DeleteFunc(slices.Clone(l.Rows), func(r Row) bool { return slices.Contains(causes, r.Cause) })
	return l
}

// Total adds up the rows.
func (l Ledger) Total() (t Counts) {
	for _, r := range l.Rows {
		t.add(r.Counts)
	}
	return t
}

// Attempts returns the attempts by outcome, sorted by service, API, outcome and
// cause. Counts of 0 are left out.
func (l Ledger) Attempts() []Attempt {
	var all []Attempt
	for _, r := range l.Rows {
		for o, n := range r.Outcomes {
			if n != 0 {
				all = append(all, Attempt{r.Key, Outcome(o), n})
			}
		}
	}
	slices.SortFunc(all, func(a, b Attempt) int {
		return cmp.Or(strings.Compare(a.Service, b.Service), strings.Compare(a.API, b.API),
			strings.Compare(a.Outcome.String(), b.Outcome.String()), cmp.Compare(a.Cause, b.Cause))
	})
	return all
}

func (h Histogram) clone() Histogram {
	return Histogram{HDR: h.HDR.Clone(), Clamped: h.Clamped}
}
