package render_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/lakebench/lakebench/internal/render"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files anew; read the difference before it is committed")

// drawing is a picture as a file has it.
type drawing struct{ err error }

func (drawing) Name() string  { return "requests by op" }
func (drawing) Title() string { return "Requests [a|b]" }
func (d drawing) Render(string) ([]byte, error) {
	return []byte(`<?xml version="1.0"?>` + "\n" + `<svg width="400pt" height="300pt" viewBox="0 0 400 300"><title>requests</title></svg>`), d.err
}

// page has every block in every level.
func page() render.Page {
	return render.Page{
		Title: "lakebench: a <page>", Contents: true, Footer: "Written by a test.",
		Blocks: []render.Block{
			render.Paragraph{Level: render.Strong, Text: "At 100,000 history records a refresh costs 102 requests on v1, 12.8 times the 8 on v2."},
			render.Paragraph{Level: render.Bad, Text: `Invalid: the check "sums" failed. Do not use these numbers, since they may be those of another run.`},
			render.Paragraph{Level: render.Warning, Text: "Warning: <script>alert(1)</script> | *stars* and history_records"},
			render.Paragraph{Level: render.Dim, Text: "seed 1 · embedded"},
			render.Section{Title: "Cost per refresh", Blocks: []render.Block{costs(), render.Pictures{Folder: "plots", List: []render.Picture{drawing{}}}}},
			render.Section{Title: "Checks", Level: render.Good, Blocks: []render.Block{
				render.Table{
					Columns: []render.Column{{Name: "check"}, {Name: "status", Words: true, Tinted: true}, {Name: "detail", Words: true}},
					Rows: []render.Row{
						{Cells: []string{"ledgers", "passed", "calls + retries = attempts = requests served, in every phase of the run, which takes two lines"}, Level: render.Good},
						{Cells: []string{"a|b", "failed", ""}, Level: render.Bad},
					},
				},
				render.Section{Title: "Below", Blocks: []render.Block{render.List{{Text: "one"}, {Level: render.Bad, Text: "two"}}}},
				render.Section{Title: "Folded", Folded: true, Blocks: []render.Block{render.Paragraph{Text: "hidden"}}},
			}},
			render.Section{Title: "Environment", Blocks: []render.Block{
				render.Facts{{"run", "20261129T120000.000"}, {"generations", "1  a\n2  b"}},
				render.Code("lakebench run --workload w \\\n  --set 'a=<b>'"),
			}},
		},
	}
}

func costs() render.Table {
	return render.Table{
		Columns: []render.Column{
			{}, {Name: "requests", Priority: 9}, {Name: "items evaluated", Heading: "items\nevaluated", Priority: 7},
			{Name: "items returned", Heading: "items\nreturned", Priority: 8}, {Name: "p99 response time", Heading: "time\np99", Priority: 1},
		},
		Rows: []render.Row{
			{Group: "history records 0", Cells: []string{"v1", "2", "1,000", "1,000", "3.21 ms"}},
			{Cells: []string{"v2", "8", "1,000", "1,000", "6.82 ms"}},
			{Group: "history records 100,000", Cells: []string{"v1", "102", "101,000", "1,000", "264 ms"}},
		},
		Notes: []string{"Times are those of a model."},
	}
}

func TestGoldens(t *testing.T) {
	for name, write := range map[string]func(*bytes.Buffer) error{
		"page.txt":   func(b *bytes.Buffer) error { return render.Text(b, page(), render.TextOptions{Width: 80}) },
		"wide.txt":   func(b *bytes.Buffer) error { return render.Text(b, page(), render.TextOptions{}) },
		"narrow.txt": func(b *bytes.Buffer) error { return render.Text(b, page(), render.TextOptions{Width: 40}) },
		"page.md":    func(b *bytes.Buffer) error { return render.Markdown(b, page()) },
		"page.html": func(b *bytes.Buffer) error {
			var all bytes.Buffer
			err := render.HTML(&all, page())
			_, body, _ := bytes.Cut(all.Bytes(), []byte("</head>\n"))
			b.Write(body)
			return err
		},
	} {
		var got bytes.Buffer
		if err := write(&got); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", name)
		if *rewrite {
			if err := os.WriteFile(path, got.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), got.String()); d != "" {
			t.Errorf("%s (-golden +got):\n%s", path, d)
		}
	}
}

// TestTextFits: no line is wider than the terminal or ends in a space, and colours
// add nothing but their codes.
func TestTextFits(t *testing.T) {
	codes := regexp.MustCompile("\x1b\\[[0-9]+m")
	p := page()
	p.Blocks = p.Blocks[:6] // the others are not wrapped
	for width := 40; width <= 130; width += 7 {
		var plain, colored bytes.Buffer
		if err := errors.Join(render.Text(&plain, p, render.TextOptions{Width: width}), render.Text(&colored, p, render.TextOptions{Width: width, Color: true})); err != nil {
			t.Fatal(err)
		}
		for line := range strings.SplitSeq(plain.String(), "\n") {
			if n := utf8.RuneCountInString(line); n > width || strings.HasSuffix(line, " ") {
				t.Errorf("width %d: %d columns: %q", width, n, line)
			}
		}
		if got := colored.String(); codes.ReplaceAllString(got, "") != plain.String() || !codes.MatchString(got) {
			t.Errorf("width %d: with colours the text is another", width)
		}
	}
}

// TestColumnsAreLeftOut: on a narrow terminal, first those that are the same in
// every row, then those of the lowest priority; a note says so.
func TestColumnsAreLeftOut(t *testing.T) {
	for width, want := range map[int]string{
		80: "", 42: "returned", 32: "returned, p99", 1: "returned, p99, evaluated, requests",
	} {
		var b bytes.Buffer
		if err := render.Text(&b, render.Page{Blocks: []render.Block{costs()}}, render.TextOptions{Width: width}); err != nil {
			t.Fatal(err)
		}
		text := strings.Join(strings.Fields(b.String()), " ")
		for _, name := range []string{"returned", "p99", "evaluated", "requests"} {
			gone := strings.Contains(want, name)
			_, notes, _ := strings.Cut(text, "Times are")
			if strings.Contains(notes, name) != gone {
				t.Errorf("width %d: %q left out is %v, want %v: %s", width, name, !gone, gone, notes)
			}
		}
	}
}

// TestHTMLNeedsNothingElse: nothing in the page is fetched, and none of it runs.
func TestHTMLNeedsNothingElse(t *testing.T) {
	write := func() string {
		var b bytes.Buffer
		if err := render.HTML(&b, page()); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	fetched := regexp.MustCompile(`(?i)(src|href|action|data)\s*=\s*"([^#"][^"]*)"|url\(|@import|<(script|link|iframe|img)\b`)
	if m := fetched.FindString(write()); m != "" {
		t.Errorf("the page fetches: %s", m)
	}
	if first, second := write(), write(); first != second {
		t.Error("the same page twice differs")
	}
}

var errFull = errors.New("no space left")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestErrors(t *testing.T) {
	for name, err := range map[string]error{
		"text": render.Text(full{}, page(), render.TextOptions{Width: 80}), "markdown": render.Markdown(full{}, page()), "html": render.HTML(full{}, page()),
		"picture": render.HTML(&bytes.Buffer{}, render.Page{Blocks: []render.Block{render.Pictures{List: []render.Picture{drawing{errFull}}}}}),
	} {
		if !errors.Is(err, errFull) {
			t.Errorf("%s: %v, want %v", name, err, errFull)
		}
	}
}

// Text and Markdown show no pictures, and so no title of a section that holds nothing
// else; a section with a title alone is shown.
func TestSectionOfPictures(t *testing.T) {
	p := render.Page{Blocks: []render.Block{
		render.Section{Title: "Charts", Blocks: []render.Block{render.Pictures{}}},
		render.Section{Title: "A title alone"},
	}}
	var text, markdown bytes.Buffer
	if err := errors.Join(render.Text(&text, p, render.TextOptions{Width: 80}), render.Markdown(&markdown, p)); err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]string{"text": text.String(), "markdown": markdown.String()} {
		if strings.Contains(got, "Charts") || !strings.Contains(got, "A title alone") {
			t.Errorf("%s: %q", name, got)
		}
	}
}
