package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lakebench/lakebench/internal/render"
	"github.com/lakebench/lakebench/internal/render/format"
	"github.com/lakebench/lakebench/results"
)

// Across compares the first of several results with each of the others, aligned by
// o.By. What Align refuses is an *AlignError.
func Across(all []results.Named, o Options) ([]*Comparison, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	aligned, err := Align(all, o.By)
	if err != nil {
		return nil, err
	}
	side := func(i int) Side {
		s := sideOf(all[i])
		s.Label = aligned[i].Name
		return s
	}
	var each []*Comparison
	for i := 1; i < len(all); i++ {
		each = append(each, held(aligned[0].Document, aligned[i].Document, side(0), side(i), o))
	}
	return each, nil
}

// BeforeAfter returns what aligned results of Across have in common and what not: a
// list with a line for each variant, and a table with a group of rows for each point,
// which name writes metrics for. Without all it leaves out the rows that do not differ,
// the warm-up, and times that are in no table.
func BeforeAfter(each []*Comparison, all bool, name func(results.Metric) string) []render.Block {
	var lines render.List
	for _, c := range each {
		lines = append(lines, c.changes(len(each) > 1, name)...)
	}
	blocks := []render.Block{lines}
	if t := pointTable(each, all, name); len(t.Rows) > 0 {
		blocks = append(blocks, render.Section{Title: "Before and after, at each point", Blocks: []render.Block{t}})
	}
	return blocks
}

// changes says of each variant by how much its metrics change, over all points; one
// line for variants that change alike.
func (c *Comparison) changes(labelled bool, name func(results.Metric) string) (lines render.List) {
	variants := map[string][]string{}
	var texts []string
	for _, variant := range c.variants() {
		text := c.changesOf(variant, name)
		if len(variants[text]) == 0 {
			texts = append(texts, text)
		}
		variants[text] = append(variants[text], variant)
	}
	for _, text := range texts {
		line := format.List(variants[text]) + ": " + text
		if labelled {
			line = c.New.Label + ", " + line
		}
		lines = append(lines, render.Paragraph{Text: line})
	}
	return lines
}

func (c *Comparison) variants() (names []string) {
	for i := range c.Rows {
		if v := c.Rows[i].Variant; !slices.Contains(names, v) {
			names = append(names, v)
		}
	}
	return names
}

// changesOf names the metrics of a variant that differ, and by how much at least and
// at most.
func (c *Comparison) changesOf(variant string, name func(results.Metric) string) string {
	var parts []string
	exactCounts := true
	at := map[string][]*Row{}
	for i := range c.Rows {
		r := &c.Rows[i]
		exactCounts = exactCounts && (r.Exact || r.About.IsTime())
		if r.Variant != variant || !r.shown() || r.OldRepeats == 0 || r.NewRepeats == 0 {
			continue
		}
		at[r.Metric] = append(at[r.Metric], r)
	}
	for i := range c.Rows {
		if rows := at[c.Rows[i].Metric]; c.Rows[i].Variant == variant && len(rows) > 0 {
			parts = append(parts, changeOf(rows, name)...)
			delete(at, c.Rows[i].Metric)
		}
	}
	switch {
	case len(parts) > 0:
	case exactCounts:
		return "no count differs"
	default:
		return "no metric differs significantly"
	}
	return strings.Join(parts, ", ")
}

// shown reports whether a row is among those to look at first: not of the warm-up, and
// no time that is in no table.
func (r *Row) shown() bool {
	return r.Phase != results.WarmUp && (!r.About.IsTime() || !r.About.Column.Hidden)
}

// changeOf says by how much a metric changes where it does; nothing if nowhere.
func changeOf(rows []*Row, name func(results.Metric) string) []string {
	var deltas []string
	var least, most *Row
	n := 0
	for _, r := range rows {
		if !r.Differs() {
			continue
		}
		n++
		if least == nil || relative(r.Old, r.New) < relative(least.Old, least.New) {
			least = r
		}
		if most == nil || relative(r.Old, r.New) > relative(most.Old, most.New) {
			most = r
		}
	}
	if n == 0 {
		return nil
	}
	deltas = unique([]string{least.Delta(), most.Delta()})
	text := name(rows[0].About) + " " + strings.Join(deltas, " to ")
	if n < len(rows) {
		text += fmt.Sprintf(" at %d of %d points", n, len(rows))
	}
	return []string{text}
}

// pointTable has a group of rows for each point: the metrics of each variant there,
// in the first result and in each of the others.
func pointTable(each []*Comparison, all bool, name func(results.Metric) string) render.Table {
	first := each[0]
	t := render.Table{Columns: []render.Column{{}, first.Old.column(len(first.By))}}
	type key struct{ variant, point, phase, metric string }
	keyOf := func(r *Row) key { return key{r.Variant, r.Point.String(), string(r.Phase), r.Metric} }
	others := make([]map[key]*Row, len(each))
	for i, c := range each {
		t.Columns = append(t.Columns, c.New.column(len(c.By)), render.Column{Name: "change", Words: true, Tinted: true})
		others[i] = map[key]*Row{}
		for j := range c.Rows {
			others[i][keyOf(&c.Rows[j])] = &c.Rows[j]
		}
	}
	last := ""
	for _, r := range first.byPoint() {
		row := render.Row{Cells: []string{r.Variant + " " + name(r.About)}}
		shown := all
		for i := range each {
			o := others[i][keyOf(r)]
			if o == nil {
				row.Cells = append(row.Cells, "–", "–")
				continue
			}
			old, next := o.sides()
			if i == 0 {
				row.Cells = append(row.Cells, old)
			}
			row.Cells = append(row.Cells, next, o.Delta()+o.probability())
			row.Level = max(row.Level, o.level())
			shown = shown || o.Differs() && o.shown()
		}
		if !shown {
			continue
		}
		if place := first.Place("", r.Point, r.Phase); place != last {
			row.Group, last = place, place
		}
		t.Rows = append(t.Rows, row)
	}
	if !all && len(t.Rows) > 0 {
		t.Notes = []string{"Rows that do not differ, the warm-up and further times are left out; lakebench compare --all has them."}
	}
	return t
}

// column is the heading of a side: its label, in two lines where it is of one
// parameter.
func (s Side) column(parameters int) render.Column {
	c := render.Column{Name: s.Label}
	if i := strings.LastIndexByte(s.Label, ' '); i > 0 && parameters == 1 {
		c.Heading = s.Label[:i] + "\n" + s.Label[i+1:]
	}
	return c
}

// byPoint returns the rows with those of one point and phase behind each other.
func (c *Comparison) byPoint() []*Row {
	order := map[string]int{}
	at := func(r *Row) int {
		k := r.Point.String() + "\x00" + string(r.Phase)
		if _, ok := order[k]; !ok {
			order[k] = len(order)
		}
		return order[k]
	}
	rows := make([]*Row, 0, len(c.Rows))
	for i := range c.Rows {
		at(&c.Rows[i])
		rows = append(rows, &c.Rows[i])
	}
	slices.SortStableFunc(rows, func(a, b *Row) int { return at(a) - at(b) })
	return rows
}
