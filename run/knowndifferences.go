package run

import (
	"bytes"
	_ "embed" // the file of known differences
	"fmt"
	"math"

	"go.yaml.in/yaml/v3"

	"github.com/lakebench/lakebench/internal/meter"
	"github.com/lakebench/lakebench/internal/units"
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

// The kinds of known differences.
const (
	// emptyPagesAreFree: the server charges nothing for a page that evaluates
	// nothing.
	emptyPagesAreFree = "empty-pages-are-free"
	// transactionsByDistinctAmounts: of a transaction the server charges in each
	// table every amount once, however many actions cost it: four units for each
	// started KB of an item to put, and four for a check.
	transactionsByDistinctAmounts = "transactions-by-distinct-amounts"
)

// A deviation is what known differences are made of, of one series.
type deviation struct {
	emptyPages   float64 // read units of pages that evaluated nothing
	transactions float64 // write units of transactions
	distinct     float64 // what they are by distinct amounts
}

// per returns the deviation of one of n operations.
func (d deviation) per(n float64) deviation {
	return deviation{d.emptyPages / n, d.transactions / n, d.distinct / n}
}

// adjust returns what the server reports where the rules compute a value.
func (d knownDifference) adjust(computed float64, by deviation) float64 {
	switch d.Kind {
	case emptyPagesAreFree:
		return computed - by.emptyPages
	case transactionsByDistinctAmounts:
		return computed - by.transactions + by.distinct
	default:
		return math.NaN() // equal to nothing
	}
}

// distinctAmounts returns the write units of a transaction by distinct amounts. A
// delete does not say how large the item is that it removes: it counts as a small
// one.
func distinctAmounts(targets []meter.Target) (sum float64) {
	type amount struct {
		table string
		units float64
	}
	seen := map[amount]bool{}
	for _, t := range targets {
		a := amount{t.Table, 2 * units.TransactWrite(t.Bytes)}
		if !seen[a] {
			seen[a] = true
			sum += a.units
		}
	}
	return sum
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

// near reports whether two counts per operation are equal but for rounding in the
// last places.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(1, math.Abs(b)) }
