package plots

import (
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// draw draws title, note, legend and charts from the top down.
func (p page) draw(c draw.Canvas) {
	pen := &pen{fonts: newFonts(), Canvas: c}
	pen.FillPolygon(paper, []vg.Point{c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}})
	left, y := c.Min.X+margin, c.Max.Y-margin
	pen.write(boldened(pen.style(titleSize, ink, draw.XLeft, draw.YTop)), vg.Point{X: left, Y: y}, p.title)
	y -= 1.35 * titleSize
	pen.write(pen.style(noteSize, faint, draw.XLeft, draw.YTop), vg.Point{X: left, Y: y}, p.note)
	y -= 2.4 * noteSize
	if p.bars != nil {
		p.bars.draw(pen, vg.Rectangle{Min: vg.Point{X: left, Y: c.Min.Y + margin/2}, Max: vg.Point{X: c.Max.X - margin, Y: y}})
		return
	}
	y = p.drawLegend(pen, vg.Point{X: left, Y: y}, c.Max.X-margin) - 16
	rest := vg.Rectangle{Min: vg.Point{X: left, Y: c.Min.Y + margin/2}, Max: vg.Point{X: c.Max.X - margin, Y: y}}
	if len(p.charts) == 1 {
		newPanel(pen, p.charts[0], rest).draw(pen)
		return
	}
	p.drawTiles(pen, rest)
}

// drawTiles draws the charts of an overview, two in a row.
func (p page) drawTiles(pen *pen, r vg.Rectangle) {
	const between = 18
	rows := (len(p.charts) + 1) / 2
	w, h := (r.Max.X-r.Min.X-between)/2, (r.Max.Y-r.Min.Y)/vg.Length(rows)
	for i, c := range p.charts {
		corner := vg.Point{X: r.Min.X + vg.Length(i%2)*(w+between), Y: r.Max.Y - vg.Length(i/2+1)*h}
		tile := vg.Rectangle{Min: corner, Max: vg.Point{X: corner.X + w, Y: corner.Y + h - 2.2*panelTitleSize}}
		title := boldened(pen.style(panelTitleSize, ink, draw.XLeft, draw.YBottom))
		pen.write(title, vg.Point{X: tile.Min.X, Y: tile.Max.Y + 0.6*panelTitleSize}, c.title(p.operation))
		newPanel(pen, c, tile).draw(pen)
	}
}

// drawLegend shows each variant's line and marker, and, of a single chart, how it
// grows, in as many rows as it takes. It returns the height of the last one.
func (p page) drawLegend(pen *pen, at vg.Point, right vg.Length) vg.Length {
	const sample, space = 26, 16
	left := at.X
	s := pen.style(labelSize, ink, draw.XLeft, draw.YCenter)
	entry := func(text string, line draw.LineStyle, mark func(vg.Point)) {
		w := sample + 5 + s.Width(text)
		if at.X > left && at.X+w > right {
			at.X, at.Y = left, at.Y-1.6*labelSize
		}
		pen.StrokeLine2(line, at.X, at.Y, at.X+sample, at.Y)
		mark(vg.Point{X: at.X + sample/2, Y: at.Y})
		pen.write(s, vg.Point{X: at.X + sample + 5, Y: at.Y}, text)
		at.X += w + space
	}
	for _, v := range p.charts[0].curves {
		text := v.variant
		if len(p.charts) == 1 && p.charts[0].showsClass(v) {
			text += ": " + string(v.class)
		}
		entry(text, v.look.line(), func(at vg.Point) { pen.mark(v.look, at) })
	}
	if slices.ContainsFunc(p.charts, func(c *chart) bool { return len(c.floor) > 0 }) {
		entry("the least possible", least, func(vg.Point) {})
	}
	return at.Y
}
