package workloads

import (
	"maps"
	"slices"
	"strconv"
	"testing"

	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/run"
)

// described is a document with a summary, and the default parameters.
func described(t *testing.T, workload string, summary ...results.MetricSummary) *results.Document {
	t.Helper()
	w, err := Find(workload)
	if err != nil {
		t.Fatal(err)
	}
	params := results.Params{}
	for _, p := range w.Params {
		if params[p.Name] = p.Default; p.Kind == run.Integer && !p.Swept {
			n, err := strconv.ParseInt(p.Default, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			params[p.Name] = n
		}
	}
	doc := &results.Document{Workload: results.Workload{Name: workload, Params: params}, Metrics: w.AllMetrics(), Summary: results.Summary{Metrics: summary}}
	w.Describe(doc)
	return doc
}

// of is one metric of a variant at a point.
func of(variant, metric string, value float64, at map[string]float64) results.MetricSummary {
	p := results.Point{}
	for name, v := range at {
		p[name] = results.Number(v)
	}
	return results.MetricSummary{Variant: variant, Metric: metric, Value: value, Point: p}
}

// amounts are the values of a metric of variants at a point.
func amounts(metric string, at map[string]float64, values map[string]float64) []results.MetricSummary {
	var all []results.MetricSummary
	for _, variant := range slices.Sorted(maps.Keys(values)) {
		all = append(all, of(variant, metric, values[variant], at))
	}
	return all
}

// The headline of each workload's default run. Every number follows from a rule, which
// is beside it.
func TestHeadlinesOfDefaultRuns(t *testing.T) {
	type at = map[string]float64
	type values = map[string]float64
	for _, tt := range []struct {
		workload string
		summary  [][]results.MetricSummary
		want     string
	}{
		{
			// v1: a page for each 1,000 of all records, and an empty one, since the last is full;
			// v2: a page for each of 8 shards.
			"catalog-refresh", [][]results.MetricSummary{
				amounts("requests/op", at{"history_records": 0, "page_limit": 1000, "tables": 1000}, values{"v1": 2, "v2": 8, "v2-parallel": 8}),
				amounts("requests/op", at{"history_records": 100_000, "page_limit": 1000, "tables": 1000}, values{"v1": 102, "v2": 8, "v2-parallel": 8}),
			},
			"With 100,000 history records and pages of 1,000 items, listing 1,000 tables takes 102 requests on v1 and 8 on v2 and v2-parallel. " +
				"With 0 history records, it takes 2 on v1 and 8 on v2 and v2-parallel.",
		},
		{
			// v2: 1,440 refreshes of 80 read units and 22,204.8 write units, at $0.125 and $0.625 a
			// million: $0.0144 + $0.0139. v1: 19,796.5 and 737.75 read units a refresh.
			"append-history", [][]results.MetricSummary{
				amounts("usd/day", at{"days": 1, "commits_per_second": 0.05}, values{"v1": 0.146673, "v2": 0.028278}),
				amounts("usd/day", at{"days": 30, "commits_per_second": 0.05}, values{"v1": 3.577248, "v2": 0.028278}),
			},
			"With 30 days of history, a day of the lake (0.05 commits a second, 1 reader refreshing every 60 s) costs $3.58 on v1 and $0.0283 on v2. " +
				"With 1 day of history, it costs $0.147 on v1 and $0.0283 on v2.",
		},
		{
			// 5.568 and 0.7185 units on v1, 5.624 and 2.399 on dual, 1.2 and 1.679 or 0.7185 on v2:
			// most of the read units are refreshes.
			"metadata-mix", [][]results.MetricSummary{
				amounts("usd/op", at{"concurrency": 1}, values{"v1": 1.1450625e-06, "dual": 2.202375e-06, "v2-authoritative": 1.199375e-06, "v2-only": 5.990625e-07}),
				amounts("usd/op", at{"concurrency": 16}, values{"v1": 1.9435e-06, "dual": 4.013e-06, "v2-authoritative": 2.3975e-06, "v2-only": 1.2809375e-06}),
			},
			"With 16 nodes at work, 1,000 history records and 5 % refreshes, an operation costs $1.94 per million on v1, $4.01 on dual, $2.40 on v2-authoritative and $1.28 on v2-only. " +
				"With 1 node at work, it costs $1.15 on v1, $2.20 on dual, $1.20 on v2-authoritative and $0.60 on v2-only.",
		},
		{
			// 16 write units for an item; twice those of all items in a transaction, its checks of
			// guard and barrier included: 16, 66, 64, 16 and 34, 68, 66, 34.
			"dual-write", [][]results.MetricSummary{
				guardedAmounts(false, values{"v1": 1e-05, "dual": 4.125e-05, "v2-authoritative": 4e-05, "v2-only": 1e-05}),
				guardedAmounts(true, values{"v1": 2.125e-05, "dual": 4.25e-05, "v2-authoritative": 4.125e-05, "v2-only": 2.125e-05}),
			},
			"Without a guard, replacing an item of 16,000 bytes costs $10.00 per million on v1 and v2-only, $41.25 on dual and $40.00 on v2-authoritative. " +
				"Guarded by a lease, it costs $21.25 on v1 and v2-only, $42.50 on dual and $41.25 on v2-authoritative.",
		},
		{
			// A transaction of one record: 2 units for it, 2 for the check of v1, 2 for the barrier;
			// the barrier is checked once in a batch.
			"migration", [][]results.MetricSummary{
				amounts("wru/item", at{"records": 10_000, "writers": 0, "page_size": 1000}, values{"single": 6.0012, "batched": 4.0432}),
				amounts("wru/item", at{"records": 10_000, "writers": 4, "page_size": 1000}, values{"single": 6.001159196290572, "batched": 4.699600798403194}),
			},
			"With 4 writers, backfilling one of 10,000 records costs 6.001 write units on single and 4.700 on batched. " +
				"With 0 writers, it costs 6.001 on single and 4.043 on batched.",
		},
		{
			// 5 + N before, N after.
			"fresh-read", [][]results.MetricSummary{
				amounts("requests/op", at{"generations": 0}, values{"scan": 5, "serve": 0, "probe": 0}),
				amounts("requests/op", at{"generations": 64}, values{"scan": 69, "serve": 64, "probe": 64}),
			},
			"With 64 L0 generations, a read takes 69 requests under scan (before the change) and 64 under serve (after the change). " +
				"With 0 L0 generations, it takes 5 under scan (before the change) and 0 under serve (after the change).",
		},
		{
			// 29 of its own before, and 5 for each poll; 24 after.
			"flush", [][]results.MetricSummary{
				amounts("requests/op", at{"generations": 16, "manifest_polls": 0}, values{"scan": 29, "serve": 24, "probe": 11}),
				amounts("requests/op", at{"generations": 16, "manifest_polls": 20}, values{"scan": 129, "serve": 24, "probe": 11}),
			},
			"With 20 polls of the manifest for each flush (an assumption), a flush takes 129 requests under scan (before the change) and 24 under serve (after the change). " +
				"With 0 polls, it takes 29 under scan (before the change) and 24 under serve (after the change).",
		},
		{
			// 7 and N, and 5 reads of the manifest of 5 each before.
			"compaction", [][]results.MetricSummary{
				amounts("requests/op", at{"generations": 1}, values{"scan": 33, "serve": 8}),
				amounts("requests/op", at{"generations": 64}, values{"scan": 96, "serve": 71}),
			},
			"With 64 L0 generations, a pass that reads the manifest 5 times (an assumption) takes 96 requests under scan (before the change) and 71 under serve (after the change). " +
				"With 1 L0 generation, it takes 33 under scan (before the change) and 8 under serve (after the change).",
		},
		{
			// 500 entries, or 63 of up to 8 appends.
			"wal-append", [][]results.MetricSummary{
				amounts("requests/op", at{"entries": 500, "group_commit": 1}, values{"scan": 1, "serve": 1, "serialized": 1, "probe": 1}),
				amounts("requests/op", at{"entries": 500, "group_commit": 8}, values{"scan": 0.126, "serve": 0.126, "serialized": 0.126, "probe": 0.126}),
			},
			"With 1 append to an entry of the log, each of 500 appends takes 1 request under scan (before the change), serve (after the change), serialized and probe. " +
				"With 8 appends to an entry of the log, each takes 0.126 under scan (before the change), serve (after the change), serialized and probe.",
		},
		{
			// scan 24 + 8K + L, serve 14 + K + L; probe 8 + K, and 14 to find the version that the
			// hint lags behind by 100 (2⌈log2 L⌉).
			"wal-replay", [][]results.MetricSummary{
				amounts("requests/op", at{"entries": 500, "hint_lag": 0}, values{"scan": 4024, "serve-cursor": 1514, "serve": 514, "probe": 508}),
				amounts("requests/op", at{"entries": 500, "hint_lag": 100}, values{"scan": 4124, "serve-cursor": 1614, "serve": 614, "probe": 522}),
			},
			"With 500 entries to replay and a hint that lags by 100 versions, opening a shard takes 4,124 requests under scan (before the change), 614 under serve (after the change) and 522 under probe. " +
				"With a hint that lags by 0 versions, it takes 4,024 under scan (before the change), 514 under serve (after the change) and 508 under probe.",
		},
		{
			// The first two follow the modelled times, and some of their commits fail: 16 and 19 of
			// 320. In turn a commit takes 2.
			"concurrent-commits", [][]results.MetricSummary{
				amounts("requests/landed", at{"committers": 1}, values{"scan": 7, "serve": 2, "serialized": 2, "probe": 1}),
				amounts("requests/landed", at{"committers": 32}, values{"scan": 48.98125 * 320 / 304, "serve": 47.234375 * 320 / 301, "serialized": 2, "probe": 1.0625}),
			},
			"With 32 commits at once, each commit that succeeds on one handle, with its share of those given up after ten attempts, takes 51.559 requests under scan (before the change), 50.216 under serve (after the change) and 2 under serialized. " +
				"With 1 commit at once, it takes 7 under scan (before the change) and 2 under serve (after the change) and serialized.",
		},
		{
			// One more than a replay.
			"failover", [][]results.MetricSummary{
				amounts(metricFirstAppend, at{"entries": 1, "hint_lag": 0}, values{"scan": 33, "serve": 16, "probe": 10}),
				amounts(metricFirstAppend, at{"entries": 500, "hint_lag": 0}, values{"scan": 4025, "serve": 515, "probe": 509}),
			},
			"With 500 entries to replay and a hint that lags by 0 versions, the next writer needs 4,025 requests to the first append under scan (before the change), 515 under serve (after the change) and 509 under probe. " +
				"With 1 entry to replay, it needs 33 under scan (before the change), 16 under serve (after the change) and 10 under probe.",
		},
	} {
		doc := described(t, tt.workload, slices.Concat(tt.summary...)...)
		if tt.workload == "concurrent-commits" {
			doc.Series = []results.Series{{Operations: map[string]results.Operations{opCommit: {Count: 320, OK: 304, Failed: 16}}}}
			concurrentCommits().Describe(doc)
		}
		if got := doc.Headline; got != tt.want {
			t.Errorf("%s:\n got %q\nwant %q", tt.workload, got, tt.want)
		}
	}
}

func guardedAmounts(guarded bool, values map[string]float64) []results.MetricSummary {
	all := amounts("usd/op", map[string]float64{"item_bytes": 16_000}, values)
	for _, m := range all {
		m.Point["guarded"] = results.Bool(guarded)
	}
	return all
}

// A headline says what was measured, and nothing where nothing can be said.
func TestHeadlines(t *testing.T) {
	records := func(n, writers, page float64) map[string]float64 {
		return map[string]float64{"records": n, "writers": writers, "page_size": page}
	}
	generations := map[string]float64{"generations": 3}
	for name, tt := range map[string]struct {
		doc  *results.Document
		want string
	}{
		"nothing": {described(t, "append-history"), "append-history measured nothing."},
		"a parameter that no case names varies": {
			described(t, "migration", of("single", "wru/item", 3, records(100, 1, 10)), of("single", "wru/item", 6, records(100, 1, 20)), of("single", "wru/item", 5, records(100, 4, 20))),
			"With 4 writers (page size 20), backfilling one of 100 records costs 5 write units on single. With 1 writer, it costs 6 on single.",
		},
		"only variants that it does not compare": {described(t, "fresh-read", of("probe", "requests/op", 3, generations)), ""},
		"one request":                            {described(t, "fresh-read", of("scan", "requests/op", 1, generations)), "With 3 L0 generations, a read takes 1 request under scan (before the change)."},
		"unguarded alone": {
			described(t, "dual-write", guardedAmounts(false, map[string]float64{"v1": 12.5e-6})...),
			"Without a guard, replacing an item of 16,000 bytes costs $12.50 per million on v1.",
		},
	} {
		if got := tt.doc.Headline; got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// A variant that failures disturbed at a point is not in the headline.
func TestHeadlineWithoutDisturbed(t *testing.T) {
	w, err := Find("fresh-read")
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]float64{"generations": 3}
	doc := described(t, "fresh-read", of("scan", "requests/op", 8, at), of("serve", "requests/op", 3, at))
	doc.Summary.Disturbed = []results.Disturbance{{Variant: "scan", Point: doc.Summary.Metrics[0].Point, Counts: map[string]int64{"reply-lost": 1}}}
	w.Describe(doc)
	if want := "With 3 L0 generations, a read takes 3 requests under serve (after the change)."; doc.Headline != want {
		t.Errorf("%q, want %q", doc.Headline, want)
	}
}

// A figure is taken from the point that it is about, and a count is multiplied or
// divided as its name says.
func TestPublishedFigures(t *testing.T) {
	at := func(polls float64) results.Point {
		return results.Point{"generations": results.Number(0), "manifest_polls": results.Number(polls), "duplicates": results.Bool(true), "user_indexes": results.Number(0)}
	}
	flushes := described(t, "flush",
		results.MetricSummary{Variant: "scan", Point: at(0), Metric: "requests/op", Value: 29},
		results.MetricSummary{Variant: "scan", Point: at(20), Metric: "requests/op", Value: 129},
		results.MetricSummary{Variant: "serve", Point: at(20), Metric: "requests/op", Value: 24},
		results.MetricSummary{Variant: "serve", Point: at(20), Metric: "usd/op", Value: 1})
	if got := flushes.Published; len(got) != 2 || got[0].Published != 132 || got[0].Measured != 129 || got[1].Published != 24 || got[1].Measured != 24 {
		t.Errorf("%+v", got)
	}
	per := described(t, "wal-replay", of("scan", "requests/op", 264, map[string]float64{"entries": 30, "hint_lag": 0}))
	if got := per.Published; len(got) != 1 || got[0].Measured != 8.8 {
		t.Errorf("%+v", got)
	}
	times := described(t, "concurrent-commits", of("serve", "scans/op", 3, map[string]float64{"committers": 8}))
	if got := times.Published; len(got) != 1 || got[0].Measured != 24 {
		t.Errorf("%+v", got)
	}
	if got := described(t, "catalog-refresh").Published; got == nil || len(got) != 0 {
		t.Errorf("%+v, expected an empty list", got)
	}
}
