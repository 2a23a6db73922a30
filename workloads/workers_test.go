package workloads

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/google/go-cmp/cmp"

	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/internal/backend/dynamo"
	"github.com/lakebench/lakebench/internal/backend/s3"
	"github.com/lakebench/lakebench/internal/resultstest"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/run"
)

// small are the parameters of a run of each workload in which nobody works at the
// same time as others, and which takes a moment.
var small = map[string]map[string]string{
	"catalog-refresh":    {"history_records": "30", "tables": "10", "page_limit": "10", "refreshes": "5"},
	"append-history":     {"days": "1", "commits_per_second": "0.001", "operations": "100", "tables": "10", "refreshes": "1"},
	"metadata-mix":       {"concurrency": "1", "operations": "20", "tables": "3", "history_records": "10"},
	"dual-write":         {"item_bytes": "300", "guarded": "true", "operations": "2", "tables": "2"},
	"migration":          {"records": "10", "page_size": "5", "writers": "0", "after": "2", "tables": "3"},
	"fresh-read":         {"generations": "0,2", "reads": "2", "rows": "2"},
	"flush":              {"generations": "2", "manifest_polls": "1", "rows": "2", "operations": "2"},
	"compaction":         {"generations": "2", "rows": "2", "operations": "2"},
	"wal-append":         {"entries": "3", "group_commit": "1"},
	"wal-replay":         {"entries": "3", "hint_lag": "0", "opens": "2"},
	"concurrent-commits": {"committers": "1", "rounds": "2"},
	"failover":           {"entries": "3", "opens": "2"},
}

// The parts of several workers put together are the run of one, in every workload:
// all that was counted of every series (docs/spec/results.md §6).
func TestPartsOfEveryWorkload(t *testing.T) {
	const workers = 2
	for _, w := range All() {
		t.Run(w.Name, func(t *testing.T) {
			t.Parallel()
			cfg := embedded(t, w, small[w.Name])
			one := run1(t, cfg)
			var parts []results.Named
			for i := range workers {
				cfg.Worker, cfg.RunID = run.Worker{Index: i + 1, Of: workers}, fmt.Sprint("part ", i)
				parts = append(parts, results.Named{Name: cfg.RunID, Document: *run1(t, cfg)})
			}
			compareParts(t, one, parts)
			series := 0
			for _, p := range parts {
				series += len(p.Document.Series)
			}
			if dealt := series == len(one.Series); dealt != (w.Division() == run.BySeries) {
				t.Errorf("divided by %s, there are %d series in the parts and %d in the whole", w.Division(), series, len(one.Series))
			}
		})
	}
}

// compareParts merges parts and holds them against the whole.
func compareParts(t *testing.T, one *results.Document, parts []results.Named) {
	t.Helper()
	merged, err := results.Merge("merged", parts...)
	if err != nil {
		t.Fatal(err)
	}
	if merged.Partial || run.Validity(&merged) != nil {
		t.Errorf("the whole is partial or invalid: %q, %v", merged.Warnings, run.Validity(&merged))
	}
	if d := cmp.Diff(countsOf(one), countsOf(&merged)); d != "" {
		t.Errorf("(-one worker +%d workers):\n%s", len(parts), d)
	}
}

// countsOf writes what was counted in each series, its own metrics included.
func countsOf(doc *results.Document) map[string]string {
	all := resultstest.Counts(doc)
	for i := range doc.Series {
		s := &doc.Series[i]
		own := maps.Clone(s.Metrics)
		maps.DeleteFunc(own, func(name string, _ float64) bool {
			// Times of this machine, and dollars, which follow from units but for their
			// last digit.
			return strings.HasSuffix(name, "-ns") || name == metricCeilingConflicts || strings.HasPrefix(name, "usd/")
		})
		all[resultstest.Name(s)] += fmt.Sprintf(", bytes sent %d, metrics %v", s.BytesSent, own)
	}
	return all
}

// served returns what opens services under a name on a server that all workers
// share.
func served(t *testing.T, w *run.Workload) func(name string) func(context.Context) (*backend.Backend, error) {
	t.Helper()
	engine, err := dynamo.New(dynamo.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	objects, err := s3.New(s3.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	handler := map[bool]http.Handler{false: engine.HTTPHandler(), true: objects.HTTPHandler()}[w.OnS3]
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return func(name string) func(context.Context) (*backend.Backend, error) {
		b := backend.DefaultConfig()
		b.Kind, b.RunID, b.Uses = backend.Endpoint, name, w.Uses()
		b.DynamoDBEndpoint, b.S3Endpoint = server.URL, server.URL
		b.AWS = aws.Config{Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("a", "b", "")}
		return func(ctx context.Context) (*backend.Backend, error) { return backend.Open(ctx, b) }
	}
}

// Four workers on one server, which start together, are one run: one workload is
// divided by operations on tables that one of them makes, one by series on S3.
func TestFourWorkersOnOneServer(t *testing.T) {
	for _, w := range []*run.Workload{catalogRefresh(), freshRead()} {
		t.Run(w.Name, func(t *testing.T) {
			t.Parallel()
			open := served(t, w)
			cfg := embedded(t, w, small[w.Name])
			cfg.Variants = cfg.Variants[:2]
			cfg.Tokens, cfg.Open = testTokens{}, open("one")
			one := run1(t, cfg)
			cfg.Meet = open("together")
			part := func(i, of int) (*results.Document, error) {
				cfg := cfg
				cfg.Worker, cfg.RunID = run.Worker{Index: i, Of: of, Meet: true}, fmt.Sprint("part ", i)
				if cfg.Open = open("together"); w.Division() == run.BySeries {
					cfg.Open = open(cfg.RunID)
				}
				return run.Run(t.Context(), cfg)
			}
			parts := make([]results.Named, 4)
			var wg sync.WaitGroup
			for i := range parts {
				wg.Go(func() {
					doc, err := part(i+1, len(parts))
					if err != nil {
						t.Errorf("worker %d: %v", i+1, err)
						return
					}
					parts[i] = results.Named{Name: doc.RunID, Document: *doc}
				})
			}
			wg.Wait()
			if t.Failed() {
				return
			}
			compareParts(t, one, parts)
			// All that was made is gone: the name is free for others.
			if _, err := part(1, 1); err != nil {
				t.Error(err)
			}
		})
	}
}

// More workers than there is work for are refused before anything is opened.
func TestTooManyWorkers(t *testing.T) {
	for _, w := range All() {
		cfg := embedded(t, w, small[w.Name])
		cfg.Open = func(context.Context) (*backend.Backend, error) { return nil, errors.New("it was opened") }
		cfg.Worker = run.Worker{Index: 1, Of: run.MaxWorkers}
		_, err := run.Run(t.Context(), cfg)
		if want := string(w.Division()); err == nil || !strings.Contains(err.Error(), "1000 workers") || !strings.Contains(err.Error(), map[run.Division]string{run.ByOperation: "refreshes", run.BySeries: "series"}[w.Division()]) {
			t.Errorf("%s: %v, want that there are fewer %s", w.Name, err, want)
		}
	}
}

func TestParseWorker(t *testing.T) {
	if w, err := run.ParseWorker("2/4"); err != nil || w != (run.Worker{Index: 2, Of: 4}) {
		t.Errorf("2/4: %v, %v", w, err)
	}
	for _, text := range []string{"", "2", "0/4", "5/4", "1/1001", "-1/4", "1/4 ", "01/4", "1/0"} {
		if w, err := run.ParseWorker(text); err == nil {
			t.Errorf("%q: %v, want an error", text, w)
		}
	}
}
