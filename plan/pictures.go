package plan

import (
	"github.com/lakebench/lakebench/internal/render"
	"github.com/lakebench/lakebench/manifest"
	"github.com/lakebench/lakebench/plots"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/store/control"
)

// pictures show how costs grow with the retained records, and what a month of the
// WAL consists of.
func (p Plan) pictures() render.Pictures {
	const retained = "retained records"
	dollars := plots.Figure{Name: "dollars", Title: "What a month costs", Note: "metadata store, by mode", X: retained, Y: plots.Dollars}
	// v1 and dual cost nearly the same: dashes on a line let both be seen.
	for _, m := range []control.Mode{control.ModeV1, control.ModeV2Only, control.ModeDual, control.ModeV2Authoritative} {
		dollars.Lines = append(dollars.Lines, p.growthLine(m, func(g Growth) float64 { return g.USD[m.String()] }))
	}
	requests := plots.Figure{Name: "requests", Title: "What a catalog refresh asks for", Note: "by layout", X: retained, Y: "requests"}
	for _, m := range []control.Mode{control.ModeV1, control.ModeV2Only} {
		requests.Lines = append(requests.Lines, p.growthLine(m, func(g Growth) float64 { return g.Refresh[m.String()].Requests }))
	}
	var pictures render.Pictures
	if p.Scale.History() > 0 { // else there is nothing to grow with
		pictures.List = append(pictures.List, dollars.Picture(), requests.Picture())
	}
	if wal := p.walDollars(); len(wal.Causes) > 0 {
		pictures.List = append(pictures.List, plots.Stack("wal", "What a month of the WAL costs, in US dollars", "by policy and access pattern", wal))
	}
	return pictures
}

func (p Plan) growthLine(m control.Mode, of func(Growth) float64) plots.Line {
	l := plots.Line{Name: m.String()}
	for _, g := range p.Growth {
		l.X, l.Y = append(l.X, float64(g.History)), append(l.Y, of(g))
	}
	return l
}

// walDollars has a month's dollars by policy and access pattern.
func (p Plan) walDollars() results.ByCause {
	parts := results.ByCause{Counts: map[string]map[string]float64{}}
	for _, policy := range manifest.Kinds() {
		column := policy.String()
		parts.Variants, parts.Counts[column] = append(parts.Variants, column), map[string]float64{}
		for _, pattern := range p.WAL {
			parts.Counts[column][pattern.Name] = p.USDPerMonth(pattern, column)
		}
	}
	for _, pattern := range p.WAL {
		if pattern.PerSecond > 0 {
			parts.Causes = append(parts.Causes, pattern.Name)
		}
	}
	return parts
}
