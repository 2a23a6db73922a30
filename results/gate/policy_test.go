package gate_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/lakebench/lakebench/internal/yamlfile"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/results/gate"
	"github.com/lakebench/lakebench/run/metric"
)

const head = "schema: lakebench.gate\nschema_version: 1\n"

const fullPolicy = head + `alpha: 0.01
counts: gate
times: ignore
growth: advise
ledgers: advise
checks:
  required: [ledgers, linearizable]
  optional: same-set
rules:
  - workloads: catalog-refresh
    variants: [v1, v2]
    phases: steady
    metrics: [p50-ns, p99-ns]
    point: {history_records: 1000, guarded: true, scan_batch: adaptive}
    action: gate
    up: 5%
    down: any
  - action: advise
`

func TestReadPolicy(t *testing.T) {
	got, err := gate.ReadPolicy(strings.NewReader(fullPolicy), "gate.yaml", metric.Common())
	if err != nil {
		t.Fatal(err)
	}
	want := gate.Policy{
		Alpha: 0.01, Counts: gate.Enforce, Times: gate.Ignore, Growth: gate.Advise, GrowthAsked: true, Ledgers: gate.Advise,
		Required: []string{"ledgers", "linearizable"}, Optional: []string{"same-set"},
		Rules: []gate.Rule{
			{
				Line: 12, Workloads: []string{"catalog-refresh"}, Variants: []string{"v1", "v2"}, Phases: []results.Phase{results.Steady},
				Metrics: []string{"p50-ns", "p99-ns"}, Action: gate.Enforce, Up: 0.05, Down: math.Inf(1),
				Point: map[string]results.Value{"history_records": results.Number(1000), "guarded": results.Bool(true), "scan_batch": results.Word("adaptive")},
			},
			{Line: 20, Action: gate.Advise},
		},
	}
	if d := cmp.Diff(want, got, cmp.Comparer(func(a, b results.Value) bool { return a == b })); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if got, err := gate.ReadPolicy(strings.NewReader(head), "gate.yaml", metric.Common()); err != nil || !cmp.Equal(got, gate.DefaultPolicy()) {
		t.Errorf("a policy that says nothing: %+v, %v; want the default", got, err)
	}
}

// A mistake in a policy would be a gate that never closes: one line says where and
// what it is.
func TestReadPolicyRefuses(t *testing.T) {
	for name, c := range map[string]struct{ text, says string }{
		"empty":           {"", "g.yaml: the file is empty"},
		"no schema":       {"counts: gate\n", `expected "lakebench.gate", "1"`},
		"newer":           {"schema: lakebench.gate\nschema_version: 2\n", `version "2"`},
		"no YAML":         {"schema: [", "not readable as YAML"},
		"a list":          {"- schema", "g.yaml:1:1: the file: expected keys with values"},
		"two documents":   {head + "---\na: b\n", "more than one YAML document"},
		"unknown key":     {head + "time: gate\n", `g.yaml:3:1: unknown key "time", did you mean "times"?`},
		"key twice":       {head + "times: gate\ntimes: ignore\n", `g.yaml:4:1: key "times" is given twice`},
		"unknown action":  {head + "times: fail\n", `g.yaml:3:8: "fail", expected gate, advise or ignore`},
		"unknown metric":  {head + "rules:\n  - metrics: [p50ns]\n    action: gate\n", `g.yaml:4: unknown metric "p50ns", did you mean "p50-ns"?`},
		"unknown phase":   {head + "rules:\n  - phases: [warmup]\n    action: gate\n", `unknown phase "warmup", did you mean "warm-up"?`},
		"unknown in rule": {head + "rules:\n  - metric: p50-ns\n    action: gate\n", `unknown key "metric"`},
		"no action":       {head + "rules:\n  - metrics: p50-ns\n", "expected gate, advise or ignore"},
		"no percentage":   {head + "rules:\n  - action: gate\n    up: 0.05\n", `up is "0.05", expected a percentage`},
		"negative":        {head + "rules:\n  - action: gate\n    down: -5%\n", `down is "-5%"`},
		"not a number":    {head + "rules:\n  - action: gate\n    up: NaN%\n", `up is "NaN%"`},
		"alpha":           {head + "alpha: 1.5\n", "alpha is 1.5, expected above 0 and below 1"},
		"alpha a word":    {head + "alpha: small\n", `"small", expected a number`},
		"rules no list":   {head + "rules: none\n", "expected a list of rules"},
		"empty list":      {head + "rules:\n  - metrics: []\n    action: gate\n", "the list is empty"},
		"point no map":    {head + "rules:\n  - point: [1]\n    action: gate\n", "expected parameters with a value each"},
		"point of lists":  {head + "rules:\n  - point: {a: [1]}\n    action: gate\n", "no coordinate"},
		"required twice":  {head + "checks: {required: a, optional: a}\n", "required and optional"},
	} {
		_, err := gate.ReadPolicy(strings.NewReader(c.text), "g.yaml", metric.Common())
		var bad *yamlfile.Error
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v; want one line with %q", name, err, c.says)
		}
	}
}

// The schema that is printed takes what ReadPolicy takes, and refuses unknown keys
// at every depth.
func TestPolicySchema(t *testing.T) {
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(gate.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("gate.json", parsed); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("gate.json")
	if err != nil {
		t.Fatal(err)
	}
	valid := func(text string) error {
		var doc any
		if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		return schema.Validate(v)
	}
	for _, text := range []string{head, fullPolicy} {
		if err := valid(text); err != nil {
			t.Errorf("%s\n%v", text, err)
		}
	}
	for _, text := range []string{
		"schema: lakebench.gate\n", head + "more: 1\n", head + "times: fail\n", head + "alpha: 2\n", head + "checks: {some: a}\n",
		head + "rules:\n  - metrics: a\n", head + "rules:\n  - action: gate\n    more: 1\n", head + "rules:\n  - action: gate\n    up: 5\n",
		head + "rules:\n  - action: gate\n    metrics: []\n",
	} {
		if valid(text) == nil {
			t.Errorf("the schema accepts\n%s", text)
		}
		if _, err := gate.ReadPolicy(strings.NewReader(text), "g.yaml", metric.Common()); err == nil {
			t.Errorf("ReadPolicy accepts\n%s", text)
		}
	}
}
