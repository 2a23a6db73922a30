package growth

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// named is a line of testdata/series.txt.
type named struct {
	name    string
	want    Class
	units   []float64
	samples []Sample
}

func (n named) classify() (Class, Curve) { return Classify(n.samples, n.units...) }

// read returns the lines of testdata/series.txt.
func read(t *testing.T) []named {
	t.Helper()
	text, err := os.ReadFile("testdata/series.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []named
	for i, line := range strings.Split(string(text), "\n") {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		n := named{name: strings.TrimSuffix(words[0], ":"), want: Class(words[1])}
		margin := 0.0
		for j := 2; j < len(words); j++ {
			switch words[j] {
			case "time":
				margin = 0.005
			case "unknown":
				margin = math.Inf(1)
			case "units":
				j++
				n.units = append(n.units, number(t, words[j]))
			default:
				x, y, ok := strings.Cut(words[j], ":")
				if !ok {
					t.Fatalf("line %d: sample %q, expected x:y", i+1, words[j])
				}
				s := Sample{X: number(t, x), Y: number(t, y)}
				s.Margin = margin * s.Y
				n.samples = append(n.samples, s)
			}
		}
		all = append(all, n)
	}
	return all
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// The class of each series is the one that a person says is right.
func TestSeries(t *testing.T) {
	all := read(t)
	if len(all) < 60 {
		t.Errorf("%d series, want 60 or more", len(all))
	}
	for _, n := range all {
		got, curve := n.classify()
		if got != n.want {
			t.Errorf("%s: %s (%s), want %s", n.name, got, fmt.Sprintf("%+v", curve), n.want)
		}
	}
}
