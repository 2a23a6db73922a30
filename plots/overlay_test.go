package plots

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/internal/resultstest"
	"github.com/lakebench/lakebench/results"
)

func two() []results.Named {
	after := catalog()
	for i := range after.Summary.Metrics {
		if m := &after.Summary.Metrics[i]; m.Variant == "v1" {
			m.Value /= 2
		}
	}
	return []results.Named{{Name: "before", Document: catalog()}, {Name: "after", Document: after}}
}

// Several results are one chart, whose legend names each variant of each; drawn
// twice it is the same bytes.
func TestOverlay(t *testing.T) {
	s := Selection{Metric: "requests/op", X: "history_records", Variants: []string{"v1", "v2"}}
	draw := func(format string) []byte {
		pictures, err := Overlay(two(), s)
		if err != nil {
			t.Fatal(err)
		}
		if len(pictures) != 1 || pictures[0].Name() != "requests-per-op-by-history_records" {
			t.Fatalf("%d pictures", len(pictures))
		}
		data, err := pictures[0].Render(format)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	got := texts(t, draw("svg"))
	for _, want := range []string{"v1, before: linear", "v1, after: linear", "v2: constant", "102", "51", "the least possible"} {
		if !slices.Contains(got, want) {
			t.Errorf("no text %q in %q", want, got)
		}
	}
	for _, format := range []string{"svg", "png"} {
		if !bytes.Equal(draw(format), draw(format)) {
			t.Errorf("two drawings as %s differ", format)
		}
	}
}

// A variant has one colour and marker in all results, and another line in each.
func TestLooksOfResults(t *testing.T) {
	pictures, err := Overlay(two(), Selection{Metric: "requests/op"})
	if err != nil {
		t.Fatal(err)
	}
	looks := map[string]look{}
	for _, v := range pictures[0].page.charts[0].curves {
		looks[v.variant] = v.look
	}
	a, b := looks["v1, before"], looks["v1, after"]
	if a.color != b.color || slices.Equal(a.dashes, b.dashes) || a.filled == b.filled {
		t.Errorf("v1 is %+v and %+v, want one colour and two lines", a, b)
	}
	if looks["v2, before"].color == a.color {
		t.Error("two variants have one colour")
	}
}

// The requests by cause, which are a picture without curves, are drawn where nothing
// is selected, and are no chart of a metric.
func TestOverlayOfCauses(t *testing.T) {
	doc := catalog()
	for i := range doc.Series {
		s := &doc.Series[i]
		s.Attempts = append(s.Attempts, results.Attempt{Service: "dynamodb", API: "GetItem", Outcome: "ok", Cause: "control", Count: 20})
	}
	drawn := func(s Selection) []string {
		pictures, err := Overlay([]results.Named{{Name: "x", Document: doc}}, s)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, p := range pictures {
			names = append(names, p.Name())
		}
		return names
	}
	const causes = "requests-by-cause"
	if names := drawn(Selection{}); !slices.Contains(names, causes) {
		t.Errorf("drawn are %q, want %s among them", names, causes)
	}
	for _, s := range []Selection{{Metric: "requests/op"}, {X: "history_records"}} {
		if names := drawn(s); slices.Contains(names, causes) {
			t.Errorf("of %+v drawn are %q, want no %s", s, names, causes)
		}
	}
}

// Without a selection it is what a run draws of itself.
func TestOverlayOfOneResult(t *testing.T) {
	pictures, err := Overlay([]results.Named{{Name: "x", Document: catalog()}}, Selection{})
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for _, p := range pictures {
		got = append(got, p.Name())
	}
	for _, p := range pagesOf(catalog()) {
		want = append(want, p.name)
	}
	if !slices.Equal(got, want) {
		t.Errorf("charts %v, want %v", got, want)
	}
	kept, err := Overlay([]results.Named{{Name: "x", Document: mixed(t)}}, Selection{Metric: "requests/op", X: "concurrency", Point: results.Point{"guarded": results.Bool(true)}})
	if err != nil || len(kept) != 1 || !strings.HasSuffix(kept[0].Name(), "guarded=true") {
		t.Errorf("one of two: %d charts, %v", len(kept), err)
	}
}

func TestOverlayRefuses(t *testing.T) {
	other := catalog()
	other.Workload.Name = "migration"
	three := append(two(), results.Named{Name: "third", Document: catalog()})
	one := []results.Named{{Name: "x", Document: catalog()}}
	for name, c := range map[string]struct {
		docs []results.Named
		s    Selection
		says string
	}{
		"nothing":         {nil, Selection{}, "no result given"},
		"other workload":  {append(two(), results.Named{Name: "m", Document: other}), Selection{}, "m of migration"},
		"too many":        {three, Selection{}, "9 curves are more than the 8 that can be told apart"},
		"no such variant": {one, Selection{Variants: []string{"v9"}}, "none of the variants"},
		"no such metric":  {one, Selection{Metric: "p42"}, `metric "p42" was not measured; these were: bytes/op`},
		"no chart":        {one, Selection{Metric: "bytes/op"}, "in no chart"},
		"not swept":       {one, Selection{X: "tables"}, `"tables" was not measured at two values; these were: history_records`},
		"one point":       {[]results.Named{{Document: resultstest.CatalogRefresh(1, 0)}}, Selection{}, "no parameter was measured at two values"},
		"zero":            {one, Selection{Metric: "wru/op"}, "zero everywhere"},
	} {
		_, err := Overlay(c.docs, c.s)
		var refused *SelectionError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
}
