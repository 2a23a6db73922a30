package results

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lakebench/lakebench/internal/render/texttab"
)

// TableOptions are how a table is shown.
type TableOptions struct {
	// Width of the terminal in columns; 0 is 80.
	Width int
	// Color uses ANSI colours and bold.
	Color bool
}

// WriteTable writes the document for a terminal: what it says in a sentence, the
// costs per operation at every point, how they grow and where they cross, and
// whether the counts can be trusted. Warnings come first after the sentence.
func WriteTable(w io.Writer, doc Document, o TableOptions) error {
	t := &terminal{texttab.NewPage(o.Width, o.Color)}
	t.head(doc)
	t.costs(doc)
	t.causes(doc)
	t.growth(doc)
	t.crossovers(doc)
	t.published(doc)
	t.trust(doc)
	_, err := io.WriteString(w, t.String())
	return err
}

// terminal writes a document.
type terminal struct{ *texttab.Page }

func (t *terminal) head(doc Document) {
	t.Paragraph(texttab.Bold, doc.Headline, "")
	for _, c := range doc.Checks {
		if c.Status == Failed {
			t.Paragraph(texttab.Red, fmt.Sprintf("Invalid: the check %q failed. Do not use these numbers.", c.Name), "")
		}
	}
	if doc.Partial {
		t.Paragraph(texttab.Yellow, "Partial: the run was interrupted. What is here was measured; the rest was not.", "")
	}
	for _, w := range doc.Warnings {
		t.Paragraph(texttab.Yellow, "Warning: "+w, "  ")
	}
	if n := clamped(doc.Series); n > 0 {
		t.Paragraph(texttab.Yellow, fmt.Sprintf("Warning: %s outside the range of the histograms; the times below are cut off there.", texttab.Plural(n, "sample was", "samples were")), "  ")
	}
	t.Paragraph(texttab.Dim, context(doc), "")
}

// context says in a line what was run, and where.
func context(doc Document) string {
	parts := []string{doc.Workload.Name, fmt.Sprintf("seed %d", doc.Seed), texttab.Plural(int64(doc.Repeats), "repeat", "repeats"), doc.Environment.Backend.Kind}
	if len(doc.Series) > 0 {
		swept := sweptParams(doc.Series)
		p := doc.Series[0].Point
		for _, name := range sortedKeys(p) {
			if !slices.Contains(swept, name) {
				parts = append(parts, texttab.Spaced(name)+" "+FormatCoordinate(p[name]))
			}
		}
	}
	return strings.Join(parts, " · ")
}

// sweptParams names the parameters of which there are two values or more.
func sweptParams(series []Series) []string {
	values := make(map[string]map[Value]bool)
	for _, s := range series {
		for name, v := range s.Point {
			if values[name] == nil {
				values[name] = make(map[Value]bool)
			}
			values[name][v] = true
		}
	}
	return slices.DeleteFunc(sortedKeys(values), func(name string) bool { return len(values[name]) < 2 })
}

func clamped(series []Series) int64 {
	var n int64
	for _, s := range series {
		for _, l := range s.Latency {
			n += l.Response.Clamped
		}
	}
	return n
}

// operationName is the name of the one logical operation, "operation" where
// there are several.
func operationName(series []Series) string {
	name := ""
	for _, s := range series {
		for n := range s.Operations {
			if name != "" && n != name {
				return "operation"
			}
			name = n
		}
	}
	return cmp.Or(name, "operation")
}

// columnsOf returns the metrics that have a column for what was measured. Those
// that are zero everywhere are left out.
func columnsOf(doc Document) []Metric {
	var names []string
	for _, m := range doc.Summary.Metrics {
		if m.Value != 0 && !slices.Contains(names, m.Metric) {
			names = append(names, m.Metric)
		}
	}
	doc.Metrics.Sort(names)
	var columns []Metric
	for _, name := range names {
		if m := doc.Metrics.Lookup(name); !m.Column.Hidden {
			columns = append(columns, m)
		}
	}
	return columns
}

// costs writes a block of rows for each point, a row for each variant.
func (t *terminal) costs(doc Document) {
	if len(doc.Summary.Metrics) == 0 {
		return
	}
	rows := rowsOf(doc.Summary.Metrics)
	names := &texttab.Column{Left: true}
	for _, r := range rows {
		names.Cells = append(names.Cells, " "+r.variant)
	}
	columns := []*texttab.Column{names}
	for _, m := range columnsOf(doc) {
		columns = append(columns, metricColumn(m, rows))
	}
	columns, left := texttab.Fit(columns, t.Width)
	t.Title("Cost per " + operationName(doc.Series) + repeatsNote(doc))
	for _, line := range texttab.Headings(columns) {
		t.Line(t.Styled(texttab.Dim, line))
	}
	swept := sweptParams(doc.Series)
	for i, r := range rows {
		if i == 0 || r.point.String() != rows[i-1].point.String() {
			t.pointHeading(r.point, swept)
		}
		t.Line(texttab.Row(columns, i))
	}
	t.Paragraph(texttab.Dim, timesNote(doc, rows), "")
	if len(left) > 0 {
		t.Paragraph(texttab.Dim, texttab.LeftOut(left), "")
	}
}

func repeatsNote(doc Document) string {
	if doc.Repeats > 1 && !doc.Deterministic {
		return fmt.Sprintf(" (median of %d repeats)", doc.Repeats)
	}
	return ""
}

func (t *terminal) pointHeading(p Point, swept []string) {
	if text := pointText(p, swept); text != "" {
		t.Line(text)
	}
}

// pointText names the coordinates that differ between points.
func pointText(p Point, swept []string) string {
	var parts []string
	for _, name := range swept {
		parts = append(parts, texttab.Spaced(name)+" "+FormatCoordinate(p[name]))
	}
	return strings.Join(parts, ", ")
}

// tableRow is a variant at a point, with its metrics.
type tableRow struct {
	variant string
	point   Point
	values  map[string]float64
}

// rowsOf collects the rows in the order of points, then of variants, as they
// first appear.
func rowsOf(metrics []MetricSummary) []*tableRow {
	var rows []*tableRow
	at := make(map[string]*tableRow)
	pointOrder := make(map[string]int)
	for _, m := range metrics {
		point := m.Point.String()
		if _, ok := pointOrder[point]; !ok {
			pointOrder[point] = len(pointOrder)
		}
		key := m.Variant + "\x00" + point
		if at[key] == nil {
			at[key] = &tableRow{m.Variant, m.Point, make(map[string]float64)}
			rows = append(rows, at[key])
		}
		at[key].values[m.Metric] = m.Value
	}
	slices.SortStableFunc(rows, func(a, b *tableRow) int {
		return cmp.Compare(pointOrder[a.point.String()], pointOrder[b.point.String()])
	})
	return rows
}

func metricColumn(m Metric, rows []*tableRow) *texttab.Column {
	c := &texttab.Column{Name: m.ShortTitle(), Heading: m.Column.Heading, Worth: m.Column.Priority}
	var values []float64
	for _, r := range rows {
		if v, ok := r.values[m.Name]; ok {
			values = append(values, m.Scaled(v))
		}
	}
	digits := texttab.Decimals(values)
	if m.Money && m.Scale > 1 && slices.ContainsFunc(values, func(v float64) bool { return v >= 1 }) {
		digits = 2 // dollars and cents
	}
	for _, r := range rows {
		v, ok := r.values[m.Name]
		switch {
		case !ok:
			c.Cells = append(c.Cells, "–")
		case m.IsTime():
			c.Cells = append(c.Cells, texttab.Duration(v))
		default:
			c.Cells = append(c.Cells, texttab.Thousands(m.Scaled(v), digits))
		}
	}
	return c
}

// timesNote tells which time the table has, and how the other one differs.
func timesNote(doc Document, rows []*tableRow) string {
	ofResponse, ok1 := doc.Metrics.From(Source{Time: ResponseTime, Percentile: 50})
	ofService, ok2 := doc.Metrics.From(Source{Time: ServiceTime, Percentile: 50})
	if !ok1 || !ok2 {
		return ""
	}
	var worst, response, service float64
	for _, r := range rows {
		if s := r.values[ofService.Name]; s > 0 && r.values[ofResponse.Name]/s >= worst {
			response, service = r.values[ofResponse.Name], s
			worst = response / service
		}
	}
	const note = "Response time runs from when an operation should have begun, service time from when it did"
	switch {
	case service == 0:
		return ""
	case worst < 1.01:
		return note + "; here they are the same."
	}
	return fmt.Sprintf("%s; the medians differ most at %s and %s.", note, texttab.Duration(response), texttab.Duration(service))
}
