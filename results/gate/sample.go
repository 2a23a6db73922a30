package gate

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/lakebench/lakebench/results"
)

// Sample returns a small result to test a gate on where there is none: two
// variants over a parameter, one growing and one not.
func Sample() (results.Document, error) {
	params := results.Params{"size": []int64{0, 10, 100}}
	hash, err := results.HashWorkload("self-test", 1, params)
	if err != nil {
		return results.Document{}, err
	}
	doc := results.Document{
		Schema: results.SchemaName, SchemaVersion: results.SchemaVersion, RunID: "self-test",
		Started: time.Unix(0, 0).UTC(), Ended: time.Unix(1, 0).UTC(),
		Workload: results.Workload{Name: "self-test", Version: 1, Params: params, Hash: hash},
		Seed:     1, Repeats: 1, Clock: results.RealClock, Deterministic: true,
		Headline: "The self-test made this up.", Published: []results.PublishedFigure{}, Metrics: sampleMetrics(),
		Checks:   []results.Check{{Name: results.LedgersCheck, Status: results.Passed, Detail: "made up"}},
		Warnings: []string{},
	}
	for _, variant := range []string{"old", "new"} {
		for _, size := range params["size"].([]int64) {
			requests := int64(8)
			if variant == "old" {
				requests = 1 + size
			}
			s, err := sampleSeries(variant, size, requests)
			if err != nil {
				return results.Document{}, err
			}
			doc.Series = append(doc.Series, s)
		}
	}
	doc.Summary, err = results.Summarize(&doc)
	return doc, err
}

// sampleMetrics are two counts and a time.
func sampleMetrics() results.Metrics {
	count := func(name, noun string, q results.Quantity) results.Metric {
		return results.Metric{
			Name: name, Noun: noun, Per: results.PerOperation, Assume: results.Exact, Better: results.LowerIsBetter,
			From: results.Source{Quantity: q},
		}
	}
	return results.Metrics{
		count("requests/op", "requests", results.QuantityRequests), count("rru/op", "read units", results.QuantityRRU),
		{Name: "p50-ns", Noun: "median response time", Assume: results.Time, Better: results.LowerIsBetter, From: results.Source{Time: results.ResponseTime, Percentile: 50}},
	}
}

// sampleSeries is one operation of n requests of a millisecond.
func sampleSeries(variant string, size, requests int64) (results.Series, error) {
	h := hdrhistogram.New(1, time.Minute.Nanoseconds(), 2)
	if err := h.RecordValue(requests * time.Millisecond.Nanoseconds()); err != nil {
		return results.Series{}, err
	}
	times, err := results.EncodeHistogram(h, 0)
	if err != nil {
		return results.Series{}, err
	}
	s := results.Series{
		Variant: variant, Point: results.Point{"size": results.Number(size)}, Phase: results.Steady,
		Operations: map[string]results.Operations{"read": {Count: 1, OK: 1}},
		Attempts:   []results.Attempt{{Service: "dynamodb", API: "Query", Outcome: "ok", Cause: "list", Count: requests}},
		Usage:      results.Usage{Units: results.Units{RRU: float64(requests), Source: results.Computed}},
		Latency:    map[string]results.Latency{"read": {Service: times, Response: times}},
	}
	return s, s.Derive(sampleMetrics())
}
