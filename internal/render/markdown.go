package render

import (
	"fmt"
	"io"
	"net/url"
	"path"
	"strings"
)

// Markdown writes a page as GitHub shows it. Names in a page are text, never markup.
func Markdown(w io.Writer, p Page) error {
	var m markdown
	if p.Title != "" {
		m.line("# " + escaped(p.Title))
	}
	m.blocks(p.Blocks, 2)
	_, err := io.WriteString(w, m.b.String())
	return err
}

type markdown struct{ b strings.Builder }

// line writes a line after an empty one.
func (m *markdown) line(s string) {
	if m.b.Len() > 0 {
		m.b.WriteByte('\n')
	}
	m.b.WriteString(s + "\n")
}

func (m *markdown) blocks(blocks []Block, depth int) {
	for _, block := range blocks {
		switch b := block.(type) {
		case Paragraph:
			m.line(paragraphMarkdown(b))
		case List:
			lines := make([]string, len(b))
			for i, item := range b {
				lines[i] = "- " + escaped(item.Text)
			}
			m.line(strings.Join(lines, "\n"))
		case Facts:
			m.facts(b)
		case Code:
			m.line("```sh\n" + string(b) + "\n```")
		case Section:
			if !b.onlyPictures(false) {
				m.section(b, depth)
			}
		case Table:
			m.table(b)
		case Pictures:
			for _, p := range b.List {
				if b.Folder != "" {
					m.line("![" + linked(p.Title()) + "](" + (&url.URL{Path: path.Join(b.Folder, p.Name()+".svg")}).String() + ")")
				}
			}
		}
	}
}

func paragraphMarkdown(p Paragraph) string {
	switch p.Level {
	case Strong:
		return "**" + escaped(p.Text) + "**"
	case Warning, Bad:
		return "> " + escaped(p.Text)
	case Plain, Dim, Good:
	}
	return escaped(p.Text)
}

// sign marks a title, where a terminal has colours.
func (l Level) sign() string {
	switch l {
	case Good:
		return "✅ "
	case Warning:
		return "❔ "
	case Bad:
		return "❌ "
	case Plain, Strong, Dim:
	}
	return ""
}

func (m *markdown) section(s Section, depth int) {
	if s.Folded {
		m.line("<details><summary>" + escaped(s.Title) + "</summary>")
		m.blocks(s.Blocks, depth+1)
		m.line("</details>")
		return
	}
	m.line(strings.Repeat("#", depth) + " " + s.Level.sign() + escaped(s.Title))
	m.blocks(s.Blocks, depth+1)
}

func (m *markdown) facts(facts Facts) {
	lines := make([]string, len(facts))
	for i, f := range facts {
		lines[i] = "- **" + escaped(f.Name) + "**: " + escaped(f.Value)
	}
	m.line(strings.Join(lines, "\n"))
}

func (m *markdown) table(t Table) {
	if len(t.Rows) > 0 {
		heads, rule := make([]string, len(t.Columns)), make([]string, len(t.Columns))
		for i, c := range t.Columns {
			heads[i], rule[i] = escaped(c.Name), "---:"
			if t.isWords(i) {
				rule[i] = ":---"
			}
		}
		lines := []string{markdownRow(heads), markdownRow(rule)}
		for _, row := range t.Rows {
			if row.Group != "" {
				group := make([]string, len(t.Columns))
				group[0] = "**" + escaped(row.Group) + "**"
				lines = append(lines, markdownRow(group))
			}
			if row.Cells != nil {
				cells := make([]string, len(row.Cells))
				for i, cell := range row.Cells {
					cells[i] = escaped(cell)
				}
				lines = append(lines, markdownRow(cells))
			}
		}
		m.line(strings.Join(lines, "\n"))
	}
	for _, note := range t.Notes {
		m.line(escaped(note))
	}
}

func markdownRow(cells []string) string { return fmt.Sprintf("| %s |", strings.Join(cells, " | ")) }

// linked keeps text from ending the text of a link.
func linked(s string) string { return strings.NewReplacer("[", "\\[", "]", "\\]").Replace(escaped(s)) }

// escaped keeps text from being markup, and from ending a cell or a row.
func escaped(s string) string { return escaper.Replace(s) }

var escaper = strings.NewReplacer("\\", "\\\\", "|", "\\|", "\r", " ", "\n", " ", "<", "&lt;", "*", "\\*", "_", "\\_", "`", "\\`")
