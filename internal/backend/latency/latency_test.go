package latency

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/lakebench/lakebench/internal/sim/task"
)

// TestQuantiles computes the table again, by another library's inverse of the
// normal distribution.
func TestQuantiles(t *testing.T) {
	normal := distuv.Normal{Mu: 0, Sigma: 0.4}
	for i, got := range logNormal {
		want := 1000 * math.Exp(normal.Quantile((float64(i)+0.5)/256))
		if math.Abs(float64(got)-want) > 0.51 {
			t.Errorf("quantile %d is %d, expected %.1f", i, got, want)
		}
	}
	if !slices.IsSorted(logNormal[:]) {
		t.Error("quantiles are not sorted")
	}
}

func load(t *testing.T, text string) (Table, error) {
	t.Helper()
	return Load(strings.NewReader(text), "t.yaml")
}

const constants = `
date: 2026-01-02
sources: [a test]
services:
  dynamodb:
    default: {distribution: constant, median_us: 1000, per_kb_us: 10}
    operations:
      Scan: {distribution: log-normal, median_us: 2000, per_kb_us: 100}
`

func TestDraw(t *testing.T) {
	table, err := load(t, constants)
	if err != nil {
		t.Fatal(err)
	}
	m := NewModel(table, 1)
	for _, tt := range []struct {
		service, operation string
		bytes              int64
		want               time.Duration
	}{
		{"dynamodb", "GetItem", 0, time.Millisecond},
		{"dynamodb", "GetItem", 1, 1010 * time.Microsecond},
		{"dynamodb", "GetItem", 1024, 1010 * time.Microsecond},
		{"dynamodb", "GetItem", 1025, 1020 * time.Microsecond},
		{"other", "GetItem", 5000, 0},
	} {
		if got := m.Draw(tt.service, tt.operation, tt.bytes); got != tt.want {
			t.Errorf("%s %s of %d bytes takes %v, expected %v", tt.service, tt.operation, tt.bytes, got, tt.want)
		}
	}
	// A median of 2,000 + 4·100 µs; with 2,001 draws the sample's median is
	// within 5 % of it but once in a billion seeds.
	times := make([]time.Duration, 2001)
	for i := range times {
		times[i] = m.Draw("dynamodb", "Scan", 4096)
	}
	slices.Sort(times)
	if median := times[1000].Microseconds(); median < 2280 || median > 2520 {
		t.Errorf("median is %d µs, expected about 2,400", median)
	}
}

func TestDrawsFollowFromTheSeed(t *testing.T) {
	table, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	draws := func(seed uint64) (out []time.Duration) {
		m := NewModel(table, seed)
		for range 20 {
			out = append(out, m.Draw("dynamodb", "Query", 30_000))
		}
		return out
	}
	if !slices.Equal(draws(1), draws(1)) {
		t.Error("one seed gives different times")
	}
	if slices.Equal(draws(1), draws(2)) {
		t.Error("two seeds give the same times")
	}
}

func TestWaitPassesVirtualTime(t *testing.T) {
	table, err := load(t, constants)
	if err != nil {
		t.Fatal(err)
	}
	m := NewModel(table, 1)
	_, err = task.Run(t.Context(), task.VirtualConfig{}, func(ctx context.Context) error {
		began := task.Now(ctx)
		if err := m.Wait(ctx, "dynamodb", "GetItem", 0); err != nil {
			return err
		}
		if passed := task.Since(ctx, began); passed != time.Millisecond {
			t.Errorf("%v passed", passed)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestLoadRefuses(t *testing.T) {
	for _, tt := range []struct{ old, new, want string }{
		{"date: 2026-01-02", "date: yesterday", `date is "yesterday", expected one like 2026-11-29`},
		{"date: 2026-01-02", "", `date is "", expected`},
		{"sources: [a test]", "sources: []", "sources are missing"},
		{"constant", "uniform", `service dynamodb: default: distribution is "uniform", expected constant or log-normal`},
		{"median_us: 2000", "median_us: -1", "operation Scan: median_us is -1, expected 0 to 60000000"},
		{"per_kb_us: 100", "per_kb_us: 99999999", "per_kb_us is 99999999"},
		{"median_us: 1000", "mean_us: 1000", "field mean_us not found"},
		{"sources", "---\nsources", "more than one YAML document"},
	} {
		_, err := load(t, strings.Replace(constants, tt.old, tt.new, 1))
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "t.yaml: ") {
			t.Errorf("%q for %q: %v, expected %q", tt.new, tt.old, err, tt.want)
		}
	}
}
