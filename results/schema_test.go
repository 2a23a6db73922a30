package results_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/lakebench/lakebench/internal/resultstest"
	"github.com/lakebench/lakebench/results"
)

func compileSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(results.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func validate(t *testing.T, schema *jsonschema.Schema, data []byte) error {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(v)
}

func TestSchemaAcceptsWhatIsWritten(t *testing.T) {
	schema := compileSchema(t)
	full := resultstest.CatalogRefresh(2, 0, 1000, 10_000, 100_000)
	full.Environment.Backend = results.Backend{Kind: "endpoint", Endpoint: "http://127.0.0.1:8000", Region: "us-east-1", Settings: map[string]string{"prices": "2026-01-01"}}
	full.Warnings = []string{"a warning"}
	for i := range full.Series {
		full.Series[i].Point["scan_batch"] = results.Word("adaptive")
	}
	empty := resultstest.CatalogRefresh(1, 0)
	empty.Series, empty.Summary, empty.Checks = nil, results.Summary{}, nil
	empty.Partial = true
	for name, doc := range map[string]results.Document{"full": full, "empty": empty} {
		if err := validate(t, schema, encode(t, doc)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The schema knows every member that is written, at every depth: without it, or
// with an unknown one beside it, a document is refused.
func TestSchemaKnowsEveryMember(t *testing.T) {
	schema := compileSchema(t)
	const more = "no_such_member"
	edit(t, func(doc map[string]any) {
		try := func(what string) {
			t.Helper()
			data, err := json.Marshal(doc)
			if err != nil {
				t.Fatal(err)
			}
			if validate(t, schema, data) == nil {
				t.Errorf("accepted %s", what)
			}
		}
		for _, m := range members("", doc) {
			value := m.owner[m.name]
			if !slices.ContainsFunc(optional, func(o string) bool { return strings.HasPrefix(m.path, o) }) {
				delete(m.owner, m.name)
				try("without " + m.path)
			}
			m.owner[m.name], m.owner[more] = value, "x"
			try(more + " beside " + m.path)
			delete(m.owner, more)
		}
	})
}

func firstMetric(doc map[string]any) map[string]any {
	return doc["metrics"].([]any)[0].(map[string]any)
}

// What the schema refuses, Decode refuses too.
func TestSchemaAndDecodeAgree(t *testing.T) {
	schema := compileSchema(t)
	for name, change := range map[string]func(doc map[string]any){
		"schema":         func(d map[string]any) { d["schema"] = "other" },
		"version":        func(d map[string]any) { d["schema_version"] = 1 },
		"seed":           func(d map[string]any) { d["seed"] = -1 },
		"repeats":        func(d map[string]any) { d["repeats"] = 0 },
		"clock":          func(d map[string]any) { d["clock"] = "wall" },
		"started":        func(d map[string]any) { d["started"] = "yesterday" },
		"hash":           func(d map[string]any) { d["workload"].(map[string]any)["hash"] = "abc" },
		"phase":          func(d map[string]any) { firstSeries(d)["phase"] = "ramp" },
		"source":         func(d map[string]any) { firstSeries(d)["units"].(map[string]any)["source"] = "guessed" },
		"negative count": func(d map[string]any) { firstSeries(d)["evaluated"] = -1 },
		"fraction":       func(d map[string]any) { firstSeries(d)["returned"] = 1.5 },
		"assumption":     func(d map[string]any) { firstMetric(d)["assume"] = "sampled" },
		"direction":      func(d map[string]any) { firstMetric(d)["better"] = "less" },
		"quantity":       func(d map[string]any) { firstMetric(d)["from"] = map[string]any{"quantity": "rows"} },
		"metric a word":  func(d map[string]any) { firstSeries(d)["metrics"].(map[string]any)["rru/op"] = "75" },
		"point a list":   func(d map[string]any) { firstSeries(d)["point"].(map[string]any)["tables"] = []any{1} },
		"outcome": func(d map[string]any) {
			firstSeries(d)["attempts"].([]any)[0].(map[string]any)["outcome"] = "fine"
		},
		"no attempt": func(d map[string]any) {
			firstSeries(d)["attempts"].([]any)[0].(map[string]any)["count"] = 0
		},
		"status": func(d map[string]any) { d["checks"].([]any)[0].(map[string]any)["status"] = "green" },
		"class": func(d map[string]any) {
			d["summary"].(map[string]any)["growth"].([]any)[0].(map[string]any)["class"] = "cubic"
		},
		"three variants": func(d map[string]any) {
			d["summary"].(map[string]any)["crossover"].([]any)[0].(map[string]any)["variants"] = []any{"a", "b", "c"}
		},
	} {
		data := edit(t, change)
		if validate(t, schema, data) == nil {
			t.Errorf("%s: the schema accepts it", name)
		}
		if _, err := results.Decode(data); err == nil {
			t.Errorf("%s: Decode accepts it", name)
		}
	}
}
