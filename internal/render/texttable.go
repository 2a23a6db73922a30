package render

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lakebench/lakebench/internal/render/format"
)

// gap stands between the columns of a terminal.
const gap = "  "

// A grid is a table laid out for a terminal.
type grid struct {
	*text
	kept []*column
	// wrapped is the last column if it has words, else nil: its cells stand beside
	// the others, or below them where there is no room.
	wrapped *column
	beside  bool
}

// column is a column of a grid.
type column struct {
	Column
	index int
	left  bool // aligned to the left
	width int  // of the widest cell, in runes
	same  bool // in every row, of which there are several
	value string
}

func (t *text) table(table Table) {
	rows := indented(table.Rows)
	columns := columnsOf(table, rows)
	g := grid{text: t}
	if last := columns[len(columns)-1]; len(columns) > 1 && last.left {
		g.wrapped, columns = last, columns[:len(columns)-1]
	}
	kept, left := fit(columns, t.Width)
	g.kept = kept
	if g.wrapped != nil {
		room := t.Width - widthOf(kept) - len(gap)
		g.beside = room >= min(leastWrapped, g.wrapped.width)
	}
	g.headings()
	for _, row := range rows {
		if row.Group != "" {
			t.paragraph(Plain, row.Group, "  ")
		}
		if row.Cells != nil {
			g.row(row)
		}
	}
	for _, note := range append(slices.Clone(table.Notes), leftOut(left)...) {
		t.paragraph(Dim, note, "")
	}
}

// indented moves the names of the rows below a group by one.
func indented(rows []Row) []Row {
	rows = slices.Clone(rows)
	grouped := false
	for i, row := range rows {
		grouped = grouped || row.Group != ""
		if grouped && row.Cells != nil {
			rows[i].Cells = slices.Clone(row.Cells)
			rows[i].Cells[0] = " " + row.Cells[0]
		}
	}
	return rows
}

func columnsOf(table Table, rows []Row) []*column {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return r.Cells == nil })
	columns := make([]*column, len(table.Columns))
	for i, described := range table.Columns {
		lines := described.headingLines()
		c := &column{Column: described, index: i, left: table.isWords(i), same: len(rows) > 1}
		c.width = max(utf8.RuneCountInString(lines[0]), utf8.RuneCountInString(lines[1]))
		for _, row := range rows {
			c.width = max(c.width, utf8.RuneCountInString(row.Cells[i]))
			c.same = c.same && row.Cells[i] == rows[0].Cells[i]
			c.value = row.Cells[i]
		}
		columns[i] = c
	}
	return columns
}

// headings writes one or two lines, or none if no column has a heading.
func (g *grid) headings() {
	for line := range 2 {
		var cells []string
		for _, c := range g.kept {
			cells = append(cells, padded(c.headingLines()[line], c.width, c.left))
		}
		if g.beside {
			cells = append(cells, g.wrapped.headingLines()[line])
		}
		if s := strings.TrimRight(strings.Join(cells, gap), " "); s != "" {
			g.line(g.styled(Dim, s))
		}
	}
}

func (g *grid) row(row Row) {
	var cells []string
	for _, c := range g.kept {
		cells = append(cells, g.tinted(row, c, padded(row.Cells[c.index], c.width, c.left)))
	}
	line := strings.TrimRight(strings.Join(cells, gap), " ")
	if g.wrapped == nil || row.Cells[g.wrapped.index] == "" {
		g.line(line)
		return
	}
	below := 4
	if g.beside {
		below = widthOf(g.kept) + len(gap)
		line = strings.Join(cells, gap) + gap
	} else {
		line += "\n" + strings.Repeat(" ", below)
	}
	g.line(line + g.tinted(row, g.wrapped, block(row.Cells[g.wrapped.index], g.Width, below)))
}

// tinted shows a cell in the level of its row, but not the space around it.
func (g *grid) tinted(row Row, c *column, cell string) string {
	if !c.Tinted {
		return cell
	}
	words := strings.TrimSpace(cell)
	return strings.Replace(cell, words, g.styled(row.Level, words), 1)
}

// fit leaves out columns until the rest are at most width wide: those that are the
// same in every row first, then those of the lowest priority. The first one stays.
func fit(columns []*column, width int) (kept, left []*column) {
	kept = slices.Clone(columns)
	for len(kept) > 1 && widthOf(kept) > width {
		worst := 1
		for i, c := range kept {
			if i > worst && c.leavesBefore(kept[worst]) {
				worst = i
			}
		}
		left = append(left, kept[worst])
		kept = slices.Delete(kept, worst, worst+1)
	}
	return kept, left
}

func (c *column) leavesBefore(d *column) bool {
	if c.same != d.same {
		return c.same
	}
	return c.Priority < d.Priority
}

// leftOut says what the columns left out would have shown.
func leftOut(columns []*column) []string {
	var same, names, notes []string
	for _, c := range columns {
		if c.same {
			same = append(same, c.Name+" "+c.value)
		} else {
			names = append(names, c.Name)
		}
	}
	if len(same) > 0 {
		notes = append(notes, "The same in every row: "+format.List(same)+".")
	}
	if len(names) > 0 {
		notes = append(notes, "Left out for lack of width: "+format.List(names)+".")
	}
	return notes
}

// widthOf is how wide columns are side by side, in runes.
func widthOf(columns []*column) int {
	w := len(gap) * (len(columns) - 1)
	for _, c := range columns {
		w += c.width
	}
	return w
}
