package results_test

import (
	"testing"

	"github.com/lakebench/lakebench/internal/resultstest"
	"github.com/lakebench/lakebench/results"
)

// A refresh hands over 1,000 items of 300 bytes: 300,000 bytes are one page and
// 73.2 blocks.
func TestFloor(t *testing.T) {
	doc := resultstest.CatalogRefresh(1, 0, 100_000)
	p := doc.Series[0].Point
	for metric, want := range map[string]float64{"requests/op": 1, "evaluated/op": 1000, "rru/op": 74, "usd/op": 74 * 0.125e-6} {
		if got, ok := results.Floor(doc, p, doc.Metrics.Lookup(metric)); !ok || !near(got, want) {
			t.Errorf("floor of %s is %v, %v; want %v", metric, got, ok, want)
		}
	}
	if _, ok := results.Floor(doc, p, doc.Metrics.Lookup("p50-ns")); ok {
		t.Error("there is a floor of a time")
	}
	doc.Workload.Params["consistency"] = "eventual"
	if got, _ := results.Floor(doc, p, doc.Metrics.Lookup("rru/op")); got != 37 {
		t.Errorf("floor of eventually consistent reads is %v, want 37", got)
	}
	delete(doc.Workload.Params, "consistency")
	if _, ok := results.Floor(doc, p, doc.Metrics.Lookup("rru/op")); ok {
		t.Error("there is a floor of read units without a consistency")
	}
	// The item that crosses 1 MiB belongs to the page: a byte over it is one page.
	for bytes, want := range map[int64]float64{1<<20 + 1: 1, 2 << 20: 2} {
		for i := range doc.Series {
			doc.Series[i].BytesReceived = 20 * bytes // 20 refreshes
		}
		if got, _ := results.Floor(doc, p, doc.Metrics.Lookup("requests/op")); got != want {
			t.Errorf("floor of requests for %d bytes is %v, want %v", bytes, got, want)
		}
	}
	doc.Series[1].WRU = 1
	if _, ok := results.Floor(doc, p, doc.Metrics.Lookup("requests/op")); ok {
		t.Error("there is a floor of reading for a workload that writes")
	}
}
