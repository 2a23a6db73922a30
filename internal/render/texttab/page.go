// Package texttab writes text and tables for terminals.
//
// Its opinion: numbers are written for people, with commas and units and no more
// digits than tell something; whatever does not fit a line is wrapped or left out
// and said to be; and colours add nothing but themselves.
package texttab

import "strings"

// DefaultWidth is the width of a page that is not asked for another.
const DefaultWidth = 80

// Page collects the text of a terminal.
type Page struct {
	// Width is in columns.
	Width int
	// Color uses ANSI colours and bold.
	Color bool
	b     strings.Builder
}

// NewPage returns an empty page; width 0 is DefaultWidth.
func NewPage(width int, color bool) *Page {
	if width <= 0 {
		width = DefaultWidth
	}
	return &Page{Width: width, Color: color}
}

// Style is a way to write text, as ANSI parameters; "" is plain.
type Style string

// The styles.
const (
	Plain  Style = ""
	Bold   Style = "1"
	Dim    Style = "2"
	Red    Style = "31"
	Green  Style = "32"
	Yellow Style = "33"
)

// Styled returns text in a style, if the page has colours.
func (p *Page) Styled(style Style, text string) string {
	if !p.Color || style == Plain || text == "" {
		return text
	}
	return "\x1b[" + string(style) + "m" + text + "\x1b[0m"
}

// Paragraph writes wrapped text, each line in the style and each after the first
// indented.
func (p *Page) Paragraph(style Style, text, indent string) {
	for line := range strings.SplitSeq(Wrap(text, p.Width, indent), "\n") {
		p.Line(p.Styled(style, line))
	}
}

// Title writes a title after an empty line.
func (p *Page) Title(text string) {
	p.Line("")
	p.Paragraph(Bold, text, "")
}

// Line writes a line as it is.
func (p *Page) Line(text string) { p.b.WriteString(text + "\n") }

// String returns what was written.
func (p *Page) String() string { return p.b.String() }
