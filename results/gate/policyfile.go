package gate

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/lakebench/lakebench/internal/spelling"
	"github.com/lakebench/lakebench/internal/yamlfile"
	"github.com/lakebench/lakebench/results"
)

//go:embed schema.json
var schema []byte

// Schema returns the JSON Schema (2020-12) of a policy file.
func Schema() []byte { return bytes.Clone(schema) }

// ReadPolicy reads a policy in YAML, as Schema describes it; file names the source
// in errors. What it does not say is as in DefaultPolicy. It is strict: an unknown
// key, or a metric that is not among known, is a *yamlfile.Error: a mistake in a policy
// would be a gate that never closes.
func ReadPolicy(r io.Reader, file string, known results.Metrics) (Policy, error) {
	top, err := yamlfile.Read(r, file, "a gate policy")
	if err != nil {
		return Policy{}, err
	}
	p, err := parsePolicy(top)
	var mistake *yamlfile.Error
	switch {
	case errors.As(err, &mistake):
		return Policy{}, mistake
	case err != nil:
		return Policy{}, &yamlfile.Error{File: file, Msg: err.Error()}
	}
	for _, r := range p.Rules {
		for _, m := range r.Metrics {
			if !known.Declares(m) {
				return Policy{}, &yamlfile.Error{File: file, Line: r.Line, Msg: unknownMetric(m, known)}
			}
		}
	}
	return p, nil
}

func parsePolicy(top yamlfile.Node) (Policy, error) {
	p := DefaultPolicy()
	var name, version string
	err := top.Fields(
		yamlfile.Field{Name: "schema", Read: scalar(&name)},
		yamlfile.Field{Name: "schema_version", Read: scalar(&version)},
		yamlfile.Field{Name: "alpha", Read: func(n yamlfile.Node) error { return fraction(n, &p.Alpha) }},
		yamlfile.Field{Name: "counts", Read: action(&p.Counts)},
		yamlfile.Field{Name: "times", Read: action(&p.Times)},
		yamlfile.Field{Name: "growth", Read: func(n yamlfile.Node) error {
			p.GrowthAsked = true
			return action(&p.Growth)(n)
		}},
		yamlfile.Field{Name: "ledgers", Read: action(&p.Ledgers)},
		yamlfile.Field{Name: "rules", Read: func(n yamlfile.Node) error { return rules(n, &p.Rules) }},
		yamlfile.Field{Name: "checks", Read: func(n yamlfile.Node) error {
			return n.Fields(yamlfile.Field{Name: "required", Read: words(&p.Required)}, yamlfile.Field{Name: "optional", Read: words(&p.Optional)})
		}},
	)
	if err != nil {
		return Policy{}, err
	}
	if name != PolicyName || version != strconv.Itoa(PolicyVersion) {
		return Policy{}, fmt.Errorf("schema is %q, version %q: expected %q, \"%d\"", name, version, PolicyName, PolicyVersion)
	}
	return p, p.Validate()
}

func unknownMetric(name string, known results.Metrics) string {
	var names []string
	for _, m := range known {
		names = append(names, m.Name)
	}
	return spelling.Unknown("metric", name, names)
}

func scalar(to *string) func(yamlfile.Node) error {
	return func(n yamlfile.Node) error {
		text, ok := n.Text()
		if !ok {
			return n.Errorf("%s: expected a value, found %s", n.Path, n.Describe())
		}
		*to = text
		return nil
	}
}

func action(to *Action) func(yamlfile.Node) error {
	return func(n yamlfile.Node) error {
		if a := Action(n.Value); n.Kind == yaml.ScalarNode && (a == Enforce || a == Advise || a == Ignore) {
			*to = a
			return nil
		}
		return n.Errorf("%q, expected gate, advise or ignore", n.Value)
	}
}

func fraction(n yamlfile.Node, to *float64) error {
	f, err := strconv.ParseFloat(n.Value, 64)
	if n.Kind != yaml.ScalarNode || err != nil {
		return n.Errorf("%q, expected a number", n.Value)
	}
	*to = f
	return nil
}

// words reads a word or a list of words.
func words[T ~string](to *[]T) func(yamlfile.Node) error {
	return func(n yamlfile.Node) error {
		items, list := n.Items()
		if !list {
			items = []yamlfile.Node{n}
		}
		for _, item := range items {
			text, ok := item.Text()
			if !ok {
				return item.Errorf("expected a name or a list of names, found %s", item.Describe())
			}
			*to = append(*to, T(text))
		}
		if len(items) == 0 {
			return n.Errorf("the list is empty")
		}
		return nil
	}
}

func rules(n yamlfile.Node, to *[]Rule) error {
	items, ok := n.Items()
	if !ok {
		return n.Errorf("expected a list of rules, found %s", n.Describe())
	}
	for _, item := range items {
		r := Rule{Line: item.Line}
		up, down := "0%", "0%"
		err := item.Fields(
			yamlfile.Field{Name: "workloads", Read: words(&r.Workloads)},
			yamlfile.Field{Name: "variants", Read: words(&r.Variants)},
			yamlfile.Field{Name: "phases", Read: words(&r.Phases)},
			yamlfile.Field{Name: "metrics", Read: words(&r.Metrics)},
			yamlfile.Field{Name: "point", Read: func(n yamlfile.Node) error { return coordinates(n, &r.Point) }},
			yamlfile.Field{Name: "action", Read: action(&r.Action)},
			yamlfile.Field{Name: "up", Read: scalar(&up)},
			yamlfile.Field{Name: "down", Read: scalar(&down)},
		)
		if err == nil {
			r.Up, err = allowance(item, "up", up)
		}
		if err == nil {
			r.Down, err = allowance(item, "down", down)
		}
		if err != nil {
			return err
		}
		if err := r.validate(); err != nil {
			return item.Errorf("%v", err)
		}
		if err := knownPhases(r.Phases); err != nil {
			return item.Errorf("%v", err)
		}
		*to = append(*to, r)
	}
	return nil
}

func knownPhases(phases []results.Phase) error {
	known := []string{string(results.WarmUp), string(results.Steady), string(results.Pause), string(results.After)}
	for _, p := range phases {
		if !slices.Contains(known, string(p)) {
			return errors.New(spelling.Unknown("phase", string(p), known))
		}
	}
	return nil
}

// allowance reads "5%" or "any".
func allowance(n yamlfile.Node, key, text string) (float64, error) {
	if text == "any" {
		return math.Inf(1), nil
	}
	number, ok := strings.CutSuffix(text, "%")
	f, err := strconv.ParseFloat(number, 64)
	if !ok || err != nil || !(f >= 0) || math.IsInf(f, 0) {
		return 0, n.Errorf("%s is %q, expected a percentage such as 5%%, or any", key, text)
	}
	return f / 100, nil
}

// coordinates reads the values of parameters.
func coordinates(n yamlfile.Node, to *map[string]results.Value) error {
	var plain map[string]any
	if err := n.Decode(&plain); err != nil {
		return n.Errorf("expected parameters with a value each")
	}
	p, err := results.NewPoint(plain)
	if err != nil {
		return n.Errorf("%v", err)
	}
	*to = p
	return nil
}
