package yamlfile_test

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/lakebench/lakebench/internal/yamlfile"
)

// lake reads a small file of two levels.
func lake(text string) (name, size string, err error) {
	top, err := yamlfile.Read(strings.NewReader(text), "lake.yaml", "a lake")
	if err != nil {
		return "", "", err
	}
	value := func(to *string) func(yamlfile.Node) error {
		return func(n yamlfile.Node) error {
			v, ok := n.Text()
			if !ok {
				return n.Errorf("%s: expected a value, found %s", n.Path, n.Describe())
			}
			*to = v
			return nil
		}
	}
	err = top.Fields(
		yamlfile.Field{Name: "name", Required: true, Read: value(&name)},
		yamlfile.Field{Name: "items", Read: func(n yamlfile.Node) error {
			return n.Fields(yamlfile.Field{Name: "bytes", Required: true, Read: value(&size)})
		}},
	)
	return name, size, err
}

func TestRead(t *testing.T) {
	name, size, err := lake("# a comment\nitems: {bytes: 300}\nname: orders\n")
	if name != "orders" || size != "300" || err != nil {
		t.Errorf("read %q and %q, %v; want orders and 300", name, size, err)
	}
}

// Every mistake is one line that names the file, the place, what was expected and
// what was found.
func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"":                         `lake.yaml: the file is empty, expected a lake`,
		"# nothing\n":              `lake.yaml: the file is empty, expected a lake`,
		"name: [\n":                `lake.yaml: not readable as YAML: `,
		"name: a\n---\nname: b\n":  `lake.yaml:2:1: more than one YAML document, expected one`,
		"- name\n":                 `lake.yaml:1:1: the file: expected keys with values, found a list`,
		"7\n":                      `lake.yaml:1:1: the file: expected keys with values, found "7"`,
		"name: a\nnaem: b\n":       `lake.yaml:2:1: unknown key "naem", did you mean "name"? (allowed: items, name)`,
		"name: a\nstock: b\n":      `lake.yaml:2:1: unknown key "stock" (allowed: items, name)`,
		"name: a\nname: b\n":       `lake.yaml:2:1: key "name" is given twice`,
		"items: {bytes: 1}\n":      `lake.yaml:1:1: key "name" is missing`,
		"name: a\nitems: {}\n":     `lake.yaml:2:8: key "items.bytes" is missing`,
		"name: a\nitems: 3\n":      `lake.yaml:2:8: items: expected keys with values, found "3"`,
		"name: {a: b}\n":           `lake.yaml:1:7: name: expected a value, found keys with values`,
		"name: ''\n":               `lake.yaml:1:7: name: expected a value, found ""`,
		"items: &a {}\nname: *a\n": `lake.yaml:1:8: key "items.bytes" is missing`,
	} {
		_, _, err := lake(text)
		var mistake *yamlfile.Error
		if !errors.As(err, &mistake) || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestEmptyIsToldApart(t *testing.T) {
	for text, want := range map[string]bool{"# nothing\n": true, "name: [\n": false} {
		if _, _, err := lake(text); errors.Is(err, yamlfile.ErrEmpty) != want {
			t.Errorf("%q: %v, want ErrEmpty: %v", text, err, want)
		}
	}
}

func TestReadReturnsTheReadersError(t *testing.T) {
	broken := errors.New("disk on fire")
	if _, err := yamlfile.Read(iotest.ErrReader(broken), "lake.yaml", "a lake"); !errors.Is(err, broken) {
		t.Errorf("%v, want %v", err, broken)
	}
}
