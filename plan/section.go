package plan

import (
	"fmt"
	"strings"

	"github.com/lakebench/lakebench/internal/render/texttab"
)

// A Section is a part of a plan as people read it: text, Markdown and HTML are
// written from sections.
type Section struct {
	Title string
	// Lead is a sentence or two before the table.
	Lead string
	// Header names the columns; the first is of words, the others of numbers
	// unless Words says so.
	Header []string
	Words  []int // columns of words, beside the first
	Rows   [][]string
	// Notes come after the table.
	Notes []string
}

// Sections returns the plan in the order in which it is read.
func (p Plan) Sections() []Section {
	out := []Section{p.totalsSection(), p.patternsSection("Metadata store, by access pattern", p.Metadata, names(Modes()))}
	if p.Scale.WALShards > 0 {
		out = append(out, p.patternsSection("WAL, by access pattern", p.WAL, names(Policies())))
	}
	return append(out, p.wasteSection(), p.growthSection(), p.crossoverSection(), p.headroomSection(), p.adviceSection(),
		p.migrationSection(), p.billingSection(), p.sensitivitySection(), p.scaleSection(),
		Section{Title: "Assumptions", Notes: p.Assumptions}, Section{Title: "Not modelled", Notes: p.NotModelled})
}

func names[T ~string](columns []T) []string {
	var out []string
	for _, c := range columns {
		out = append(out, string(c))
	}
	return out
}

// Headline is the plan in a sentence.
func (p Plan) Headline() string {
	v1, v2 := p.usdOf(string(V1)), p.usdOf(string(V2))
	text := fmt.Sprintf("The metadata store costs $%s a month on v1 and $%s on v2", money(v1), money(v2))
	if p.Scale.WALShards > 0 {
		text += fmt.Sprintf("; the WAL $%s with a scan on every read and $%s under the policy probe",
			money(p.usdOf(string(Scan))), money(p.usdOf(string(Probe))))
	}
	return text + "."
}

// Context says in a line which lake the plan is for, and with which prices.
func (p Plan) Context() string {
	s := p.Scale
	return fmt.Sprintf("%s, %s commits/s kept for %s, %s that refresh every %s. Prices of %s, %s (%.12s).",
		texttab.Plural(s.Tables, "table", "tables"), number(s.CommitsPerSecond), s.Retention, texttab.Plural(s.Readers, "reader", "readers"), s.RefreshInterval,
		p.Prices.Region, p.Prices.Date, p.Prices.Hash)
}

// money writes dollars: cents up to a hundred, whole ones above.
func money(usd float64) string {
	switch {
	case usd != 0 && usd < 0.01 && usd > -0.01:
		return texttab.Significant(usd)
	case usd < 100 && usd > -100:
		return texttab.Thousands(usd, 2)
	default:
		return texttab.Thousands(usd, 0)
	}
}

func number(f float64) string { return texttab.Significant(f) }

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
	return texttab.Significant(100*f) + " %"
}

func (p Plan) totalsSection() Section {
	s := Section{
		Title:  "A month",
		Lead:   p.Headline(),
		Header: []string{"", "US dollars", "RRU/s", "WRU/s", "class A/s", "class B/s"},
	}
	for _, t := range p.Totals {
		if p.Scale.WALShards == 0 && t.RRU+t.WRU == 0 {
			continue
		}
		s.Rows = append(s.Rows, []string{t.Column, money(t.USD), number(t.RRU), number(t.WRU), number(t.ClassA), number(t.ClassB)})
	}
	return s
}

// patternsSection has a row for each pattern, and below it one for each cost that
// it has: columns that cost the same share a row.
func (p Plan) patternsSection(title string, patterns []Pattern, columns []string) Section {
	s := Section{
		Title:  title,
		Lead:   "Of one operation, and of a month of them.",
		Header: []string{"", "requests", "units", "$/million", "$/month"},
	}
	for _, x := range patterns {
		s.Rows = append(s.Rows, group(len(s.Header), fmt.Sprintf("%s, %s/s, peak %s/s", x.Name, number(x.PerSecond), number(x.PerSecond*p.Scale.PeakFactor))))
		for _, alike := range same(x, columns) {
			c := x.Costs[alike[0]]
			s.Rows = append(s.Rows, []string{
				member(columnNames(alike, columns)), number(c.Requests), unitsOf(c), number(p.usd(c) * 1e6), money(p.USDPerMonth(x, alike[0])),
			})
		}
		if r, ok := x.Spread[string(V2)]; ok && r.Low != r.High {
			s.Notes = append(s.Notes, fmt.Sprintf("%s on v2: key hashes decide; %s requests, %s RRU.",
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

// group is a row that heads those of its members.
func group(columns int, name string) []string {
	row := make([]string, columns)
	row[0] = name
	return row
}

// isGroup says whether a row heads others.
func isGroup(row []string) bool {
	for _, cell := range row[1:] {
		if cell != "" {
			return false
		}
	}
	return true
}

func member(name string) string { return "  " + name }

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

func unitsOf(c Cost) string {
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
func (p Plan) usd(c Cost) float64 { return bill{p.table}.usd(c) }

// USDPerMonth is what a month of a pattern costs in a column.
func (p Plan) USDPerMonth(x Pattern, column string) float64 {
	return bill{p.table}.month(x.Costs[column], x.PerSecond)
}

func (p Plan) wasteSection() Section {
	s := Section{Title: "Waste", Lead: "What is paid for and buys nothing.", Header: []string{"", "$/month", "of all"}}
	what := ""
	for _, w := range p.Waste {
		if w.What != what {
			what = w.What
			s.Rows = append(s.Rows, group(len(s.Header), what))
		}
		s.Rows = append(s.Rows, []string{member(w.Column), money(w.USD), percent(w.Share)})
	}
	return s
}

func (p Plan) growthSection() Section {
	s := Section{
		Title:  "Growth",
		Lead:   "As many times the commits, and with them the retained records; all else as it is.",
		Header: []string{"", "retained", "requests v1", "v2", "takes v1", "v2", "$/month v1", "v2"},
	}
	for _, g := range p.Growth {
		v1, v2 := string(V1), string(V2)
		s.Rows = append(s.Rows, []string{
			number(g.Factor) + "×", texttab.Thousands(float64(g.History), 0), number(g.Refresh[v1].Requests), number(g.Refresh[v2].Requests),
			texttab.Duration(g.RefreshTime[v1].Seconds() * 1e9), texttab.Duration(g.RefreshTime[v2].Seconds() * 1e9), money(g.USD[v1]), money(g.USD[v2]),
		})
	}
	s.Notes = append(s.Notes, "Requests and time are those of one catalog refresh.")
	return s
}

func (p Plan) crossoverSection() Section {
	s := Section{
		Title:  "Crossover",
		Lead:   "From so many retained records on, v2 costs less than v1.",
		Header: []string{"of", "records"},
	}
	for _, c := range p.Crossover {
		text := "never"
		if c.From != never {
			text = texttab.Thousands(float64(c.From), 0)
		}
		s.Rows = append(s.Rows, []string{c.Metric, text})
	}
	return s
}

// OverLimit begins the note on a load that is over its limit.
const OverLimit = "OVER"

func (p Plan) headroomSection() Section {
	s := Section{Title: "Limits, at the peak", Header: []string{"", "load", "allowed", "used"}}
	what := ""
	for _, h := range p.Headroom {
		if h.What != what {
			what = h.What
			s.Rows = append(s.Rows, group(len(s.Header), what+", "+h.Unit))
		}
		s.Rows = append(s.Rows, []string{member(h.Column), number(h.Load), number(h.Allowed), percent(h.share())})
		if h.share() > 1 {
			s.Notes = append(s.Notes, fmt.Sprintf(OverLimit+": %s, %s: %s times what is allowed: %s.", h.What, h.Column, number(h.share()), h.Note))
		}
	}
	return s
}

func (p Plan) adviceSection() Section {
	s := Section{
		Title:  "Shards of v2",
		Lead:   "So many that the family's peak takes half of what their partitions allow; a drain of the family makes one request a shard at least.",
		Header: []string{"family", "shards", "WRU/s", "needed", "drain", ""},
		Words:  []int{5},
	}
	for _, a := range p.Advice {
		s.Rows = append(s.Rows, []string{a.Family, number(float64(a.Shards)), number(a.WRU), number(float64(a.Needed)), number(float64(a.Floor)), a.Says})
	}
	return s
}

func (p Plan) migrationSection() Section {
	m := p.Migration
	s := Section{
		Title:  "Migration",
		Header: []string{"", "requests", "RRU", "WRU", "US dollars"},
		Rows: [][]string{
			{fmt.Sprintf("backfill of %s records", texttab.Thousands(float64(m.Records), 0)), number(m.Backfill.Requests), number(m.Backfill.RRU), number(m.Backfill.WRU), money(p.usd(m.Backfill))},
			{"verifying twice", number(m.Verify.Requests), number(m.Verify.RRU), number(m.Verify.WRU), money(p.usd(m.Verify))},
		},
		Notes: []string{
			fmt.Sprintf("While dual, a day costs $%s more than on v1; while authoritative, $%s more than v2-only.", money(m.DualUSDPerDay), money(m.AuthoritativeUSDPerDay)),
		},
	}
	if m.PayBackDays == never {
		s.Notes = append(s.Notes, "It never pays back: v2 costs as much as v1 or more.")
	} else {
		s.Notes = append(s.Notes, fmt.Sprintf("v2 saves $%s a day: with one day of dual writes the migration is paid back after %s.", money(m.SavedUSDPerDay), inDays(m.PayBackDays)))
	}
	return s
}

func (p Plan) billingSection() Section {
	s := Section{
		Title:  "On demand, or provisioned",
		Lead:   fmt.Sprintf("Dollars a month. Provisioned for the mean at %s utilisation, or for the peak all day; the truth lies between.", percent(targetUtilisation)),
		Header: []string{"", "on demand", "at the mean", "at the peak", "breaks even at"},
	}
	for _, b := range p.Billing {
		s.Rows = append(s.Rows, []string{b.Column, money(b.OnDemand), money(b.AtMean), money(b.AtPeak), percent(b.BreakEven)})
	}
	return s
}

func (p Plan) sensitivitySection() Section {
	s := Section{
		Title:  "Sensitivity",
		Lead:   "One number changed, all else as it is. Requests of a refresh on v2; the hottest bucket's share of what a partition serves, at the peak.",
		Header: []string{"", "v1 $/month", "dual", "v2-only", "v2 refresh", "hottest"},
	}
	for _, x := range p.Sensitivity {
		s.Rows = append(s.Rows, []string{
			x.Change, money(x.USD[string(V1)]), money(x.USD[string(Dual)]), money(x.USD[string(V2)]),
			number(x.RefreshRequests), percent(x.HottestShare),
		})
	}
	return s
}

func (p Plan) scaleSection() Section {
	s := Section{Title: "The lake", Lead: "What the plan is for; --set changes it.", Header: []string{"number", "is", "of"}, Words: []int{2}}
	for _, n := range p.Scale.Numbers() {
		s.Rows = append(s.Rows, []string{n.Name, n.Value, n.Means})
	}
	return s
}
