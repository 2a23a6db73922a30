package plots

import (
	"slices"
	"strings"

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
		top := vg.Length(3.4 * panelTitleSize)
		if i > 1 {
			top += between // below the axis of the chart above
		}
		tile := vg.Rectangle{Min: corner, Max: vg.Point{X: corner.X + w, Y: corner.Y + h - top}}
		title := boldened(pen.style(panelTitleSize, ink, draw.XLeft, draw.YBottom))
		pen.write(title, vg.Point{X: tile.Min.X, Y: tile.Max.Y + 1.8*panelTitleSize}, c.title(p.operation))
		note := pen.style(noteSize, faint, draw.XLeft, draw.YBottom)
		pen.write(note, vg.Point{X: tile.Min.X, Y: tile.Max.Y + 0.6*panelTitleSize}, p.coinciding(c))
		newPanel(pen, c, tile).draw(pen)
	}
}

// coinciding names the curves that coincide in one chart of a page, but not in all:
// "v2 = v2-parallel".
func (p page) coinciding(c *chart) string {
	var equal []string
	for _, together := range c.grouped(c) {
		if len(together) > 1 && !slices.ContainsFunc(p.charts[0].grouped(p.charts...), func(g []curve) bool { return c.labelOf(g) == c.labelOf(together) }) {
			equal = append(equal, c.labelOf(together))
		}
	}
	return strings.Join(equal, " · ")
}

// labelOf is the one label of curves that coincide. A variant that all results have
// there is named once.
func (c *chart) labelOf(curves []curve) string {
	of := func(all []curve, variant string) (n int) {
		for _, v := range all {
			if v.of == variant {
				n++
			}
		}
		return n
	}
	var names []string
	for _, v := range curves {
		name := v.variant
		if n := of(curves, v.of); v.of != "" && n > 1 && n == of(c.curves, v.of) {
			name = v.of
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, " = ")
}

// grouped returns the chart's curves, those together that coincide in all charts.
func (c *chart) grouped(all ...*chart) [][]curve {
	var groups [][]curve
	for _, v := range c.curves {
		same := func(g []curve) bool {
			return !slices.ContainsFunc(all, func(c *chart) bool { return !slices.Equal(c.dotsOf(g[0].variant), c.dotsOf(v.variant)) })
		}
		if i := slices.IndexFunc(groups, same); i >= 0 {
			groups[i] = append(groups[i], v)
		} else {
			groups = append(groups, []curve{v})
		}
	}
	return groups
}

// drawLegend shows each variant's line and marker, one entry for those that coincide,
// and, of a single chart, how it grows, in as many rows as it takes. It returns the
// height of the last one.
func (p page) drawLegend(pen *pen, at vg.Point, right vg.Length) vg.Length {
	const sample, space = 26, 20
	left := at.X
	s := pen.style(labelSize, ink, draw.XLeft, draw.YCenter)
	entry := func(text string, width vg.Length, sampled func(x vg.Length)) {
		w := width + 5 + 1.1*s.Width(text) // a browser's font may be wider
		if at.X > left && at.X+w > right {
			at.X, at.Y = left, at.Y-1.6*labelSize
		}
		sampled(at.X)
		pen.write(s, vg.Point{X: at.X + width + 5, Y: at.Y}, text)
		at.X += w + space
	}
	for _, together := range p.charts[0].grouped(p.charts...) {
		text := p.charts[0].labelOf(together)
		if v := together[0]; len(p.charts) == 1 && p.charts[0].showsClass(v) {
			text += ": " + string(v.class)
		}
		entry(text, sample*vg.Length(len(together)), func(x vg.Length) {
			for i, v := range together {
				x := x + sample*vg.Length(i)
				pen.StrokeLine2(v.look.line(), x, at.Y, x+sample, at.Y)
				pen.mark(v.look, vg.Point{X: x + sample/2, Y: at.Y})
			}
		})
	}
	if slices.ContainsFunc(p.charts, func(c *chart) bool { return len(c.floor) > 0 }) {
		entry("the least possible", sample, func(x vg.Length) { pen.StrokeLine2(least, x, at.Y, x+sample, at.Y) })
	}
	return at.Y
}
