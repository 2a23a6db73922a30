package meter

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lakebench/lakebench/internal/cause"
)

// Source is who computed the units of a ledger.
type Source string

// The sources (docs/spec/results.md §1).
const (
	Computed Source = "computed" // the embedded service
	Reported Source = "reported" // a service on an endpoint
)

// Ledger is what was counted in one phase: a copy, in a fixed order.
type Ledger struct {
	Phase  string
	Source Source
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
	l := Ledger{Phase: phase, Source: Computed}
	if m.cfg.ReportCapacity {
		l.Source = Reported
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

// Merge adds up ledgers of one phase and source: counts are summed, histograms
// added bucket by bucket. It needs at least one, and changes none.
func Merge(first Ledger, others ...Ledger) (Ledger, error) {
	sum := Ledger{Phase: first.Phase, Source: first.Source}
	rows := map[Key]*Counts{}
	operations := map[string]*Operation{}
	for _, l := range append([]Ledger{first}, others...) {
		if l.Phase != sum.Phase || l.Source != sum.Source {
			return Ledger{}, fmt.Errorf("meter: cannot merge %s units of phase %q with %s units of phase %q", l.Source, l.Phase, sum.Source, sum.Phase)
		}
		for _, r := range l.Rows {
			if rows[r.Key] == nil {
				rows[r.Key] = &Counts{}
			}
			rows[r.Key].add(r.Counts)
		}
		for _, o := range l.Operations {
			if err := mergeOperation(operations, o); err != nil {
				return Ledger{}, fmt.Errorf("meter: merging operation %q of phase %q: %w", o.Name, l.Phase, err)
			}
		}
	}
	for k, c := range rows {
		sum.Rows = append(sum.Rows, Row{k, *c})
	}
	for _, o := range operations {
		sum.Operations = append(sum.Operations, *o)
	}
	sum.sort()
	return sum, nil
}

func mergeOperation(into map[string]*Operation, o Operation) error {
	sum := into[o.Name]
	if sum == nil {
		o.Service, o.Response = o.Service.clone(), o.Response.clone()
		into[o.Name] = &o
		return nil
	}
	sum.OK += o.OK
	sum.Failed += o.Failed
	sum.Unknown += o.Unknown
	if err := sum.Service.merge(o.Service); err != nil {
		return err
	}
	return sum.Response.merge(o.Response)
}

func (h Histogram) clone() Histogram {
	return Histogram{HDR: h.HDR.Clone(), Clamped: h.Clamped}
}

// merge adds other. Histograms of another precision are refused: their values
// would end up in buckets that are near, but not theirs.
func (h *Histogram) merge(other Histogram) error {
	if a, b := h.HDR.SignificantFigures(), other.HDR.SignificantFigures(); a != b {
		return fmt.Errorf("histograms of %d and %d significant digits", a, b)
	}
	h.Clamped += other.Clamped
	if dropped := h.HDR.Merge(other.HDR); dropped != 0 {
		return fmt.Errorf("%d times are out of the histogram's range", dropped)
	}
	return nil
}
