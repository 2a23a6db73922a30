package plots

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/render/format"
	"github.com/lakebench/lakebench/results"
)

// bars show a breakdown by cause: a bar a variant, a part of it a cause.
type bars struct{ results.ByCause }

// causesPage shows the last point of a run, where there is something to break down.
func causesPage(doc results.Document) (page, bool) {
	b, ok := results.RequestsByCause(doc)
	if !ok {
		return page{}, false
	}
	operation := doc.Operation()
	note := noteOf(doc, &chart{others: b.Point})
	return page{name: "requests-by-cause", title: "What " + format.AOrAn(operation) + " asks for, by cause", note: note, operation: operation, bars: &bars{b}}, true
}

// causeColors tell neighbours in a bar apart by lightness too.
var causeColors = map[cause.Label]color.RGBA{
	cause.Hint:         {0xD5, 0x5E, 0x00, 0xFF},
	cause.Probe:        {0xF0, 0xB8, 0x60, 0xFF},
	cause.ManifestBody: {0x99, 0x3D, 0x00, 0xFF},
	cause.Fence:        {0xE9, 0xC3, 0xD8, 0xFF},
	cause.Commit:       {0x8E, 0x3B, 0x6C, 0xFF},
	cause.WAL:          {0x56, 0xB4, 0xE9, 0xFF},
	cause.Data:         {0x00, 0x72, 0xB2, 0xFF},
	cause.Index:        {0x9A, 0xD8, 0xC4, 0xFF},
	cause.Base:         {0x00, 0x7A, 0x58, 0xFF},
	cause.Point:        {0x00, 0x72, 0xB2, 0xFF},
	cause.List:         {0xE6, 0x9F, 0x00, 0xFF},
	cause.Mutate:       {0x8E, 0x3B, 0x6C, 0xFF},
	cause.Control:      {0x9A, 0xD8, 0xC4, 0xFF},
}

// color is that of a cause; parts that are none have those of curves, paler.
func (b *bars) color(label string) color.RGBA {
	if c, ok := causeColors[cause.Label(label)]; ok {
		return c
	}
	return mix(looks[slices.Index(b.Causes, label)%len(looks)].color, paper, 0.2)
}

// draw draws the legend and the bars into a rectangle.
func (b *bars) draw(p *pen, r vg.Rectangle) {
	y := b.drawLegend(p, vg.Point{X: r.Min.X, Y: r.Max.Y}, r.Max.X) - 20
	names := p.style(labelSize, ink, draw.XRight, draw.YCenter)
	var left, longest vg.Length
	most := 0.0
	for _, v := range b.Variants {
		left, most = max(left, names.Width(v)), max(most, b.Total(v))
		longest = max(longest, names.Width(format.Significant(b.Total(v))))
	}
	left = r.Min.X + 1.1*left + 8 // a browser's font may be wider
	step := (y - r.Min.Y) / vg.Length(len(b.Variants))
	for i, v := range b.Variants {
		middle := y - (vg.Length(i)+0.5)*step
		p.write(names, vg.Point{X: left - 8, Y: middle}, v)
		b.drawBar(p, v, left, middle, min(0.6*step, 34), (r.Max.X-left-longest-10)/vg.Length(max(most, 1)))
	}
}

// drawBar draws a variant's bar, with each number that fits in its part and the sum
// behind.
func (b *bars) drawBar(p *pen, variant string, x, middle, height, perRequest vg.Length) {
	for _, label := range b.Causes {
		n := b.Counts[variant][label]
		if n == 0 {
			continue
		}
		w := vg.Length(n) * perRequest
		p.FillPolygon(b.color(label), rectangle(x, middle-height/2, x+w, middle+height/2))
		p.StrokeLines(draw.LineStyle{Color: paper, Width: 0.8}, rectangle(x, middle-height/2, x+w, middle+height/2))
		text := format.Significant(n)
		inside := p.style(tickSize, readableOn(b.color(label)), draw.XCenter, draw.YCenter)
		if inside.Width(text)+4 < w {
			p.write(inside, vg.Point{X: x + w/2, Y: middle}, text)
		}
		x += w
	}
	p.write(boldened(p.style(labelSize, ink, draw.XLeft, draw.YCenter)), vg.Point{X: x + 6, Y: middle}, format.Significant(b.Total(variant)))
}

func rectangle(x0, y0, x1, y1 vg.Length) []vg.Point {
	return []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}, {X: x0, Y: y0}}
}

// readableOn is the colour of text on a background.
func readableOn(c color.RGBA) color.Color {
	// The usual weights of how bright a colour seems (ITU-R BT.601).
	if 299*int(c.R)+587*int(c.G)+114*int(c.B) > 140_000 {
		return ink
	}
	return paper
}

// drawLegend names the causes, in as many rows as it takes, and returns the height
// of the last one.
func (b *bars) drawLegend(p *pen, at vg.Point, right vg.Length) vg.Length {
	const box, space = 9, 14
	left := at.X
	s := p.style(labelSize, ink, draw.XLeft, draw.YCenter)
	for _, label := range b.Causes {
		w := box + 5 + s.Width(label)
		if at.X > left && at.X+w > right {
			at.X, at.Y = left, at.Y-1.6*labelSize
		}
		p.FillPolygon(b.color(label), rectangle(at.X, at.Y-box/2, at.X+box, at.Y+box/2))
		p.write(s, vg.Point{X: at.X + box + 5, Y: at.Y}, label)
		at.X += w + space
	}
	return at.Y
}
