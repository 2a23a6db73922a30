package plan

import (
	"bytes"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/internal/render"
)

func htmlOf(t *testing.T, p Plan) string {
	t.Helper()
	var b bytes.Buffer
	if err := render.HTML(&b, p.Page()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestHTMLShowsThePlan: every section with its cells and notes, in order.
func TestHTMLShowsThePlan(t *testing.T) {
	p := plan(t, nil)
	page := htmlOf(t, p)
	if n := strings.Count(page, "<svg "); n != 3 {
		t.Errorf("%d pictures, want 3: of the month, of a refresh, of the WAL", n)
	}
	_, main, _ := strings.Cut(page, "<main>")
	left := html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(main, "\x00"))
	for _, text := range textsOf(p.Page().Blocks) {
		_, after, found := strings.Cut(left, "\x00"+text+"\x00")
		if !found {
			t.Fatalf("%q is not on the page, or not there", text)
		}
		left = after
	}
}

// textsOf lists what the blocks show.
func textsOf(blocks []render.Block) (texts []string) {
	add := func(text string) {
		if text != "" {
			texts = append(texts, text)
		}
	}
	for _, block := range blocks {
		switch b := block.(type) {
		case render.Paragraph:
			add(b.Text)
		case render.List:
			for _, item := range b {
				add(item.Text)
			}
		case render.Section:
			add(b.Title)
			texts = append(texts, textsOf(b.Blocks)...)
		case render.Table:
			for _, c := range b.Columns {
				add(c.Name)
			}
			for _, row := range b.Rows {
				for _, text := range append([]string{row.Group}, row.Cells...) {
					add(text)
				}
			}
		}
	}
	return texts
}

// TestNothingToWarnOfOrToDraw: a lake without commits and WAL, below all limits.
func TestNothingToWarnOfOrToDraw(t *testing.T) {
	page := htmlOf(t, plan(t, func(s *Scale) { s.Readers, s.WALShards, s.CommitsPerSecond = 1, 0, 0 }))
	if strings.Contains(page, `class="alert`) || strings.Contains(page, "<svg ") {
		t.Error("the page has an alert or a picture")
	}
}
