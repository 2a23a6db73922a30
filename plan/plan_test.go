package plan

import (
	"bytes"
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/internal/cost"
	"github.com/lakebench/lakebench/internal/price"
	"github.com/lakebench/lakebench/internal/render"
	"github.com/lakebench/lakebench/internal/yamlfile"
	"github.com/lakebench/lakebench/store/keyspace"
)

func plan(t *testing.T, change func(*Scale)) Plan {
	t.Helper()
	s := DefaultScale()
	if change != nil {
		change(&s)
	}
	p, err := Make(s, price.Default())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The default scale's lake, worked out by hand from its numbers, the rules and
// the prices.
func TestPlanOfTheDesignNote(t *testing.T) {
	p := plan(t, nil)
	const (
		history = 10 * 604_800 * 2.05 // commits × (append-operation, manifest, a twentieth of a tombstone)
		month   = 730 * 3600.0
	)
	if p.Scale.History() != history {
		t.Errorf("%d retained records, want %v", p.Scale.History(), history)
	}
	// v1: 1,000 records of 300 B a page, 74 units each; 12,399,400 records end in a
	// page of 400: 30 units.
	refresh := p.Metadata[0].Costs["v1"]
	if want := 12_399*74.0 + 30; refresh.RRU != want || refresh.Requests != 12_400 {
		t.Errorf("a refresh on v1: %+v, want %v units in 12,400 requests", refresh, want)
	}
	// Mutations a second: 10 guarded updates of 4 units; 41.4 creations and
	// expiries of one unit; 10 point reads.
	reads := (12_399*74+30)*50/30.0 + 10
	v1 := (reads*0.125 + (10*4+41.4)*0.625) / 1e6 * month
	if got := p.usdOf("v1"); math.Abs(got-v1) > 1e-6*v1 {
		t.Errorf("v1: $%v a month, want $%v", got, v1)
	}
	v2 := ((80*50/30.0+10)*0.125 + (10*4+41.4)*0.625) / 1e6 * month
	if got := p.usdOf("v2-only"); math.Abs(got-v2) > 1e-6*v2 {
		t.Errorf("v2: $%v a month, want $%v", got, v2)
	}
	// A read of the marker before each refresh.
	dual := ((reads+50/30.0)*0.125 + (10*8+41.4*6)*0.625) / 1e6 * month
	if got := p.usdOf("dual"); math.Abs(got-dual) > 1e-6*dual {
		t.Errorf("dual: $%v a month, want $%v", got, dual)
	}
	// At thrice the mean: 51.4 mutations, of which one in a hundred twice, times 2
	// units each.
	for _, h := range p.Headroom {
		if h.What == "the barrier item" && math.Abs(h.Load-51.4*1.01*2*3) > 1e-9 {
			t.Errorf("the barrier item: %v WRU/s", h.Load)
		}
	}
}

// From where on v2 is cheaper: below, v1 is; at it, v2.
func TestCrossover(t *testing.T) {
	p := plan(t, nil)
	v2 := cost.RefreshV2(1000, keyspace.Tables, 8, 300, 1000).Even
	for _, c := range p.Crossover {
		measure := map[string]func(cost.Cost) float64{
			"requests of a refresh": func(c cost.Cost) float64 { return c.Requests }, "read units of a refresh": func(c cost.Cost) float64 { return c.RRU },
		}[c.Metric]
		if measure == nil {
			continue
		}
		at, below := measure(cost.RefreshV1(1000, c.From, 300, 1000)), measure(cost.RefreshV1(1000, c.From-1, 300, 1000))
		if at <= measure(v2) || below > measure(v2) {
			t.Errorf("%s: crossover at %d: v1 %v there, %v below, v2 %v", c.Metric, c.From, at, below, measure(v2))
		}
	}
	never := plan(t, func(s *Scale) { s.Readers = 0 })
	if last := never.Crossover[len(never.Crossover)-1]; last.From != -1 {
		t.Errorf("without readers v2 saves dollars from %d records on, want never", last.From)
	}
	if never.Migration.PayBackDays != -1 {
		t.Errorf("without readers the migration pays back after %v days", never.Migration.PayBackDays)
	}
}

func TestImpossibleScales(t *testing.T) {
	for name, text := range map[string]string{
		"tables": "0", "commits_per_second": "-1", "retention": "0s", "readers": "-1", "refresh_interval": "-3s", "tombstone_share": "NaN",
		"peak_factor": "0.5", "item_bytes": "500000", "table_shards": "0", "hint_every": "0", "guarded_share": "1.5", "lease_share": "+Inf",
	} {
		s := DefaultScale()
		err := s.Set(name, text)
		if err == nil {
			_, err = Make(s, price.Default())
		}
		if !errors.Is(err, ErrScale) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s = %s: %v, want ErrScale that names it", name, text, err)
		}
	}
	// A program may give what no text can.
	s := DefaultScale()
	s.TombstoneShare = math.NaN()
	if err := s.Validate(); !errors.Is(err, ErrScale) || !strings.Contains(err.Error(), "tombstone_share") {
		t.Errorf("tombstone_share NaN: %v, want ErrScale that names it", err)
	}
	// More readers than a machine can hold are fine.
	plan(t, func(s *Scale) { s.Readers = 100_000_000 })
}

func TestScaleFile(t *testing.T) {
	var b bytes.Buffer
	want := DefaultScale()
	want.Retention, want.Readers = Span(36*3600e9), 77
	if err := want.Write(&b); err != nil {
		t.Fatal(err)
	}
	got, err := LoadScale(&b, "scale.yaml", DefaultScale())
	if err != nil || got != want {
		t.Errorf("read back %+v, %v; want %+v", got, err, want)
	}
	for text, says := range map[string]string{
		"": "empty", "tables: 1\ntables: 2": `scale.yaml:2:1: key "tables" is given twice`, "- 1": "scale.yaml:1:1", "table: 3": `scale.yaml:1:1: impossible scale: unknown number "table", did you mean "tables"?`,
		"tables: 1.5": "scale.yaml:1:1: ", "retention: 7 days": "retention", "tables: [1]": "scale.yaml:1:9: tables: expected one value", "a: b: c": "mapping values",
	} {
		_, err := LoadScale(strings.NewReader(text), "scale.yaml", DefaultScale())
		var mistake *yamlfile.Error
		if !errors.As(err, &mistake) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want a *yamlfile.Error with %q", text, err, says)
		}
	}
}

// textOf is the plan on a terminal of 80 columns.
func textOf(t *testing.T, p Plan) string {
	t.Helper()
	var b bytes.Buffer
	if err := render.Text(&b, p.Page(), render.TextOptions{Width: 80}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The text fits 80 columns with nothing left out, and loads over their limits come
// before the first section.
func TestText(t *testing.T) {
	text := textOf(t, plan(t, nil))
	for line := range strings.Lines(text) {
		if n := len([]rune(strings.TrimRight(line, "\n"))); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	over, first := strings.Index(text, "Over the limit: a refresh, page after page, v1"), strings.Index(text, "\nA month\n")
	if over < 0 || over > first || strings.Contains(text, "Left out") || !strings.Contains(text, "Not modelled") {
		t.Errorf("the limit is at %d, the first section at %d:\n%s", over, first, text)
	}
}

// TestREADME: the plan in the README is the one that is made.
func TestREADME(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(readme), "<!-- plan:")
	_, rest, _ = strings.Cut(rest, "```\n")
	block, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("README.md has no block after <!-- plan:")
	}
	left := textOf(t, plan(t, nil))
	for line := range strings.Lines(block) {
		_, after, ok := strings.Cut(left, line)
		if !ok {
			t.Fatalf("README.md has a line that the plan does not have, or not there: %s", line)
		}
		left = after
	}
}

func TestPayBackIsWrittenInAUnitThatSaysSomething(t *testing.T) {
	for days, want := range map[float64]string{
		1e-5: "less than a minute", 0.00274: "3.95 minutes", 0.25: "6 hours", 1.5: "36 hours", 2: "2 days", 400: "400 days",
	} {
		if got := inDays(days); got != want {
			t.Errorf("%v days are %q, want %q", days, got, want)
		}
	}
}
