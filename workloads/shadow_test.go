package workloads

import (
	"strings"
	"testing"

	"github.com/lakebench/lakebench/internal/backend/fault"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/run"
)

// TestCompareIsNetOfRetries: a server that now and then does not answer costs
// requests that no rule foretells. They are counted as retries, and are no
// difference; a request that is missing is one.
func TestCompareIsNetOfRetries(t *testing.T) {
	set := map[string]string{"history_records": "300", "tables": "40", "refreshes": "2"}
	shadow, err := run.MeasureShadow(t.Context(), embedded(t, catalogRefresh(), set))
	if err != nil {
		t.Fatal(err)
	}
	cfg := embedded(t, catalogRefresh(), set)
	cfg.Virtual = true // the retry's back-off takes no real time
	cfg.Faults, err = fault.Parse("flag", "on dynamodb Query every 7 : error-before")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := run.Run(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if got := metrics(t, doc, "v2")["retries/op"] + metrics(t, doc, "v2-parallel")["retries/op"]; got == 0 {
		t.Fatal("nothing was retried: this shows nothing")
	}
	if d, err := shadow.Compare(doc); err != nil || len(d) > 0 || !passed(doc) {
		t.Errorf("differences %v, %v; want none", d, err)
	}

	for i := range doc.Summary.Metrics {
		if m := &doc.Summary.Metrics[i]; m.Variant == "v2" && m.Metric == "requests/op" {
			m.Value--
		}
	}
	d, err := shadow.Compare(doc)
	if err != nil || len(d) != 1 || d[0].Metric != "requests/op" || d[0].Computed-d[0].Reported != 1 || passed(doc) {
		t.Errorf("one request fewer: differences %v, %v; want one of 1", d, err)
	}
}

// passed reports whether the last comparison with the rules passed.
func passed(doc *results.Document) bool {
	status := results.Failed
	for _, c := range doc.Checks {
		if strings.HasPrefix(c.Name, run.CheckReported) {
			status = c.Status
		}
	}
	return status == results.Passed
}
