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
	"github.com/lakebench/lakebench/results"
)

//go:embed schema.json
var schema []byte

// Schema returns the JSON Schema (2020-12) of a policy file.
func Schema() []byte { return bytes.Clone(schema) }

// A PolicyError is a policy file that cannot be used: a mistake in it would be a
// gate that never closes.
type PolicyError struct {
	File string
	Line int // from 1; 0 when the place is the whole file
	Msg  string
}

func (e *PolicyError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Msg)
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg)
}

// ReadPolicy reads a policy in YAML, as Schema describes it; file names the source
// in errors. What it does not say is as in DefaultPolicy. It is strict: an unknown
// key, or a metric that is not among known, is a *PolicyError.
func ReadPolicy(r io.Reader, file string, known results.Metrics) (Policy, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return Policy{}, fmt.Errorf("%s: %w", file, err)
	}
	p, err := parsePolicy(text)
	var at *placeError
	switch {
	case errors.As(err, &at):
		return Policy{}, &PolicyError{file, at.line, at.msg}
	case err != nil:
		return Policy{}, &PolicyError{file, 0, err.Error()}
	}
	for _, r := range p.Rules {
		for _, m := range r.Metrics {
			if !known.Declares(m) {
				return Policy{}, &PolicyError{file, r.Line, unknownMetric(m, known)}
			}
		}
	}
	return p, nil
}

// placeError is a mistake in a line.
type placeError struct {
	line int
	msg  string
}

func (e *placeError) Error() string { return e.msg }

func at(n *yaml.Node, format string, args ...any) error {
	return &placeError{n.Line, fmt.Sprintf(format, args...)}
}

func parsePolicy(text []byte) (Policy, error) {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc yaml.Node
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		return Policy{}, errors.New("the file is empty, expected a gate policy")
	} else if err != nil {
		return Policy{}, errors.New("not readable as YAML: " + strings.Join(strings.Fields(err.Error()), " "))
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return Policy{}, errors.New("more than one YAML document, expected one")
	}
	p := DefaultPolicy()
	var name, version string
	err := fields(doc.Content[0], map[string]func(*yaml.Node) error{
		"schema":         scalar(&name),
		"schema_version": scalar(&version),
		"alpha":          func(n *yaml.Node) error { return fraction(n, &p.Alpha) },
		"counts":         action(&p.Counts),
		"times":          action(&p.Times),
		"growth":         action(&p.Growth),
		"ledgers":        action(&p.Ledgers),
		"rules":          func(n *yaml.Node) error { return rules(n, &p.Rules) },
		"checks": func(n *yaml.Node) error {
			return fields(n, map[string]func(*yaml.Node) error{"required": words(&p.Required), "optional": words(&p.Optional)})
		},
	})
	if err != nil {
		return Policy{}, err
	}
	if name != PolicyName || version != strconv.Itoa(PolicyVersion) {
		return Policy{}, fmt.Errorf("schema is %q, version %q: expected %q, \"%d\"", name, version, PolicyName, PolicyVersion)
	}
	return p, p.Validate()
}

// fields hands each value of a mapping to the function of its key. Every key is
// known and there once.
func fields(n *yaml.Node, known map[string]func(*yaml.Node) error) error {
	if n.Kind != yaml.MappingNode {
		return at(n, "expected a mapping of keys to values")
	}
	seen := map[string]bool{}
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		read, ok := known[key.Value]
		switch {
		case !ok:
			return at(key, "%s", unknown("key", key.Value, known))
		case seen[key.Value]:
			return at(key, "the key %q is there twice", key.Value)
		}
		seen[key.Value] = true
		if err := read(value); err != nil {
			return err
		}
	}
	return nil
}

func unknown[V any](what, name string, known map[string]V) string {
	var names []string
	for k := range known {
		names = append(names, k)
	}
	slices.Sort(names)
	msg := fmt.Sprintf("unknown %s %q", what, name)
	if near := spelling.Nearest(name, names); near != "" {
		msg += fmt.Sprintf(", did you mean %q?", near)
	}
	return msg + " (allowed: " + strings.Join(names, ", ") + ")"
}

func unknownMetric(name string, known results.Metrics) string {
	names := map[string]bool{}
	for _, m := range known {
		names[m.Name] = true
	}
	return unknown("metric", name, names)
}

func scalar(to *string) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		if n.Kind != yaml.ScalarNode || n.Value == "" {
			return at(n, "expected a value")
		}
		*to = n.Value
		return nil
	}
}

func action(to *Action) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		if a := Action(n.Value); n.Kind == yaml.ScalarNode && (a == Enforce || a == Advise || a == Ignore) {
			*to = a
			return nil
		}
		return at(n, "%q, expected gate, advise or ignore", n.Value)
	}
}

func fraction(n *yaml.Node, to *float64) error {
	f, err := strconv.ParseFloat(n.Value, 64)
	if n.Kind != yaml.ScalarNode || err != nil {
		return at(n, "%q, expected a number", n.Value)
	}
	*to = f
	return nil
}

// words reads a word or a list of words.
func words[T ~string](to *[]T) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		items := []*yaml.Node{n}
		if n.Kind == yaml.SequenceNode {
			items = n.Content
		}
		for _, item := range items {
			if item.Kind != yaml.ScalarNode || item.Value == "" {
				return at(item, "expected a name or a list of names")
			}
			*to = append(*to, T(item.Value))
		}
		if len(items) == 0 {
			return at(n, "the list is empty")
		}
		return nil
	}
}

func rules(n *yaml.Node, to *[]Rule) error {
	if n.Kind != yaml.SequenceNode {
		return at(n, "expected a list of rules")
	}
	for _, item := range n.Content {
		r := Rule{Line: item.Line}
		up, down := "0%", "0%"
		err := fields(item, map[string]func(*yaml.Node) error{
			"workloads": words(&r.Workloads),
			"variants":  words(&r.Variants),
			"phases":    words(&r.Phases),
			"metrics":   words(&r.Metrics),
			"point":     func(n *yaml.Node) error { return coordinates(n, &r.Point) },
			"action":    action(&r.Action),
			"up":        scalar(&up),
			"down":      scalar(&down),
		})
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
			return at(item, "%v", err)
		}
		if err := knownPhases(r.Phases); err != nil {
			return at(item, "%v", err)
		}
		*to = append(*to, r)
	}
	return nil
}

func knownPhases(phases []results.Phase) error {
	known := map[string]bool{}
	for _, p := range []results.Phase{results.WarmUp, results.Steady, results.Pause, results.After} {
		known[string(p)] = true
	}
	for _, p := range phases {
		if !known[string(p)] {
			return errors.New(unknown("phase", string(p), known))
		}
	}
	return nil
}

// allowance reads "5%" or "any".
func allowance(n *yaml.Node, key, text string) (float64, error) {
	if text == "any" {
		return math.Inf(1), nil
	}
	number, ok := strings.CutSuffix(text, "%")
	f, err := strconv.ParseFloat(number, 64)
	if !ok || err != nil || !(f >= 0) || math.IsInf(f, 0) {
		return 0, at(n, "%s is %q, expected a percentage such as 5%%, or any", key, text)
	}
	return f / 100, nil
}

// coordinates reads the values of parameters.
func coordinates(n *yaml.Node, to *map[string]results.Value) error {
	var plain map[string]any
	if err := n.Decode(&plain); err != nil {
		return at(n, "expected parameters with a value each")
	}
	p, err := results.NewPoint(plain)
	if err != nil {
		return at(n, "%v", err)
	}
	*to = p
	return nil
}
