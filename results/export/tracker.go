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

// WriteTracker writes the metrics of which less is better, of the steady phase.
// Trackers warn of changes in one direction, so the others are a list of their
// own; what is neither is no cost and in none.
func WriteTracker(w io.Writer, doc results.Document) error {
	return writeTracker(w, doc, results.LowerIsBetter)
}

// WriteTrackerBigger writes the metrics of which more is better.
func WriteTrackerBigger(w io.Writer, doc results.Document) error {
	return writeTracker(w, doc, results.HigherIsBetter)
}

func writeTracker(w io.Writer, doc results.Document, better results.Direction) error {
	list := []entry{}
	for _, m := range doc.Summary.Metrics {
		known, ok := results.LookupMetric(m.Metric)
		if !ok || known.Better != better {
			continue
		}
		e := entry{Name: benchmarkName(doc, m) + " " + m.Metric, Unit: unitOf(known), Value: m.Value}
		if m.Repeats > 1 {
			e.Range = fmt.Sprintf("%s to %s", number(m.Min), number(m.Max))
			e.Extra = fmt.Sprintf("%d repeats", m.Repeats)
		}
		list = append(list, e)
	}
	return writeJSON(w, list)
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

// measure is a value in the nested form: the "Bencher Metric Format".
type measure struct {
	Value float64  `json:"value"`
	Lower *float64 `json:"lower_value,omitempty"`
	Upper *float64 `json:"upper_value,omitempty"`
}

// WriteNested writes every metric of the steady phase as a measure of its
// benchmark: a variant at a point.
func WriteNested(w io.Writer, doc results.Document) error {
	all := map[string]map[string]measure{}
	for _, m := range doc.Summary.Metrics {
		name := benchmarkName(doc, m)
		if all[name] == nil {
			all[name] = map[string]measure{}
		}
		v := measure{Value: m.Value}
		if m.Repeats > 1 {
			v.Lower, v.Upper = &m.Min, &m.Max
		}
		all[name][measureName(m.Metric)] = v
	}
	return writeJSON(w, all)
}

// measureName is the metric's name with the characters that such trackers take.
func measureName(metric string) string {
	return strings.ReplaceAll(strings.ReplaceAll(metric, "/", "-per-"), " ", "-")
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
