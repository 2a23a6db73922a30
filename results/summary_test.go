package results_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/lakebench/lakebench/internal/resultstest"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/results/growth"
	"github.com/lakebench/lakebench/run/metric"
)

// metricAt finds a metric of the summary.
func metricAt(t *testing.T, doc results.Document, variant string, history int, metric string) results.MetricSummary {
	t.Helper()
	for _, m := range doc.Summary.Metrics {
		if m.Variant == variant && m.Metric == metric && m.Point[resultstest.History] == results.Number(history) {
			return m
		}
	}
	t.Fatalf("no %s of %s at %d", metric, variant, history)
	return results.MetricSummary{}
}

// The numbers of the issue that asks for the workload: with 1,000 tables of 300
// bytes and 100,000 other records a v1 refresh makes 102 requests and takes 7,475
// strong read units; v2 makes 8 at every size.
func TestSummarizeCatalogRefresh(t *testing.T) {
	doc := resultstest.CatalogRefresh(2, 0, 1000, 10_000, 100_000)
	for _, c := range []struct {
		variant string
		history int
		metric  string
		want    float64
	}{
		{"v1", 100_000, "requests/op", 102},
		{"v1", 100_000, "evaluated/op", 101_000},
		{"v1", 100_000, "returned/op", 1000},
		{"v1", 100_000, "rru/op", 7475},
		{"v1", 100_000, "bytes/op", 300_000},
		{"v1", 100_000, "retries/op", 0},
		{"v1", 100_000, "usd/op", 7475 * 0.125e-6}, // 12.5 cents a million read units
		{"v2", 0, "requests/op", 8},
		{"v2", 100_000, "requests/op", 8},
		{"v2-parallel", 10_000, "evaluated/op", 1000},
		// 125 items of 311 bytes are 38,875 bytes, 10 blocks, in each of 8 shards.
		{"v2", 100_000, "rru/op", 80},
	} {
		m := metricAt(t, doc, c.variant, c.history, c.metric)
		if !near(m.Value, c.want) || m.Min != m.Value || m.Max != m.Value || m.Repeats != 2 {
			t.Errorf("%s %s at %d: %+v, want %v", c.variant, c.metric, c.history, m, c.want)
		}
	}
	classes := map[string]growth.Class{}
	for _, g := range doc.Summary.Growth {
		classes[g.Variant+" "+g.Metric] = g.Class
		if g.X != resultstest.History || len(g.Point) != 3 {
			t.Errorf("growth over %s at %v: want the one swept parameter, and the other three", g.X, g.Point)
		}
	}
	for name, want := range map[string]growth.Class{
		"v1 requests/op": growth.Linear, "v1 evaluated/op": growth.Linear, "v1 rru/op": growth.Linear, "v1 usd/op": growth.Linear,
		"v1 returned/op": growth.Constant, "v2 requests/op": growth.Constant, "v2-parallel rru/op": growth.Constant,
		"v1 p50-ns": "", // of the real clock, and two repeats
	} {
		if classes[name] != want {
			t.Errorf("growth of %s is %q, want %q", name, classes[name], want)
		}
	}
}

// Counts of concurrent clients are one draw of many: they cross and grow only where
// repeats show how much the order of requests changes them, or where it does not.
func TestSummarizeInterleavedCounts(t *testing.T) {
	for repeats, want := range map[int]growth.Class{1: growth.Undetermined, 4: growth.Undetermined, 5: growth.Linear} {
		doc := resultstest.CatalogRefresh(repeats, 0, 1000, 10_000, 100_000)
		for i := range doc.Series {
			doc.Series[i].Interleaved = true
		}
		var err error
		if doc.Summary, err = results.Summarize(&doc); err != nil {
			t.Fatal(err)
		}
		for _, g := range doc.Summary.Growth {
			switch {
			case g.Variant == "v1" && g.Metric == "requests/op" && g.Class != want:
				t.Errorf("%d repeats: v1 grows %s, want %s", repeats, g.Class, want)
			case g.Variant == "v2" && g.Metric == "requests/op" && g.Class != growth.Constant:
				t.Errorf("%d repeats: v2 has 8 requests at every point and grows %s", repeats, g.Class)
			}
		}
		if crosses := len(doc.Summary.Crossover) > 0; crosses != (repeats >= 5) {
			t.Errorf("%d repeats: crossovers %+v", repeats, doc.Summary.Crossover)
		}
	}
}

func near(got, want float64) bool { return got-want <= 1e-9*want && want-got <= 1e-9*want }

// v1 makes 2 requests and one more for each 1,000 records; v2 8. v1 reads 75
// units and 74 more for each 1,000; v2 80.
func TestCrossoverAndSlopes(t *testing.T) {
	doc := resultstest.CatalogRefresh(1, 0, 1000, 10_000, 100_000)
	found := map[string]results.Crossover{}
	for _, c := range doc.Summary.Crossover {
		found[fmt.Sprintf("%s %v", c.Metric, c.Variants)] = c
	}
	for name, want := range map[string]struct{ from, to, at float64 }{
		"requests/op [v1 v2]": {1000, 10_000, 6001}, "requests/op [v1 v2-parallel]": {1000, 10_000, 6001},
		"rru/op [v1 v2]": {0, 1000, 68}, "usd/op [v1 v2]": {0, 1000, 68},
		"evaluated/op [v1 v2]":         {}, // both 1,000 without history
		"bytes/op [v2 v1]":             {}, // v1's items are smaller throughout
		"p50-ns [v1 v2]":               {}, // one run of the real clock
		"returned/op [v1 v2]":          {}, // no cost
		"rru/op [v2 v2-parallel]":      {}, // both the same
		"requests/op [v2 v2-parallel]": {},
	} {
		got, ok := found[name]
		if ok != (want.to > 0) || got.Between != [2]float64{want.from, want.to} || got.At != want.at || ok && got.Changes != 1 {
			t.Errorf("crossover of %s: %+v, %v; want between %v and %v, at %v", name, got, ok, want.from, want.to, want.at)
		}
	}
	for _, s := range doc.Summary.Slopes {
		if s.Variant == "v1" && s.Metric == "rru/op" {
			if !near(s.Slope, 0.074) || !near(s.Fixed, 75) {
				t.Errorf("slope of v1's read units: %+v, want 0.074 and 75", s)
			}
			return
		}
	}
	t.Error("no slope of v1's read units")
}

// One value of a parameter gives no growth, crossover or slope; two give growth
// and slopes, of too few points.
func TestSummarizeFewPoints(t *testing.T) {
	one := resultstest.CatalogRefresh(1, 1000).Summary
	if len(one.Growth)+len(one.Crossover)+len(one.Slopes) != 0 || len(one.Metrics) == 0 {
		t.Errorf("one point: %d growth, %d crossover, %d slopes, %d metrics", len(one.Growth), len(one.Crossover), len(one.Slopes), len(one.Metrics))
	}
	two := resultstest.CatalogRefresh(1, 1000, 100_000).Summary
	if len(two.Growth) != len(two.Slopes) || len(two.Growth) == 0 {
		t.Errorf("two points: %d growth, %d slopes", len(two.Growth), len(two.Slopes))
	}
	for _, g := range two.Growth {
		if g.Class != growth.TooFewPoints || g.Fit != nil {
			t.Errorf("two points: %+v", g)
		}
	}
}

// Two swept parameters: each is fitted at every value of the other.
func TestSummarizeTwoParameters(t *testing.T) {
	var series []results.Series
	for _, tables := range []int{10, 100} {
		for _, history := range []int{1, 10, 100} {
			series = append(series, results.Series{
				Variant: "v1", Phase: results.Steady,
				Point:   results.Point{"tables": results.Number(tables), "history": results.Number(history), "word": results.Word("x")},
				Metrics: map[string]float64{"requests/op": float64(tables + 2*history)},
			})
		}
	}
	warm := series[0]
	warm.Phase, warm.Metrics = results.WarmUp, map[string]float64{"requests/op": 1e9}
	sum, err := results.Summarize(&results.Document{Metrics: metric.Common(), Series: append(series, warm)})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"history at tables=10 word=x":  "10 + 2·x^1 linear",
		"history at tables=100 word=x": "100 + 2·x^1 linear",
		"tables at history=1 word=x":   "too-few-points",
		"tables at history=10 word=x":  "too-few-points",
		"tables at history=100 word=x": "too-few-points",
	}
	for _, g := range sum.Growth {
		at := fmt.Sprintf("%s at %v", g.X, g.Point)
		got := string(g.Class)
		if g.Fit != nil {
			got = fmt.Sprintf("%v + %v·x^%v %s", g.Fit.A, g.Fit.B, g.Fit.K, g.Class)
		}
		if got != want[at] {
			t.Errorf("%s: %s, want %s", at, got, want[at])
		}
		delete(want, at)
	}
	for at := range want {
		t.Errorf("no growth over %s", at)
	}
	if n := len(sum.Metrics); n != 6 {
		t.Errorf("%d metrics, want 6: warm-up is no part of a summary", n)
	}
}

// Only what is a cost crosses over: more of what is neither good nor bad, or is
// good, makes no variant cheaper.
func TestCrossoverOfCostsOnly(t *testing.T) {
	var series []results.Series
	for _, variant := range []string{"a", "b"} {
		for _, x := range []int{1, 10, 100} {
			v := float64(10 * x)
			if variant == "b" {
				v = 50
			}
			series = append(series, results.Series{
				Variant: variant, Phase: results.Steady, Point: results.Point{"x": results.Number(x)},
				Metrics: map[string]float64{"wru/op": v, "returned/op": v, "ceiling-units/s": v, "its own": v},
			})
		}
	}
	declared := append(metric.Common(), results.Metric{Name: "ceiling-units/s", Better: results.HigherIsBetter, Assume: results.Exact})
	sum, err := results.Summarize(&results.Document{Metrics: declared, Series: series})
	if err != nil {
		t.Fatal(err)
	}
	if len(sum.Crossover) != 1 || sum.Crossover[0].Metric != "wru/op" || sum.Crossover[0].Variants != [2]string{"a", "b"} || sum.Crossover[0].At != 6 {
		t.Errorf("crossovers %+v, want one, of write units", sum.Crossover)
	}
}

// What an item of x bytes costs is a unit for each KiB begun, and dollars are units times
// a price: both are the same stairs, and cross another variant's at the same value.
func TestConstantMultiplesGrowAlike(t *testing.T) {
	var series []results.Series
	for x, units := range map[int]float64{300: 1, 1020: 1, 4000: 4, 16_000: 16} {
		for variant, wru := range map[string]float64{"stairs": units, "flat": 3} {
			series = append(series, results.Series{
				Variant: variant, Phase: results.Steady, Point: results.Point{"item_bytes": results.Number(x)},
				Metrics: map[string]float64{"wru/op": wru, "usd/op": wru * 6.25e-7},
			})
		}
	}
	slices.SortFunc(series, func(a, b results.Series) int { return cmp.Compare(a.Variant, b.Variant) })
	sum, err := results.Summarize(&results.Document{Metrics: metric.Common(), Series: series})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range sum.Growth {
		if g.Variant == "stairs" && (g.Class != growth.Steps || g.Fit.Unit != 1024 || g.Fit.Residual != 0) {
			t.Errorf("%s: %s %+v", g.Metric, g.Class, g.Fit)
		}
	}
	for _, c := range sum.Crossover {
		// 3 units from 2,049 bytes, 4 from 3,073.
		if c.Between != [2]float64{1020, 4000} || c.At != 3073 || c.Variants != [2]string{"stairs", "flat"} {
			t.Errorf("%+v", c)
		}
	}
	if len(sum.Growth) != 4 || len(sum.Crossover) != 2 {
		t.Errorf("%d classes and %d crossovers, want 4 and 2", len(sum.Growth), len(sum.Crossover))
	}
}

// Times of the real clock are fitted from five repeats on.
func TestTimesOfOneRunAreNotFitted(t *testing.T) {
	for repeats, want := range map[int]bool{1: false, 4: false, 5: true} {
		found := false
		for _, g := range resultstest.CatalogRefresh(repeats, 0, 1000, 10_000, 100_000).Summary.Growth {
			found = found || g.Metric == "p50-ns"
		}
		if found != want {
			t.Errorf("%d repeats: fitted %v, want %v", repeats, found, want)
		}
	}
}

// timed is a steady series whose operations took these times.
func timed(t *testing.T, repeat int, times ...int64) results.Series {
	t.Helper()
	h := hdrhistogram.New(1, 1e12, 3)
	for _, ns := range times {
		if err := h.RecordValue(ns); err != nil {
			t.Fatal(err)
		}
	}
	enc, err := results.EncodeHistogram(h, 0)
	if err != nil {
		t.Fatal(err)
	}
	s := results.Series{
		Variant: "v1", Phase: results.Steady, Repeat: repeat, Point: results.Point{},
		Operations: map[string]results.Operations{"read": {Count: int64(len(times)), OK: int64(len(times))}},
		Latency:    map[string]results.Latency{"read": {Service: enc, Response: enc}},
	}
	if err := s.Derive(metric.Common()); err != nil {
		t.Fatal(err)
	}
	return s
}

// Two medians of single samples have no order; those of many samples do.
func TestTimesOfFewSamplesDoNotCross(t *testing.T) {
	for samples, want := range map[int]int{1: 0, 400: 1} {
		var series []results.Series
		for _, variant := range []string{"a", "b"} {
			for x, ns := range map[int]int64{1: 1000, 100: 9000} {
				if variant == "b" {
					ns = 5000
				}
				s := timed(t, 0, slices.Repeat([]int64{ns}, samples)...)
				s.Variant, s.Point = variant, results.Point{"x": results.Number(x)}
				series = append(series, s)
			}
		}
		sum, err := results.Summarize(&results.Document{Clock: results.VirtualClock, Metrics: metric.Common(), Series: series})
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, c := range sum.Crossover {
			if c.Metric == "p50-ns" {
				found++
			}
		}
		if found != want {
			t.Errorf("%d samples: %d crossovers of the median, want %d", samples, found, want)
		}
	}
}

// Percentiles come from the merged samples. Three repeats whose medians are 1, 1
// and 100 have their median where the samples are, not at 34 or at 1.
func TestSummarizeMergesTimes(t *testing.T) {
	series := []results.Series{timed(t, 0, 1), timed(t, 1, 1), timed(t, 2, 100, 100, 100, 100, 100)}
	sum, err := results.Summarize(&results.Document{Metrics: metric.Common(), Series: series})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, m := range sum.Metrics {
		switch m.Metric {
		case "p50-ns", "service-p50-ns":
			found++
			if m.Value != 100 || m.Min != 1 || m.Max != 100 || m.Repeats != 3 {
				t.Errorf("%+v, want the median of 1 1 100 100 100 100 100", m)
			}
		}
	}
	if found != 2 {
		t.Errorf("%d medians, want response and service time", found)
	}
}

// Counts that differ between repeats (concurrent runs) have their median.
func TestSummarizeTakesTheMedianOfCounts(t *testing.T) {
	var series []results.Series
	for i, n := range []float64{7, 1, 2, 100} {
		series = append(series, results.Series{Variant: "v1", Phase: results.Steady, Repeat: i, Point: results.Point{}, Metrics: map[string]float64{"conflicts/op": n}})
	}
	for n, want := range map[int]float64{3: 2, 4: 4.5} {
		sum, err := results.Summarize(&results.Document{Metrics: metric.Common(), Series: series[:n]})
		if err != nil {
			t.Fatal(err)
		}
		if got := sum.Metrics[0].Value; got != want {
			t.Errorf("median of %d repeats is %v, want %v", n, got, want)
		}
	}
}

func TestDerive(t *testing.T) {
	s := results.Series{
		Operations: map[string]results.Operations{"commit": {Count: 3, OK: 2, Failed: 1}, "read": {Count: 7, OK: 6, Unknown: 1}},
		Attempts: []results.Attempt{
			{Service: "dynamodb", API: "GetItem", Outcome: "ok", Cause: "point", Count: 20},
			{Service: "s3", API: "PutObject", Outcome: "throttled", Cause: "mutate", Count: 5},
			{Service: "dynamodb", API: "BatchWriteItem", Outcome: "ok", Cause: "setup", Count: 1000},
		},
		Retries: 4, Usage: results.Usage{Work: results.Work{Evaluated: 40, Returned: 30, BytesSent: 100, BytesReceived: 900}, Units: results.Units{RRU: 15, WRU: 35, S3ClassA: 5, S3ClassB: 2}},
		CostUSD: 0.25,
		Metrics: map[string]float64{"conflicts/op": 0.5},
	}
	if err := s.Derive(metric.Common()); err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{
		"requests/op": 2.5, // setting up left out
		"retries/op":  0.4, "evaluated/op": 4, "returned/op": 3, "bytes/op": 100, "rru/op": 1.5, "wru/op": 3.5,
		"s3-class-a/op": 0.5, "s3-class-b/op": 0.2, "usd/op": 0.025,
		"conflicts/op": 0.5, // the workload's own
	}
	if len(s.Metrics) != len(want) {
		t.Errorf("metrics %v: without samples there are no times", s.Metrics)
	}
	for name, v := range want {
		if s.Metrics[name] != v {
			t.Errorf("%s is %v, want %v", name, s.Metrics[name], v)
		}
	}
	empty := results.Series{Attempts: s.Attempts}
	if err := empty.Derive(metric.Common()); err != nil || len(empty.Metrics) != 0 {
		t.Errorf("without operations: %v, %v; want no metrics", empty.Metrics, err)
	}
}

// A percentile that no sample lies beyond is none: p99 needs 100, p99.9 needs 1,000.
func TestDeriveNeedsSamples(t *testing.T) {
	of := func(n int) results.Series {
		values := make([]int64, n)
		for i := range values {
			values[i] = int64(i + 1)
		}
		return timed(t, 0, values...)
	}
	for n, want := range map[int][3]bool{1: {true, false, false}, 99: {true, false, false}, 100: {true, true, false}, 999: {true, true, false}, 1000: {true, true, true}} {
		s := of(n)
		if err := s.Derive(metric.Common()); err != nil {
			t.Fatal(err)
		}
		for _, prefix := range []string{"", "service-"} {
			for i, name := range []string{"p50-ns", "p99-ns", "p999-ns"} {
				if _, ok := s.Metrics[prefix+name]; ok != want[i] {
					t.Errorf("%d samples: %s%s is there: %v, want %v", n, prefix, name, ok, want[i])
				}
			}
			if s.Metrics[prefix+"max-ns"] != float64(n) {
				t.Errorf("%d samples: longest is %v", n, s.Metrics[prefix+"max-ns"])
			}
		}
	}
}

// Response and service times keep apart.
func TestDeriveTimes(t *testing.T) {
	fast, slow := timed(t, 0, 10, 20, 30, 40), timed(t, 0, 1000, 2000, 3000, 1<<20)
	s := fast
	s.Latency = map[string]results.Latency{"read": {Service: fast.Latency["read"].Service, Response: slow.Latency["read"].Response}}
	s.Metrics = nil
	if err := s.Derive(metric.Common()); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{
		"p50-ns": 2000, "service-p50-ns": 20, "max-ns": 1 << 20, "service-max-ns": 40,
	} {
		// three significant digits: a bucket's upper edge
		if got := s.Metrics[name]; got < want || got > want*1.001 {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}

func TestHistogramsOfDifferentPrecisionAreNotMerged(t *testing.T) {
	a, b := timed(t, 0, 1), timed(t, 1, 1)
	enc, err := results.EncodeHistogram(hdrhistogram.New(1, 1e12, 2), 0)
	if err != nil {
		t.Fatal(err)
	}
	b.Latency = map[string]results.Latency{"read": {Service: enc, Response: enc}}
	if _, err := results.Summarize(&results.Document{Metrics: metric.Common(), Series: []results.Series{a, b}}); !errors.Is(err, results.ErrUnmergeable) {
		t.Errorf("Summarize: %v, want ErrUnmergeable", err)
	}
	b.Latency = map[string]results.Latency{"read": {Service: results.Histogram{HDR: "HIST"}, Response: enc}}
	if err := b.Derive(metric.Common()); err == nil {
		t.Error("Derive accepts a damaged histogram")
	}
}
