package price

import (
	"io"
	"math"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/lakebench/lakebench/internal/yamlfile"
)

// Load reads a table in the YAML form of the one that ships; file names the source
// in errors. It is strict: every
// key must be there once and no other, every price is a finite number of at
// least 0. Only sources may be left out. A mistake is a *yamlfile.Error; what the
// reader fails with is returned as it is.
func Load(r io.Reader, file string) (Table, error) {
	top, err := yamlfile.Read(r, file, "a price table")
	if err != nil {
		return Table{}, err
	}
	var t Table
	known := []yamlfile.Field{
		{Name: "date", Required: true, Read: func(n yamlfile.Node) error { return date(n, &t.Date) }},
		{Name: "region", Required: true, Read: func(n yamlfile.Node) error { return text(n, &t.Region) }},
		{Name: "currency", Required: true, Read: func(n yamlfile.Node) error { return currency(n, &t.Currency) }},
		{Name: "sources", Read: func(n yamlfile.Node) error { return sources(n, &t) }},
	}
	for _, s := range t.sections() {
		known = append(known, yamlfile.Field{Name: s.name, Required: true, Read: func(n yamlfile.Node) error { return prices(n, s) }})
	}
	if err := top.Fields(known...); err != nil {
		return Table{}, err
	}
	return t, nil
}

func prices(n yamlfile.Node, s section) error {
	var known []yamlfile.Field
	for _, p := range s.prices {
		known = append(known, yamlfile.Field{Name: p.key, Required: true, Read: func(n yamlfile.Node) error { return number(n, p.value) }})
	}
	return n.Fields(known...)
}

func number(n yamlfile.Node, to *float64) error {
	var v float64
	numeric := n.Kind == yaml.ScalarNode && (n.ShortTag() == "!!int" || n.ShortTag() == "!!float")
	if !numeric || n.Decode(&v) != nil || math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
		return n.Errorf("%s: expected a number of at least 0, found %s", n.Path, n.Describe())
	}
	*to = v
	return nil
}

func text(n yamlfile.Node, to *string) error {
	if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" || strings.TrimSpace(n.Value) == "" {
		return n.Errorf("%s: expected a text, found %s", n.Path, n.Describe())
	}
	*to = n.Value
	return nil
}

func date(n yamlfile.Node, to *string) error {
	text, _ := n.Text()
	if _, err := time.Parse(time.DateOnly, text); err != nil {
		return n.Errorf("date: expected YYYY-MM-DD, found %s", n.Describe())
	}
	*to = text
	return nil
}

// currency takes US dollars only: results call every cost usd.
func currency(n yamlfile.Node, to *string) error {
	text, _ := n.Text()
	if text != "USD" {
		return n.Errorf("currency: expected USD, found %s", n.Describe())
	}
	*to = text
	return nil
}

// sources reads the texts by the name of a price, which must be one.
func sources(n yamlfile.Node, t *Table) error {
	t.Sources = map[string]string{}
	var known []yamlfile.Field
	for _, s := range t.sections() {
		for _, p := range s.prices {
			name := s.name + "." + p.key
			known = append(known, yamlfile.Field{Name: name, Read: func(n yamlfile.Node) error {
				var source string
				err := text(n, &source)
				t.Sources[name] = source
				return err
			}})
		}
	}
	return n.Fields(known...)
}
