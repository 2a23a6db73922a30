package workloads

import (
	"testing"

	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/run"
)

// shardRun runs a workload at one point, and fails unless all its checks passed.
func shardRun(t *testing.T, w *run.Workload, virtual bool, set map[string]string) *results.Document {
	t.Helper()
	cfg := embedded(t, w, set)
	cfg.Virtual = virtual
	doc, err := run.Run(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range doc.Checks {
		if c.Status != results.Passed {
			t.Errorf("%s: check %q %s: %s", w.Name, c.Name, c.Status, c.Detail)
		}
	}
	return doc
}

// The numbers of docs/spec/shard-manifest.md §5, by policy.
func TestShardsCostWhatTheSpecificationSays(t *testing.T) {
	const requests = "requests/op"
	profile := map[string]string{"generations": "3", "duplicates": "true", "user_indexes": "0", "operations": "2", "rows": "4"}
	with := func(more ...string) map[string]string {
		set := map[string]string{}
		for k, v := range profile {
			set[k] = v
		}
		for i := 0; i < len(more); i += 2 {
			set[more[i]] = more[i+1]
		}
		return set
	}
	for _, c := range []struct {
		workload *run.Workload
		set      map[string]string
		metric   string
		want     map[string]float64 // by variant
	}{
		{freshRead(), map[string]string{"generations": "0", "rows": "3", "reads": "2"}, requests, map[string]float64{"scan": 5, "serve": 0, "serialized": 0, "probe": 0}},
		{freshRead(), map[string]string{"generations": "7", "rows": "3", "reads": "2"}, requests, map[string]float64{"scan": 12, "serve": 7, "serialized": 7, "probe": 7}},
		// Without add-ons: 21 → 16, and fewer than 12 under probe.
		{flush(), with("duplicates", "false", "force_seal", "false", "manifest_polls", "0"), requests, map[string]float64{"scan": 21, "serve": 16, "serialized": 16, "probe": 8}},
		{flush(), with("manifest_polls", "20"), requests, map[string]float64{"scan": 129, "serve": 24, "serialized": 24, "probe": 11}},
		{flush(), with("manifest_polls", "20"), ownRequests, map[string]float64{"scan": 29, "serve": 24, "serialized": 24, "probe": 11}},
		{compaction(), with("manifest_polls", "0"), ownRequests, map[string]float64{"scan": 35, "serve": 10, "serialized": 10, "probe": 9}},
		{walAppend(), map[string]string{"entries": "20", "group_commit": "1"}, requests, map[string]float64{"scan": 1, "serve": 1, "serialized": 1, "probe": 1}},
		{
			walReplay(), map[string]string{"entries": "30", "hint_lag": "0", "opens": "1"}, requests,
			map[string]float64{"scan": 24 + 8*30, "serve-cursor": 14 + 3*30, "serve": 14 + 30, "serialized": 14 + 30, "probe": 8 + 30},
		},
		{
			walReplay(), map[string]string{"entries": "30", "hint_lag": "0", "opens": "1", "flushed_before": "true"}, requests,
			map[string]float64{"scan": 24 + 9*30, "serve-cursor": 14 + 4*30, "serve": 14 + 2*30, "serialized": 14 + 2*30, "probe": 8 + 30},
		},
		// Ten versions behind, a search takes 15 requests instead of 5.
		{walReplay(), map[string]string{"entries": "1", "hint_lag": "10", "opens": "1"}, requests, map[string]float64{"scan": 42, "serve-cursor": 27, "serve": 25, "serialized": 25}},
		{
			failover(), map[string]string{"entries": "5", "hint_lag": "0", "opens": "1"}, metricFirstAppend,
			map[string]float64{"scan": 24 + 8*5 + 1, "serve": 14 + 5 + 1, "serialized": 14 + 5 + 1, "probe": 8 + 5 + 1},
		},
	} {
		doc := shardRun(t, c.workload, false, c.set)
		for variant, want := range c.want {
			if got := metrics(t, doc, variant)[c.metric]; got != want {
				t.Errorf("%s %v, %s: %s is %v, expected %v", c.workload.Name, c.set, variant, c.metric, got, want)
			}
		}
	}
}

// n commits at once on one warm handle: serialized they make no search and two
// requests each; before, each makes at least one; what is in between cannot make
// more than every commit could cause to every other.
func TestConcurrentCommitsSerialize(t *testing.T) {
	for _, n := range []float64{1, 8, 32} {
		doc := shardRun(t, concurrentCommits(), true, map[string]string{"committers": results.Number(n).String(), "rounds": "2"})
		for _, s := range doc.Series {
			scans, failed := s.Metrics[metricScans]*n, s.Operations["commit"].Failed
			switch s.Variant {
			case "scan":
				if scans < n {
					t.Errorf("scan, %v committers: %v searches a round", n, scans)
				}
			case "serve":
				if scans > n*(n-1)/2 {
					t.Errorf("serve, %v committers: %v searches a round, expected at most %v", n, scans, n*(n-1)/2)
				}
			case "serialized":
				if scans != 0 || failed != 0 || s.Metrics["requests/op"] != 2 {
					t.Errorf("serialized, %v committers: %v searches, %d failed, %v requests a commit", n, scans, failed, s.Metrics["requests/op"])
				}
			}
		}
	}
}
