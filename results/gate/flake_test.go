package gate_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/internal/price"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/results/gate"
	"github.com/lakebench/lakebench/run"
	"github.com/lakebench/lakebench/workloads"
)

// TestHundredRunsPass: the same run a hundred times on the real clock passes the
// gate on the first every time, whatever the machine does to its times.
func TestHundredRunsPass(t *testing.T) {
	w, err := workloads.Find("catalog-refresh")
	if err != nil {
		t.Fatal(err)
	}
	params, err := w.Resolve(map[string]string{"history_records": "3", "tables": "2", "page_limit": "2", "refreshes": "1", "warmup": "0"})
	if err != nil {
		t.Fatal(err)
	}
	run := func(i int) results.Document {
		doc, err := run.Run(t.Context(), run.Config{
			Workload: w, Params: params, Variants: w.Variants[:1], Seed: 7, Repeats: 1, Prices: price.Default(), RunID: fmt.Sprint("run-", i),
			Open: func(ctx context.Context) (*backend.Backend, error) { return backend.Open(ctx, backend.DefaultConfig()) },
		})
		if err != nil {
			t.Fatal(err)
		}
		return *doc
	}
	baseline := run(0)
	for i := range 100 {
		if v := judged(t, gate.DefaultPolicy(), baseline, run(i+1)); v.Outcome != gate.Pass {
			t.Fatalf("run %d: %s: %v", i+1, v.Outcome, v.Failures)
		}
	}
}
