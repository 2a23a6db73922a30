//go:build real

package workloads

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/run"
)

// TestRealWorkloads runs small workloads of the metadata store on the server that
// LAKEBENCH_TEST_DYNAMODB names, and holds it against the rules where counts are
// exact.
func TestRealWorkloads(t *testing.T) {
	address := os.Getenv("LAKEBENCH_TEST_DYNAMODB")
	if address == "" {
		t.Fatal("LAKEBENCH_TEST_DYNAMODB names no server, such as http://127.0.0.1:8000")
	}
	number := int(time.Now().UnixNano() % 1e9)
	for _, tt := range []struct {
		workload *run.Workload
		set      map[string]string
	}{
		{appendHistory(), map[string]string{"days": "1", "commits_per_second": "0.001", "operations": "150", "tables": "20"}},
		{metadataMix(), map[string]string{"concurrency": "1,4", "operations": "120", "tables": "10", "history_records": "40"}},
		{dualWrite(), map[string]string{"item_bytes": "300,4000", "operations": "8", "tables": "3"}},
		{migration(), map[string]string{"records": "100", "page_size": "30", "writers": "0,2", "after": "5"}},
	} {
		t.Run(tt.workload.Name, func(t *testing.T) {
			cfg := embedded(t, tt.workload, tt.set)
			shadow, err := run.MeasureShadow(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			number++
			doc, err := run.Run(t.Context(), onEndpoint(cfg, address, number))
			if err != nil {
				t.Fatal(err)
			}
			differences, err := shadow.Compare(doc)
			if err = errors.Join(err, run.Validity(doc)); err != nil {
				t.Error(err)
			}
			for _, d := range differences {
				t.Log(d)
			}
			for _, c := range doc.Checks {
				if c.Status != results.Passed {
					t.Errorf("check %q: %s: %s", c.Name, c.Status, c.Detail)
				}
			}
		})
	}
}
