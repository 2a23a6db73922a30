package results_test

import (
	"bytes"
	"maps"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
	"golang.org/x/perf/benchproc"

	"github.com/lakebench/lakebench/internal/resultstest"
	"github.com/lakebench/lakebench/results"
)

// parseBench reads the benchmark twin of doc with the reader that benchstat has.
func parseBench(t *testing.T, doc results.Document) ([]*benchfmt.Result, benchfmt.UnitMetadataMap) {
	t.Helper()
	var twin bytes.Buffer
	if err := results.WriteBench(&twin, doc); err != nil {
		t.Fatal(err)
	}
	var lines []*benchfmt.Result
	r := benchfmt.NewReader(&twin, "result.bench")
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Errorf("not well-formed: %v", rec)
		case *benchfmt.Result:
			lines = append(lines, rec.Clone())
		}
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	return lines, r.Units()
}

func TestBenchTwin(t *testing.T) {
	doc := resultstest.CatalogRefresh(2, 0, 100_000)
	lines, units := parseBench(t, doc)
	if len(lines) != len(doc.Series) {
		t.Fatalf("%d lines for %d series", len(lines), len(doc.Series))
	}
	names := map[string]int{}
	for i, line := range lines {
		names[string(line.Name)]++
		if line.Iters != resultstest.Refreshes {
			t.Errorf("%s: %d iterations, want %d", line.Name, line.Iters, resultstest.Refreshes)
		}
		got := map[string]float64{}
		for _, v := range line.Values {
			if v.OrigUnit != "" { // nanoseconds are read as seconds
				v.Unit, v.Value = v.OrigUnit, v.OrigValue
			}
			got[v.Unit] = v.Value
		}
		if !maps.Equal(got, doc.Series[i].Metrics) {
			t.Errorf("%s: values %v, want the metrics %v", line.Name, got, doc.Series[i].Metrics)
		}
		for key, want := range map[string]string{"workload": "catalog-refresh", "goos": "linux", "seed": "1", "workload-hash": doc.Workload.Hash} {
			if got := line.GetConfig(key); got != want {
				t.Errorf("%s: %s is %q, want %q", line.Name, key, got, want)
			}
		}
	}
	const name = "CatalogRefresh/variant=v1/history_records=100000/item_bytes=300/page_limit=1000/tables=1000/phase=steady"
	if names[name] != 2 {
		t.Errorf("names are %v; want both repeats as %s", names, name)
	}
	if units.GetAssumption("requests/op") != benchmath.AssumeExact || units.GetAssumption("p50-ns") != benchmath.AssumeNothing {
		t.Error("counts are to be exact, times not")
	}
	if units.GetBetter("requests/op") != -1 || units.GetBetter("p99-ns") != -1 || units.GetBetter("returned/op") != 0 {
		t.Error("less is better for costs and times; what is returned is neither")
	}
}

// Words that would break a line are no reason for a twin that does not parse.
func TestBenchTwinOfStrangeWords(t *testing.T) {
	doc := resultstest.CatalogRefresh(1, 0)
	doc.Series = doc.Series[:1]
	doc.Environment.Go = "go 1.26\ngoos: plan9"
	doc.Series[0].Variant = "a b/c=d"
	doc.Series[0].Metrics = map[string]float64{"odd name/op": 3}
	lines, _ := parseBench(t, doc)
	if len(lines) != 1 || !strings.HasPrefix(string(lines[0].Name), "CatalogRefresh/variant=a_b_c_d/") ||
		lines[0].Values[0].Unit != "odd_name/op" || lines[0].GetConfig("goos") != "linux" {
		t.Errorf("read back as %+v", lines)
	}
}

// A series that counted no operation has no line, as an iteration count of 0 is
// a benchmark that did not run.
func TestBenchTwinLeavesOutWhatDidNotRun(t *testing.T) {
	doc := resultstest.CatalogRefresh(1, 0)
	doc.Series[0].Operations = nil
	doc.Series[1].Metrics = nil
	if lines, _ := parseBench(t, doc); len(lines) != 1 {
		t.Errorf("%d lines, want 1", len(lines))
	}
}

// benchstat puts runs that differ in a parameter side by side by the command of
// docs/comparing-and-gating.md: one table, a row for each series, a column for each
// value. A parameter that is no coordinate is a key of the file.
func TestBenchstatAcrossAParameter(t *testing.T) {
	for col, other := range map[string]func(*results.Document){
		"/page_limit": func(d *results.Document) {
			d.Workload.Hash = "another"
			for i := range d.Series {
				d.Series[i].Point = d.Series[i].Point.Without("page_limit")
				d.Series[i].Point["page_limit"] = results.Number(250)
			}
		},
		"consistency": func(d *results.Document) {
			d.Workload.Hash = "another"
			d.Workload.Params = maps.Clone(d.Workload.Params)
			d.Workload.Params["consistency"] = "eventual"
		},
	} {
		old, next := resultstest.CatalogRefresh(1, 0), resultstest.CatalogRefresh(1, 0)
		other(&next)
		var parser benchproc.ProjectionParser
		filter, err := benchproc.NewFilter("*")
		if err != nil {
			t.Fatal(err)
		}
		parse := func(projection string) *benchproc.Projection {
			p, err := parser.Parse(projection, filter)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		columns := parse(col)
		parse("workload-hash") // -ignore
		tables, rows := parse(".config"), parse(".fullname")
		keys := map[string]map[benchproc.Key]bool{"tables": {}, "rows": {}, "columns": {}}
		for _, doc := range []results.Document{old, next} {
			lines, _ := parseBench(t, doc)
			for _, line := range lines {
				keys["tables"][tables.Project(line)] = true
				keys["rows"][rows.Project(line)] = true
				keys["columns"][columns.Project(line)] = true
			}
		}
		if len(keys["tables"]) != 1 || len(keys["rows"]) != len(old.Series) || len(keys["columns"]) != 2 {
			t.Errorf("-col %s: %d tables, %d rows, columns %v; want 1, %d, 2", col, len(keys["tables"]), len(keys["rows"]), keys["columns"], len(old.Series))
		}
	}
}
