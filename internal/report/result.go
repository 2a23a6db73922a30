package report

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lakebench/lakebench/internal/render"
	"github.com/lakebench/lakebench/internal/render/format"
	"github.com/lakebench/lakebench/plots"
	"github.com/lakebench/lakebench/results"
)

// Result is a result on a terminal: what it found in a sentence, what speaks against
// the numbers, the costs, how they grow and where they cross, and whether the counts
// can be trusted.
func Result(doc results.Document) render.Page {
	p := page(head(doc)...)
	p.Blocks = append(p.Blocks, costs(doc)...)
	p.Blocks = append(p.Blocks, findings(doc)...)
	return p
}

// A Drawn is a result with its pictures.
type Drawn struct {
	results.Document
	Pictures []plots.Picture
	// Folder is where the files of the pictures are, seen from a report in Markdown,
	// with slashes; "" if there are none.
	Folder string
}

// Draw returns a result with all its pictures, which are in no files yet.
func Draw(doc results.Document) Drawn { return Drawn{Document: doc, Pictures: plots.Pictures(doc)} }

const footer = "Written by lakebench. Every number is in the result files that it was made from."

// ErrNothing is a report of no results.
var ErrNothing = errors.New("a report needs at least one result")

// Results is a report of one or more results, for a reader who did not run them.
func Results(all ...Drawn) (render.Page, error) {
	if len(all) == 0 {
		return render.Page{}, ErrNothing
	}
	p := render.Page{Contents: true, Footer: footer}
	var names []string
	runs := map[string]int{}
	for _, d := range all {
		name := d.Workload.Name
		if runs[name]++; runs[name] == 1 {
			names = append(names, name)
		}
	}
	p.Title = "lakebench: " + format.List(names)
	if len(all) == 1 {
		p.Blocks = all[0].blocks()
		return p, nil
	}
	for _, d := range all {
		title := d.Workload.Name
		if runs[title] > 1 {
			title += ", run " + d.RunID
		}
		p.Blocks = append(p.Blocks, render.Section{Title: title, Blocks: d.blocks()})
	}
	return p, nil
}

func (d Drawn) blocks() []render.Block {
	doc := d.Document
	blocks := append(about(doc), head(doc)...)
	blocks = append(blocks, d.overview()...)
	blocks = append(blocks, d.causes()...)
	blocks = append(blocks, d.charts()...)
	blocks = append(blocks, shortCosts(doc)...)
	blocks = append(blocks, published(doc)...)
	blocks = append(blocks, ledgers(doc))
	blocks = append(blocks, folded("Growth", growth(doc))...)
	blocks = append(blocks, folded("Crossover", crossovers(doc))...)
	return append(append(blocks, checksFolded(doc)), details(doc)...)
}

// about is what was measured, and what each variant is.
func about(doc results.Document) []render.Block {
	if doc.Workload.Summary == "" {
		return nil
	}
	variants := make(render.Facts, len(doc.Workload.Variants))
	for i, v := range doc.Workload.Variants {
		variants[i] = render.Fact{Name: v.Name, Value: v.Doc}
	}
	return []render.Block{text("%s", doc.Workload.Summary), variants}
}

// folded hides blocks behind a title until a reader opens them.
func folded(title string, blocks []render.Block) []render.Block {
	if len(blocks) == 0 {
		return nil
	}
	return []render.Block{render.Section{Title: title, Folded: true, Blocks: blocks}}
}

// head is the answer, and what speaks against it.
func head(doc results.Document) []render.Block {
	var blocks []render.Block
	if doc.Headline != "" {
		blocks = append(blocks, render.Paragraph{Level: render.Strong, Text: doc.Headline})
	}
	alert := func(level render.Level, layout string, args ...any) {
		blocks = append(blocks, render.Paragraph{Level: level, Text: fmt.Sprintf(layout, args...)})
	}
	for _, c := range doc.Checks {
		switch c.Status {
		case results.Failed:
			alert(render.Bad, "Invalid: the check %q failed. Do not use these numbers.", c.Name)
		case results.Inconclusive:
			alert(render.Warning, "The check %q came to no conclusion.", c.Name)
		case results.Passed, results.Skipped: // the table of checks has them
		}
	}
	if doc.Partial {
		alert(render.Warning, "Partial: the run was interrupted, or the part of a worker is missing. The numbers here are measured, but some are missing.")
	}
	for _, w := range doc.Warnings {
		alert(render.Warning, "Warning: %s", w)
	}
	if n := clamped(doc.Series); n > 0 {
		alert(render.Warning, "Warning: %s outside the range of the histograms; the times below are cut off there.", format.Plural(n, "sample was", "samples were"))
	}
	return append(blocks, dim("%s", setting(doc)))
}

func clamped(series []results.Series) int64 {
	var n int64
	for _, s := range series {
		for _, l := range s.Latency {
			n += l.Response.Clamped
		}
	}
	return n
}

// setting is a line about what was run, and where.
func setting(doc results.Document) string {
	parts := []string{doc.Workload.Name, fmt.Sprintf("seed %d", doc.Seed), format.Plural(int64(doc.Repeats), "repeat", "repeats"), doc.Environment.Backend.Kind}
	if len(doc.Series) > 0 {
		swept := doc.Summary.Swept()
		p := doc.Series[0].Point
		for _, name := range p.Names() {
			if !slices.Contains(swept, name) {
				parts = append(parts, format.Spaced(name)+" "+results.FormatCoordinate(p[name]))
			}
		}
	}
	return strings.Join(parts, " · ")
}

// findings is all that follows the costs: where requests come from, how costs grow,
// and whether the counts can be trusted.
func findings(doc results.Document) []render.Block {
	blocks := causes(doc)
	blocks = append(blocks, growth(doc)...)
	blocks = append(blocks, crossovers(doc)...)
	blocks = append(blocks, published(doc)...)
	return append(blocks, ledgers(doc), checks(doc))
}

func dim(layout string, args ...any) render.Paragraph {
	return render.Paragraph{Level: render.Dim, Text: fmt.Sprintf(layout, args...)}
}
