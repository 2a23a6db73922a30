package results

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lakebench/lakebench/internal/render/format"
)

// Assumption is how a metric varies between repeats.
type Assumption string

const (
	// Exact metrics are counts, or computed from counts: in a deterministic run
	// repeats agree to the last digit.
	Exact Assumption = "exact"
	// Time metrics are read from clocks, in nanoseconds.
	Time Assumption = "time"
)

// Direction is which way a metric is better.
type Direction string

// The directions. Neither: a description of the work, not of its cost.
const (
	Neither        Direction = "neither"
	LowerIsBetter  Direction = "lower"
	HigherIsBetter Direction = "higher"
)

// Quantity is a count of a series that metrics are derived from: one of a Usage
// by its name, such as "s3_class_a", or one of those that are not in a Usage.
type Quantity string

// Quantities that are asked for by name. The attempts under cause.Setup are in
// none of them.
const (
	QuantityRequests  Quantity = "requests"
	QuantityRetries   Quantity = "retries"
	QuantityEvaluated Quantity = "evaluated"
	QuantityBytes     Quantity = "bytes" // sent and received
	QuantityRRU       Quantity = "rru"
	QuantityWRU       Quantity = "wru"
	QuantityUSD       Quantity = "usd"
)

// Timing is one of the two times of an operation (see Latency).
type Timing string

// The timings.
const (
	ServiceTime  Timing = "service"
	ResponseTime Timing = "response"
)

// A Source is where the value of a metric comes from. It has either a quantity,
// which is divided by the number of operations, or a percentile of a time, of
// which 100 is the maximum. The zero Source is the workload itself, and nothing
// can derive the value again.
type Source struct {
	Quantity   Quantity `json:"quantity,omitempty"`
	Time       Timing   `json:"time,omitempty"`
	Percentile float64  `json:"percentile,omitzero"`
}

// A Column is a metric in a table.
type Column struct {
	// Heading has two lines; the first may be empty.
	Heading [2]string `json:"heading"`
	// Priority decides which columns a narrow table leaves out: the lowest first.
	Priority int `json:"priority"`
	// Hidden metrics are in the file only, and in no picture.
	Hidden bool `json:"hidden,omitzero"`
}

// A Metric describes a metric to tables, charts, comparisons and other formats.
// The workload declares it, and it travels in the document.
type Metric struct {
	Name string `json:"name"` // the key in Series.Metrics
	// Doc says in a line what it is made of, where the noun does not.
	Doc string `json:"doc,omitempty"`
	// Noun is what is counted, as it stands in a sentence: "read units".
	Noun string `json:"noun"`
	// Per is what it is counted for, "operation" mostly; "" for a plain quantity.
	Per    string     `json:"per,omitempty"`
	Assume Assumption `json:"assume"`
	Better Direction  `json:"better"`
	// Money is an amount in US dollars.
	Money bool `json:"money,omitzero"`
	// Scale is what people see a value multiplied by, such as dollars for a million
	// operations; 0 is 1.
	Scale  float64 `json:"scale,omitzero"`
	From   Source  `json:"from,omitzero"`
	Column Column  `json:"column"`
	// Undrawn metrics have a column and no picture.
	Undrawn bool `json:"undrawn,omitzero"`
}

// PerOperation is the Per of what an operation costs.
const PerOperation = "operation"

// Title names the metric in full: "read units per operation".
func (m Metric) Title() string {
	if m.Per == "" {
		return m.Noun
	}
	return fmt.Sprintf("%s per %s", m.Noun, m.Per)
}

// ShortTitle is Title without "per operation".
func (m Metric) ShortTitle() string {
	if m.Per == PerOperation {
		return m.Noun
	}
	return m.Title()
}

// IsTime reports whether the metric is read from clocks.
func (m Metric) IsTime() bool { return m.Assume == Time }

// Scaled returns a value as people see it.
func (m Metric) Scaled(v float64) float64 { return v * cmp.Or(m.Scale, 1) }

// Format writes a value for people, without the noun: counts with a comma for
// every three digits, times with their unit, and money in dollars, with cents
// where it is scaled.
func (m Metric) Format(v float64) string {
	scaled := m.Scaled(v)
	switch {
	case m.IsTime():
		return format.Duration(v)
	case m.Money && m.Scale > 1:
		return "$" + format.Thousands(scaled, 2)
	case m.Money:
		return "$" + format.Significant(scaled)
	}
	return format.Thousands(scaled, format.Decimals([]float64{scaled}))
}

// ScaleNote says what a scaled value is for, "per million"; "" for the others.
func (m Metric) ScaleNote() string {
	switch {
	case m.Scale <= 1:
		return ""
	case m.Scale == 1e6:
		return "per million"
	}
	return fmt.Sprintf("per %s", format.Thousands(m.Scale, 0))
}

// Metrics are the metrics of a document, in the order of tables.
type Metrics []Metric

// Lookup returns the description of a metric. A metric that the document does not
// declare is an exact one of no direction, and its name is its noun.
func (ms Metrics) Lookup(name string) Metric {
	if i := ms.index(name); i < len(ms) {
		return ms[i]
	}
	return Metric{Name: name, Noun: name, Assume: Exact, Better: Neither, Column: Column{Heading: splitName(name), Priority: 6}}
}

// Declares reports whether a metric is among them.
func (ms Metrics) Declares(name string) bool { return ms.index(name) < len(ms) }

// From returns the first metric that comes from a source.
func (ms Metrics) From(src Source) (m Metric, ok bool) {
	i := slices.IndexFunc(ms, func(m Metric) bool { return m.From == src })
	if i < 0 {
		return Metric{}, false
	}
	return ms[i], true
}

// Sort sorts metric names as tables have them; those that are not declared come
// last, by name.
func (ms Metrics) Sort(names []string) {
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(ms.index(a), ms.index(b)), cmp.Compare(a, b))
	})
}

// Union returns the metrics, and those of others that are not among them.
func (ms Metrics) Union(others Metrics) Metrics {
	all := slices.Clone(ms)
	for _, m := range others {
		if !all.Declares(m.Name) {
			all = append(all, m)
		}
	}
	return all
}

// index is the place of a metric, the number of metrics if it is not declared.
func (ms Metrics) index(name string) int {
	for i := range ms {
		if ms[i].Name == name {
			return i
		}
	}
	return len(ms)
}

// splitName breaks a metric's name near its middle.
func splitName(name string) [2]string {
	if i := strings.LastIndexAny(name, "-/"); len(name) > 9 && i > 0 {
		return [2]string{name[:i], name[i:]}
	}
	return [2]string{"", name}
}

// problem returns the first reason why the metrics are not valid.
func (ms Metrics) problem() error {
	for i, m := range ms {
		switch {
		case m.Name == "" || m.Noun == "":
			return fmt.Errorf("metric %d has no name or no noun", i)
		case ms.index(m.Name) < i:
			return fmt.Errorf("metric %s is declared twice", m.Name)
		case m.Assume != Exact && m.Assume != Time:
			return fmt.Errorf("metric %s: assume is %q: expected %q or %q", m.Name, m.Assume, Exact, Time)
		case m.Better != Neither && m.Better != LowerIsBetter && m.Better != HigherIsBetter:
			return fmt.Errorf("metric %s: better is %q: expected %q, %q or %q", m.Name, m.Better, LowerIsBetter, HigherIsBetter, Neither)
		}
		if err := m.From.problem(); err != nil {
			return fmt.Errorf("metric %s: %w", m.Name, err)
		}
	}
	return nil
}

// problem returns the first reason why the source is not valid.
func (src Source) problem() error {
	_, known := (&Series{}).quantity(src.Quantity)
	switch {
	case src.Quantity != "" && !known:
		return fmt.Errorf("its quantity %q is not one that a series counts", src.Quantity)
	case src.Quantity != "" && (src.Time != "" || src.Percentile != 0):
		return fmt.Errorf("it comes from a quantity and from a time")
	case src.Time != "" && src.Time != ServiceTime && src.Time != ResponseTime:
		return fmt.Errorf("its time is %q: expected %q or %q", src.Time, ServiceTime, ResponseTime)
	case src.Time == "" && src.Percentile != 0, src.Time != "" && !(src.Percentile > 0 && src.Percentile <= 100):
		return fmt.Errorf("its percentile is %v: expected one above 0, at most 100, of a time", src.Percentile)
	}
	return nil
}
