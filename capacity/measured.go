package capacity

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/lakebench/lakebench/results"
)

// ErrMeasured is a result that a plan cannot be made from.
var ErrMeasured = errors.New("this result says nothing of the plan")

// measurement says what a workload's result tells of a pattern.
type measurement struct {
	workload, pattern string
	// x is the swept parameter that the scale's own value is put in for, at is that
	// value; along it a fit stands in for a value that was not measured.
	x  string
	at func(Scale) float64
	// others are the coordinates that must be as the scale has them.
	others func(Scale) map[string]results.Value
	// columns are those of the plan that a variant is measured for.
	columns map[string][]string
}

func measurements() []measurement {
	policies := map[string][]string{}
	for _, p := range Policies() {
		policies[string(p)] = []string{string(p)}
	}
	return []measurement{
		{
			workload: "catalog-refresh", pattern: patternRefresh,
			x: "history_records", at: func(s Scale) float64 { return float64(s.History()) },
			others: func(s Scale) map[string]results.Value {
				return map[string]results.Value{
					"tables": results.Number(s.Tables), "page_limit": results.Number(s.PageLimit), "item_bytes": results.Number(s.ItemBytes),
				}
			},
			columns: map[string][]string{"v1": {string(V1), string(Dual)}, "v2": {string(Authoritative), string(V2)}},
		},
		{
			workload: "fresh-read", pattern: patternFreshRead,
			x: "generations", at: func(s Scale) float64 { return float64(s.Generations) },
			others:  func(Scale) map[string]results.Value { return nil },
			columns: policies,
		},
	}
}

// Measured returns the patterns of a scale as a result has them. A value between
// or beyond those that were measured comes from the result's fit, which the
// pattern's source says.
func Measured(s Scale, doc *results.Document) ([]Pattern, error) {
	var known []string
	for _, m := range measurements() {
		if m.workload == doc.Workload.Name {
			return m.patterns(s, doc)
		}
		known = append(known, m.workload)
	}
	return nil, fmt.Errorf("%w: it is of workload %s; a plan is made from %s", ErrMeasured, doc.Workload.Name, strings.Join(known, " and "))
}

func (m measurement) patterns(s Scale, doc *results.Document) ([]Pattern, error) {
	if doc.Partial {
		return nil, fmt.Errorf("%w: it is partial: the run was interrupted", ErrMeasured)
	}
	for _, c := range doc.Checks {
		if c.Status == results.Failed {
			return nil, fmt.Errorf("%w: its check %q failed", ErrMeasured, c.Name)
		}
	}
	p := Pattern{Name: m.pattern, Costs: map[string]Cost{}}
	x := m.at(s)
	fitted := false
	for _, variant := range slices.Sorted(maps.Keys(m.columns)) {
		columns := m.columns[variant]
		c, fit, err := m.cost(doc, variant, m.others(s), x)
		if err != nil {
			return nil, err
		}
		fitted = fitted || fit
		for _, column := range columns {
			p.Costs[column] = c
		}
	}
	p.Source = fmt.Sprintf("measured in run %s (%s, seed %d)", doc.RunID, doc.Environment.Backend.Kind, doc.Seed)
	if fitted {
		p.Source += fmt.Sprintf(", by its fit at %s %s, measured up to %s", m.x, plain(x), plain(m.largest(doc)))
	}
	return []Pattern{p}, nil
}

// cost reads every part of a cost.
func (m measurement) cost(doc *results.Document, variant string, others map[string]results.Value, x float64) (c Cost, fitted bool, err error) {
	for _, part := range []struct {
		metric string
		to     *float64
	}{
		{"requests/op", &c.Requests}, {"evaluated/op", &c.Evaluated}, {"returned/op", &c.Returned}, {"rru/op", &c.RRU}, {"wru/op", &c.WRU},
		{"s3-class-a/op", &c.ClassA}, {"s3-class-b/op", &c.ClassB},
	} {
		v, fit, err := m.value(doc, variant, part.metric, others, x)
		if err != nil {
			return Cost{}, false, err
		}
		*part.to = v
		fitted = fitted || fit
	}
	return c, fitted, nil
}

func (m measurement) value(doc *results.Document, variant, metric string, others map[string]results.Value, x float64) (v float64, fitted bool, err error) {
	for _, e := range doc.Summary.Metrics {
		if f, ok := e.Point[m.x].Float(); ok && f == x && e.Variant == variant && e.Metric == metric && agrees(e.Point, others) {
			return e.Value, false, nil
		}
	}
	for _, g := range doc.Summary.Growth {
		if g.X == m.x && g.Variant == variant && g.Metric == metric && agrees(g.Point, others) && g.Class != results.Undetermined {
			if g.B == 0 {
				return g.A, true, nil
			}
			return g.A + g.B*math.Pow(x, g.K), true, nil
		}
	}
	var want []string
	for name, v := range others {
		want = append(want, name+"="+v.String())
	}
	slices.Sort(want)
	return 0, false, fmt.Errorf("%w: %s of %s was measured neither at %s=%s %s nor with a fit over it; measure that scale, or plan for the measured one",
		ErrMeasured, metric, variant, m.x, plain(x), strings.Join(want, " "))
}

// agrees says whether a point has these coordinates.
func agrees(p results.Point, others map[string]results.Value) bool {
	for name, want := range others {
		if p[name] != want {
			return false
		}
	}
	return true
}

// largest is the largest value of the swept parameter that was measured.
func (m measurement) largest(doc *results.Document) float64 {
	most := 0.0
	for _, e := range doc.Summary.Metrics {
		if f, ok := e.Point[m.x].Float(); ok {
			most = math.Max(most, f)
		}
	}
	return most
}
