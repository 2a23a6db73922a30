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

// overlaid are the charts of the metrics that differ, each with all results in it; a
// chart for each variant where there would be too many curves for one.
func overlaid(each []*compare.Comparison, aligned []results.Named) ([]render.Picture, error) {
	var metrics, variants []string
	for _, c := range each {
		for i := range c.Rows {
			r := &c.Rows[i]
			if r.Phase == results.Steady && r.Differs() && !slices.Contains(metrics, r.Metric) {
				metrics = append(metrics, r.Metric)
			}
			if !slices.Contains(variants, r.Variant) {
				variants = append(variants, r.Variant)
			}
		}
	}
	aligned[0].Document.Metrics.Sort(metrics)
	var pictures []render.Picture
	draw := func(s plots.Selection) error {
		found, err := plots.Overlay(aligned, s)
		var nothing *plots.SelectionError
		if err != nil && !errors.As(err, &nothing) {
			return err
		}
		for _, p := range found {
			pictures = append(pictures, p)
		}
		return nil
	}
	for _, m := range metrics {
		before := len(pictures)
		if err := draw(plots.Selection{Metric: m}); err != nil {
			return nil, err
		}
		for _, v := range variants {
			if len(pictures) > before && len(variants)*len(aligned) <= plots.MostCurves {
				break
			}
			if err := draw(plots.Selection{Metric: m, Variants: []string{v}}); err != nil {
				return nil, err
			}
		}
	}
	return pictures[:min(len(pictures), mostOverlaid)], nil
}

// mostOverlaid bounds the charts of a report of several results.
const mostOverlaid = 8
