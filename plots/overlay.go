package plots

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lakebench/lakebench/results"
)

// A Selection says which charts to draw of one or more results; what it leaves out
// selects all.
type Selection struct {
	Metric string
	X      string        // the swept parameter along the x axis
	Point  results.Point // values of other parameters that are kept
	// Variants are the curves.
	Variants []string
}

// MostCurves is how many curves of a chart can be told apart.
const MostCurves = 8

// A SelectionError says why there is nothing to draw.
type SelectionError struct{ Problem string }

func (e *SelectionError) Error() string { return e.Problem }

// Overlay draws the selected charts of one or more results. Several results are in
// one chart, each variant a curve of its own for each of them, with the result's
// name behind its own. A selection that matches nothing, and more curves than can
// be told apart, are a *SelectionError.
func Overlay(docs []results.Named, s Selection) ([]Picture, error) {
	doc, origins, err := combine(docs, s.Variants)
	if err != nil {
		return nil, err
	}
	if err := s.check(doc); err != nil {
		return nil, err
	}
	var pictures []Picture
	for _, p := range pagesOf(doc) {
		if s.matches(p) {
			origins.mark(p)
			pictures = append(pictures, newPicture(p))
		}
	}
	if len(pictures) == 0 {
		return nil, &SelectionError{"nothing to draw: the metric is zero everywhere, or measured at one value of the parameter"}
	}
	return pictures, nil
}

// An origin is the variant that a curve is of, and the number of its result.
type origin struct {
	variant string
	result  int
}

// origins are those of the curves of several results, by name.
type origins map[string]origin

// mark gives the curves of a variant one colour and marker, and another line for each
// result.
func (o origins) mark(p page) {
	var variants []string
	for _, c := range p.charts {
		for _, v := range c.curves {
			if name := o[v.variant].variant; !slices.Contains(variants, name) {
				variants = append(variants, name)
			}
		}
	}
	look := looksOf(variants)
	for _, c := range p.charts {
		for i := range c.curves {
			from := o[c.curves[i].variant]
			c.curves[i].of, c.curves[i].look = from.variant, look[from.variant].again(from.result)
		}
	}
}

// combine puts results into one document whose variants bear the results' names,
// if there are several.
func combine(docs []results.Named, variants []string) (results.Document, origins, error) {
	if len(docs) == 0 {
		return results.Document{}, nil, &SelectionError{"no result given"}
	}
	out, from := results.Document{Workload: docs[0].Document.Workload}, origins{}
	kept := func(variant string) bool { return len(variants) == 0 || slices.Contains(variants, variant) }
	for i, d := range docs {
		out.Metrics = out.Metrics.Union(d.Document.Metrics)
		if name := d.Document.Workload.Name; name != out.Workload.Name {
			return results.Document{}, nil, &SelectionError{fmt.Sprintf("%s is of workload %s, %s of %s: a chart shows one", docs[0].Name, out.Workload.Name, d.Name, name)}
		}
		name := func(variant string) string {
			full := variant
			if len(docs) > 1 {
				full += ", " + d.Name
			}
			from[full] = origin{variant, i}
			return full
		}
		for _, s := range d.Document.Series {
			if kept(s.Variant) {
				s.Variant = name(s.Variant)
				out.Series = append(out.Series, s)
			}
		}
		for _, m := range d.Document.Summary.Metrics {
			if kept(m.Variant) {
				m.Variant = name(m.Variant)
				out.Summary.Metrics = append(out.Summary.Metrics, m)
			}
		}
		for _, g := range d.Document.Summary.Growth {
			if kept(g.Variant) {
				g.Variant = name(g.Variant)
				out.Summary.Growth = append(out.Summary.Growth, g)
			}
		}
	}
	return out, from, nil
}

// check says what in the selection the document does not have.
func (s Selection) check(doc results.Document) error {
	curves := variantsOf(doc.Summary.Metrics)
	vary := doc.Summary.Swept()
	metrics := map[string]bool{}
	for _, m := range doc.Summary.Metrics {
		metrics[m.Metric] = true
	}
	switch {
	case len(curves) == 0:
		return &SelectionError{"nothing to draw: none of the variants was measured"}
	case len(curves) > MostCurves:
		return &SelectionError{fmt.Sprintf("%d curves are more than the %d that can be told apart; pick variants or fewer results", len(curves), MostCurves)}
	case len(vary) == 0:
		return &SelectionError{"nothing to draw: no parameter was measured at two values"}
	case s.X != "" && !slices.Contains(vary, s.X):
		return &SelectionError{fmt.Sprintf("%q was not measured at two values; these were: %s", s.X, strings.Join(vary, ", "))}
	case s.Metric != "" && !metrics[s.Metric]:
		return &SelectionError{fmt.Sprintf("metric %q was not measured; these were: %s", s.Metric, strings.Join(slices.Sorted(maps.Keys(metrics)), ", "))}
	case s.Metric != "" && !charted(doc.Metrics.Lookup(s.Metric)):
		return &SelectionError{fmt.Sprintf("metric %q is in no chart", s.Metric)}
	}
	return nil
}

// matches reports whether a page is selected: an overview only if no metric is, and
// the requests by cause, which are of one point, only if nothing is.
func (s Selection) matches(p page) bool {
	if p.bars != nil {
		return s.Metric == "" && s.X == "" && len(s.Point) == 0
	}
	c := p.charts[0]
	switch {
	case s.Metric == "" && p.isFlat(), s.Metric != "" && (len(p.charts) > 1 || c.metric.Name != s.Metric), s.X != "" && c.x != s.X:
		return false
	}
	for name, v := range s.Point {
		if c.others[name] != v {
			return false
		}
	}
	return true
}
