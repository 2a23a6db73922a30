package workloads

import (
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/run/metric"
)

// Metrics returns the metrics of every workload, the common ones first.
func Metrics() results.Metrics {
	all := metric.Common()
	for _, w := range All() {
		all = all.Union(w.Metrics)
	}
	return all
}

// conflicts are declared by the workloads whose writers compete.
func conflicts(doc string) results.Metric {
	return results.Metric{
		Name: "conflicts/op", Doc: doc, Noun: "conflicts", Per: results.PerOperation, Assume: results.Exact, Better: results.LowerIsBetter,
		Column: results.Column{Heading: [2]string{"", "conflicts"}, Priority: 8},
	}
}

// ownRequestsMetric is declared by the workloads in which a node polls meanwhile.
func ownRequestsMetric(doc string) results.Metric {
	return results.Metric{
		Name: ownRequests, Doc: doc, Noun: "own requests", Per: results.PerOperation, Assume: results.Exact, Better: results.LowerIsBetter,
		Column: results.Column{Heading: [2]string{"own", "requests"}, Priority: 6},
	}
}
