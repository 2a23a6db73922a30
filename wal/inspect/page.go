package inspect

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/lakebench/lakebench/internal/render"
	"github.com/lakebench/lakebench/internal/render/format"
	"github.com/lakebench/lakebench/manifest"
)

// Page returns the report for people.
func (r Report) Page() render.Page {
	page := render.Page{Title: "lakebench inspect", Blocks: []render.Block{
		render.Paragraph{Level: render.Strong, Text: r.Location + ": " + counted(len(r.Shards), "shard", "shards")},
	}}
	for _, s := range r.Shards {
		page.Blocks = append(page.Blocks, s.section())
	}
	return page
}

func counted(n int, one, many string) string { return format.Plural(int64(n), one, many) }

func (s Shard) section() render.Section {
	facts := render.Facts{{Name: "manifest", Value: fmt.Sprintf("version %d; hint %s", s.Version, s.hintText())}}
	if len(s.Foreign) > 0 {
		facts = append(facts, render.Fact{Name: "foreign", Value: "not of the manifest, but beside it: " + strings.Join(s.Foreign, ", ")})
	}
	if s.Status != "" {
		facts = append(facts, render.Fact{Name: "writer", Value: fmt.Sprintf("epoch %d; spec %d", s.WriterEpoch, s.SpecID)},
			s.generationsFact(), s.walFact())
	}
	if len(s.NewerFields) > 0 {
		facts = append(facts, render.Fact{Name: "newer", Value: strings.Join(s.NewerFields, "\n")})
	}
	if len(s.Problems) > 0 {
		facts = append(facts, render.Fact{Name: "problems", Value: strings.Join(s.Problems, "\n")})
	}
	if s.Unopened != "" {
		facts = append(facts, render.Fact{Name: "cost", Value: "not known: " + s.Unopened})
	}
	section := render.Section{Title: "shard " + s.ID + ": " + cmp.Or(s.Status, "its manifest cannot be read"), Blocks: []render.Block{facts}}
	if len(s.Cost) > 0 {
		section.Blocks = append(section.Blocks, s.costTable())
	}
	return section
}

func (s Shard) hintText() string {
	switch s.HintState {
	case HintMissing, HintDamaged:
		return string(s.HintState)
	case HintExact:
		return fmt.Sprintf("%d, exact", s.Hint)
	case HintBehind:
		return fmt.Sprintf("%d, %d behind", s.Hint, s.Version-s.Hint)
	default:
		return fmt.Sprintf("%d, %d ahead", s.Hint, s.Hint-s.Version)
	}
}

func (s Shard) generationsFact() render.Fact {
	lines := []string{fmt.Sprintf("%d listed; the next is %d", len(s.Generations), s.CurrentGeneration)}
	for _, g := range s.Generations {
		lines = append(lines, fmt.Sprintf("%d: %s", g.Generation, g.Path))
	}
	for _, dir := range s.Orphans {
		lines = append(lines, fmt.Sprintf("-: %s, which version %d does not list", dir, s.Version))
	}
	return render.Fact{Name: "generations", Value: strings.Join(lines, "\n")}
}

func (s Shard) walFact() render.Fact {
	lines := []string{"no entries"}
	if s.WALTip > 0 {
		lines[0] = fmt.Sprintf("tip %d; covered up to %d", s.WALTip, s.ReplayAfter)
	}
	if t := s.Tail; t.Entries > 0 {
		lines = append(lines, fmt.Sprintf("to replay: %s with %s, %s", counted(t.Entries-t.Sentinels, "entry", "entries"),
			counted(t.Rows, "row", "rows"), counted(t.Sentinels, "sentinel", "sentinels")))
	}
	return render.Fact{Name: "WAL", Value: strings.Join(lines, "\n")}
}

// costTable has the requests of opening the shard and of reading it, by policy.
func (s Shard) costTable() render.Table {
	t := render.Table{Columns: []render.Column{{Name: "policy"}, {Name: "requests to open"}, {Name: "requests to read"}}}
	for _, kind := range manifest.Kinds() {
		if c, ok := s.Cost[kind.String()]; ok {
			t.Rows = append(t.Rows, render.Row{Cells: []string{kind.String(), strconv.Itoa(c.Open), strconv.Itoa(c.Read)}})
		}
	}
	return t
}
