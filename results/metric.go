package results

import (
	"cmp"
	"fmt"
	"slices"
)

// Assumption is how a metric varies between repeats.
type Assumption int

const (
	// Exact metrics are counts, or computed from counts: in a deterministic run
	// repeats agree to the last digit.
	Exact Assumption = iota
	// Time metrics are read from clocks.
	Time
)

// Direction is which way a metric is better.
type Direction int

// The directions. Neither: a description of the work, not of its cost.
const (
	Neither Direction = iota
	LowerIsBetter
	HigherIsBetter
)

// Metric describes a metric to tables, charts, comparisons and the benchmark
// format.
type Metric struct {
	Name string // the key in Series.Metrics
	// Noun is what is counted, as it stands in a sentence: "read units".
	Noun string
	// Per is what it is counted for, "operation" mostly; "" for a plain quantity.
	Per    string
	Assume Assumption
	Better Direction
	// percentile, of time metrics: the place in the response (or service) time
	// histogram; 100 is the maximum.
	percentile float64
	service    bool
}

// registry lists the common metrics (docs/spec/results.md §2) in the order of tables,
// then those of single workloads.
var registry = []Metric{
	{Name: "requests/op", Noun: "requests", Per: "operation", Better: LowerIsBetter},
	{Name: "retries/op", Noun: "retries", Per: "operation", Better: LowerIsBetter},
	{Name: "evaluated/op", Noun: "items evaluated", Per: "operation", Better: LowerIsBetter},
	{Name: "returned/op", Noun: "items returned", Per: "operation"},
	{Name: "bytes/op", Noun: "bytes", Per: "operation", Better: LowerIsBetter},
	{Name: "rru/op", Noun: "read units", Per: "operation", Better: LowerIsBetter},
	{Name: "wru/op", Noun: "write units", Per: "operation", Better: LowerIsBetter},
	{Name: "s3-class-a/op", Noun: "S3 class A requests", Per: "operation", Better: LowerIsBetter},
	{Name: "s3-class-b/op", Noun: "S3 class B requests", Per: "operation", Better: LowerIsBetter},
	{Name: "usd/op", Noun: "US dollars", Per: "operation", Better: LowerIsBetter},
	{Name: "p50-ns", Noun: "median response time", Assume: Time, Better: LowerIsBetter, percentile: 50},
	{Name: "p99-ns", Noun: "p99 response time", Assume: Time, Better: LowerIsBetter, percentile: 99},
	{Name: "p999-ns", Noun: "p99.9 response time", Assume: Time, Better: LowerIsBetter, percentile: 99.9},
	{Name: "max-ns", Noun: "longest response time", Assume: Time, Better: LowerIsBetter, percentile: 100},
	{Name: "service-p50-ns", Noun: "median service time", Assume: Time, Better: LowerIsBetter, percentile: 50, service: true},
	{Name: "service-p99-ns", Noun: "p99 service time", Assume: Time, Better: LowerIsBetter, percentile: 99, service: true},
	{Name: "service-p999-ns", Noun: "p99.9 service time", Assume: Time, Better: LowerIsBetter, percentile: 99.9, service: true},
	{Name: "service-max-ns", Noun: "longest service time", Assume: Time, Better: LowerIsBetter, percentile: 100, service: true},

	{Name: "usd/day", Noun: "US dollars", Per: "day", Better: LowerIsBetter},
	{Name: "rru/day", Noun: "read units", Per: "day", Better: LowerIsBetter},
	{Name: "wru/day", Noun: "write units", Per: "day", Better: LowerIsBetter},
	{Name: "conflicts/op", Noun: "conflicts", Per: "operation", Better: LowerIsBetter},
	{Name: "ceiling-units/s", Noun: "operations allowed by units", Per: "second", Better: HigherIsBetter},
	{Name: "ceiling-conflicts/s", Noun: "operations allowed by conflicts", Per: "second", Better: HigherIsBetter},
	{Name: "requests/item", Noun: "requests", Per: "item", Better: LowerIsBetter},
	{Name: "wru/item", Noun: "write units", Per: "item", Better: LowerIsBetter},
	{Name: "pause-requests", Noun: "requests in the pause", Better: LowerIsBetter},
	{Name: "own-requests/op", Noun: "own requests", Per: "operation", Better: LowerIsBetter},
	{Name: "scans/op", Noun: "scans", Per: "operation", Better: LowerIsBetter},
	{Name: "lost-attempts/op", Noun: "lost attempts", Per: "operation", Better: LowerIsBetter},
	{Name: "requests-to-first-append", Noun: "requests to the first append", Better: LowerIsBetter},
}

// Metrics returns every known metric, in the order of tables.
func Metrics() []Metric { return slices.Clone(registry) }

// LookupMetric returns what is known of a metric.
func LookupMetric(name string) (Metric, bool) {
	i, ok := registered[name]
	if !ok {
		return Metric{}, false
	}
	return registry[i], true
}

// registered is where a metric stands in the registry.
var registered = func() map[string]int {
	at := make(map[string]int, len(registry))
	for i, m := range registry {
		at[m.Name] = i
	}
	return at
}()

// describeMetric is LookupMetric for a metric that a workload may have added
// without telling: an exact one of no direction.
func describeMetric(name string) Metric {
	if m, ok := LookupMetric(name); ok {
		return m
	}
	return Metric{Name: name, Noun: name}
}

// Title names the metric in full: "read units per operation".
func (m Metric) Title() string {
	if m.Per == "" {
		return m.Noun
	}
	return fmt.Sprintf("%s per %s", m.Noun, m.Per)
}

// SortMetrics sorts metric names as tables have them, unknown ones last by name.
func SortMetrics(names []string) {
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(metricOrder(a), metricOrder(b)), cmp.Compare(a, b))
	})
}

// metricOrder places metrics as tables have them, unknown ones last by name.
func metricOrder(name string) int {
	if i, ok := registered[name]; ok {
		return i
	}
	return len(registry)
}
