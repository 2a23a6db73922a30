package plan

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lakebench/lakebench/internal/render/texttab"
	"github.com/lakebench/lakebench/results"
)

// WriteText writes the plan for a terminal of some width; 0 is 80 columns.
func (p Plan) WriteText(w io.Writer, width int, color bool) error {
	page := texttab.NewPage(width, color)
	page.Paragraph(texttab.Bold, "Plan: "+p.Headline(), "")
	page.Paragraph(texttab.Dim, p.Context(), "")
	for _, s := range p.Sections() {
		page.Title(s.Title)
		if s.Lead != "" && s.Lead != p.Headline() {
			page.Paragraph(texttab.Plain, s.Lead, "")
		}
		s.table(page)
		for _, n := range s.Notes {
			style := texttab.Plain
			if strings.HasPrefix(n, OverLimit) {
				style = texttab.Red
			}
			page.Paragraph(style, "- "+n, "  ")
		}
	}
	_, err := io.WriteString(w, page.String())
	return err
}

// table writes a section's table. A first column that is too wide is wrapped, so
// that the numbers stay in sight.
func (s Section) table(page *texttab.Page) {
	if len(s.Rows) == 0 {
		return
	}
	columns := s.columns()
	last := columns[len(columns)-1]
	fitting := columns
	if last.Left { // it wraps
		fitting = columns[:len(columns)-1]
	}
	kept, left := texttab.Fit(fitting, page.Width)
	page.Line(page.Styled(texttab.Dim, texttab.Headings(kept)[1]))
	i := 0
	for _, row := range s.Rows {
		if isGroup(row) {
			page.Line(row[0])
			continue
		}
		line := texttab.Row(kept, i)
		if last.Left {
			line = filled(line, texttab.Width(kept)) + texttab.Gap + texttab.Block(last.Cells[i], page.Width, texttab.Width(kept)+len(texttab.Gap))
		}
		page.Line(line)
		i++
	}
	if len(left) > 0 {
		page.Paragraph(texttab.Dim, texttab.LeftOut(left), "")
	}
}

// columns returns the cells by column, without the rows that head others: they
// take the whole line.
func (s Section) columns() []*texttab.Column {
	columns := make([]*texttab.Column, len(s.Header))
	for i, h := range s.Header {
		columns[i] = &texttab.Column{Name: h, Heading: [2]string{"", h}, Left: i == 0 || slices.Contains(s.Words, i), Worth: len(s.Header) - i}
		for _, row := range s.Rows {
			if !isGroup(row) {
				columns[i].Cells = append(columns[i].Cells, row[i])
			}
		}
	}
	return columns
}

// filled fills a line up to a width.
func filled(line string, width int) string {
	c := texttab.Column{Left: true}
	return c.Pad(line, width)
}

// WriteMarkdown writes the plan as Markdown.
func (p Plan) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Plan\n\n%s\n\n%s\n", p.Headline(), p.Context())
	for _, s := range p.Sections() {
		fmt.Fprintf(&b, "\n## %s\n\n", s.Title)
		if s.Lead != "" {
			fmt.Fprintf(&b, "%s\n\n", s.Lead)
		}
		if table := s.Grid().Markdown(); table != "" {
			b.WriteString(table + "\n")
		}
		for _, n := range s.Notes {
			fmt.Fprintf(&b, "- %s\n", n)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Grid returns the section's table.
func (s Section) Grid() results.Grid {
	g := results.Grid{Title: s.Title, Heads: s.Header, Words: s.Words}
	for _, row := range s.Rows {
		if isGroup(row) {
			g.Rows = append(g.Rows, results.GridRow{Group: row[0]})
			continue
		}
		g.Rows = append(g.Rows, results.GridRow{Cells: row})
	}
	return g
}
