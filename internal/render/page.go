// Package render writes pages: for a terminal, as Markdown, or as one HTML file
// that needs no network.
//
// A command builds one Page from what it found; the three writers show the same
// blocks in the same order. Whatever is too wide for a terminal is wrapped, or left
// out with a note. Equal pages give equal bytes.
package render

import "strings"

// A Page is what one command shows.
type Page struct {
	// Title names the document. A terminal does not show it: the user has just
	// typed the command.
	Title string
	// Contents adds links to the sections before the first of them, in HTML.
	Contents bool
	Blocks   []Block
	// Footer ends the HTML page.
	Footer string
}

// A Block is a part of a page: one of the types below.
type Block interface{ kind() string }

// Level is the weight of a text.
type Level int

// The levels.
const (
	Plain Level = iota
	Strong
	Dim
	Good
	Warning
	Bad
)

// A Paragraph is a text. Warning and Bad stand out in every format.
type Paragraph struct {
	Level Level
	Text  string
}

// A List has an item a paragraph.
type List []Paragraph

// Facts are names with values.
type Facts []Fact

// A Fact is a name and its value; the lines of a value stand below each other.
type Fact struct{ Name, Value string }

// Code is shown as it is, for a reader to copy.
type Code string

// Pictures are drawn into HTML. Markdown links to their files if there are some, and
// a terminal shows none.
type Pictures struct {
	// Folder is where the files Name.svg of the pictures are, seen from the place of
	// a Markdown page, with slashes; "" if there are none.
	Folder string
	// Wide pictures have the width of the page, others stand beside each other.
	Wide bool
	List []Picture
}

// A Picture draws itself as "svg". Its text must be escaped, which plots does.
type Picture interface {
	Name() string
	Title() string
	Render(format string) ([]byte, error)
}

// A Section is a titled part of the page, at most two levels deep.
type Section struct {
	Title string
	// Level colours the title: Good, Warning or Bad.
	Level Level
	// Folded hides the blocks in HTML and Markdown until the reader opens them.
	Folded bool
	Blocks []Block
}

// onlyPictures reports whether the section holds nothing but pictures, or but
// pictures without files: a writer that cannot show them leaves it out with its title.
func (s Section) onlyPictures(withFiles bool) bool {
	for _, b := range s.Blocks {
		if p, ok := b.(Pictures); !ok || !withFiles && p.Folder != "" {
			return false
		}
	}
	return len(s.Blocks) > 0
}

// A Table has rows of cells, as many as columns.
type Table struct {
	Columns []Column
	Rows    []Row
	// Notes follow the table.
	Notes []string
}

// A Column describes the cells of one column. The first column names the rows.
type Column struct {
	// Name is the heading, and what notes call the column.
	Name string
	// Heading is a shorter heading for terminals, of at most two lines; "" is Name.
	Heading string
	// Words aligns the column to the left, as the first column is. If the last
	// column has words, a terminal wraps its cells.
	Words bool
	// Priority orders columns for a narrow terminal: the lowest is left out first.
	Priority int
	// Tinted shows the cells in the level of their row.
	Tinted bool
}

// A Row is a line of a table. Group, if set, is a heading above it; a row without
// cells is a heading alone.
type Row struct {
	Group string
	Cells []string
	Level Level
}

func (Paragraph) kind() string { return "paragraph" }
func (List) kind() string      { return "list" }
func (Facts) kind() string     { return "facts" }
func (Code) kind() string      { return "code" }
func (Pictures) kind() string  { return "pictures" }
func (Section) kind() string   { return "section" }
func (Table) kind() string     { return "table" }

// isWords reports whether column i is aligned to the left.
func (t Table) isWords(i int) bool { return i == 0 || t.Columns[i].Words }

// headingLines are the two lines above a column on a terminal; the first may be
// empty.
func (c Column) headingLines() [2]string {
	heading := c.Heading
	if heading == "" {
		heading = c.Name
	}
	if upper, lower, ok := strings.Cut(heading, "\n"); ok {
		return [2]string{upper, lower}
	}
	return [2]string{"", heading}
}
