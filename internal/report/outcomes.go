package report

import (
	"maps"
	"slices"
	"strings"

	"github.com/lakebench/lakebench/internal/render/format"
	"github.com/lakebench/lakebench/results"
)

// outcomeNouns are the outcomes of requests that were not ok, and retries, in the
// singular and plural.
var outcomeNouns = map[string][2]string{
	"absent":           {"absent", "absent"},
	"condition-failed": {"condition failed", "conditions failed"},
	"conflict":         {"conflict", "conflicts"},
	"throttled":        {"throttled", "throttled"},
	"server-error":     {"server error", "server errors"},
	"timeout":          {"timeout", "timeouts"},
	"reply-lost":       {"lost reply", "lost replies"},
	"other":            {"other failure", "other failures"},
	results.Retries:    {"retry", "retries"},
}

// outcomeList writes counts by outcome: "2 lost replies, 1 retry".
func outcomeList(counts map[string]int64) string {
	var parts []string
	for _, outcome := range slices.Sorted(maps.Keys(counts)) {
		noun := outcomeNouns[outcome]
		parts = append(parts, format.Plural(counts[outcome], noun[0], noun[1]))
	}
	return strings.Join(parts, ", ")
}

// notOK has the requests that were not ok: first the answers that a store expects and
// works with, on S3 with their status, then failures.
func notOK(counts map[string]int64, onS3 bool) []string {
	expected, failed := map[string]int64{}, map[string]int64{}
	failures := int64(0)
	for outcome, n := range counts {
		switch outcome {
		case "ok":
		case "absent", "condition-failed", "conflict":
			expected[outcome] = n
		default:
			failed[outcome] = n
			failures += n
		}
	}
	var parts []string
	if len(expected) > 0 {
		text := outcomeList(expected)
		if onS3 {
			text = strings.NewReplacer(" absent", " absent (404)", " failed", " failed (412)").Replace(text)
		}
		parts = append(parts, "expected answers: "+text)
	}
	if failures > 0 {
		parts = append(parts, format.Plural(failures, "request failed: ", "requests failed: ")+outcomeList(failed))
	}
	return parts
}

// disturbances is a column for the table of costs that names what disturbed a row;
// false if nothing disturbed any.
func disturbances(doc results.Document, rows []*row) (cells []string, some bool) {
	for _, r := range rows {
		d, disturbed := doc.Summary.Disturbance(r.variant, r.point)
		cell := ""
		if disturbed {
			cell, some = "disturbed: "+outcomeList(d.Counts), true
		}
		cells = append(cells, cell)
	}
	return cells, some
}

// disturbedNote explains that column.
const disturbedNote = "Disturbed rows have requests that failed or were sent again although no fault was injected. No fit, crossover or headline includes them."
