package run

import (
	"errors"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/lakebench/lakebench/internal/yamlfile"
)

// ReadParams reads parameters from YAML: one mapping from a parameter's name to
// a value, or to a list of values where it is swept. file names the source in
// errors. The result is for Resolve, which knows the names and ranges.
func ReadParams(r io.Reader, file string) (map[string]string, error) {
	top, err := yamlfile.Read(r, file, "parameters by name, such as tables: 1000")
	switch {
	case errors.Is(err, yamlfile.ErrEmpty):
		return map[string]string{}, nil
	case err != nil:
		return nil, err
	}
	entries, err := top.Entries()
	if err != nil {
		return nil, err
	}
	set := map[string]string{}
	for _, e := range entries {
		if set[e.Key.Value], err = paramText(e.Value); err != nil {
			return nil, err
		}
	}
	return set, nil
}

// paramText writes a YAML value as it would stand on the command line.
func paramText(n yamlfile.Node) (string, error) {
	items, list := n.Items()
	if !list {
		if n.Kind != yaml.ScalarNode {
			return "", n.Errorf("parameter %q: expected a value or a list of values, found %s", n.Path, n.Describe())
		}
		return n.Value, nil
	}
	if len(items) == 0 {
		return "", n.Errorf("parameter %q: the list is empty", n.Path)
	}
	texts := make([]string, len(items))
	for i, item := range items {
		if item.Kind != yaml.ScalarNode {
			return "", item.Errorf("parameter %q: expected a value, found %s", n.Path, item.Describe())
		}
		texts[i] = item.Value
	}
	return strings.Join(texts, ","), nil
}
