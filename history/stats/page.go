package stats

import (
	"fmt"
	"math"
	"strconv"

	"github.com/lakebench/lakebench/history/archive"
	"github.com/lakebench/lakebench/internal/render"
	"github.com/lakebench/lakebench/internal/render/format"
)

// maxRows bounds the families that a page shows one by one.
const maxRows = 20

// maxName bounds a family's name on a page, in characters.
const maxName = 16

// Page returns the statistics for people.
func (s Stats) Page() render.Page {
	limit := "no page limit"
	if s.PageLimit > 0 {
		limit = "pages of " + grouped(int64(s.PageLimit))
	}
	page := render.Page{Title: "lakebench history", Blocks: []render.Block{
		render.Paragraph{Level: render.Strong, Text: fmt.Sprintf("%s in %s, %s bytes%s",
			format.Plural(s.Records, "record", "records"), format.Plural(int64(len(s.Families)), "family", "families"), grouped(s.ItemBytes), origin(s.Source))},
		s.table(),
		render.List{
			{Text: fmt.Sprintf("v1: a prefix read scans the whole table, whatever the prefix (%s): %s, %s RRU (strong). The table shows each family's part.",
				limit, format.Plural(s.Scan.Requests, "request", "requests"), decimal(s.Scan.RRU))},
			{Text: "v2: a prefix read queries the shards of its family. The table shows what listing all of it costs."},
		},
	}}
	page.Blocks = append(page.Blocks, s.warnings()...)
	return page
}

func origin(s archive.Source) string {
	switch {
	case s.Generator != nil:
		return fmt.Sprintf(" (generated, seed %d)", s.Generator.Seed)
	case s.Export != nil && s.Export.Table != "":
		return fmt.Sprintf(" (exported table %s)", s.Export.Table)
	case s.Export != nil:
		return " (exported table)"
	default:
		return ""
	}
}

func (s Stats) table() render.Table {
	t := render.Table{Columns: []render.Column{
		{Name: "family"}, {Name: "records", Priority: 7}, {Name: "bytes per record", Heading: "bytes/\nrecord", Priority: 1},
		{Name: "RRU of a v1 scan", Heading: "v1 scan\nRRU", Priority: 6}, {Name: "% of a v1 scan", Heading: "%", Priority: 2},
		{Name: "shards on v2", Heading: "v2\nshards", Priority: 3}, {Name: "requests on v2", Heading: "v2\nrequests", Priority: 4}, {Name: "RRU on v2", Heading: "v2\nRRU", Priority: 5},
	}}
	row := func(name string, f Family) { t.Rows = append(t.Rows, render.Row{Cells: f.cells(name)}) }
	shown := s.Families[:min(len(s.Families), maxRows)]
	for _, f := range shown {
		row(shortened(quoted(f.Name)), f)
	}
	if rest := s.Families[len(shown):]; len(rest) > 0 {
		row(fmt.Sprintf("(%s more)", grouped(int64(len(rest)))), sum(rest))
	}
	row("all", sum(s.Families))
	return t
}

// shortened cuts a name to the most that a page shows.
func shortened(name string) string {
	if chars := []rune(name); len(chars) > maxName {
		return string(chars[:maxName-1]) + "…"
	}
	return name
}

// quoted shows a name as it is, or quoted where a terminal could not.
func quoted(name string) string {
	if text := strconv.Quote(name); name == "" || text != `"`+name+`"` {
		return text
	}
	return name
}

func (f Family) cells(name string) []string {
	average := math.Round(float64(f.ItemBytes) / float64(max(f.Records, 1)))
	return []string{
		name, grouped(f.Records), decimal(average), decimal(f.ScanRRU), fmt.Sprintf("%.1f", 100*f.ByteShare),
		grouped(int64(f.Shards)), grouped(f.List.Requests), decimal(f.List.RRU),
	}
}

// sum adds families up, as far as a row shows them.
func sum(families []Family) (total Family) {
	for _, f := range families {
		total.Records += f.Records
		total.ItemBytes += f.ItemBytes
		total.ScanRRU += f.ScanRRU
		total.ByteShare += f.ByteShare
		total.Shards += f.Shards
		total.List.add(f.List)
	}
	return total
}

func (s Stats) warnings() (blocks []render.Block) {
	for _, p := range []struct {
		n    int64
		what string
	}{
		{s.Problems.KeyTooLong, "with a key of more than 1,024 bytes, which v2 cannot hold"},
		{s.Problems.ItemTooLarge, "too large for v2, which adds the attribute bucket"},
		{s.Problems.Enlarged, "smaller than {pk, value} with no value, which a run enlarges"},
	} {
		if p.n > 0 {
			blocks = append(blocks, render.Paragraph{Level: render.Warning, Text: "Warning: " + format.Plural(p.n, "record", "records") + " " + p.what})
		}
	}
	return blocks
}

// decimal writes a number below 1,000 with at most one place, and a larger one
// without.
func decimal(x float64) string {
	tenths := math.Round(x * 10)
	if x >= 1000 || math.Mod(tenths, 10) == 0 {
		return grouped(int64(math.Round(x)))
	}
	return strconv.FormatFloat(tenths/10, 'f', 1, 64)
}

// grouped writes a count with a comma every three digits.
func grouped(n int64) string { return format.Thousands(float64(n), 0) }
