package plots

import (
	"image/color"
	"math"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Everything that tells one curve from another is there three times: a colour of
// the palette of Okabe and Ito, which the colour-blind can tell apart, a pattern
// of the line, and a shape of the marker, which a black-and-white print keeps.
// Thinner curves are drawn over wider ones, so where two coincide the wider one
// shows on both sides of the other and in its gaps.
var looks = []look{
	{color.RGBA{0xD5, 0x5E, 0x00, 0xFF}, nil, 2.2, circle, true},                                 // vermilion
	{color.RGBA{0x00, 0x72, 0xB2, 0xFF}, nil, 2.2, square, true},                                 // blue
	{color.RGBA{0xE6, 0x9F, 0x00, 0xFF}, []vg.Length{5, 4}, 1.6, diamond, false},                 // orange
	{color.RGBA{0x00, 0x9E, 0x73, 0xFF}, []vg.Length{8, 3, 1.5, 3}, 1.4, triangle, true},         // bluish green
	{color.RGBA{0xCC, 0x79, 0xA7, 0xFF}, []vg.Length{2, 2}, 1.2, circle, false},                  // reddish purple
	{color.RGBA{0x56, 0xB4, 0xE9, 0xFF}, []vg.Length{10, 3, 1.5, 3, 1.5, 3}, 1.0, square, false}, // sky blue
	{color.RGBA{0x00, 0x00, 0x00, 0xFF}, []vg.Length{12, 4}, 0.8, triangle, false},               // black
	{color.RGBA{0xB3, 0xA2, 0x00, 0xFF}, []vg.Length{4, 2, 1, 2, 1, 2}, 0.8, diamond, false},     // yellow, darker than the palette's: it is on white
}

// lookOfVariant is the place among the looks of the variants that have one in every
// picture. What was there before a change has the first look, and what the change
// ends in the second; variants that are compared with each other differ.
var lookOfVariant = map[string]int{
	"v1": 0, "scan": 0, "single": 0,
	"v2": 1, "v2-only": 1, "serve": 1, "batched": 1,
	"v2-parallel": 2, "dual": 2, "serialized": 2,
	"v2-authoritative": 3, "probe": 3,
	"serve-cursor": 4,
}

// looksOf returns the look of each curve of a picture, by name. What follows a comma
// in a name is that of a result. A curve without a look of its own, or whose look is
// taken, has the first one that is free.
func looksOf(names []string) map[string]look {
	places, taken := make(map[string]int), make(map[int]bool)
	for _, name := range names {
		variant, _, _ := strings.Cut(name, ", ")
		if i, known := lookOfVariant[variant]; known && !taken[i] {
			places[name], taken[i] = i, true
		}
	}
	all, next := make(map[string]look), 0
	for _, name := range names {
		i, placed := places[name]
		if !placed {
			for taken[next] && next < len(looks)-1 {
				next++
			}
			i, taken[next] = next, true
		}
		all[name] = looks[i]
	}
	return all
}

// look is how a curve is drawn.
type look struct {
	color  color.RGBA
	dashes []vg.Length
	width  vg.Length
	marker func(center vg.Point, radius vg.Length) []vg.Point
	filled bool
}

func (l look) line() draw.LineStyle {
	return draw.LineStyle{Color: l.color, Width: l.width, Dashes: l.dashes}
}

// again is the look of a variant in another result of several: the colour and the
// marker stay.
func (l look) again(result int) look {
	if result == 0 {
		return l
	}
	others := [][]vg.Length{{6, 3}, {1.5, 2.5}, {9, 3, 1.5, 3}}
	l.dashes, l.width, l.filled = others[(result-1)%len(others)], 0.7*l.width, l.filled != (result%2 == 1)
	return l
}

// mix blends so much of b into a.
func mix(a, b color.RGBA, part float64) color.RGBA {
	blend := func(a, b uint8) uint8 { return uint8(math.Round(float64(a)*(1-part) + float64(b)*part)) }
	return color.RGBA{blend(a.R, b.R), blend(a.G, b.G), blend(a.B, b.B), 0xFF}
}

var (
	ink       = color.RGBA{0x22, 0x22, 0x22, 0xFF}
	faint     = color.RGBA{0x66, 0x66, 0x66, 0xFF}
	gridColor = color.RGBA{0xE4, 0xE4, 0xE4, 0xFF}
	paper     = color.RGBA{0xFF, 0xFF, 0xFF, 0xFF}

	frame = draw.LineStyle{Color: faint, Width: 0.8}
	grid  = draw.LineStyle{Color: gridColor, Width: 0.6}
	least = draw.LineStyle{Color: faint, Width: 1.2, Dashes: []vg.Length{1.2, 2.4}} // the floor
)

// Corners of the markers; a circle has many.
func circle(c vg.Point, r vg.Length) []vg.Point { return polygon(c, r, circleDirections) }
func square(c vg.Point, r vg.Length) []vg.Point {
	return polygon(c, 0.9*r, [][2]vg.Length{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}})
}
func diamond(c vg.Point, r vg.Length) []vg.Point {
	return polygon(c, 1.6*r, [][2]vg.Length{{0, -1}, {1, 0}, {0, 1}, {-1, 0}})
}
func triangle(c vg.Point, r vg.Length) []vg.Point {
	return polygon(c, 1.3*r, [][2]vg.Length{{-0.87, -0.5}, {0.87, -0.5}, {0, 1}})
}

// circleDirections are 24 points of the unit circle.
var circleDirections = func() (d [][2]vg.Length) {
	const corners = 24
	for i := range corners {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / corners)
		d = append(d, [2]vg.Length{vg.Length(cos), vg.Length(sin)})
	}
	return d
}()

func polygon(c vg.Point, r vg.Length, directions [][2]vg.Length) []vg.Point {
	var corners []vg.Point
	for _, d := range directions {
		corners = append(corners, vg.Point{X: c.X + r*d[0], Y: c.Y + r*d[1]})
	}
	return corners
}

// fonts are embedded: what is drawn depends on no font of the machine.
func newFonts() text.Handler {
	return text.Plain{Fonts: font.NewCache(liberation.Collection())}
}

// style is the style of text of a size, in points.
func (p *pen) style(size vg.Length, c color.Color, x draw.XAlignment, y draw.YAlignment) draw.TextStyle {
	return draw.TextStyle{
		Color: c, XAlign: x, YAlign: y, Handler: p.fonts,
		Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
	}
}

func boldened(s draw.TextStyle) draw.TextStyle {
	s.Font.Weight = xfont.WeightBold
	return s
}
