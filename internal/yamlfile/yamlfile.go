// Package yamlfile reads YAML files that people write, strictly: every key is
// known and given once, and every mistake is one line with its place.
package yamlfile

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/lakebench/lakebench/internal/spelling"
)

// An Error is a mistake in a file, and where it is.
type Error struct {
	File string
	// Line and Column count from 1; 0 is unknown. Without a line it is the file as
	// a whole.
	Line, Column int
	Msg          string

	reason error
}

// ErrEmpty reports a file that holds nothing but comments.
var ErrEmpty = errors.New("the file is empty")

// Unwrap returns ErrEmpty if the file is, and what Errorf was given with %w.
func (e *Error) Unwrap() error { return e.reason }

func (e *Error) Error() string {
	switch {
	case e.Line == 0:
		return fmt.Sprintf("%s: %s", e.File, e.Msg)
	case e.Column == 0:
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Msg)
}

// A Node is a value of a file.
type Node struct {
	*yaml.Node
	file string
	// Path is the keys that lead to the value, separated by dots, from the top or
	// from the item of the innermost list.
	Path string
}

// Read returns the only document of a file. what is what the file should hold, as
// in "a price table". A mistake is an *Error; what the reader fails with is
// returned as it is.
func Read(r io.Reader, file, what string) (Node, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return Node{}, fmt.Errorf("%s: %w", file, err)
	}
	dec := yaml.NewDecoder(strings.NewReader(string(text)))
	var doc, more yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return Node{}, &Error{File: file, Msg: fmt.Sprintf("%v, expected %s", ErrEmpty, what), reason: ErrEmpty}
	case err != nil:
		return Node{}, unreadable(file, err)
	}
	switch err := dec.Decode(&more); {
	case err == nil:
		return Node{}, &Error{File: file, Line: more.Line, Column: more.Column, Msg: "more than one YAML document, expected one"}
	case !errors.Is(err, io.EOF):
		return Node{}, unreadable(file, err)
	}
	return Node{Node: doc.Content[0], file: file}, nil
}

func unreadable(file string, err error) error {
	text := strings.Join(strings.Fields(strings.TrimPrefix(err.Error(), "yaml: ")), " ")
	return &Error{File: file, Msg: "not readable as YAML: " + text}
}

// Errorf returns a mistake at the value.
func (n Node) Errorf(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &Error{File: n.file, Line: n.Line, Column: n.Column, Msg: err.Error(), reason: errors.Unwrap(err)}
}

// A Field is a key of a mapping, and what reads its value.
type Field struct {
	Name     string
	Required bool
	Read     func(Node) error
}

// Fields reads a mapping of known keys, in the order of the file.
func (n Node) Fields(known ...Field) error {
	entries, err := n.Entries()
	if err != nil {
		return err
	}
	byName := map[string]Field{}
	names := make([]string, len(known))
	for i, f := range known {
		byName[f.Name], names[i] = f, f.Name
	}
	seen := map[string]bool{}
	for _, e := range entries {
		f, ok := byName[e.Key.Value]
		if !ok {
			return e.Key.Errorf("%s", spelling.Unknown("key", e.Key.Value, names))
		}
		seen[f.Name] = true
		if err := f.Read(e.Value); err != nil {
			return err
		}
	}
	for _, f := range known {
		if f.Required && !seen[f.Name] {
			return n.Errorf("key %q is missing", join(n.Path, f.Name))
		}
	}
	return nil
}

// An Entry is a key of a mapping with its value.
type Entry struct{ Key, Value Node }

// Entries returns the entries of a mapping, each of another key, in the order of
// the file.
func (n Node) Entries() ([]Entry, error) {
	if n.Kind != yaml.MappingNode {
		return nil, n.Errorf("%s: expected keys with values, found %s", cmp.Or(n.Path, "the file"), n.Describe())
	}
	seen := map[string]bool{}
	var entries []Entry
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		path := join(n.Path, key.Value)
		e := Entry{Node{key, n.file, path}, Node{n.Content[i+1], n.file, path}}
		if seen[key.Value] {
			return nil, e.Key.Errorf("key %q is given twice", path)
		}
		seen[key.Value] = true
		entries = append(entries, e)
	}
	return entries, nil
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// Items returns the items of a list; ok is false if the value is none.
func (n Node) Items() (items []Node, ok bool) {
	if n.Kind != yaml.SequenceNode {
		return nil, false
	}
	for _, item := range n.Content {
		items = append(items, Node{Node: item, file: n.file})
	}
	return items, true
}

// Text returns the text of a plain value; ok is false if the value is a mapping, a
// list or an alias, or empty.
func (n Node) Text() (text string, ok bool) {
	return n.Value, n.Kind == yaml.ScalarNode && n.Value != ""
}

// Describe returns what the value is, for a message.
func (n Node) Describe() string {
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
