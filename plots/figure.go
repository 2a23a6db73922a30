package plots

import (
	"github.com/lakebench/lakebench/internal/render/format"
	"github.com/lakebench/lakebench/results"
)

// A Figure is a chart of numbers that are in no result, such as those of a plan.
type Figure struct {
	// Name is that of a file, without its extension.
	Name, Title, Note string
	// X and Y say what the axes show; dollars are written as such where Y is
	// Dollars.
	X, Y  string
	Lines []Line
}

// Dollars is the Y of a figure of money.
const Dollars = "US dollars"

// A Line is a curve of a figure: values by what is along the x axis.
type Line struct {
	Name string
	X, Y []float64
}

// Picture lays the figure out.
func (f Figure) Picture() Picture {
	c := &chart{metric: results.Metric{Name: f.Name, Noun: f.Y, Assume: results.Exact, Money: f.Y == Dollars}, x: f.X, figure: true}
	names := make([]string, len(f.Lines))
	for i, l := range f.Lines {
		names[i] = l.Name
	}
	look := looksOf(names)
	for _, l := range f.Lines {
		v := curve{variant: l.Name, look: look[l.Name]}
		for j, x := range l.X {
			v.dots = append(v.dots, dot{results.Number(x), l.Y[j]})
		}
		c.curves = append(c.curves, v)
	}
	return newPicture(page{name: f.Name, title: f.Title, note: f.Note, charts: []*chart{c}})
}

// Stack draws a bar for each variant, whose parts are its counts by cause.
func Stack(name, title, note string, parts results.ByCause) Picture {
	return newPicture(page{name: name, title: title, note: note, bars: &bars{parts}})
}

// written is a value as it stands at the end of its curve.
func (c *chart) written(y float64) string {
	switch {
	case !c.figure:
		return c.metric.Format(y)
	case c.metric.Money:
		return "$" + format.Significant(y)
	}
	return format.Significant(y)
}
