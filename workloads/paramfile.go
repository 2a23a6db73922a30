package workloads

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// ReadParams reads parameters from YAML: one mapping from a parameter's name to
// a value, or to a list of values where it is swept. file names the source in
// errors. The result is for Resolve, which knows the names and ranges.
func ReadParams(r io.Reader, file string) (map[string]string, error) {
	var doc yaml.Node
	dec := yaml.NewDecoder(r)
	err := dec.Decode(&doc)
	if errors.Is(err, io.EOF) {
		return map[string]string{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: not readable as YAML: %w", file, err)
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: more than one YAML document, expected one", file)
	}
	top := doc.Content[0]
	if top.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%s:%d: expected a mapping of parameter names to values", file, top.Line)
	}
	set := map[string]string{}
	for i := 0; i < len(top.Content); i += 2 {
		name, value := top.Content[i], top.Content[i+1]
		if _, twice := set[name.Value]; twice {
			return nil, fmt.Errorf("%s:%d:%d: parameter %q is set twice", file, name.Line, name.Column, name.Value)
		}
		text, err := paramText(value)
		if err != nil {
			return nil, fmt.Errorf("%s:%d:%d: parameter %q: %w", file, value.Line, value.Column, name.Value, err)
		}
		set[name.Value] = text
	}
	return set, nil
}

// paramText writes a YAML value as it would stand on the command line.
func paramText(n *yaml.Node) (string, error) {
	switch n.Kind {
	case yaml.ScalarNode:
		return n.Value, nil
	case yaml.SequenceNode:
		items := make([]string, len(n.Content))
		for i, item := range n.Content {
			if item.Kind != yaml.ScalarNode {
				return "", fmt.Errorf("item %d is no plain value", i+1)
			}
			items[i] = item.Value
		}
		if len(items) == 0 {
			return "", fmt.Errorf("the list is empty")
		}
		return strings.Join(items, ","), nil
	default:
		return "", errors.New("expected a value or a list of values")
	}
}
