package compare

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lakebench/lakebench/internal/render/texttab"
	"github.com/lakebench/lakebench/results"
)

// TextOptions are how a comparison is shown.
type TextOptions struct {
	// Width of the terminal in columns; 0 is 80.
	Width int
	// Color uses ANSI colours and bold.
	Color bool
	// All shows every row, also those that do not differ.
	All bool
}

// WriteText writes the comparison for a terminal: what differs in a sentence, what
// the results are, and the rows; those that do not differ are counted, unless all
// are asked for.
func (c *Comparison) WriteText(w io.Writer, o TextOptions) error {
	t := &terminal{Page: texttab.NewPage(o.Width, o.Color), all: o.All}
	t.head(c)
	t.rows(c)
	t.ledgers(c)
	t.growth(c)
	_, err := io.WriteString(w, t.String())
	return err
}

type terminal struct {
	*texttab.Page
	all bool
}

func (t *terminal) head(c *Comparison) {
	t.Paragraph(texttab.Bold, c.Headline(), "")
	for _, w := range c.Warnings {
		t.Paragraph(texttab.Yellow, "Warning: "+w, "  ")
	}
	if c.TooFew != nil {
		t.Paragraph(texttab.Yellow, "Note: "+c.TooFew.String(), "  ")
	}
	for _, side := range []struct{ what, text string }{{"old  ", c.Old.String()}, {"new  ", c.New.String()}} {
		t.Line(t.Styled(texttab.Dim, side.what+texttab.Block(side.text, t.Width, len(side.what))))
	}
}

// String says what a result is, in a line.
func (s Side) String() string {
	return fmt.Sprintf("%s (%s, seed %d, %s, %s, %s clock)", s.Name, s.Workload, s.Seed,
		texttab.Plural(int64(s.Repeats), "repeat", "repeats"), s.Environment.Backend.Kind, s.Clock)
}

// String says that there are too few repeats, and how many it takes.
func (t *TooFew) String() string {
	return fmt.Sprintf("too few repeats for any of %s to be significant: the smallest p possible is %s, and it takes %s (%v over %s); %d repeats on each side could show a difference",
		texttab.Plural(int64(t.Rows), "sampled row", "sampled rows"), texttab.Significant(t.Least), texttab.Significant(t.Alpha/float64(t.Rows)),
		t.Alpha, texttab.Thousands(float64(t.Rows), 0), t.Need)
}

// Headline says in a sentence what differs.
func (c *Comparison) Headline() string {
	tally := func(what string, sampled bool, of func(*Row) bool) string {
		var differ, all int64
		for i := range c.Rows {
			if r := &c.Rows[i]; r.Exact != sampled && of(r) {
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
			return fmt.Sprintf("%s: too few repeats to tell.", texttab.Plural(all, what, what+"s"))
		case differ == 0 && sampled:
			return fmt.Sprintf("None of %s differs significantly.", texttab.Plural(all, what, what+"s"))
		case differ == 0:
			return fmt.Sprintf("None of %s differs.", texttab.Plural(all, what, what+"s"))
		}
		return fmt.Sprintf("%s of %s %s.", texttab.Thousands(float64(differ), 0), texttab.Plural(all, what, what+"s"), agree(differ))
	}
	sentences := []string{
		tally("exact count", false, func(r *Row) bool { return !isTime(r.Metric) }),
		tally("sampled count", true, func(r *Row) bool { return !isTime(r.Metric) }),
		tally("exact time", false, func(r *Row) bool { return isTime(r.Metric) }),
		tally("sampled time", true, func(r *Row) bool { return isTime(r.Metric) }),
	}
	sentences = slices.DeleteFunc(sentences, func(s string) bool { return s == "" })
	if len(sentences) == 0 {
		return "There is nothing to compare."
	}
	return strings.Join(sentences, " ")
}

func agree(n int64) string {
	if n == 1 {
		return "differs"
	}
	return "differ"
}

func isTime(metric string) bool {
	m, ok := results.LookupMetric(metric)
	return ok && m.Assume == results.Time
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
		return fmt.Sprintf("repeat %d: %s → %s", r.Repeat, results.FormatValue(r.Metric, r.RepeatOld), results.FormatValue(r.Metric, r.RepeatNew))
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
		old = results.FormatValue(r.Metric, r.Old)
	}
	if r.NewRepeats > 0 {
		next = results.FormatValue(r.Metric, r.New)
	}
	return old, next
}

// rows writes a block for each place. A place that only one side has is a line.
func (t *terminal) rows(c *Comparison) {
	names, olds, news := &texttab.Column{Left: true}, &texttab.Column{Heading: [2]string{"", "old"}}, &texttab.Column{Heading: [2]string{"", "new"}}
	deltas := &texttab.Column{Left: true, Heading: [2]string{"", "delta"}}
	var shown []*Row
	oneSided := c.oneSided()
	for i := range c.Rows {
		r := &c.Rows[i]
		if !t.all && (!r.Differs() || oneSided[r.place] > 0) {
			continue
		}
		old, next := r.sides()
		names.Cells, olds.Cells, news.Cells = append(names.Cells, "  "+label(r.Metric)), append(olds.Cells, old), append(news.Cells, next)
		deltas.Cells = append(deltas.Cells, r.Delta()+r.probability())
		shown = append(shown, r)
	}
	if !t.all {
		t.oneSided(c, oneSided)
	}
	if len(shown) > 0 {
		t.blocks(c, shown, []*texttab.Column{names, olds, news, deltas})
	}
}

func (t *terminal) blocks(c *Comparison, shown []*Row, columns []*texttab.Column) {
	t.Line("")
	t.Line(t.Styled(texttab.Dim, texttab.Headings(columns)[1]))
	last := -1
	for i, r := range shown {
		if r.place != last {
			t.Paragraph(texttab.Bold, c.Place(r.Variant, r.Point, r.Phase), "  ")
			last = r.place
		}
		t.Line(strings.TrimRight(t.Styled(r.style(), texttab.Row(columns, i)), " "))
	}
	if !t.all {
		t.Paragraph(texttab.Dim, "Rows that are equal, or ~ (without a significant difference), are left out; --all shows them.", "")
	}
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

// oneSided writes a line for each place that only one side has.
func (t *terminal) oneSided(c *Comparison, rows map[int]int) {
	if len(rows) == 0 {
		return
	}
	t.Title("Measured on one side only")
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
		t.Paragraph(texttab.Yellow, fmt.Sprintf("  %s: only in the %s result, %s", c.Place(r.Variant, r.Point, r.Phase), side, texttab.Plural(int64(rows[r.place]), "metric", "metrics")), "    ")
	}
}

// label is the metric's name, and the unit of its values where that is another.
func label(metric string) string {
	if metric == "usd/op" {
		return "usd/op (a million)"
	}
	return metric
}

// probability is the p of a sampled row that differs.
func (r *Row) probability() string {
	if r.Exact || r.Change != Different {
		return ""
	}
	return fmt.Sprintf(" p=%.3g n=%d+%d", r.P, r.OldRepeats, r.NewRepeats)
}

// style is red for a row that is worse, green for one that is better.
func (r *Row) style() texttab.Style {
	if !r.Differs() {
		return texttab.Plain
	}
	m, _ := results.LookupMetric(r.Metric)
	switch {
	case r.Change != Different || m.Better == results.Neither || r.New == r.Old:
		return texttab.Yellow
	case (r.New > r.Old) == (m.Better == results.LowerIsBetter):
		return texttab.Red
	}
	return texttab.Green
}

// ledgers writes which requests and outcomes make the difference.
func (t *terminal) ledgers(c *Comparison) {
	if len(c.Ledgers) == 0 {
		return
	}
	t.Title("Ledgers: what changed, summed over the repeats")
	names, olds, news, deltas := &texttab.Column{Left: true}, &texttab.Column{}, &texttab.Column{}, &texttab.Column{}
	count := func(n int64) string { return texttab.Thousands(float64(n), 0) }
	for _, e := range c.Ledgers {
		names.Cells, olds.Cells, news.Cells = append(names.Cells, "  "+e.What()), append(olds.Cells, count(e.Old)), append(news.Cells, count(e.New))
		deltas.Cells = append(deltas.Cells, fmt.Sprintf("%+d", e.New-e.Old))
	}
	columns := []*texttab.Column{names, olds, news, deltas}
	last := ""
	for i, e := range c.Ledgers {
		if place := c.Place(e.Variant, e.Point, e.Phase); place != last {
			t.Paragraph(texttab.Plain, place, "  ")
			last = place
		}
		t.Line(texttab.Row(columns, i))
	}
}

// growth writes the classes that changed. Those of sampled metrics may be noise,
// and are left out, as is what only one side has.
func (t *terminal) growth(c *Comparison) {
	titled := false
	for _, g := range c.Growth {
		if !g.Differs() || !g.Exact || g.Old == "" || g.New == "" {
			continue
		}
		if !titled {
			t.Title("Growth")
			titled = true
		}
		t.Paragraph(texttab.Yellow, fmt.Sprintf("  %s: %s over %s was %s and is %s", c.Place(g.Variant, g.Point, ""), g.Metric, texttab.Spaced(g.X), g.Old, g.New), "    ")
	}
}
