// Package plots draws what a run found: for every metric and every swept
// parameter a chart of all variants, as SVG and as PNG.
//
// Growth is seen on logarithmic axes, a point without history
// belongs into the same picture (on a broken axis, since no logarithm has a
// zero), curves that coincide must both be seen, and the least that the
// service's rules allow says how good the best variant is. Equal documents give
// equal bytes.
package plots

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/lakebench/lakebench/internal/atomicfile"
	"github.com/lakebench/lakebench/internal/render/format"
	"github.com/lakebench/lakebench/results"
)

// Write writes pictures into dir, which it makes, each as SVG and as PNG. It returns
// the paths that it wrote.
func Write(dir string, pictures []Picture) ([]string, error) {
	var paths []string
	for _, p := range pictures {
		for _, format := range []string{"svg", "png"} {
			data, err := p.Render(format)
			if err != nil {
				return paths, fmt.Errorf("draw %s.%s: %w", p.Name(), format, err)
			}
			path := filepath.Join(dir, p.Name()+"."+format)
			if err := atomicfile.Write(path, data); err != nil {
				return paths, err
			}
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// page is a picture of one or more charts that have their variants in common.
type page struct {
	name, title, note string
	operation         string
	charts            []*chart
	bars              *bars // in the place of charts; nil: charts
}

// overviewCharts is how many charts an overview has at most.
const overviewCharts = 4

func pagesOf(doc results.Document) []page {
	var pages []page
	vary := doc.Summary.Swept()
	operation := doc.Operation()
	together := make(map[string]*page)
	var order []*page
	for _, c := range chartsOf(doc) {
		note := noteOf(doc, c)
		pages = append(pages, page{name: c.fileName(vary), title: c.title(operation), note: note, operation: operation, charts: []*chart{c}})
		key := c.suffix(vary)
		if together[key] == nil {
			together[key] = &page{name: portable("overview" + key), title: "What " + format.AOrAn(operation) + " costs, by " + format.Spaced(c.x), note: note, operation: operation}
			order = append(order, together[key])
		}
		if o := together[key]; !c.metric.IsTime() && !c.isFlat() {
			o.charts = append(o.charts, c)
		}
	}
	for _, o := range order {
		o.pick(doc.Workload.Focus.Metrics)
		if len(o.charts) > 1 {
			pages = append(pages, *o)
		}
	}
	if p, ok := causesPage(doc); ok {
		pages = append(pages, p)
	}
	return pages
}

// pick leaves an overview the charts of what its workload is about, then others that
// only this workload has, then those of an operation's costs in the order of tables.
// Of charts that show the same values it keeps the first.
func (p *page) pick(focus []string) {
	place := func(c *chart) int {
		i := slices.Index(focus, c.metric.Name)
		switch {
		case i >= 0:
			return i
		case c.metric.Per == results.PerOperation:
			return len(focus) + 1
		}
		return len(focus)
	}
	slices.SortStableFunc(p.charts, func(a, b *chart) int { return place(a) - place(b) })
	var picked []*chart
	for _, c := range p.charts {
		if len(picked) < overviewCharts && !slices.ContainsFunc(picked, c.sameAs) {
			picked = append(picked, c)
		}
	}
	if p.charts = picked; len(picked) == 0 {
		return
	}
	if per := p.charts[0].metric.Per; per == "day" || per == "item" {
		p.title = "What " + format.AOrAn(per) + " costs, by " + format.Spaced(p.charts[0].x)
	}
}

// noteOf says what was run and what was kept.
func noteOf(doc results.Document, c *chart) string {
	parts := []string{doc.Workload.Name}
	for _, name := range c.others.Names() {
		parts = append(parts, format.Spaced(name)+" "+results.FormatCoordinate(c.others[name]))
	}
	return strings.Join(parts, " · ")
}

// Sizes of a page, in points.
const (
	margin      = 12
	chartWidth  = 410
	chartHeight = 270
	barRoom     = 36 // for each bar
	pngDPI      = 144
)

// isFlat reports whether the page is a single chart in which nothing changes.
func (p page) isFlat() bool { return len(p.charts) == 1 && p.charts[0].isFlat() }

// size is the page's size: charts stand two in a row.
func (p page) size() (w, h vg.Length) {
	switch {
	case p.bars != nil:
		return chartWidth, 84 + vg.Length(len(p.bars.Variants))*barRoom
	case len(p.charts) == 1:
		return chartWidth, chartHeight
	}
	rows := (len(p.charts) + 1) / 2
	return 1.6 * chartWidth, vg.Length(rows)*0.9*chartHeight + 60
}

// render returns the picture as the bytes of a file.
func (p page) render(format string) ([]byte, error) {
	w, h := p.size()
	var out bytes.Buffer
	switch format {
	case "svg":
		c := vgsvg.New(w, h)
		p.draw(draw.New(c))
		if _, err := c.WriteTo(&out); err != nil {
			return nil, err
		}
		return p.finishSVG(out.Bytes()), nil
	case "png":
		c := vgimg.PngCanvas{Canvas: p.raster(pngDPI)}
		if _, err := c.WriteTo(&out); err != nil {
			return nil, err
		}
		return out.Bytes(), nil
	}
	return nil, fmt.Errorf("unknown format %q", format)
}

// raster draws the page in pixels.
func (p page) raster(dpi int) *vgimg.Canvas {
	w, h := p.size()
	c := vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(dpi))
	p.draw(draw.New(c))
	return c
}

// finishSVG names fonts of the same measures for where the font is not there, and
// gives the picture a title for readers who do not see it.
func (p page) finishSVG(svg []byte) []byte {
	svg = bytes.ReplaceAll(svg, []byte("font-family:Liberation Sans"), []byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif"))
	const open = "xmlns:xlink=\"http://www.w3.org/1999/xlink\">\n"
	title := fmt.Sprintf("<title>%s (%s)</title>\n", escape(p.title), escape(p.note))
	return bytes.Replace(svg, []byte(open), []byte(open+title), 1)
}

func escape(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
}
