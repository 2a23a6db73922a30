package results

import (
	"fmt"
	"math"

	"github.com/lakebench/lakebench/internal/render/texttab"
)

// A PublishedFigure is a number that the authors of the shard manifest's change
// have published (docs/spec/shard-manifest.md §5), beside what a run measured.
type PublishedFigure struct {
	Figure, Variant string
	Published       float64
	Measured        float64
	// Explained says what the measured number is made of, and where a difference
	// may come from.
	Explained string
}

// figure is a published number, and where in a run it is found.
type figure struct {
	workload, name, variant string
	published               float64
	// metric at the coordinates of at, times the parameter of times, or divided by
	// that of per.
	metric     string
	at         map[string]string
	times, per string
	explained  string
}

// flushProfile and the others are the points at which figures are published, as
// far as anybody knows (docs/facts/memwal.md §3).
var (
	flushProfile   = map[string]string{"duplicates": "true", "user_indexes": "0", "manifest_polls": "20"}
	compactProfile = map[string]string{"generations": "3", "duplicates": "true", "user_indexes": "0", "manifest_polls": "0"}
	replayProfile  = map[string]string{"entries": "30", "hint_lag": "0"}
)

// figures are those of the change's table and of its review.
func figures() []figure {
	const requests = "requests/op"
	return []figure{
		{
			workload: "fresh-read", name: "requests per read of 64 generations", variant: "scan", published: 5 + 64, metric: requests, at: map[string]string{"generations": "64"},
			explained: "5 + N: a search of the manifest (hint, HEAD, two HEADs, body), and the data of each generation",
		},
		{
			workload: "fresh-read", name: "requests per read of 64 generations", variant: "serve", published: 64, metric: requests, at: map[string]string{"generations": "64"},
			explained: "N: the data of each generation",
		},
		{
			workload: "flush", name: "requests per flush", variant: "scan", published: 132, metric: requests, at: flushProfile,
			explained: "29 of its own (21, 3 for duplicates, 5 for a forced seal), and 20 polls of 5 by the node (all assumptions). " +
				"132 − 29 is no multiple of 5: some of the real polls met a hint that lagged, which takes 7; here none does",
		},
		{
			workload: "flush", name: "requests per flush", variant: "serve", published: 24, metric: requests, at: flushProfile,
			explained: "16 of its own, 3 for duplicates, 5 for a forced seal (assumptions); the polls cost nothing",
		},
		{
			workload: "compaction", name: "requests per pass", variant: "scan", published: 35, metric: requests, at: compactProfile,
			explained: "5 to commit to the base table, 3 generations, 2 to commit to the shard, and 5 reads of the manifest of 5 each (assumption)",
		},
		{
			workload: "compaction", name: "requests per pass", variant: "serve", published: 10, metric: requests, at: compactProfile,
			explained: "the same, and the reads of the manifest cost nothing",
		},
		{
			workload: "wal-replay", name: "requests per unflushed entry", variant: "scan", published: 8.81, metric: requests, at: replayProfile, per: "entries",
			explained: "(24 + 8K)/K for K = 30 entries (assumption): an entry is read, and its place searched for (5) and written (2)",
		},
		{
			workload: "wal-replay", name: "requests per unflushed entry", variant: "serve-cursor", published: 4.18, metric: requests, at: replayProfile, per: "entries",
			explained: "(14 + 3K)/K for K = 30 entries: an entry is read, and its place written (2). The real tailer wrote beside the reading, so some writes lost their version and were made again; " +
				"here none does. On a shard that was flushed before (flushed_before=true) an entry takes 4, since the end of the log is looked for one by one",
		},
		{
			workload: "wal-append", name: "requests per entry", variant: "scan", published: 1, metric: requests, at: map[string]string{"group_commit": "1"},
			explained: "one conditional PUT",
		},
		{
			workload: "wal-append", name: "requests per entry", variant: "serve", published: 1, metric: requests, at: map[string]string{"group_commit": "1"},
			explained: "one conditional PUT",
		},
		{
			workload: "concurrent-commits", name: "searches for 8 commits at once", variant: "serve", published: 24, metric: "scans/op", at: map[string]string{"committers": "8"}, times: "committers",
			explained: "at most n(n−1)/2 = 28; how many of them depends on how the commits overlap, so on the time that each request takes",
		},
		{
			workload: "concurrent-commits", name: "searches for 8 commits at once", variant: "serialized", published: 0, metric: "scans/op", at: map[string]string{"committers": "8"}, times: "committers",
			explained: "each commit hands its version to the next one",
		},
	}
}

// Published returns the published figures that a run has measured.
func Published(doc Document) []PublishedFigure {
	var out []PublishedFigure
	for _, f := range figures() {
		if measured, ok := f.in(doc); ok {
			out = append(out, PublishedFigure{f.name, f.variant, f.published, measured, f.explained})
		}
	}
	return out
}

// in looks for a figure: at its point, the last one where several are.
func (f figure) in(doc Document) (measured float64, ok bool) {
	if doc.Workload.Name != f.workload {
		return 0, false
	}
	for _, m := range doc.Summary.Metrics {
		if m.Variant == f.variant && m.Metric == f.metric && f.isAt(m.Point) {
			measured, ok = m.Value, true
			if n, there := m.Point[f.times].Float(); there {
				measured *= n
			}
			if n, there := m.Point[f.per].Float(); there {
				measured /= n
			}
		}
	}
	return measured, ok
}

func (f figure) isAt(p Point) bool {
	for name, want := range f.at {
		if v, ok := p[name]; !ok || v.String() != want {
			return false
		}
	}
	return true
}

// PublishedGrid is Published as a table, without rows if there is nothing.
func PublishedGrid(doc Document) Grid {
	g := Grid{Title: "Published figures", Heads: []string{"", "policy", "published", "measured", "explained by"}, Words: []int{1, 4}}
	for _, f := range Published(doc) {
		g.Rows = append(g.Rows, GridRow{Cells: []string{f.Figure, f.Variant, shortNumber(f.Published), shortNumber(f.Measured), f.Explained}})
	}
	return g
}

// shortNumber has two decimals at most.
func shortNumber(v float64) string {
	v = math.Round(100*v) / 100
	return texttab.Thousands(v, texttab.Decimals([]float64{v}))
}

// published writes the figures, each with its explanation below it.
func (t *terminal) published(doc Document) {
	all := Published(doc)
	if len(all) == 0 {
		return
	}
	t.Title("Published figures")
	columns := []*texttab.Column{
		{Heading: [2]string{"", ""}, Left: true}, {Heading: [2]string{"", "policy"}, Left: true},
		{Heading: [2]string{"", "published"}}, {Heading: [2]string{"", "measured"}},
	}
	for _, f := range all {
		for i, cell := range []string{"  " + f.Figure, f.Variant, shortNumber(f.Published), shortNumber(f.Measured)} {
			columns[i].Cells = append(columns[i].Cells, cell)
		}
	}
	t.Line(texttab.Headings(columns)[1])
	for i, f := range all {
		t.Line(texttab.Row(columns, i))
		t.Paragraph(texttab.Dim, fmt.Sprintf("    explained by: %s", f.Explained), "      ")
	}
}
