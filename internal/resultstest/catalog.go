// Package resultstest makes result documents for tests: what a run would have
// produced, computed from the documented rules of the service instead of being
// measured, so that a test knows every number beforehand.
package resultstest

import (
	"fmt"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/lakebench/lakebench/internal/price"
	"github.com/lakebench/lakebench/internal/render/format"
	"github.com/lakebench/lakebench/internal/units"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/run/metric"
)

// The catalog refresh of the documents: 1,000 tables whose items have 300 bytes,
// 311 on v2 (the attribute "bucket", 6 bytes, and its value "tb#00", 5), spread
// evenly over 8 shards, and a page limit of 1,000 items.
const (
	Tables        = 1000
	ItemBytes     = 300
	V2ItemBytes   = ItemBytes + 11
	Shards        = 8
	PageLimit     = 1000
	Refreshes     = 20 // per repeat
	History       = "history_records"
	WorkloadName  = "catalog-refresh"
	operationName = "refresh"
)

// CatalogRefresh returns the document of a catalog refresh at the given numbers
// of history records, each measured so many times.
func CatalogRefresh(repeats int, history ...int64) results.Document {
	doc := results.Document{
		Schema: results.SchemaName, SchemaVersion: results.SchemaVersion,
		RunID:   "20261129T120000Z-catalog-refresh",
		Started: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC),
		Ended:   time.Date(2026, 11, 29, 12, 0, 21, 500e6, time.UTC),
		Lakebench: results.Lakebench{
			Version: "v0.1.0", Commit: "0123456789abcdef0123456789abcdef01234567",
		},
		Environment: results.Environment{
			Go: "go1.26.8", OS: "linux", Arch: "amd64", CPUs: 2,
			Backend: results.Backend{Kind: "embedded"},
		},
		Seed: 1, Repeats: repeats, Clock: results.RealClock, Deterministic: true,
		Headline:  headline(history),
		Published: []results.PublishedFigure{},
		Metrics:   metric.Common(),
		Checks: []results.Check{
			{Name: results.LedgersCheck, Status: results.Passed, Detail: "calls + retries = attempts = served in all series"},
			{Name: "same-set", Status: results.Passed, Detail: "v1 and v2 list the 1,000 tables that the generator says"},
		},
	}
	doc.Warnings = []string{}
	params := results.Params{
		History: history, "tables": Tables, "item_bytes": ItemBytes,
		"page_limit": PageLimit, "refreshes": Refreshes, "consistency": "strong",
	}
	hash, err := results.HashWorkload(WorkloadName, 1, params)
	must(err)
	doc.Workload = results.Workload{
		Name: WorkloadName, Version: 1, Params: params, Hash: hash,
		Summary: "What it costs to list all tables, while the history grows.",
		Variants: []results.Variant{
			{Name: "v1", Doc: "scans the whole table"}, {Name: "v2", Doc: "queries the shards of the tables"}, {Name: "v2-parallel", Doc: "queries all shards at once"},
		},
		Focus: results.Focus{X: History, Metrics: []string{"requests/op", "usd/op"}},
	}
	m := maker{price.Default(), map[time.Duration]results.Histogram{}}
	for _, n := range history {
		for repeat := range repeats {
			doc.Series = append(doc.Series,
				m.refresh("v1", n, repeat, scan(n), 1),
				m.refresh("v2", n, repeat, query(), 1),
				m.refresh("v2-parallel", n, repeat, query(), Shards))
		}
	}
	doc.Summary, err = results.Summarize(&doc)
	must(err)
	return doc
}

// headline is what the workload says of its largest and its smallest point.
func headline(history []int64) string {
	if len(history) == 0 {
		return WorkloadName + " measured nothing."
	}
	least, most := slices.Min(history), slices.Max(history)
	text := fmt.Sprintf("With %s history records, a refresh takes %d requests on v1 and 8 on v2 and v2-parallel.",
		format.Thousands(float64(most), 0), scan(most).requests)
	if least < most {
		text += fmt.Sprintf(" With %s history records, it takes %d on v1 and 8 on v2 and v2-parallel.", format.Thousands(float64(least), 0), scan(least).requests)
	}
	return text
}

// read is what one refresh asks of the service.
type read struct {
	api                 string
	requests            int64
	evaluated, returned int64
	bytes               int64 // of the returned items
	rru                 float64
}

// scan reads the whole table, strongly consistent. A page that ends exactly at
// its limit has a cursor, so after full pages an empty one follows; a page of
// nothing costs a block (docs/facts/dynamodb.md §3).
func scan(history int64) read {
	items := Tables + history
	full, rest := items/PageLimit, items%PageLimit
	return read{
		api: "Scan", requests: full + 1, evaluated: items, returned: Tables, bytes: Tables * ItemBytes,
		rru: float64(full)*units.Read(PageLimit*ItemBytes, units.Strong) + units.Read(rest*ItemBytes, units.Strong),
	}
}

// query reads the family's shards, one page each.
func query() read {
	return read{
		api: "Query", requests: Shards, evaluated: Tables, returned: Tables, bytes: Tables * V2ItemBytes,
		rru: Shards * units.Read(Tables/Shards*V2ItemBytes, units.Strong),
	}
}

// maker keeps what many series have in common, for it takes a while to make.
type maker struct {
	prices price.Table
	times  map[time.Duration]results.Histogram
}

// timesAround has times of which all but one in twenty are the usual one; they are as
// many as p99.9 needs, whatever the refreshes.
func (m maker) timesAround(usual time.Duration) results.Histogram {
	if h, ok := m.times[usual]; ok {
		return h
	}
	h := hdrhistogram.New(1, time.Minute.Nanoseconds(), 2)
	must(h.RecordValues(usual.Nanoseconds(), 950))
	must(h.RecordValues(2*usual.Nanoseconds(), 50))
	times, err := results.EncodeHistogram(h, 0)
	must(err)
	m.times[usual] = times
	return times
}

// refresh is the steady series of one variant at one point. Its times are made
// up: 300 µs a round trip and 1 µs an item, in so many lanes, with a slow one in
// twenty; later repeats are slower by 10 µs.
func (m maker) refresh(variant string, history int64, repeat int, r read, lanes int64) results.Series {
	usual := 300*time.Microsecond*time.Duration(r.requests/lanes) + time.Duration(r.evaluated/lanes)*time.Microsecond
	usual += time.Duration(repeat) * 10 * time.Microsecond
	times := m.timesAround(usual)
	s := results.Series{
		Variant: variant, Phase: results.Steady, Repeat: repeat,
		Point: results.Point{
			History: results.Number(history), "tables": results.Number(Tables),
			"page_limit": results.Number(PageLimit), "item_bytes": results.Number(ItemBytes),
		},
		Operations: map[string]results.Operations{operationName: {Count: Refreshes, OK: Refreshes}},
		Attempts: []results.Attempt{
			{Service: "dynamodb", API: r.api, Outcome: "ok", Cause: "list", Count: Refreshes * r.requests},
		},
		Usage:   results.Usage{Work: results.Work{Evaluated: Refreshes * r.evaluated, Returned: Refreshes * r.returned, BytesReceived: Refreshes * r.bytes}, Units: results.Units{RRU: Refreshes * r.rru, Source: results.Computed}},
		CostUSD: m.prices.DynamoDB(Refreshes*r.rru, 0),
		Latency: map[string]results.Latency{operationName: {Service: times, Response: times}},
	}
	must(s.Derive(metric.Common()))
	return s
}

// must reports a mistake in this package: its documents are constants.
func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("resultstest: %v", err))
	}
}
