package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/lakebench/lakebench/plan"
	"github.com/lakebench/lakebench/plots"
	"github.com/lakebench/lakebench/results"
)

// planView is a plan as its page is written from.
type planView struct {
	Title, Headline, Context string
	Alerts                   []alert // of what is over a limit
	Pictures                 [][]byte
	Sections                 []planSection
}

type planSection struct {
	ID, Lead string
	Grid     results.Grid
	Notes    []string
}

func newPlanView(p plan.Plan) (planView, error) {
	v := planView{Title: "lakebench: a plan", Headline: p.Headline(), Context: p.Context()}
	for i, s := range p.Sections() {
		part := planSection{ID: "part-" + strconv.Itoa(i+1), Grid: s.Grid(), Notes: s.Notes}
		if s.Lead != v.Headline {
			part.Lead = s.Lead
		}
		v.Sections = append(v.Sections, part)
		for _, n := range s.Notes {
			if strings.HasPrefix(n, plan.OverLimit) {
				v.Alerts = append(v.Alerts, alert{"bad", n})
			}
		}
	}
	for _, picture := range planPictures(p) {
		svg, err := picture.Render("svg")
		if err != nil {
			return planView{}, fmt.Errorf("draw %s: %w", picture.Name(), err)
		}
		v.Pictures = append(v.Pictures, svg)
	}
	return v, nil
}

// planPictures show how the plan grows with the retained records, and what the
// WAL's month is made of.
func planPictures(p plan.Plan) []plots.Picture {
	const retained = "retained records"
	dollars := plots.Figure{Name: "dollars", Title: "What a month costs", Note: "metadata store, by mode", X: retained, Y: plots.Dollars}
	// v1 and dual cost nearly the same: dashes on a line let both be seen.
	for _, m := range []plan.Mode{plan.V1, plan.V2, plan.Dual, plan.Authoritative} {
		dollars.Lines = append(dollars.Lines, growthLine(p, m, func(g plan.Growth) float64 { return g.USD[string(m)] }))
	}
	requests := plots.Figure{Name: "requests", Title: "What a catalog refresh asks for", Note: "by layout", X: retained, Y: "requests"}
	for _, m := range []plan.Mode{plan.V1, plan.V2} {
		requests.Lines = append(requests.Lines, growthLine(p, m, func(g plan.Growth) float64 { return g.Refresh[string(m)].Requests }))
	}
	var pictures []plots.Picture
	if p.Scale.History() > 0 { // else there is nothing to grow with
		pictures = append(pictures, dollars.Picture(), requests.Picture())
	}
	if wal := walDollars(p); len(wal.Causes) > 0 {
		pictures = append(pictures, plots.Stack("wal", "What a month of the WAL costs, in US dollars", "by policy and access pattern", wal))
	}
	return pictures
}

func growthLine(p plan.Plan, m plan.Mode, of func(plan.Growth) float64) plots.Line {
	l := plots.Line{Name: string(m)}
	for _, g := range p.Growth {
		l.X, l.Y = append(l.X, float64(g.History)), append(l.Y, of(g))
	}
	return l
}

// walDollars has a month's dollars by policy and access pattern.
func walDollars(p plan.Plan) results.ByCause {
	parts := results.ByCause{Counts: map[string]map[string]float64{}}
	for _, policy := range plan.Policies() {
		column := string(policy)
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
