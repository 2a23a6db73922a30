// Package export writes results for other tools: spreadsheets, Prometheus, and
// trackers of benchmarks over time.
//
// Names are an interface. They follow from the metrics' names by rules that do not
// change (docs/exports.md lists them), and every number has a unit.
package export

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/lakebench/lakebench/results"
)

// A Format is a way to write a result.
type Format struct {
	Name string
	// Doc says in a line what it is.
	Doc   string
	Write func(io.Writer, results.Document) error
}

// Formats returns all formats.
func Formats() []Format {
	return []Format{
		{"bench", "Go's benchmark format, for benchstat", results.WriteBench},
		{"csv", "a row for each metric of each series and repeat", WriteCSV},
		{"prometheus", "Prometheus text format 0.0.4, steady phase", WritePrometheus},
		{"tracker", "JSON [{name, unit, value}], lower-is-better metrics", WriteTracker},
	}
}

// Find returns the format of a name.
func Find(name string) (Format, bool) {
	all := Formats()
	i := slices.IndexFunc(all, func(f Format) bool { return f.Name == name })
	if i < 0 {
		return Format{}, false
	}
	return all[i], true
}

// WriteCSV writes every metric of every series: its coordinates, a column for each
// swept parameter, and the value with all its digits.
func WriteCSV(w io.Writer, doc results.Document) error {
	out := csv.NewWriter(w)
	var params []string
	if len(doc.Series) > 0 {
		params = sortedKeys(doc.Series[0].Point)
	}
	header := append([]string{"workload", "workload_hash", "seed", "run_id", "variant"}, params...)
	rows := [][]string{append(header, "phase", "repeat", "metric", "value")}
	for i := range doc.Series {
		s := &doc.Series[i]
		place := []string{doc.Workload.Name, doc.Workload.Hash, strconv.FormatUint(doc.Seed, 10), doc.RunID, s.Variant}
		for _, p := range params {
			place = append(place, s.Point[p].String())
		}
		place = append(place, string(s.Phase), strconv.Itoa(s.Repeat))
		names := sortedKeys(s.Metrics)
		doc.Metrics.Sort(names)
		for _, m := range names {
			rows = append(rows, append(slices.Clone(place), m, number(s.Metrics[m])))
		}
	}
	if err := out.WriteAll(rows); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}

// number writes a number with all its digits, and whole ones without an exponent.
func number(f float64) string {
	if f == float64(int64(f)) {
		return strconv.FormatInt(int64(f), 10)
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}
