// Package metric declares the metrics that every workload has
// (docs/spec/results.md §2). A workload declares its own beside them.
package metric

import "github.com/lakebench/lakebench/results"

// Common returns the common metrics in the order of tables.
func Common() results.Metrics {
	return results.Metrics{
		perOperation("requests/op", "requests", results.QuantityRequests, "", "requests", 9),
		undrawn(perOperation("retries/op", "retries", results.QuantityRetries, "", "retries", 6)),
		perOperation("evaluated/op", "items evaluated", results.QuantityEvaluated, "items", "evaluated", 7),
		// How many items came back describes the work, and is the floor of those
		// evaluated.
		undrawn(better(results.Neither, perOperation("returned/op", "items returned", "returned", "items", "returned", 2))),
		hidden(perOperation("bytes/op", "bytes", results.QuantityBytes, "", "bytes", 1)),
		perOperation("rru/op", "read units", results.QuantityRRU, "read", "units", 8),
		perOperation("wru/op", "write units", results.QuantityWRU, "write", "units", 8),
		perOperation("s3-class-a/op", "S3 class A requests", "s3_class_a", "S3", "class A", 8),
		perOperation("s3-class-b/op", "S3 class B requests", "s3_class_b", "S3", "class B", 8),
		dollarsPerMillion(perOperation("usd/op", "US dollars", results.QuantityUSD, "$ per", "million", 7)),
		timed("p50-ns", "median response time", results.ResponseTime, 50, "p50", 5),
		timed("p99-ns", "p99 response time", results.ResponseTime, 99, "p99", 3),
		hidden(timed("p999-ns", "p99.9 response time", results.ResponseTime, 99.9, "p99.9", 1)),
		hidden(timed("max-ns", "longest response time", results.ResponseTime, 100, "longest", 1)),
		hidden(timed("service-p50-ns", "median service time", results.ServiceTime, 50, "p50", 1)),
		hidden(timed("service-p99-ns", "p99 service time", results.ServiceTime, 99, "p99", 1)),
		hidden(timed("service-p999-ns", "p99.9 service time", results.ServiceTime, 99.9, "p99.9", 1)),
		hidden(timed("service-max-ns", "longest service time", results.ServiceTime, 100, "longest", 1)),
	}
}

// perOperation is a quantity of the series for each operation, of which less is
// better.
func perOperation(name, noun string, q results.Quantity, above, heading string, priority int) results.Metric {
	return results.Metric{
		Name: name, Noun: noun, Per: results.PerOperation, Assume: results.Exact, Better: results.LowerIsBetter,
		From: results.Source{Quantity: q}, Column: results.Column{Heading: [2]string{above, heading}, Priority: priority},
	}
}

// timed is a percentile of a time.
func timed(name, noun string, t results.Timing, percentile float64, heading string, priority int) results.Metric {
	above := "time"
	if t == results.ResponseTime && percentile == 50 {
		above = "response" // "response time" stands over both columns
	}
	return results.Metric{
		Name: name, Noun: noun, Assume: results.Time, Better: results.LowerIsBetter,
		From: results.Source{Time: t, Percentile: percentile}, Column: results.Column{Heading: [2]string{above, heading}, Priority: priority},
	}
}

func better(d results.Direction, m results.Metric) results.Metric {
	m.Better = d
	return m
}

func hidden(m results.Metric) results.Metric {
	m.Column.Hidden = true
	return m
}

func undrawn(m results.Metric) results.Metric {
	m.Undrawn = true
	return m
}

// dollarsPerMillion shows an amount of money for a million operations.
func dollarsPerMillion(m results.Metric) results.Metric {
	m.Money, m.Scale = true, 1e6
	return m
}
