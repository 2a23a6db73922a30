package run

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lakebench/lakebench/internal/render/format"
	"github.com/lakebench/lakebench/results"
)

// Describe writes what the workload knows about a document into it: the texts of
// the registry and, from the document's summary, headline and published figures.
func (w *Workload) Describe(doc *results.Document) {
	measured := doc.Variants()
	doc.Workload.Summary, doc.Workload.Focus = w.Summary, w.Focus
	doc.Workload.Variants = slices.DeleteFunc(slices.Clone(w.Variants), func(v Variant) bool { return !slices.Contains(measured, v.Name) })
	doc.Headline = w.Name + " measured nothing."
	if len(doc.Summary.Metrics) > 0 {
		doc.Headline = w.Headline(doc)
	}
	doc.Published = w.publishedIn(doc)
}

// A Reading is what a document says at one point. Headlines are written from it,
// so they name what was measured, and no trend.
type Reading struct {
	doc   *results.Document
	x     string // the parameter that the headline is about
	point results.Point
}

// Largest reads the point at which a parameter is largest, the last of those if
// there are several.
func Largest(doc *results.Document, x string) Reading {
	r := Reading{doc: doc, x: x}
	for _, m := range doc.Summary.Metrics {
		v, _ := m.Point[x].Float()
		if top, _ := r.point[x].Float(); r.point == nil || v >= top {
			r.point = m.Point
		}
	}
	return r
}

// smallest reads the point at which the parameter is smallest and all others are
// as they were.
func (r Reading) smallest() Reading {
	others := r.point.Without(r.x).String()
	for _, m := range r.doc.Summary.Metrics {
		v, _ := m.Point[r.x].Float()
		if least, _ := r.point[r.x].Float(); v < least && m.Point.Without(r.x).String() == others {
			r.point = m.Point
		}
	}
	return r
}

// value writes the parameter's value with its noun, in the singular or plural.
func (r Reading) value(one, many string) string {
	text := results.FormatCoordinate(r.point[r.x])
	if text == "1" {
		return text + " " + one
	}
	return text + " " + many
}

// others names the other parameters that have several values in the document,
// with those of the point: " (writers 4)". It is empty if there are none.
func (r Reading) others() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(r.point)) {
		varies := func(m results.MetricSummary) bool { return m.Point[name] != r.point[name] }
		if name != r.x && slices.ContainsFunc(r.doc.Summary.Metrics, varies) {
			parts = append(parts, format.Spaced(name)+" "+results.FormatCoordinate(r.point[name]))
		}
	}
	if parts == nil {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// costs writes a metric of all variants at the point: "102 requests on v1 and 8 on
// v2 and v2-parallel". The noun stands once, if noun is set.
func (r Reading) costs(metric string, noun bool) string {
	about := r.doc.Metrics.Lookup(metric)
	var values []string
	variants := map[string][]string{}
	for _, m := range r.doc.Summary.Metrics {
		if m.Metric != metric || m.Point.String() != r.point.String() {
			continue
		}
		text := about.Format(m.Value)
		if variants[text] == nil {
			values = append(values, text)
		}
		variants[text] = append(variants[text], m.Variant)
	}
	var parts []string
	for i, text := range values {
		amount := text
		if noun && i == 0 {
			amount = withNoun(about, text)
		}
		parts = append(parts, amount+" on "+format.List(variants[text]))
	}
	return format.List(parts)
}

// withNoun writes a value with what is counted, money with its scale.
func withNoun(m results.Metric, text string) string {
	switch {
	case m.Money:
		return strings.TrimSpace(text + " " + m.ScaleNote())
	case text == "1":
		return text + " " + strings.TrimSuffix(m.Noun, "s")
	}
	return text + " " + m.Noun
}

// Sentences writes a metric where the parameter is largest and where it is
// smallest: "With 100,000 history records, a refresh takes 102 requests on v1. With
// 0 history records, it takes 2 on v1." one and many are the nouns of the
// parameter, what is what costs something, and verb "takes" or "costs".
func (r Reading) Sentences(metric, one, many, what, verb string) string {
	text := fmt.Sprintf("With %s%s, %s %s %s.", r.value(one, many), r.others(), what, verb, r.costs(metric, true))
	if low := r.smallest(); low.point[r.x] != r.point[r.x] {
		text += fmt.Sprintf(" With %s, it %s %s.", low.value(one, many), verb, low.costs(metric, false))
	}
	return text
}
