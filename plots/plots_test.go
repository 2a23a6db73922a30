package plots

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"github.com/lakebench/lakebench/internal/resultstest"
	"github.com/lakebench/lakebench/results"
)

func catalog() results.Document {
	doc := resultstest.CatalogRefresh(1, 0, 1000, 10_000, 100_000)
	doc.Clock = results.VirtualClock // else no time is drawn
	return doc
}

// mixed is a document of another kind: six variants, two parameters of which one
// has no numbers, values of zero, and more operations than one.
func mixed(t *testing.T) results.Document {
	t.Helper()
	doc := resultstest.CatalogRefresh(1, 0)
	doc.Workload.Name, doc.Series, doc.Clock = "metadata-mix", nil, results.VirtualClock
	for i, variant := range []string{"v1", "dual", "v2-authoritative", "v2-only", "v3", "v4"} {
		for guarded, on := range []bool{false, true} {
			for _, clients := range []int{1, 10, 100} {
				doc.Series = append(doc.Series, results.Series{
					Variant: variant, Phase: results.Steady,
					Point:      results.Point{"guarded": results.Bool(on), "concurrency": results.Number(clients)},
					Operations: map[string]results.Operations{"commit": {Count: 1, OK: 1}, "read": {Count: 1, OK: 1}},
					Metrics: map[string]float64{
						"requests/op": float64(1 + i%3 + guarded), "conflicts/op": float64(guarded * (clients - 1) * i),
						"p99-ns": float64(1_000_000 * clients), "odd metric": float64(i + 1),
					},
				})
			}
		}
	}
	var err error
	if doc.Summary, err = results.Summarize(&doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// files draws a document and returns the files by name.
func files(t *testing.T, doc results.Document) map[string][]byte {
	t.Helper()
	dir := t.TempDir()
	paths, err := Write(dir, Pictures(doc))
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string][]byte)
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(p)] = data
	}
	on, err := os.ReadDir(dir)
	if err != nil || len(on) != len(all) {
		t.Errorf("%d files on disk, %d reported, %v", len(on), len(all), err)
	}
	return all
}

// picture draws the chart of a metric of the catalog refresh.
func picture(t *testing.T, metric, format string) []byte {
	t.Helper()
	for _, p := range pagesOf(catalog()) {
		if p.name == metric+"-by-history_records" {
			data, err := p.render(format)
			if err != nil {
				t.Fatal(err)
			}
			return data
		}
	}
	t.Fatalf("no chart of %s", metric)
	return nil
}

// A chart for each metric that is not zero everywhere, and those of counts
// together.
func TestCharts(t *testing.T) {
	var got []string
	for _, p := range pagesOf(catalog()) {
		got = append(got, p.name)
	}
	var want []string
	for _, name := range []string{"requests-per-op", "evaluated-per-op", "rru-per-op", "usd-per-op", "p50-ns", "p99-ns", "overview"} {
		want = append(want, name+"-by-history_records")
	}
	if !slices.Equal(got, want) {
		t.Errorf("charts %v, want %v", got, want)
	}
}

// Each chart is written in both formats, and twice the same bytes.
func TestWriteIsDeterministic(t *testing.T) {
	doc := catalog()
	doc.Summary.Metrics = slices.DeleteFunc(doc.Summary.Metrics, func(m results.MetricSummary) bool {
		return m.Metric != "requests/op" && m.Metric != "rru/op"
	})
	first, second := files(t, doc), files(t, doc)
	want := []string{
		"overview-by-history_records.png", "overview-by-history_records.svg", "requests-per-op-by-history_records.png",
		"requests-per-op-by-history_records.svg", "rru-per-op-by-history_records.png", "rru-per-op-by-history_records.svg",
	}
	if names := slices.Sorted(maps.Keys(first)); !slices.Equal(names, want) {
		t.Errorf("files %v, want %v", names, want)
	}
	if !maps.EqualFunc(first, second, bytes.Equal) {
		t.Error("two drawings of one document differ")
	}
}

// A parameter that varies beside the drawn one is part of the name, whatever its
// value is made of.
func TestNamesTellChartsApart(t *testing.T) {
	doc := mixed(t)
	for _, m := range doc.Summary.Metrics {
		if m.Point["guarded"] == results.Bool(true) {
			m.Point["guarded"] = results.Word("../a b")
		}
	}
	seen := map[string]bool{}
	for _, p := range pagesOf(doc) {
		if seen[p.name] || filepath.Base(p.name) != p.name {
			t.Errorf("name %q is there twice, or is a path", p.name)
		}
		seen[p.name] = true
	}
	for _, want := range []string{"p99-ns-by-concurrency-guarded=false", "conflicts-per-op-by-concurrency-guarded=.._a_b", "overview-by-guarded-concurrency=10", "odd_metric-by-guarded-concurrency=10"} {
		if !seen[want] {
			t.Errorf("no %s in %v", want, seen)
		}
	}
}

// One point has no growth to draw, and a metric that is nothing everywhere is no
// chart.
func TestNothingToDraw(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plots")
	paths, err := Write(dir, Pictures(resultstest.CatalogRefresh(1, 1000)))
	if _, serr := os.Stat(dir); err != nil || len(paths) > 0 || !errors.Is(serr, os.ErrNotExist) {
		t.Errorf("one point: %v, %v, folder %v; want nothing", paths, err, serr)
	}
	for _, c := range chartsOf(catalog()) {
		if c.metric.Name == "wru/op" || c.metric.Name == "s3-class-a/op" {
			t.Errorf("%s is drawn although it is 0", c.metric.Name)
		}
	}
}

// What cannot be written is an error, and says which file.
func TestWriteFails(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(blocked, Pictures(catalog())); err == nil || !strings.Contains(err.Error(), "requests-per-op-by-history_records.svg") {
		t.Errorf("Write into a file: %v", err)
	}
}

// texts returns the texts of an SVG, which it parses.
func texts(t *testing.T, svg []byte) []string {
	t.Helper()
	var all []string
	dec := xml.NewDecoder(bytes.NewReader(svg))
	inside := ""
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("no well-formed XML: %v", err)
		}
		switch x := token.(type) {
		case xml.StartElement:
			inside = x.Name.Local
		case xml.EndElement:
			inside = ""
		case xml.CharData:
			if inside == "text" || inside == "title" {
				all = append(all, string(x))
			}
		}
	}
}

// The chart names what is counted, for what, over what, every variant with its
// growth, the ticks in words of people, and the last values.
func TestChartSaysWhatItShows(t *testing.T) {
	for file, want := range map[string][]string{
		"requests-per-op": {"Requests per refresh", "requests", "history records", "v1: linear", "v2 = v2-parallel: constant", "the least possible",
			"0", "1,000", "100,000", "1", "10", "100", "102", "8", "catalog-refresh · item bytes 300 · page limit 1,000 · tables 1,000"},
		"evaluated-per-op": {"items evaluated", "101,000", "1,000"},
		"rru-per-op":       {"read units", "7,475", "80", "74"},
		"usd-per-op":       {"Cost of a million refresh operations", "US dollars", "$100", "$934.38", "$10.00", "$9.25"},
		"p50-ns":           {"Median response time", "10 ms", "132 ms", "426 µs", "v1"},
	} {
		got := texts(t, picture(t, file, "svg"))
		for _, w := range want {
			if !slices.Contains(got, w) {
				t.Errorf("%s: no text %q in %q", file, w, got)
			}
		}
	}
	if got := texts(t, picture(t, "p50-ns", "svg")); slices.Contains(got, "the least possible") {
		t.Error("a time has no least that the rules allow")
	}
}

func decode(t *testing.T, data []byte) image.Image {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// Nothing reaches the edge of a picture, so nothing is cut off: three points
// all around are paper.
func TestNothingIsClipped(t *testing.T) {
	const dpi, edge = 48, 2 // enough to see a letter at the edge
	var pages []page
	for _, doc := range []results.Document{catalog(), mixed(t), resultstest.CatalogRefresh(1, 0, 1000, 10_000_000)} {
		for _, p := range pagesOf(doc) {
			if len(p.charts) > 1 || p.charts[0].metric.Assume == results.Time || p.charts[0].metric.Name == "requests/op" || p.charts[0].metric.Name == "usd/op" {
				pages = append(pages, p)
			}
		}
	}
	for _, p := range pages {
		img := p.raster(dpi).Image()
		inner := img.Bounds().Inset(edge)
		for y := range img.Bounds().Dy() {
			for x := range img.Bounds().Dx() {
				if at := (image.Point{x, y}); !at.In(inner) && color.RGBAModel.Convert(img.At(x, y)) != paper {
					t.Fatalf("%s: something is drawn at %v, at the edge", p.name, at)
				}
			}
		}
	}
}

// Every value is within the axes, and dollars are where their ticks are.
func TestDotsAreInTheArea(t *testing.T) {
	pen := &pen{fonts: newFonts()}
	page := vg.Rectangle{Max: vg.Point{X: chartWidth, Y: chartHeight}}
	for _, c := range append(chartsOf(catalog()), chartsOf(mixed(t))...) {
		panel := newPanel(pen, c, page)
		for _, d := range c.dots() {
			if at := panel.at(d); at.X < panel.area.Min.X || at.X > panel.area.Max.X || at.Y < panel.area.Min.Y || at.Y > panel.area.Max.Y {
				t.Errorf("%s: %v is at %v, outside %v", c.metric.Name, d, at, panel.area)
			}
		}
		if c.metric.Name != "usd/op" {
			continue
		}
		for _, k := range panel.y.ticks { // 1e-4 dollars an operation are 100 a million
			if at := panel.at(dot{results.Number(0), 1e-4}); k.label == "$100" && panel.atY(k.at) != at.Y {
				t.Errorf("$100 is at %v, its tick at %v", at.Y, panel.atY(k.at))
			}
		}
	}
}

// v2 and v2-parallel cost the same, so their curves coincide: both colours are
// there along the line between two markers, and both in it.
func TestCoincidingCurvesAreBothSeen(t *testing.T) {
	img := decode(t, picture(t, "requests-per-op", "png"))
	seen := map[color.Color]int{}
	for y := range img.Bounds().Dy() {
		for x := img.Bounds().Dx() * 65 / 100; x < img.Bounds().Dx()*85/100; x++ {
			seen[color.RGBAModel.Convert(img.At(x, y))]++
		}
	}
	for i, name := range []string{"v1", "v2", "v2-parallel"} {
		if n := seen[looks[i].color]; n < pngDPI { // an inch of a line that is a pixel wide
			t.Errorf("%d pixels of %s between 10,000 and 100,000 records", n, name)
		}
	}
}

// Curves differ in more than colour: no two have both the pattern and the marker
// in common.
func TestLooksDifferWithoutColour(t *testing.T) {
	seen := map[string]bool{}
	for _, l := range looks {
		key := fmt.Sprint(l.dashes, len(l.marker(fixed, 1)), l.marker(fixed, 1)[0], l.filled)
		if seen[key] {
			t.Errorf("two looks have %s", key)
		}
		seen[key] = true
	}
}

// A variant looks the same in every picture: whatever is measured beside it, in
// whatever order. What has no look of its own, or shares its own with another curve of
// the picture, takes one that is free.
func TestLooksAreByName(t *testing.T) {
	same := func(a, b look) bool { return a.color == b.color && len(a.dashes) == len(b.dashes) }
	alone, together := looksOf([]string{"serve"}), looksOf([]string{"scan", "serve-cursor", "serve", "serialized", "probe"})
	if !same(alone["serve"], together["serve"]) {
		t.Error("serve looks different beside others")
	}
	runs := looksOf([]string{"v2, before", "new", "v2, after"})
	if !same(runs["v2, before"], looksOf([]string{"v1", "v2"})["v2"]) {
		t.Error("v2 looks different where its result is named")
	}
	for _, names := range [][]string{
		{"v1", "v2", "v2-parallel"}, {"v1", "dual", "v2-authoritative", "v2-only"}, {"single", "batched"}, {"scan", "serve-cursor", "serve", "serialized", "probe"},
		{"v2, before", "new", "v2, after"}, {"a", "b", "c", "d", "e", "f", "g", "h"},
	} {
		all := looksOf(names)
		for i, a := range names {
			for _, b := range names[:i] {
				if all[a].color == all[b].color {
					t.Errorf("%s and %s look the same", a, b)
				}
			}
		}
	}
}

// What changes along no parameter is no picture, and neither is what one machine's
// clock says; an overview begins with what its workload is about.
func TestPicturesOfWhatChanges(t *testing.T) {
	doc := catalog()
	doc.Clock = results.RealClock
	doc.Workload.Focus = results.Focus{X: resultstest.History, Metrics: []string{"usd/op", "rru/op"}}
	for i, m := range doc.Summary.Metrics {
		if m.Metric == "evaluated/op" {
			doc.Summary.Metrics[i].Value = map[string]float64{"v1": 7}[m.Variant] + 1
		}
	}
	var names []string
	for _, p := range Pictures(doc) {
		names = append(names, p.Name())
		if p.Overview() && (p.Metric() != "usd/op" || p.page.charts[1].metric.Name != "rru/op" || len(p.page.charts) != 3) {
			t.Errorf("the overview has %d charts and begins with %s", len(p.page.charts), p.Metric())
		}
	}
	want := []string{"requests-per-op-by-history_records", "rru-per-op-by-history_records", "usd-per-op-by-history_records", "overview-by-history_records"}
	if !slices.Equal(names, want) {
		t.Errorf("pictures %v, want %v", names, want)
	}
}

// An overview does not show the same values twice, and a picture that does is found.
func TestSameValuesAreShownOnce(t *testing.T) {
	doc := catalog()
	var requests []float64
	for _, m := range doc.Summary.Metrics {
		if m.Metric == "requests/op" {
			requests = append(requests, m.Value)
		}
	}
	for i, m := range doc.Summary.Metrics {
		if m.Metric == "evaluated/op" {
			doc.Summary.Metrics[i].Value, requests = requests[0], requests[1:]
		}
	}
	byMetric := map[string]Picture{}
	for _, p := range Pictures(doc) {
		if !p.Overview() {
			byMetric[p.Metric()] = p
			continue
		}
		for _, c := range p.page.charts {
			if c.metric.Name == "evaluated/op" {
				t.Error("the overview shows the requests again, as items evaluated")
			}
		}
	}
	if a := byMetric["requests/op"]; !a.SameAs(byMetric["evaluated/op"]) || a.SameAs(byMetric["rru/op"]) {
		t.Error("SameAs is wrong about requests, evaluated items or read units")
	}
}

// Curves that coincide in one chart of an overview only are named there.
func TestCurvesThatCoincideShareALabel(t *testing.T) {
	doc := catalog()
	for i, m := range doc.Summary.Metrics {
		if m.Metric == "rru/op" && m.Variant == "v2-parallel" {
			doc.Summary.Metrics[i].Value++
		}
	}
	for _, p := range Pictures(doc) {
		if !p.Overview() {
			continue
		}
		svg, err := p.Render("svg")
		if err != nil {
			t.Fatal(err)
		}
		got := texts(t, svg)
		for _, name := range []string{"v1", "v2", "v2-parallel"} { // the legend, for they differ in one chart
			if !slices.Contains(got, name) {
				t.Errorf("the legend lacks %s: %q", name, got)
			}
		}
		if n := len(slices.DeleteFunc(got, func(s string) bool { return s != "v2 = v2-parallel" })); n != 3 {
			t.Errorf("%d charts name the curves that coincide, want 3 of 4", n)
		}
		return
	}
	t.Fatal("no overview")
}
