package run

import (
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
	point results.Point
}

// Largest reads the point at which a parameter is largest, the last of those if
// there are several.
func Largest(doc *results.Document, x string) Reading {
	r := Reading{doc: doc}
	for _, m := range doc.Summary.Metrics {
		v, _ := m.Point[x].Float()
		if top, _ := r.point[x].Float(); r.point == nil || v >= top {
			r.point = m.Point
		}
	}
	return r
}

// Least reads the point at which the parameter is smallest and all others are as
// they are.
func (r Reading) Least(x string) Reading {
	others := r.point.Without(x).String()
	for _, m := range r.doc.Summary.Metrics {
		v, _ := m.Point[x].Float()
		if least, _ := r.point[x].Float(); v < least && m.Point.Without(x).String() == others {
			r.point = m.Point
		}
	}
	return r
}

// With reads the point at which the parameter has another value and all others are
// as they are. It may not have been measured.
func (r Reading) With(x string, v results.Value) Reading {
	r.point = maps.Clone(r.point)
	r.point[x] = v
	return r
}

// Value writes a parameter's value at the point, whether it is swept or not.
func (r Reading) Value(name string) string {
	if v, ok := r.point[name]; ok {
		return results.FormatCoordinate(v)
	}
	v, err := results.ValueOf(r.doc.Workload.Params[name])
	if err != nil {
		return "unknown"
	}
	return results.FormatCoordinate(v)
}

// Count writes a parameter's value with its noun, in the singular or plural.
func (r Reading) Count(name, one, many string) string {
	text := r.Value(name)
	if text == "1" {
		return text + " " + one
	}
	return text + " " + many
}

// others names the parameters that have several values in the document and are the
// same in all cases but not in all points: " (user indexes 3)". It is empty if there
// are none.
func (r Reading) others(named []string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(r.point)) {
		varies := func(m results.MetricSummary) bool { return m.Point[name] != r.point[name] }
		if !slices.Contains(named, name) && slices.ContainsFunc(r.doc.Summary.Metrics, varies) {
			parts = append(parts, format.Spaced(name)+" "+results.FormatCoordinate(r.point[name]))
		}
	}
	if parts == nil {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// Costs writes a metric of variants at the point: "102 requests on v1 and 8 on v2 and
// v2-parallel". The noun stands once, if noun is set; in is "on" or "under". A variant
// may bear a remark: "scan (before the change)". It is empty if the point was not
// measured. A variant that was disturbed there takes no part.
func (r Reading) Costs(metric string, noun bool, in string, variants ...string) string {
	about := r.doc.Metrics.Lookup(metric)
	if !r.doc.Conclusive(about) {
		return ""
	}
	var values []string
	named := map[string][]string{}
	for _, name := range variants {
		variant, _, _ := strings.Cut(name, " (")
		v, ok := r.measured(variant, metric)
		if !ok {
			continue
		}
		text := about.Format(v)
		if named[text] == nil {
			values = append(values, text)
		}
		named[text] = append(named[text], name)
	}
	var parts []string
	for i, text := range values {
		amount := text
		if noun && i == 0 {
			amount = withNoun(about, text)
		}
		parts = append(parts, amount+" "+in+" "+format.List(named[text]))
	}
	return format.List(parts)
}

// measured returns a metric of a variant at the point; false if it was not measured,
// or if failures that nothing explains are in it.
func (r Reading) measured(variant, metric string) (float64, bool) {
	if _, disturbed := r.doc.Summary.Disturbance(variant, r.point); disturbed {
		return 0, false
	}
	for _, m := range r.doc.Summary.Metrics {
		if m.Variant == variant && m.Metric == metric && m.Point.String() == r.point.String() {
			return m.Value, true
		}
	}
	return 0, false
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

// A Claim is that something costs an amount of a metric in each of some variants.
type Claim struct {
	// What costs it, with its verb: "a refresh takes". Again is so where it was named
	// before: "it takes".
	What, Again string
	Metric      string
	// On ("on" or "under") and Variants are those of Reading.Costs.
	On       string
	Variants []string
	// Named are the parameters that the cases name.
	Named []string
}

// A Case is where a claim holds: "With 20 polls", and the point that it is about.
type Case struct {
	Given string
	At    Reading
}

// Say writes the claim for each case in a sentence: "With 100,000 records, a refresh
// takes 102 requests on v1. With 0 records, it takes 2 on v1." A case that was not
// measured, or is the one before, is left out; the text is empty if all are.
func (c Claim) Say(cases ...Case) string {
	var sentences []string
	said := ""
	for _, k := range cases {
		first := len(sentences) == 0
		costs := k.At.Costs(c.Metric, first, c.On, c.Variants...)
		if costs == "" || !first && k.At.point.String() == said {
			continue
		}
		said = k.At.point.String()
		if first {
			sentences = append(sentences, k.Given+k.At.others(c.Named)+", "+c.What+" "+costs+".")
		} else {
			sentences = append(sentences, k.Given+", "+c.Again+" "+costs+".")
		}
	}
	return strings.Join(sentences, " ")
}
