package texttab

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Column is a column of a table: a heading of two lines, and a cell for each row.
type Column struct {
	Name    string // in a sentence
	Heading [2]string
	Cells   []string
	Left    bool // aligned to the left
	// Worth orders columns for a narrow terminal: the least goes first.
	Worth int
}

// Width is that of the widest cell, in runes.
func (c *Column) Width() int {
	w := max(utf8.RuneCountInString(c.Heading[0]), utf8.RuneCountInString(c.Heading[1]))
	for _, cell := range c.Cells {
		w = max(w, utf8.RuneCountInString(cell))
	}
	return w
}

// Pad fills text up to a width.
func (c *Column) Pad(text string, width int) string {
	space := strings.Repeat(" ", max(width-utf8.RuneCountInString(text), 0))
	if c.Left {
		return text + space
	}
	return space + text
}

// Gap stands between columns.
const Gap = "  "

// Fit leaves out columns until the rest fit the width, those that say the
// same in every row first. The first column stays.
func Fit(columns []*Column, width int) (kept, left []*Column) {
	kept = slices.Clone(columns)
	for len(kept) > 1 && Width(kept) > width {
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

func (c *Column) dropsBefore(d *Column) bool {
	if c.same() != d.same() {
		return c.same()
	}
	return c.Worth < d.Worth
}

// same says that there are several rows and no difference between them.
func (c *Column) same() bool {
	return len(c.Cells) > 1 && !slices.ContainsFunc(c.Cells, func(cell string) bool { return cell != c.Cells[0] })
}

// LeftOut says what the columns left out would have shown.
func LeftOut(columns []*Column) string {
	var same, names, said []string
	for _, c := range columns {
		if c.same() {
			same = append(same, c.Cells[0]+" "+c.Name)
		} else {
			names = append(names, c.Name)
		}
	}
	if len(same) > 0 {
		said = append(said, fmt.Sprintf("In every row: %s.", List(same)))
	}
	if len(names) > 0 {
		said = append(said, fmt.Sprintf("Too narrow for %s.", List(names)))
	}
	return strings.Join(said, " ")
}

// Width is how wide the columns are side by side, in runes.
func Width(columns []*Column) int {
	w := len(Gap) * (len(columns) - 1)
	for _, c := range columns {
		w += c.Width()
	}
	return w
}

// Headings returns the two lines above the rows.
func Headings(columns []*Column) [2]string {
	return [2]string{
		joined(columns, func(c *Column) string { return c.Heading[0] }),
		joined(columns, func(c *Column) string { return c.Heading[1] }),
	}
}

// Row returns a row.
func Row(columns []*Column, i int) string {
	return joined(columns, func(c *Column) string { return c.Cells[i] })
}

func joined(columns []*Column, text func(*Column) string) string {
	var parts []string
	for _, c := range columns {
		parts = append(parts, c.Pad(text(c), c.Width()))
	}
	return strings.TrimRight(strings.Join(parts, Gap), " ")
}
