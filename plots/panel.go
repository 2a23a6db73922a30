package plots

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/lakebench/lakebench/internal/render/format"
	"github.com/lakebench/lakebench/results"
)

// pen draws on a canvas.
type pen struct {
	fonts draw.TextHandler
	draw.Canvas
}

// write writes text. Centred text is lifted a little, for digits have nothing
// below the line.
func (p *pen) write(s draw.TextStyle, at vg.Point, text string) {
	if s.YAlign == draw.YCenter {
		at.Y += 0.1 * s.Font.Size
	}
	p.FillText(s, at, text)
}

// panel is a chart's axes and curves, without title and legend.
type panel struct {
	*chart
	x, y axis
	area vg.Rectangle // of the data
}

// Sizes of text, in points.
const (
	titleSize, panelTitleSize = 13, 11
	labelSize, tickSize       = 10, 9
	noteSize                  = 9
	markerRadius              = 3.2
	tickLength                = 4
)

// newPanel lays the chart out in a rectangle.
func newPanel(p *pen, c *chart, r vg.Rectangle) *panel {
	var xs, ys []results.Value
	for _, d := range c.dots() {
		xs, ys = append(xs, d.x), append(ys, results.Number(c.metric.Scaled(d.y)))
	}
	t := &panel{chart: c, x: newAxis(format.Spaced(c.x), xs, false, short), y: newAxis(c.metric.Noun, ys, true, c.tickLabel)}
	ticks := p.style(tickSize, ink, draw.XRight, draw.YCenter)
	var left vg.Length
	for _, k := range t.y.ticks {
		left = max(left, ticks.Width(k.label))
	}
	var right vg.Length
	for _, e := range t.ends() {
		right = max(right, ticks.Width(e.text))
	}
	t.area = vg.Rectangle{
		Min: vg.Point{X: r.Min.X + left + tickLength + 4 + 1.6*labelSize, Y: r.Min.Y + 2*tickSize + 1.4*labelSize},
		Max: vg.Point{X: r.Max.X - right - 4, Y: r.Max.Y},
	}
	return t
}

// dots are all values, the floor's too.
func (c *chart) dots() []dot {
	all := slices.Clone(c.floor)
	for _, v := range c.curves {
		all = append(all, v.dots...)
	}
	return all
}

// tickLabel writes a value of the y axis.
func (c *chart) tickLabel(f float64) string {
	switch {
	case c.metric.IsTime() && f > 0:
		return c.metric.Format(f)
	case c.metric.Money:
		return "$" + short(f)
	}
	return short(f)
}

func (t *panel) at(d dot) vg.Point {
	return vg.Point{X: t.atX(t.x.place(d.x)), Y: t.atY(t.y.place(results.Number(t.metric.Scaled(d.y))))}
}

func (t *panel) atX(f float64) vg.Length {
	return t.area.Min.X + vg.Length(f)*(t.area.Max.X-t.area.Min.X)
}
func (t *panel) atY(f float64) vg.Length {
	return t.area.Min.Y + vg.Length(f)*(t.area.Max.Y-t.area.Min.Y)
}

func (t *panel) draw(p *pen) {
	t.drawGrid(p)
	t.drawAxes(p)
	t.drawFloor(p)
	for _, v := range slices.SortedStableFunc(slices.Values(t.curves), func(a, b curve) int { return cmp.Compare(b.look.width, a.look.width) }) {
		t.drawLine(p, v) // a thinner one over a wider one, so that both are seen
	}
	for i, v := range t.curves {
		for _, d := range v.dots {
			p.mark(v.look, t.dodge(t.at(d), i))
		}
	}
	t.drawEnds(p)
}

func (t *panel) drawGrid(p *pen) {
	for _, k := range t.x.ticks {
		if k.label != "" {
			p.StrokeLine2(grid, t.atX(k.at), t.area.Min.Y, t.atX(k.at), t.area.Max.Y)
		}
	}
	for _, k := range t.y.ticks {
		if k.label != "" {
			p.StrokeLine2(grid, t.area.Min.X, t.atY(k.at), t.area.Max.X, t.atY(k.at))
		}
	}
}

func (t *panel) drawAxes(p *pen) {
	a := t.area
	p.StrokeLine2(frame, a.Min.X, a.Min.Y, a.Max.X, a.Min.Y)
	p.StrokeLine2(frame, a.Min.X, a.Min.Y, a.Min.X, a.Max.Y)
	below := p.style(tickSize, ink, draw.XCenter, draw.YTop)
	for _, k := range t.x.ticks {
		p.StrokeLine2(frame, t.atX(k.at), a.Min.Y, t.atX(k.at), a.Min.Y-k.length())
		p.write(below, vg.Point{X: t.atX(k.at), Y: a.Min.Y - tickLength - 2}, k.label)
	}
	beside := p.style(tickSize, ink, draw.XRight, draw.YCenter)
	for _, k := range t.y.ticks {
		p.StrokeLine2(frame, a.Min.X, t.atY(k.at), a.Min.X-k.length(), t.atY(k.at))
		p.write(beside, vg.Point{X: a.Min.X - tickLength - 3, Y: t.atY(k.at)}, k.label)
	}
	p.write(p.style(labelSize, ink, draw.XCenter, draw.YTop), vg.Point{X: (a.Min.X + a.Max.X) / 2, Y: a.Min.Y - tickLength - 1.6*tickSize - 2}, t.x.label)
	t.drawYLabel(p)
	t.drawBreaks(p)
}

func (k tick) length() vg.Length {
	if k.label == "" {
		return tickLength / 2
	}
	return tickLength
}

func (t *panel) drawYLabel(p *pen) {
	ticks := p.style(tickSize, ink, draw.XRight, draw.YCenter)
	var w vg.Length
	for _, k := range t.y.ticks {
		w = max(w, ticks.Width(k.label))
	}
	s := p.style(labelSize, ink, draw.XCenter, draw.YBottom)
	s.Rotation = math.Pi / 2
	p.write(s, vg.Point{X: t.area.Min.X - tickLength - w - 8, Y: (t.area.Min.Y + t.area.Max.Y) / 2}, t.y.label)
}

// drawBreaks cuts an axis open between zero and the rest.
func (t *panel) drawBreaks(p *pen) {
	const half, lean = 4.0, 2.0
	a := t.area
	if !math.IsNaN(t.x.breakAt) {
		x := t.atX(t.x.breakAt)
		p.FillPolygon(paper, []vg.Point{{X: x - 3, Y: a.Min.Y - half}, {X: x + 3 - lean, Y: a.Min.Y - half}, {X: x + 3, Y: a.Min.Y + half}, {X: x - 3 + lean, Y: a.Min.Y + half}})
		for _, dx := range []vg.Length{-2, 2} {
			p.StrokeLine2(frame, x+dx-lean, a.Min.Y-half, x+dx+lean, a.Min.Y+half)
		}
	}
	if !math.IsNaN(t.y.breakAt) {
		y := t.atY(t.y.breakAt)
		p.FillPolygon(paper, []vg.Point{{X: a.Min.X - half, Y: y - 3}, {X: a.Min.X - half, Y: y + 3 - lean}, {X: a.Min.X + half, Y: y + 3}, {X: a.Min.X + half, Y: y - 3 + lean}})
		for _, dy := range []vg.Length{-2, 2} {
			p.StrokeLine2(frame, a.Min.X-half, y+dy-lean, a.Min.X+half, y+dy+lean)
		}
	}
}

func (t *panel) drawFloor(p *pen) {
	if len(t.floor) > 0 && !t.x.category {
		p.StrokeLines(least, t.path(t.floor))
	}
	if t.x.category {
		for _, d := range t.floor {
			at := t.at(d)
			p.StrokeLine2(least, at.X-16, at.Y, at.X+16, at.Y)
		}
	}
}

// path is the line through dots from left to right.
func (t *panel) path(dots []dot) []vg.Point {
	var path []vg.Point
	for _, d := range dots {
		path = append(path, t.at(d))
	}
	slices.SortFunc(path, func(a, b vg.Point) int { return cmp.Compare(a.X, b.X) })
	return path
}

// drawLine joins what was measured, paler across the break of an axis; between
// categories there is nothing to join.
func (t *panel) drawLine(p *pen, v curve) {
	if t.x.category {
		return
	}
	path := t.path(v.dots)
	if !math.IsNaN(t.x.breakAt) && len(path) > 1 && path[0].X < t.atX(t.x.breakAt) {
		pale := v.look.line()
		pale.Color, pale.Width = mix(v.look.color, paper, 0.55), 0.6*v.look.width
		p.StrokeLines(pale, path[:2])
		path = path[1:]
	}
	p.StrokeLines(v.look.line(), path)
}

// dodge moves the markers of a category beside each other.
func (t *panel) dodge(at vg.Point, i int) vg.Point {
	if t.x.category {
		at.X += vg.Length(float64(i)-float64(len(t.curves)-1)/2) * 3 * markerRadius
	}
	return at
}

// mark draws a marker; an open one lets what is below it show.
func (p *pen) mark(l look, at vg.Point) {
	corners := l.marker(at, markerRadius)
	if l.filled {
		p.FillPolygon(l.color, corners)
		return
	}
	p.StrokeLines(draw.LineStyle{Color: l.color, Width: 1.4}, append(corners, corners[0], corners[1]))
}

// end is the value at the end of a curve.
type end struct {
	text  string
	at    vg.Point
	color color.Color
}

// ends are the last values of the curves, one for those that are the same, and
// of the floor.
func (t *panel) ends() []end {
	if t.x.category {
		return nil
	}
	var all []end
	add := func(dots []dot, c color.Color) {
		last := dots[0]
		for _, d := range dots {
			if t.x.place(d.x) > t.x.place(last.x) {
				last = d
			}
		}
		text := t.written(last.y)
		if !slices.ContainsFunc(all, func(e end) bool { return e.text == text }) {
			all = append(all, end{text, t.at(last), c})
		}
	}
	for _, v := range t.curves {
		add(v.dots, mix(v.look.color, ink, 0.4))
	}
	if len(t.floor) > 0 {
		add(t.floor, faint)
	}
	return all
}

// drawEnds writes the last values beside the curves, moved apart where they would
// overlap.
func (t *panel) drawEnds(p *pen) {
	ends := t.ends()
	slices.SortFunc(ends, func(a, b end) int { return cmp.Compare(a.at.Y, b.at.Y) })
	const room = 1.15 * tickSize
	for i := 1; i < len(ends); i++ {
		ends[i].at.Y = max(ends[i].at.Y, ends[i-1].at.Y+room)
	}
	s := p.style(tickSize, nil, draw.XLeft, draw.YCenter)
	for _, e := range ends {
		s.Color = e.color
		p.write(s, vg.Point{X: e.at.X + 2.8*markerRadius, Y: e.at.Y}, e.text)
	}
}
