package plan

import (
	"fmt"
	"strings"

	"github.com/lakebench/lakebench/internal/cost"
	"github.com/lakebench/lakebench/internal/render"
	"github.com/lakebench/lakebench/internal/render/format"
	"github.com/lakebench/lakebench/manifest"
	"github.com/lakebench/lakebench/store/control"
)

// Page returns the plan for people. Loads over their limits come first.
func (p Plan) Page() render.Page {
	page := render.Page{Title: "lakebench: a plan", Contents: true, Footer: "Written by lakebench."}
	page.Blocks = append(page.Blocks, render.Paragraph{Level: render.Strong, Text: p.Headline()}, render.Paragraph{Level: render.Dim, Text: p.Context()})
	for _, text := range p.overLimits() {
		page.Blocks = append(page.Blocks, render.Paragraph{Level: render.Bad, Text: text})
	}
	if pictures := p.pictures(); len(pictures.List) > 0 {
		page.Blocks = append(page.Blocks, pictures)
	}
	sections := []section{p.totalsSection(), p.patternsSection("Metadata store, by access pattern", p.Metadata, names(control.Modes()))}
	if p.Scale.WALShards > 0 {
		sections = append(sections, p.patternsSection("WAL, by access pattern", p.WAL, names(manifest.Kinds())))
	}
	sections = append(sections, p.wasteSection(), p.growthSection(), p.crossoverSection(), p.headroomSection(), p.adviceSection(),
		p.migrationSection(), p.billingSection(), p.sensitivitySection(), p.scaleSection(),
		section{title: "Assumptions", notes: p.Assumptions}, section{title: "Not modelled", notes: p.NotModelled})
	for _, s := range sections {
		page.Blocks = append(page.Blocks, s.block())
	}
	return page
}

// A section is a lead, a table and notes.
type section struct {
	title, lead string
	columns     []render.Column
	rows        []render.Row
	notes       []string
}

// headed returns columns; on a narrow terminal the last ones are left out first.
func headed(names ...string) []render.Column {
	columns := make([]render.Column, len(names))
	for i, name := range names {
		columns[i] = render.Column{Name: name, Priority: len(names) - i}
	}
	return columns
}

func (s *section) row(cells ...string) { s.rows = append(s.rows, render.Row{Cells: cells}) }

func (s *section) group(name string) { s.rows = append(s.rows, render.Row{Group: name}) }

func (s section) block() render.Section {
	out := render.Section{Title: s.title}
	if s.lead != "" {
		out.Blocks = append(out.Blocks, render.Paragraph{Text: s.lead})
	}
	if len(s.rows) > 0 {
		out.Blocks = append(out.Blocks, render.Table{Columns: s.columns, Rows: s.rows})
	}
	if len(s.notes) > 0 {
		notes := make(render.List, len(s.notes))
		for i, n := range s.notes {
			notes[i].Text = n
		}
		out.Blocks = append(out.Blocks, notes)
	}
	return out
}

func names[T fmt.Stringer](columns []T) []string {
	var out []string
	for _, c := range columns {
		out = append(out, c.String())
	}
	return out
}

// Headline is the plan in a sentence.
func (p Plan) Headline() string {
	v1, v2 := p.usdOf(control.ModeV1.String()), p.usdOf(control.ModeV2Only.String())
	text := fmt.Sprintf("The metadata store costs $%s a month on v1 and $%s on v2", money(v1), money(v2))
	if p.Scale.WALShards > 0 {
		text += fmt.Sprintf("; the WAL $%s with a scan on every read and $%s under the policy probe",
			money(p.usdOf(manifest.Scan.String())), money(p.usdOf(manifest.Probe.String())))
	}
	return text + "."
}

// Context says in a line which lake the plan is for, and with which prices.
func (p Plan) Context() string {
	s := p.Scale
	return fmt.Sprintf("%s, %s commits/s kept for %s, %s that refresh every %s. Prices of %s, %s (%.12s).",
		format.Plural(s.Tables, "table", "tables"), number(s.CommitsPerSecond), s.Retention, format.Plural(s.Readers, "reader", "readers"), s.RefreshInterval,
		p.Prices.Region, p.Prices.Date, p.Prices.Hash)
}

// money writes dollars: cents up to a hundred, whole ones above.
func money(usd float64) string {
	switch {
	case usd != 0 && usd < 0.01 && usd > -0.01:
		return format.Significant(usd)
	case usd < 100 && usd > -100:
		return format.Thousands(usd, 2)
	default:
		return format.Thousands(usd, 0)
	}
}

func number(f float64) string { return format.Significant(f) }

// span writes a range.
func span(low, high float64) string {
	if low == high {
		return number(low)
	}
	return number(low) + " to " + number(high)
}

// inDays writes a time in days, or in a unit in which a short one says something.
func inDays(days float64) string {
	switch {
	case days < 1./24/60:
		return "less than a minute"
	case days < 1./24:
		return number(days*24*60) + " minutes"
	case days < 2:
		return number(days*24) + " hours"
	}
	return number(days) + " days"
}

func percent(f float64) string {
	if f > 0 && f < 0.001 {
		return "< 0.1 %"
	}
	return format.Significant(100*f) + " %"
}

func (p Plan) totalsSection() section {
	s := section{
		title:   "A month",
		columns: headed("", "US dollars", "RRU/s", "WRU/s", "class A/s", "class B/s"),
	}
	for _, t := range p.Totals {
		if p.Scale.WALShards == 0 && t.RRU+t.WRU == 0 {
			continue
		}
		s.row(t.Column, money(t.USD), number(t.RRU), number(t.WRU), number(t.ClassA), number(t.ClassB))
	}
	return s
}

// patternsSection has a row for each pattern, and below it one for each cost that
// it has: columns that cost the same share a row.
func (p Plan) patternsSection(title string, patterns []Pattern, columns []string) section {
	s := section{
		title:   title,
		lead:    "Cost of one operation, and of all of them in a month.",
		columns: headed("", "requests", "units", "$/million", "$/month"),
	}
	for _, x := range patterns {
		s.group(fmt.Sprintf("%s, %s/s, peak %s/s", x.Name, number(x.PerSecond), number(x.PerSecond*p.Scale.PeakFactor)))
		for _, alike := range same(x, columns) {
			c := x.Costs[alike[0]]
			s.row(columnNames(alike, columns), number(c.Requests), unitsOf(c), number(p.usd(c)*1e6), money(p.USDPerMonth(x, alike[0])))
		}
		if r, ok := x.Spread[control.ModeV2Only.String()]; ok && r.Low != r.High {
			s.notes = append(s.notes, fmt.Sprintf("%s on v2: key hashes decide; %s requests, %s RRU.",
				x.Name, span(r.Low.Requests, r.High.Requests), span(r.Low.RRU, r.High.RRU)))
		}
	}
	return s
}

// columnNames names the columns that cost the same.
func columnNames(alike, all []string) string {
	if len(alike) == len(all) {
		return "all"
	}
	return strings.Join(alike, ", ")
}

// same groups the columns of a pattern that cost the same.
func same(x Pattern, columns []string) [][]string {
	var groups [][]string
next:
	for _, column := range columns {
		for i, g := range groups {
			if x.Costs[g[0]] == x.Costs[column] {
				groups[i] = append(g, column)
				continue next
			}
		}
		groups = append(groups, []string{column})
	}
	return groups
}

func unitsOf(c cost.Cost) string {
	var parts []string
	for _, u := range []struct {
		n    float64
		unit string
	}{{c.RRU, "RRU"}, {c.WRU, "WRU"}, {c.ClassA, "A"}, {c.ClassB, "B"}} {
		if u.n > 0 {
			parts = append(parts, number(u.n)+" "+u.unit)
		}
	}
	return strings.Join(parts, " + ")
}

// usd prices a cost as the plan's totals were priced.
func (p Plan) usd(c cost.Cost) float64 { return bill{p.table}.usd(c) }

// USDPerMonth is what a month of a pattern costs in a column.
func (p Plan) USDPerMonth(x Pattern, column string) float64 {
	return bill{p.table}.month(x.Costs[column], x.PerSecond)
}

func (p Plan) wasteSection() section {
	s := section{title: "Waste", lead: "Paid for without use.", columns: headed("", "$/month", "of all")}
	what := ""
	for _, w := range p.Waste {
		if w.What != what {
			what = w.What
			s.group(what)
		}
		s.row(w.Column, money(w.USD), percent(w.Share))
	}
	return s
}

func (p Plan) growthSection() section {
	s := section{
		title:   "Growth",
		lead:    "The same lake at 10 and 100 times the commit rate. Retained records grow with it.",
		columns: headed("", "retained", "requests v1", "requests v2", "time v1", "time v2", "$/month v1", "$/month v2"),
	}
	for i := range s.columns[2:] {
		c := &s.columns[2+i]
		c.Heading = strings.Replace(c.Name, " ", "\n", 1)
	}
	for _, g := range p.Growth {
		v1, v2 := control.ModeV1.String(), control.ModeV2Only.String()
		s.row(
			number(g.Factor)+"×", format.Thousands(float64(g.History), 0), number(g.Refresh[v1].Requests), number(g.Refresh[v2].Requests),
			format.Duration(g.RefreshTime[v1].Seconds()*1e9), format.Duration(g.RefreshTime[v2].Seconds()*1e9), money(g.USD[v1]), money(g.USD[v2]),
		)
	}
	s.notes = append(s.notes, "Requests and time are those of one catalog refresh.")
	return s
}

func (p Plan) crossoverSection() section {
	s := section{
		title:   "Crossover",
		lead:    "v2 is cheaper above this many retained records.",
		columns: headed("of", "records"),
	}
	for _, c := range p.Crossover {
		text := "never"
		if c.From != never {
			text = format.Thousands(float64(c.From), 0)
		}
		s.row(c.Metric, text)
	}
	return s
}

// overLimits has a sentence for each load that is over its limit.
func (p Plan) overLimits() []string {
	var texts []string
	for _, h := range p.Headroom {
		if h.share() > 1 {
			texts = append(texts, fmt.Sprintf("Over the limit: %s, %s: %s times the allowed load (%s).", h.What, h.Column, number(h.share()), h.Note))
		}
	}
	return texts
}

func (p Plan) headroomSection() section {
	s := section{title: "Limits, at the peak", columns: headed("", "load", "allowed", "used")}
	what := ""
	for _, h := range p.Headroom {
		if h.What != what {
			what = h.What
			s.group(what + ", " + h.Unit)
		}
		s.row(h.Column, number(h.Load), number(h.Allowed), percent(h.share()))
	}
	return s
}

func (p Plan) adviceSection() section {
	s := section{
		title:   "Shards of v2",
		lead:    "Shards needed to keep each partition under half its limit at peak. Listing a family takes at least one request per shard.",
		columns: headed("family", "shards", "WRU/s", "needed", "drain", ""),
	}
	s.columns[5].Words = true
	for _, a := range p.Advice {
		s.row(a.Family, number(float64(a.Shards)), number(a.WRU), number(float64(a.Needed)), number(float64(a.Floor)), a.Says)
	}
	return s
}

func (p Plan) migrationSection() section {
	m := p.Migration
	s := section{
		title:   "Migration",
		columns: headed("", "requests", "RRU", "WRU", "US dollars"),
		notes: []string{
			fmt.Sprintf("While dual, a day costs $%s more than on v1; while authoritative, $%s more than v2-only.", money(m.DualUSDPerDay), money(m.AuthoritativeUSDPerDay)),
		},
	}
	row := func(name string, c cost.Cost) {
		s.row(name, number(c.Requests), number(c.RRU), number(c.WRU), money(p.usd(c)))
	}
	row(fmt.Sprintf("backfill of %s records", format.Thousands(float64(m.Records), 0)), m.Backfill)
	row("two verifications", m.Verify)
	if m.PayBackDays == never {
		s.notes = append(s.notes, "It never pays back: v2 costs as much as v1 or more.")
	} else {
		s.notes = append(s.notes, fmt.Sprintf("v2 saves $%s a day: with one day of dual writes the migration is paid back after %s.", money(m.SavedUSDPerDay), inDays(m.PayBackDays)))
	}
	return s
}

func (p Plan) billingSection() section {
	s := section{
		title:   "On demand, or provisioned",
		lead:    fmt.Sprintf("Dollars a month. Provisioned capacity for the mean at %s utilisation, or for the peak all day: the real bill lies between.", percent(targetUtilisation)),
		columns: headed("", "on demand", "at the mean", "at the peak", "breaks even at"),
	}
	for _, b := range p.Billing {
		s.row(b.Column, money(b.OnDemand), money(b.AtMean), money(b.AtPeak), percent(b.BreakEven))
	}
	return s
}

func (p Plan) sensitivitySection() section {
	s := section{
		title:   "Sensitivity",
		lead:    "The same lake with one number changed. The last columns are the requests of a refresh on v2, and the hottest bucket's share of a partition's limit at peak.",
		columns: headed("", "v1 $/month", "dual", "v2-only", "v2 refresh", "hottest"),
	}
	for _, x := range p.Sensitivity {
		s.row(
			x.Change, money(x.USD[control.ModeV1.String()]), money(x.USD[control.ModeDual.String()]), money(x.USD[control.ModeV2Only.String()]),
			number(x.RefreshRequests), percent(x.HottestShare),
		)
	}
	return s
}

func (p Plan) scaleSection() section {
	s := section{title: "The lake", lead: "Change a number with --set.", columns: headed("number", "value", "meaning")}
	s.columns[2].Words = true
	for _, n := range p.Scale.Numbers() {
		s.row(n.Name, n.Value, n.Means)
	}
	return s
}
