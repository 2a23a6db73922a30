package workloads

import (
	"bytes"
	_ "embed" // the file of known differences
	"fmt"
	"math"

	"go.yaml.in/yaml/v3"
)

//go:embed known-differences.yaml
var knownFile []byte

// A knownDifference is an entry of known-differences.yaml.
type knownDifference struct {
	Server string `yaml:"server"`
	Metric string `yaml:"metric"`
	Kind   string `yaml:"kind"`
	Why    string `yaml:"why"`
}

// emptyPagesAreFree: the server charges nothing for a page that evaluates
// nothing.
const emptyPagesAreFree = "empty-pages-are-free"

// adjust returns what the server reports where the rules compute a value, of
// which emptyPages are units of pages that evaluated nothing.
func (d knownDifference) adjust(computed, emptyPages float64) float64 {
	switch d.Kind {
	case emptyPagesAreFree:
		return computed - emptyPages
	default:
		return math.NaN() // equal to nothing
	}
}

// knownDifferences returns the entries of a server.
func knownDifferences(server string) ([]knownDifference, error) {
	var all []knownDifference
	dec := yaml.NewDecoder(bytes.NewReader(knownFile))
	dec.KnownFields(true)
	if err := dec.Decode(&all); err != nil {
		return nil, fmt.Errorf("known-differences.yaml: %w", err)
	}
	var out []knownDifference
	for _, d := range all {
		if d.Server == server {
			out = append(out, d)
		}
	}
	return out, nil
}

// near says whether two counts per operation are equal but for rounding in the
// last places.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(1, math.Abs(b)) }
