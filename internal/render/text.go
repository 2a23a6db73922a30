package render

import (
	"io"
	"math"
	"strings"
	"unicode/utf8"
)

// TextOptions describe a terminal.
type TextOptions struct {
	// Width is in columns; 0 has no limit: nothing is left out, and no line is broken.
	Width int
	// Color uses ANSI colours and bold, which add nothing to the text.
	Color bool
}

// Text writes a page for a terminal. No line is wider than the terminal, except for
// one word that is.
func Text(w io.Writer, p Page, o TextOptions) error {
	if o.Width <= 0 {
		o.Width = math.MaxInt
	}
	t := &text{TextOptions: o}
	t.blocks(p.Blocks)
	_, err := io.WriteString(w, t.b.String())
	return err
}

// text collects the lines of a page.
type text struct {
	TextOptions
	b strings.Builder
}

func (t *text) blocks(blocks []Block) {
	for _, block := range blocks {
		switch b := block.(type) {
		case Paragraph:
			t.paragraph(b.Level, b.Text, hanging(b.Level))
		case List:
			for _, item := range b {
				t.paragraph(item.Level, "- "+item.Text, "  ")
			}
		case Facts:
			t.facts(b)
		case Code:
			for line := range strings.SplitSeq(string(b), "\n") {
				t.line("  " + line)
			}
		case Section:
			if !b.onlyPictures(true) {
				t.section(b)
			}
		case Table:
			t.table(b)
		case Pictures: // a terminal shows none
		}
	}
}

// hanging indents the second line of a text that stands among others.
func hanging(l Level) string {
	if l == Warning || l == Bad {
		return "  "
	}
	return ""
}

func (t *text) section(s Section) {
	if t.b.Len() > 0 {
		t.line("")
	}
	level := s.Level
	if level == Plain {
		level = Strong
	}
	t.paragraph(level, s.Title, "  ")
	t.blocks(s.Blocks)
}

func (t *text) facts(facts Facts) {
	names := 0
	for _, f := range facts {
		names = max(names, utf8.RuneCountInString(f.Name))
	}
	for _, f := range facts {
		name := f.Name
		for line := range strings.SplitSeq(f.Value, "\n") {
			t.line(strings.TrimRight(padded(name, names, true)+gap+block(line, t.Width, names+len(gap)), " "))
			name = ""
		}
	}
}

// paragraph writes wrapped text, each line after the first indented.
func (t *text) paragraph(level Level, s, indent string) {
	for line := range strings.SplitSeq(wrap(s, t.Width, indent), "\n") {
		t.line(t.styled(level, line))
	}
}

func (t *text) line(s string) { t.b.WriteString(s + "\n") }

// styled returns text in the ANSI style of a level.
func (t *text) styled(level Level, s string) string {
	style := [...]string{Plain: "", Strong: "1", Dim: "2", Good: "32", Warning: "33", Bad: "31"}[level]
	if !t.Color || style == "" || s == "" {
		return s
	}
	return "\x1b[" + style + "m" + s + "\x1b[0m"
}

// wrap breaks text at spaces into lines of at most width runes, each after the
// first indented; a longer word stays whole. Spaces before the text are kept.
func wrap(s string, width int, indent string) string {
	body := strings.TrimLeft(s, " ")
	lines := []string{strings.Repeat(" ", len(s)-len(body))}
	fresh := true // nothing but indentation in the last line
	for word := range strings.FieldsSeq(body) {
		last := &lines[len(lines)-1]
		if !fresh && utf8.RuneCountInString(*last)+1+utf8.RuneCountInString(word) > width {
			lines = append(lines, indent)
			last, fresh = &lines[len(lines)-1], true
		}
		if !fresh {
			*last += " "
		}
		*last += word
		fresh = false
	}
	return strings.Join(lines, "\n")
}

// leastWrapped is the least width of text that is wrapped, in columns, however narrow
// the terminal.
const leastWrapped = 20

// block wraps text that begins at a margin, and keeps the margin.
func block(s string, width, margin int) string {
	return strings.ReplaceAll(wrap(s, max(width-margin, leastWrapped), ""), "\n", "\n"+strings.Repeat(" ", margin))
}

// padded fills text up to a width in runes.
func padded(s string, width int, left bool) string {
	space := strings.Repeat(" ", max(width-utf8.RuneCountInString(s), 0))
	if left {
		return s + space
	}
	return space + s
}
