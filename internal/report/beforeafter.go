package report

import (
	"errors"
	"slices"

	"github.com/lakebench/lakebench/internal/render"
	"github.com/lakebench/lakebench/internal/render/format"
	"github.com/lakebench/lakebench/plots"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/results/compare"
)

// Across is a report of results that differ in parameters, aligned by these: what
// changes from the first result to each of the others, in sentences, charts and a table
// for each point, and then each result, folded. What compare.Align refuses is an error.
func Across(by []string, all ...results.Named) (render.Page, error) {
	o := compare.DefaultOptions()
	o.By = by
	each, err := compare.Across(all, o)
	if err != nil {
		return render.Page{}, err
	}
	aligned, err := compare.Align(all, by)
	if err != nil {
		return render.Page{}, err
	}
	doc := all[0].Document
	var spaced []string
	for _, name := range by {
		spaced = append(spaced, format.Spaced(name))
	}
	p := render.Page{Title: "lakebench: " + doc.Workload.Name + " by " + format.List(spaced), Contents: true, Footer: footer}
	add := func(blocks ...render.Block) { p.Blocks = append(p.Blocks, blocks...) }
	for _, c := range each {
		add(render.Paragraph{Level: render.Strong, Text: format.Capital(c.New.Label) + " against " + c.Old.Label + ": " + c.Headline()})
		for _, w := range c.Warnings {
			add(render.Paragraph{Level: render.Warning, Text: "Warning: " + w})
		}
	}
	changes := compare.BeforeAfter(each, false, nameOf)
	add(changes[0])
	pictures, err := overlaid(each, aligned)
	if err != nil {
		return render.Page{}, err
	}
	if len(pictures) > 0 {
		add(render.Section{Title: "Before and after", Blocks: []render.Block{render.Pictures{List: pictures}}})
	}
	add(changes[1:]...)
	for i, r := range all {
		add(render.Section{Title: format.Capital(aligned[i].Name), Folded: true, Blocks: Draw(r.Document).blocks()})
	}
	return p, nil
}

// Bounds of the charts of a report of several results.
const (
	mostOverlaid = 8
	mostOfMetric = 2
)

// overlaid are the charts of the metrics that differ, those nearest to the focus of the
// workload, each with all results in it. Where a chart of all variants would have too
// many curves, it has those that differ, or there is one for each of them.
func overlaid(each []*compare.Comparison, aligned []results.Named) ([]render.Picture, error) {
	doc := aligned[0].Document
	differ := map[string][]string{} // variants by metric
	var metrics []string
	for _, c := range each {
		for i := range c.Rows {
			r := &c.Rows[i]
			if r.Phase != results.Steady || !r.Differs() || slices.Contains(differ[r.Metric], r.Variant) {
				continue
			}
			if len(differ[r.Metric]) == 0 {
				metrics = append(metrics, r.Metric)
			}
			differ[r.Metric] = append(differ[r.Metric], r.Variant)
		}
	}
	doc.Metrics.Sort(metrics)
	var pictures []render.Picture
	for _, m := range metrics {
		shown := [][]string{nil} // all variants
		if len(doc.Variants())*len(aligned) > plots.MostCurves {
			shown = [][]string{differ[m]}
		}
		if len(differ[m])*len(aligned) > plots.MostCurves {
			shown = slices.Collect(slices.Chunk(differ[m], 1))
		}
		for _, variants := range shown {
			found, err := plots.Overlay(aligned, plots.Selection{Metric: m, Variants: variants})
			var nothing *plots.SelectionError
			if err != nil && !errors.As(err, &nothing) {
				return nil, err
			}
			slices.SortStableFunc(found, func(a, b plots.Picture) int {
				return Drawn{Document: doc}.distance(a) - Drawn{Document: doc}.distance(b)
			})
			for _, p := range found[:min(len(found), mostOfMetric)] {
				pictures = append(pictures, p)
			}
		}
	}
	return pictures[:min(len(pictures), mostOverlaid)], nil
}
