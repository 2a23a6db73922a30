package plots

import "github.com/lakebench/lakebench/results"

// Picture is a chart ready to be drawn. It is not safe for concurrent use.
type Picture struct {
	page page
	svg  *[]byte // empty until it is drawn
}

func newPicture(p page) Picture { return Picture{page: p, svg: new([]byte)} }

// Pictures returns the document's charts: one for every metric over every swept
// parameter along which it changes; one with the first four together,
// overview-by-<parameter>; and the requests of the last point by cause, if they have
// more than one. A run of one point has no growth to show.
func Pictures(doc results.Document) []Picture {
	var pictures []Picture
	for _, p := range pagesOf(doc) {
		if !p.isFlat() {
			pictures = append(pictures, newPicture(p))
		}
	}
	return pictures
}

// Name is a file's name without its extension, that tells it from the others.
func (p Picture) Name() string { return p.page.name }

// Title says what the picture shows.
func (p Picture) Title() string { return p.page.title }

// Overview reports whether the picture shows charts that are pictures of their own
// too.
func (p Picture) Overview() bool { return len(p.page.charts) > 1 }

// ByCause reports whether the picture shows requests by cause.
func (p Picture) ByCause() bool { return p.page.bars != nil }

// Metric is that of the picture, the first one of an overview; "" without a chart.
func (p Picture) Metric() string {
	if len(p.page.charts) == 0 {
		return ""
	}
	return p.page.charts[0].metric.Name
}

// Over returns the swept parameter along the x axis, and the coordinates that were
// kept.
func (p Picture) Over() (x string, kept results.Point) {
	if len(p.page.charts) == 0 {
		return "", nil
	}
	return p.page.charts[0].x, p.page.charts[0].others
}

// SameAs reports whether two pictures show the same values over the same parameter:
// what was kept at another value, or counted in another way, makes no difference.
func (p Picture) SameAs(q Picture) bool {
	return len(p.page.charts) == 1 && len(q.page.charts) == 1 && p.page.charts[0].sameAs(q.page.charts[0])
}

// Render returns the picture as the bytes of an "svg" or "png" file. Equal documents
// give equal bytes. An SVG is drawn once: it goes into files and into reports.
func (p Picture) Render(format string) ([]byte, error) {
	if format != "svg" {
		return p.page.render(format)
	}
	if len(*p.svg) == 0 {
		data, err := p.page.render(format)
		if err != nil {
			return nil, err
		}
		*p.svg = data
	}
	return *p.svg, nil
}
