package export

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/lakebench/lakebench/results"
)

// entry is what hosted trackers of benchmarks take in a list: the custom format of
// the GitHub action "github-action-benchmark".
type entry struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
	Range string  `json:"range,omitempty"`
	Extra string  `json:"extra,omitempty"`
}

// WriteTracker writes the lower-is-better metrics of the steady phase: a tracker
// warns of changes in one direction.
func WriteTracker(w io.Writer, doc results.Document) error {
	list := []entry{}
	for _, m := range doc.Summary.Metrics {
		known := doc.Metrics.Lookup(m.Metric)
		if known.Better != results.LowerIsBetter {
			continue
		}
		e := entry{Name: benchmarkName(doc, m) + " " + m.Metric, Unit: unitOf(known), Value: m.Value}
		if m.Repeats > 1 {
			e.Range = fmt.Sprintf("%s to %s", number(m.Min), number(m.Max))
			e.Extra = fmt.Sprintf("%d repeats", m.Repeats)
		}
		list = append(list, e)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(list)
}

// unitOf is the unit of a metric's value.
func unitOf(m results.Metric) string {
	if m.Assume == results.Time {
		return "ns"
	}
	return m.Title()
}

// benchmarkName names a variant at a point as the benchmark format does.
func benchmarkName(doc results.Document, m results.MetricSummary) string {
	parts := []string{doc.Workload.Name, m.Variant}
	for _, name := range sortedKeys(m.Point) {
		parts = append(parts, name+"="+m.Point[name].String())
	}
	return strings.Join(parts, "/")
}
