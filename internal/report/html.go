package report

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"slices"

	"github.com/lakebench/lakebench/results"
)

// pages are the templates: a file a kind of page, and what they share.
//
//go:embed *.html
var pages embed.FS

// HTML writes a report as one file that needs no network.
func HTML(w io.Writer, docs ...results.Document) error {
	v, err := newView(docs)
	if err != nil {
		return err
	}
	return writePage(w, "results.html", v)
}

func writePage(w io.Writer, name string, view any) error {
	page, err := template.New("").Funcs(template.FuncMap{
		"svg": inline, "words": isWords, "width": func(g results.Grid) int { return len(g.Heads) },
	}).ParseFS(pages, "*.html")
	if err != nil {
		return fmt.Errorf("the report's templates: %w", err)
	}
	var b bytes.Buffer
	if err := page.ExecuteTemplate(&b, name, view); err != nil {
		return fmt.Errorf("the report's page: %w", err)
	}
	_, err = w.Write(b.Bytes())
	return err
}

// isWords says whether column i of a grid is of words.
func isWords(g results.Grid, i int) bool { return i == 0 || slices.Contains(g.Words, i) }

var (
	prologue = regexp.MustCompile(`(?s)^.*?<svg`)
	fixed    = regexp.MustCompile(` (width|height)="[0-9.]+pt"`)
)

// inline returns the picture as an element: without what is for files, and
// without a size of its own, so that it takes the width of its place. Its words
// are those of the run's own names, escaped where they were drawn.
func inline(picture []byte) template.HTML {
	svg := prologue.ReplaceAll(picture, []byte(`<svg role="img" `))
	open, rest, _ := bytes.Cut(svg, []byte(">"))
	open = fixed.ReplaceAll(open, nil)
	return template.HTML(slices.Concat(open, []byte(">"), rest)) //nolint:gosec // see above
}
