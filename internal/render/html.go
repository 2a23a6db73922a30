package render

import (
	"bytes"
	_ "embed" // the page's template
	"fmt"
	"html/template"
	"io"
	"regexp"
	"slices"
	"strconv"
)

//go:embed page.html
var pageTemplate string

// HTML writes a page as one file that needs no network. Names in a page are text,
// never elements.
func HTML(w io.Writer, p Page) error {
	t, err := template.New("page").Parse(pageTemplate)
	if err != nil {
		return fmt.Errorf("the page's template: %w", err)
	}
	view := htmlPage{Page: p}
	if view.Parts, err = view.parts(p.Title, p.Blocks, 2); err != nil {
		return err
	}
	first := slices.IndexFunc(view.Parts, func(part htmlPart) bool { return part.ID != "" })
	if first >= 0 {
		view.Lead, view.Parts = view.Parts[:first], view.Parts[first:]
	}
	var b bytes.Buffer
	if err := t.Execute(&b, view); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	_, err = w.Write(b.Bytes())
	return err
}

// htmlPage is what the template shows.
type htmlPage struct {
	Page
	// Lead is what comes before the first section, and before the contents.
	Lead, Parts []htmlPart
	// Links are the sections of the first level.
	Links    []htmlLink
	sections int
}

type htmlLink struct{ ID, Title string }

// htmlPart is a block, and what its element needs.
type htmlPart struct {
	Kind  string
	Block Block
	// ID, Title and Depth are those of a section; Title is that of the section
	// around any other block.
	ID, Title string
	Depth     int
	Parts     []htmlPart // of a section
	Drawn     []template.HTML
}

func (p *htmlPage) parts(title string, blocks []Block, depth int) ([]htmlPart, error) {
	var parts []htmlPart
	for _, block := range blocks {
		part := htmlPart{Kind: block.kind(), Block: block, Title: title, Depth: depth}
		var err error
		switch b := block.(type) {
		case Section:
			p.sections++
			part.ID, part.Title = "part-"+strconv.Itoa(p.sections), b.Title
			if depth == 2 && !b.Folded {
				p.Links = append(p.Links, htmlLink{part.ID, b.Title})
			}
			part.Parts, err = p.parts(b.Title, b.Blocks, depth+1)
		case Pictures:
			part.Drawn, err = b.draw()
		}
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return parts, nil
}

func (p Pictures) draw() ([]template.HTML, error) {
	elements := make([]template.HTML, len(p.List))
	for i, picture := range p.List {
		svg, err := picture.Render("svg")
		if err != nil {
			return nil, fmt.Errorf("draw a picture: %w", err)
		}
		elements[i] = inline(svg)
	}
	return elements, nil
}

// Class is the style of a level.
func (l Level) Class() string {
	return [...]string{Plain: "", Strong: "lead", Dim: "dim", Good: "good", Warning: "warn", Bad: "bad"}[l]
}

// Alert reports whether a text stands out.
func (l Level) Alert() bool { return l == Warning || l == Bad }

// Words is isWords, for the template.
func (t Table) Words(i int) bool { return t.isWords(i) }

// CellClass is the style of cell i of a row.
func (t Table) CellClass(r Row, i int) string {
	class := ""
	if t.isWords(i) {
		class = "words"
	}
	if t.Columns[i].Tinted && r.Level != Plain {
		class += " " + r.Level.Class()
	}
	return class
}

var (
	prologue = regexp.MustCompile(`(?s)^.*?<svg`)
	fixed    = regexp.MustCompile(` (width|height)="[0-9.]+pt"`)
)

// inline returns a picture as an element: without what is for files, and without a
// size of its own, so that it takes the width of its place.
func inline(picture []byte) template.HTML {
	svg := prologue.ReplaceAll(picture, []byte(`<svg role="img" `))
	open, rest, _ := bytes.Cut(svg, []byte(">"))
	open = fixed.ReplaceAll(open, nil)
	return template.HTML(slices.Concat(open, []byte(">"), rest)) //nolint:gosec // Pictures are escaped where they are drawn
}
