package results

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/perf/benchfmt"
)

// WriteBench writes the document's metrics in the Go benchmark format, which
// benchstat and its kin read: units declared, counts as exact, one line for each
// series. Repeats have one name, as repeated benchmarks do. Series without
// operations or metrics have no line: the format has no way to say nothing.
func WriteBench(w io.Writer, doc Document) error {
	out := benchfmt.NewWriter(w)
	for _, m := range benchUnits(doc) {
		if err := out.Write(&m); err != nil {
			return fmt.Errorf("write benchmark twin: %w", err)
		}
	}
	config := benchConfig(doc)
	for i := range doc.Series {
		s := &doc.Series[i]
		n := s.OperationCount()
		if n == 0 || n > math.MaxInt || len(s.Metrics) == 0 {
			continue
		}
		r := benchfmt.Result{Config: config, Name: benchfmt.Name(benchName(doc.Workload.Name, s)), Iters: int(n)}
		for _, name := range (&group{series: []*Series{s}}).metrics(doc.Metrics) {
			r.Values = append(r.Values, benchfmt.Value{Value: s.Metrics[name], Unit: benchUnit(name)})
		}
		if err := out.Write(&r); err != nil {
			return fmt.Errorf("write benchmark twin: %w", err)
		}
	}
	return nil
}

// benchUnits declares the units of all metrics in use.
func benchUnits(doc Document) []benchfmt.UnitMetadata {
	var all group
	for i := range doc.Series {
		all.series = append(all.series, &doc.Series[i])
	}
	var units []benchfmt.UnitMetadata
	declare := func(unit, key, value string) {
		units = append(units, benchfmt.UnitMetadata{UnitMetadataKey: benchfmt.UnitMetadataKey{Unit: unit, Key: key}, OrigUnit: unit, Value: value})
	}
	for _, name := range all.metrics(doc.Metrics) {
		m := doc.Metrics.Lookup(name)
		if m.Assume == Exact {
			declare(benchUnit(name), "assume", "exact")
		}
		switch m.Better {
		case LowerIsBetter:
			declare(benchUnit(name), "better", "lower")
		case HigherIsBetter:
			declare(benchUnit(name), "better", "higher")
		case Neither:
		}
	}
	return units
}

// benchConfig says what was run, and where: the keys of the Go tool where there
// are any. Parameters are keys here unless they are in the benchmarks' names, so that
// benchstat can compare across each of them.
func benchConfig(doc Document) []benchfmt.Config {
	var config []benchfmt.Config
	add := func(key, value string) {
		if value = strings.Join(strings.Fields(value), " "); value != "" {
			config = append(config, benchfmt.Config{Key: key, Value: []byte(value), File: true})
		}
	}
	add("workload", doc.Workload.Name)
	add("workload-version", strconv.Itoa(doc.Workload.Version))
	add("workload-hash", doc.Workload.Hash)
	add("seed", strconv.FormatUint(doc.Seed, 10))
	add("clock", string(doc.Clock))
	for _, name := range sortedKeys(doc.Workload.Params) {
		if !inNames(doc, name) {
			add(name, fmt.Sprint(doc.Workload.Params[name]))
		}
	}
	add("backend", doc.Environment.Backend.Kind)
	add("goos", doc.Environment.OS)
	add("goarch", doc.Environment.Arch)
	add("goversion", doc.Environment.Go)
	add("lakebench-version", doc.Lakebench.Version)
	return config
}

// inNames reports whether a parameter is a coordinate of the series.
func inNames(doc Document, name string) bool {
	for i := range doc.Series {
		if _, ok := doc.Series[i].Point[name]; ok {
			return true
		}
	}
	return false
}

// benchName is the workload in camel case and the series' coordinates, as
// sub-benchmarks name theirs: CatalogRefresh/variant=v1/history_records=0/phase=steady.
func benchName(workload string, s *Series) string {
	var b strings.Builder
	for part := range strings.SplitSeq(workload, "-") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	fmt.Fprintf(&b, "/variant=%s", benchWord(s.Variant))
	for _, name := range sortedKeys(s.Point) {
		fmt.Fprintf(&b, "/%s=%s", benchWord(name), benchWord(s.Point[name].String()))
	}
	fmt.Fprintf(&b, "/phase=%s", s.Phase)
	return b.String()
}

// benchWord replaces what would end a name or a part of it.
func benchWord(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '/' || r == '=' {
			return '_'
		}
		return r
	}, s)
}

// benchUnit is the metric's name: units may hold anything but spaces.
func benchUnit(metric string) string { return strings.Join(strings.Fields(metric), "_") }
