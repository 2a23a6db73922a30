package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lakebench/lakebench/internal/render"
	"github.com/lakebench/lakebench/internal/render/format"
	"github.com/lakebench/lakebench/results"
)

// Page returns the comparison for people: what differs in a sentence, the two
// results, and the rows; all includes those that do not differ.
func (c *Comparison) Page(all bool) render.Page {
	page := render.Page{Title: "lakebench compare"}
	add := func(blocks ...render.Block) { page.Blocks = append(page.Blocks, blocks...) }
	add(render.Paragraph{Level: render.Strong, Text: c.Headline()})
	for _, w := range c.Warnings {
		add(render.Paragraph{Level: render.Warning, Text: "Warning: " + w})
	}
	if c.TooFew != nil {
		add(render.Paragraph{Level: render.Warning, Text: "Note: " + c.TooFew.String()})
	}
	add(render.Facts{{Name: "old", Value: c.Old.String()}, {Name: "new", Value: c.New.String()}})
	oneSided := c.oneSided()
	if lines := c.oneSidedList(oneSided); len(lines) > 0 && !all && c.paired() {
		add(render.Section{Title: "Measured on one side only", Blocks: []render.Block{lines}})
	}
	if len(c.By) > 0 {
		add(BeforeAfter([]*Comparison{c}, all, label)...)
	} else if rows := c.table(all, oneSided); len(rows.Rows) > 0 {
		add(render.Section{Title: "Metrics", Blocks: []render.Block{rows}})
	}
	if len(c.Ledgers) > 0 {
		add(render.Section{Title: "Ledgers: what changed, summed over the repeats", Blocks: []render.Block{c.ledgerTable()}})
	}
	if lines := c.growthList(); len(lines) > 0 {
		add(render.Section{Title: "Growth", Blocks: []render.Block{lines}})
	}
	return page
}

// String says what a result is, in a line.
func (s Side) String() string {
	name := s.Name
	if s.Label != "" {
		name = s.Label + ": " + name
	}
	return fmt.Sprintf("%s (%s, seed %d, %s, %s, %s clock)", name, s.Workload, s.Seed,
		format.Plural(int64(s.Repeats), "repeat", "repeats"), s.Environment.Backend.Kind, s.Clock)
}

// String says that there are too few repeats, and how many it takes.
func (t *TooFew) String() string {
	return fmt.Sprintf("too few repeats for any of %s to be significant: the smallest p possible is %s, and it takes %s (%v over %s); %d repeats on each side could show a difference",
		format.Plural(int64(t.Rows), "sampled row", "sampled rows"), format.Significant(t.Least), format.Significant(t.Alpha/float64(t.Rows)),
		t.Alpha, format.Thousands(float64(t.Rows), 0), t.Need)
}

// Headline says in a sentence what differs. Rows that one side does not have are
// counted by their places.
func (c *Comparison) Headline() string {
	oneSided := c.oneSided()
	tally := func(what string, sampled bool, of func(*Row) bool) string {
		var differ, all int64
		for i := range c.Rows {
			if r := &c.Rows[i]; r.Exact != sampled && of(r) && oneSided[r.place] == 0 {
				all++
				if r.Differs() {
					differ++
				}
			}
		}
		switch {
		case all == 0:
			return ""
		case differ == 0 && sampled && c.TooFew != nil:
			return fmt.Sprintf("%s: too few repeats to tell.", format.Plural(all, what, what+"s"))
		case differ == 0 && sampled:
			return fmt.Sprintf("None of %s differs significantly.", format.Plural(all, what, what+"s"))
		case differ == 0:
			return fmt.Sprintf("None of %s differs.", format.Plural(all, what, what+"s"))
		}
		return fmt.Sprintf("%s of %s %s.", format.Thousands(float64(differ), 0), format.Plural(all, what, what+"s"), agree(differ))
	}
	sentences := []string{
		tally("exact count", false, func(r *Row) bool { return !r.About.IsTime() }),
		tally("sampled count", true, func(r *Row) bool { return !r.About.IsTime() }),
		tally("exact time", false, func(r *Row) bool { return r.About.IsTime() }),
		tally("sampled time", true, func(r *Row) bool { return r.About.IsTime() }),
	}
	sentences = slices.DeleteFunc(sentences, func(s string) bool { return s == "" })
	switch n := int64(len(oneSided)); {
	case len(sentences) == 0 && n == 0:
		return "There is nothing to compare."
	case len(sentences) == 0:
		return "Nothing was measured in both results: no variant is in both at one point and in one phase."
	case n > 0:
		sentences = append(sentences, fmt.Sprintf("%s measured on one side only.", format.Plural(n, "series was", "series were")))
	}
	return strings.Join(sentences, " ")
}

func agree(n int64) string {
	if n == 1 {
		return "differs"
	}
	return "differ"
}

// Delta writes how the row changed: in percent, "~" if that is not clear.
func (r *Row) Delta() string {
	switch {
	case r.Change == OnlyOld && r.NewRepeats > 0:
		return fmt.Sprintf("gone in repeat %d", r.Repeat)
	case r.Change == OnlyNew && r.OldRepeats > 0:
		return fmt.Sprintf("added in repeat %d", r.Repeat)
	case r.Change == OnlyOld:
		return "gone"
	case r.Change == OnlyNew:
		return "added"
	case r.Change == Unclear, r.Change == Incomparable:
		return "~"
	case r.Change == Same:
		return "="
	case r.Exact && relative(r.Old, r.New) == 0:
		return fmt.Sprintf("repeat %d: %s → %s", r.Repeat, r.About.Format(r.RepeatOld), r.About.Format(r.RepeatNew))
	case r.Old == 0:
		return "from 0"
	}
	return Percent(relative(r.Old, r.New))
}

// Percent writes a relative change: with two decimals, and more where those would
// be zeros.
func Percent(change float64) string {
	for decimals := 2; decimals < 10; decimals++ {
		text := fmt.Sprintf("%+.*f%%", decimals, 100*change)
		if strings.ContainsAny(text, "123456789") {
			return text
		}
	}
	return fmt.Sprintf("%+.3g%%", 100*change)
}

// sides writes the medians, "–" where there is none.
func (r *Row) sides() (old, next string) {
	old, next = "–", "–"
	if r.OldRepeats > 0 {
		old = r.About.Format(r.Old)
	}
	if r.NewRepeats > 0 {
		next = r.About.Format(r.New)
	}
	return old, next
}

// table has a group of rows for each place.
func (c *Comparison) table(all bool, oneSided map[int]int) render.Table {
	t := render.Table{Columns: []render.Column{{}, {Name: "old"}, {Name: "new"}, {Name: "delta", Words: true, Tinted: true}}}
	last := -1
	for i := range c.Rows {
		r := &c.Rows[i]
		if !all && (!r.Differs() || oneSided[r.place] > 0) {
			continue
		}
		old, next := r.sides()
		row := render.Row{Cells: []string{label(r.About), old, next, r.Delta() + r.probability()}, Level: r.level()}
		if r.place != last {
			row.Group = c.Place(r.Variant, r.Point, r.Phase)
		}
		last = r.place
		t.Rows = append(t.Rows, row)
	}
	if !all {
		t.Notes = []string{"Only rows that differ are shown; --all shows the others."}
	}
	return t
}

// oneSided counts the rows of places that only one side has.
func (c *Comparison) oneSided() map[int]int {
	rows, both := map[int]int{}, map[int]bool{}
	for i := range c.Rows {
		r := &c.Rows[i]
		rows[r.place]++
		both[r.place] = both[r.place] || r.OldRepeats > 0 && r.NewRepeats > 0
	}
	for place := range rows {
		if both[place] {
			delete(rows, place)
		}
	}
	return rows
}

// oneSidedList has a line for each place that only one side has.
func (c *Comparison) oneSidedList(rows map[int]int) (lines render.List) {
	last := -1
	for i := range c.Rows {
		r := &c.Rows[i]
		if rows[r.place] == 0 || r.place == last {
			continue
		}
		last = r.place
		side := "old"
		if r.Change == OnlyNew {
			side = "new"
		}
		text := fmt.Sprintf("%s: only in the %s result, %s", c.Place(r.Variant, r.Point, r.Phase), side, format.Plural(int64(rows[r.place]), "metric", "metrics"))
		lines = append(lines, render.Paragraph{Level: render.Warning, Text: text})
	}
	return lines
}

// label is the metric's name, and the unit of its values where that is another.
func label(m results.Metric) string {
	if note := m.ScaleNote(); note != "" {
		return m.Name + " (" + note + ")"
	}
	return m.Name
}

// probability is the p of a sampled row that differs.
func (r *Row) probability() string {
	if r.Exact || r.Change != Different {
		return ""
	}
	return fmt.Sprintf(" p=%.3g n=%d+%d", r.P, r.OldRepeats, r.NewRepeats)
}

// level is Bad for a row that is worse, Good for one that is better.
func (r *Row) level() render.Level {
	if !r.Differs() {
		return render.Plain
	}
	switch {
	case r.Worse():
		return render.Bad
	case r.Change != Different || r.About.Better == results.Neither || r.New == r.Old:
		return render.Warning
	}
	return render.Good
}

// paired reports whether anything was measured in both results.
func (c *Comparison) paired() bool {
	return slices.ContainsFunc(c.Rows, func(r Row) bool { return r.OldRepeats > 0 && r.NewRepeats > 0 })
}

// ledgerTable shows which requests and outcomes make the difference.
func (c *Comparison) ledgerTable() render.Table {
	t := render.Table{Columns: []render.Column{{}, {Name: "old"}, {Name: "new"}, {Name: "delta"}}}
	count := func(n int64) string { return format.Thousands(float64(n), 0) }
	signed := func(n int64) string {
		if n > 0 {
			return "+" + count(n)
		}
		return count(n)
	}
	last := ""
	for _, e := range c.Ledgers {
		if len(c.By) > 0 && e.Phase == results.WarmUp {
			continue // as in the table of points
		}
		row := render.Row{Cells: []string{e.What(), count(e.Old), count(e.New), signed(e.New - e.Old)}}
		if place := c.Place(e.Variant, e.Point, e.Phase); place != last {
			row.Group, last = place, place
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// growthList names the classes that changed. Those of sampled metrics may be noise,
// and are left out, as is what only one side has.
func (c *Comparison) growthList() (lines render.List) {
	for _, g := range c.Growth {
		if g.Differs() && g.Exact && g.Old != "" && g.New != "" {
			text := fmt.Sprintf("%s: %s over %s was %s and is %s", c.Place(g.Variant, g.Point, ""), g.Metric, format.Spaced(g.X), g.Old, g.New)
			lines = append(lines, render.Paragraph{Level: render.Warning, Text: text})
		}
	}
	return lines
}
