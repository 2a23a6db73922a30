package results

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// column is a column of a table: a heading of two lines, and a cell for each row.
type column struct {
	name    string // in a sentence
	heading [2]string
	cells   []string
	left    bool // aligned to the left
	// worth orders columns for a narrow terminal: the least goes first.
	worth int
}

func (c *column) width() int {
	w := max(utf8.RuneCountInString(c.heading[0]), utf8.RuneCountInString(c.heading[1]))
	for _, cell := range c.cells {
		w = max(w, utf8.RuneCountInString(cell))
	}
	return w
}

func (c *column) pad(text string, width int) string {
	space := strings.Repeat(" ", max(width-utf8.RuneCountInString(text), 0))
	if c.left {
		return text + space
	}
	return space + text
}

const gap = "  " // between columns

// fitColumns leaves out columns until the rest fit the width, those that say the
// same in every row first. The first column stays.
func fitColumns(columns []*column, width int) (kept, left []*column) {
	kept = slices.Clone(columns)
	for len(kept) > 1 && tableWidth(kept) > width {
		worst := 1
		for i, c := range kept {
			if i > worst && c.dropsBefore(kept[worst]) {
				worst = i
			}
		}
		left = append(left, kept[worst])
		kept = slices.Delete(kept, worst, worst+1)
	}
	return kept, left
}

func (c *column) dropsBefore(d *column) bool {
	if c.same() != d.same() {
		return c.same()
	}
	return c.worth < d.worth
}

// same says that there are several rows and no difference between them.
func (c *column) same() bool {
	return len(c.cells) > 1 && !slices.ContainsFunc(c.cells, func(cell string) bool { return cell != c.cells[0] })
}

// leftOut says what the columns left out would have shown.
func leftOut(columns []*column) string {
	var said, names []string
	for _, c := range columns {
		if c.same() {
			said = append(said, fmt.Sprintf("In every row: %s %s.", c.cells[0], c.name))
		} else {
			names = append(names, c.name)
		}
	}
	if len(names) > 0 {
		said = append(said, fmt.Sprintf("Too narrow for %s.", list(names)))
	}
	return strings.Join(said, " ")
}

func tableWidth(columns []*column) int {
	w := len(gap) * (len(columns) - 1)
	for _, c := range columns {
		w += c.width()
	}
	return w
}

// headings returns the two lines above the rows.
func headings(columns []*column) [2]string {
	return [2]string{
		joined(columns, func(c *column) string { return c.heading[0] }),
		joined(columns, func(c *column) string { return c.heading[1] }),
	}
}

// row returns a row.
func row(columns []*column, i int) string {
	return joined(columns, func(c *column) string { return c.cells[i] })
}

func joined(columns []*column, text func(*column) string) string {
	var parts []string
	for _, c := range columns {
		parts = append(parts, c.pad(text(c), c.width()))
	}
	return strings.TrimRight(strings.Join(parts, gap), " ")
}
