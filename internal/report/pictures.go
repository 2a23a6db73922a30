package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/lakebench/lakebench/internal/render"
	"github.com/lakebench/lakebench/internal/render/format"
	"github.com/lakebench/lakebench/plots"
	"github.com/lakebench/lakebench/results"
)

// maxCharts bounds the charts of a result, so that a report stays short and small
// enough to send.
const maxCharts = 4

// overview is the picture of what a result is about, or nil.
func (d Drawn) overview() []render.Block {
	var best plots.Picture
	found := false
	for _, p := range d.Pictures {
		if p.Overview() && (!found || d.distance(p) < d.distance(best)) {
			best, found = p, true
		}
	}
	if !found {
		return nil
	}
	return []render.Block{render.Section{Title: "Overview", Blocks: []render.Block{d.figures(true, best)}}}
}

// charts are pictures of the metrics that a result is about, and a line on what has
// no picture since nothing changes it.
func (d Drawn) charts() []render.Block {
	var all []plots.Picture
	left := 0
	for _, p := range d.Pictures {
		switch {
		case p.Overview(), p.ByCause():
		case slices.Contains(d.Workload.Focus.Metrics, p.Metric()) || len(d.Workload.Focus.Metrics) == 0:
			all = append(all, p)
		default:
			left++
		}
	}
	slices.SortStableFunc(all, func(a, b plots.Picture) int {
		metric := func(p plots.Picture) int { return slices.Index(d.Workload.Focus.Metrics, p.Metric()) }
		return cmp.Or(cmp.Compare(d.distance(a), d.distance(b)), cmp.Compare(metric(a), metric(b)))
	})
	var shown []plots.Picture
	for _, p := range all {
		if len(shown) < maxCharts && !slices.ContainsFunc(shown, p.SameAs) {
			shown = append(shown, p)
		} else {
			left++
		}
	}
	var blocks []render.Block
	if len(shown) > 0 {
		blocks = append(blocks, d.figures(false, shown...))
	}
	if text := constants(d.Document); text != "" {
		blocks = append(blocks, dim("%s", text))
	}
	if left > 0 && len(shown) > 0 {
		blocks = append(blocks, dim("%s in the folder plots of the run.", format.Plural(int64(left), "more chart is", "more charts are")))
	}
	if len(blocks) == 0 {
		return nil
	}
	return []render.Block{render.Section{Title: "Charts", Blocks: blocks}}
}

func (d Drawn) figures(wide bool, pictures ...plots.Picture) render.Pictures {
	list := make([]render.Picture, len(pictures))
	for i, p := range pictures {
		list[i] = p
	}
	return render.Pictures{Folder: d.Folder, Wide: wide, List: list}
}

// distance is how far a picture is from the focus of a result: 0 along the focus's
// parameter through the point at which it is largest, 1 along another one through that
// point, 2 elsewhere.
func (d Drawn) distance(p plots.Picture) int {
	focus := d.Workload.Focus.X
	var top results.Point
	for _, m := range d.Summary.Metrics {
		v, _ := m.Point[focus].Float()
		if most, _ := top[focus].Float(); top == nil || v >= most {
			top = m.Point
		}
	}
	x, kept := p.Over()
	switch {
	case top.Without(x).String() != kept.String():
		return 2
	case x != focus:
		return 1
	}
	return 0
}

// constants names the metrics that no parameter changes, with their values: "The same
// at every point: items returned (1,000 on v1 and v2)." It is "" without one.
func constants(doc results.Document) string {
	if len(doc.Summary.Swept()) == 0 {
		return ""
	}
	rows := rowsOf(doc.Summary.Metrics)
	var parts []string
	for _, m := range columnsOf(doc) {
		if text := constant(m, rows); !m.IsTime() && text != "" {
			parts = append(parts, nameOf(m)+" ("+text+")")
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "The same at every point: " + format.List(parts) + "."
}

// constant writes the values of a metric that has one for each variant, "" of any
// other metric.
func constant(m results.Metric, rows []*row) string {
	var values []string
	variants, of := map[string][]string{}, map[string]string{}
	for _, r := range rows {
		v, ok := r.values[m.Name]
		text := m.Format(v)
		if was, seen := of[r.variant]; !ok || seen && was != text {
			return ""
		} else if seen {
			continue
		}
		of[r.variant] = text
		if variants[text] == nil {
			values = append(values, text)
		}
		variants[text] = append(variants[text], r.variant)
	}
	if len(values) == 1 {
		return values[0]
	}
	parts := make([]string, len(values))
	for i, text := range values {
		parts[i] = text + " on " + format.List(variants[text])
	}
	return strings.Join(parts, ", ")
}
