package inspect

import (
	"fmt"
	"io"
	"strings"

	"github.com/lakebench/lakebench/manifest"
)

// WriteText writes a report for people, on lines of up to 80 columns but for paths,
// which are not broken.
func WriteText(w io.Writer, r Report) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", r.Location, count(len(r.Shards), "shard", "shards"))
	for _, s := range r.Shards {
		b.WriteByte('\n')
		writeShard(&b, s)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeShard(b *strings.Builder, s Shard) {
	fmt.Fprintf(b, "shard %s: %s\n", s.ID, or(s.Status, "its manifest cannot be read"))
	line(b, "manifest", fmt.Sprintf("version %d; hint %s", s.Version, hintText(s)))
	if s.Status != "" {
		line(b, "writer", fmt.Sprintf("epoch %d; spec %d", s.WriterEpoch, s.SpecID))
		writeGenerations(b, s)
		writeTail(b, s)
	}
	writeList(b, "newer", s.NewerFields)
	writeList(b, "problems", s.Problems)
	writeCost(b, s)
}

// line writes a named line; continued ones have no name.
func line(b *strings.Builder, name, text string) { fmt.Fprintf(b, "  %-12s %s\n", name, text) }

func writeList(b *strings.Builder, name string, all []string) {
	for i, text := range all {
		if i > 0 {
			name = ""
		}
		line(b, name, text)
	}
}

func hintText(s Shard) string {
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

func writeGenerations(b *strings.Builder, s Shard) {
	line(b, "generations", fmt.Sprintf("%d listed; the next is %d", len(s.Generations), s.CurrentGeneration))
	for _, g := range s.Generations {
		line(b, "", fmt.Sprintf("%4d  %s", g.Generation, g.Path))
	}
	for _, dir := range s.Orphans {
		line(b, "", fmt.Sprintf("   -  %s, which version %d does not list", dir, s.Version))
	}
}

func writeTail(b *strings.Builder, s Shard) {
	text := "no entries"
	if s.WALTip > 0 {
		text = fmt.Sprintf("tip %d; covered up to %d", s.WALTip, s.ReplayAfter)
	}
	line(b, "WAL", text)
	if t := s.Tail; t.Entries > 0 {
		line(b, "", fmt.Sprintf("to replay: %s with %s, %s", count(t.Entries-t.Sentinels, "entry", "entries"),
			count(t.Rows, "row", "rows"), count(t.Sentinels, "sentinel", "sentinels")))
	}
}

func writeCost(b *strings.Builder, s Shard) {
	if s.Unopened != "" {
		line(b, "cost", "not known: "+s.Unopened)
	}
	if len(s.Cost) == 0 {
		return
	}
	line(b, "cost", fmt.Sprintf("%-12s %7s %7s   requests", "policy", "open", "read"))
	for _, kind := range manifest.Kinds() {
		if c, ok := s.Cost[kind.String()]; ok {
			line(b, "", fmt.Sprintf("%-12s %7d %7d", kind, c.Open, c.Read))
		}
	}
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
