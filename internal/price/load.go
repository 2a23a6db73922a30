package price

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// SyntaxError says what is wrong with a price file, and where.
type SyntaxError struct {
	Line int // from 1; 0 when the place is the whole file
	Msg  string
}

func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return "prices: " + e.Msg
	}
	return fmt.Sprintf("prices: line %d: %s", e.Line, e.Msg)
}

// Load reads a table in the YAML form of the one that ships. It is strict: every
// key must be there once and no other, every price is a finite number of at
// least 0. Only sources may be left out. A mistake is a *SyntaxError; what the
// reader fails with is returned as it is.
func Load(r io.Reader) (Table, error) {
	root, err := readMapping(r)
	if err != nil {
		return Table{}, err
	}
	var t Table
	keys := map[string]func(*yaml.Node) error{
		"date":     func(n *yaml.Node) error { return date(n, &t.Date) },
		"region":   func(n *yaml.Node) error { return text(n, "region", &t.Region) },
		"currency": func(n *yaml.Node) error { return currency(n, &t.Currency) },
	}
	var required []string
	for _, s := range t.sections() {
		keys[s.name] = func(n *yaml.Node) error { return prices(n, s) }
		required = append(required, s.name)
	}
	required = append(required, "date", "region", "currency")
	keys["sources"] = func(n *yaml.Node) error { return sources(n, &t) }
	if err := fields(root, "", keys, required); err != nil {
		return Table{}, err
	}
	return t, nil
}

// readMapping returns the one document of r, which must be a mapping.
func readMapping(r io.Reader) (*yaml.Node, error) {
	source := &errorReader{r: r}
	dec := yaml.NewDecoder(source)
	var doc yaml.Node
	switch err := dec.Decode(&doc); {
	case source.err != nil:
		return nil, fmt.Errorf("prices: %w", source.err)
	case errors.Is(err, io.EOF):
		return nil, &SyntaxError{Msg: "the file is empty, expected a price table"}
	case err != nil:
		return nil, &SyntaxError{Msg: oneLine(err)}
	}
	var more yaml.Node
	if err := dec.Decode(&more); err == nil {
		return nil, &SyntaxError{more.Line, "a second document, expected one price table"}
	} else if !errors.Is(err, io.EOF) {
		return nil, &SyntaxError{Msg: oneLine(err)}
	}
	return doc.Content[0], nil
}

// errorReader keeps the error of a reader, which the decoder hides.
type errorReader struct {
	r   io.Reader
	err error
}

func (e *errorReader) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		e.err = err
	}
	return n, err
}

func oneLine(err error) string {
	return strings.Join(strings.Fields(strings.TrimPrefix(err.Error(), "yaml: ")), " ")
}

// fields hands every value of the mapping n to the function of its key. where
// is the dotted name of the mapping, "" for the whole file.
func fields(n *yaml.Node, where string, keys map[string]func(*yaml.Node) error, required []string) error {
	if n.Kind != yaml.MappingNode {
		return &SyntaxError{n.Line, fmt.Sprintf("%s: expected keys with values, found %s", cmp.Or(where, "the file"), describe(n))}
	}
	seen := map[string]bool{}
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		read, known := keys[key.Value]
		if !known {
			return &SyntaxError{key.Line, fmt.Sprintf("unknown key %q, expected one of %s", join(where, key.Value), expected(keys))}
		}
		if seen[key.Value] {
			return &SyntaxError{key.Line, fmt.Sprintf("key %q is given twice", join(where, key.Value))}
		}
		seen[key.Value] = true
		if err := read(value); err != nil {
			return err
		}
	}
	for _, key := range required {
		if !seen[key] {
			return &SyntaxError{n.Line, fmt.Sprintf("%q is missing", join(where, key))}
		}
	}
	return nil
}

func expected(keys map[string]func(*yaml.Node) error) string {
	names := make([]string, 0, len(keys))
	for name := range keys {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

func join(where, key string) string {
	if where == "" {
		return key
	}
	return where + "." + key
}

func prices(n *yaml.Node, s section) error {
	keys := map[string]func(*yaml.Node) error{}
	var required []string
	for _, p := range s.prices {
		keys[p.key] = func(n *yaml.Node) error { return number(n, join(s.name, p.key), p.value) }
		required = append(required, p.key)
	}
	return fields(n, s.name, keys, required)
}

func number(n *yaml.Node, where string, to *float64) error {
	var v float64
	numeric := n.Kind == yaml.ScalarNode && (n.ShortTag() == "!!int" || n.ShortTag() == "!!float")
	if !numeric || n.Decode(&v) != nil || math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
		return &SyntaxError{n.Line, fmt.Sprintf("%s: expected a number of at least 0, found %s", where, describe(n))}
	}
	*to = v
	return nil
}

func text(n *yaml.Node, where string, to *string) error {
	if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" || strings.TrimSpace(n.Value) == "" {
		return &SyntaxError{n.Line, fmt.Sprintf("%s: expected a text, found %s", where, describe(n))}
	}
	*to = n.Value
	return nil
}

func date(n *yaml.Node, to *string) error {
	if n.Kind != yaml.ScalarNode {
		return &SyntaxError{n.Line, "date: expected YYYY-MM-DD, found " + describe(n)}
	}
	if _, err := time.Parse(time.DateOnly, n.Value); err != nil {
		return &SyntaxError{n.Line, "date: expected YYYY-MM-DD, found " + describe(n)}
	}
	*to = n.Value
	return nil
}

// currency takes US dollars only: results call every cost usd.
func currency(n *yaml.Node, to *string) error {
	if n.Kind != yaml.ScalarNode || n.Value != "USD" {
		return &SyntaxError{n.Line, "currency: expected USD, found " + describe(n)}
	}
	*to = n.Value
	return nil
}

// sources reads the texts by the name of a price, which must be one.
func sources(n *yaml.Node, t *Table) error {
	t.Sources = map[string]string{}
	keys := map[string]func(*yaml.Node) error{}
	for _, s := range t.sections() {
		for _, p := range s.prices {
			name := join(s.name, p.key)
			keys[name] = func(n *yaml.Node) error {
				var source string
				if err := text(n, "sources."+name, &source); err != nil {
					return err
				}
				t.Sources[name] = source
				return nil
			}
		}
	}
	return fields(n, "sources", keys, nil)
}

func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.ScalarNode:
		return fmt.Sprintf("%q", n.Value)
	case yaml.MappingNode:
		return "keys with values"
	case yaml.SequenceNode:
		return "a list"
	default:
		return "an alias"
	}
}
