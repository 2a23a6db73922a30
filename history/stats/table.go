package stats

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/lakebench/lakebench/history/archive"
)

// maxRows bounds the families that WriteTable shows one by one.
const maxRows = 20

// maxName bounds a family's name on the terminal, in characters.
const maxName = 16

// WriteTable writes the statistics for people, at most 80 columns wide.
func (s Stats) WriteTable(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s in %s, %s bytes%s\n\n",
		counted(s.Records, "record", "records"), counted(int64(len(s.Families)), "family", "families"), grouped(s.ItemBytes), origin(s.Source))
	b.WriteString(s.table())
	limit := "no page limit"
	if s.PageLimit > 0 {
		limit = "pages of " + grouped(int64(s.PageLimit))
	}
	fmt.Fprintf(&b, "\nv1: a prefix read scans all of it, whatever the prefix (%s):\n    %s, %s RRU (strong). Shown is each family's part.\n",
		limit, counted(s.Scan.Requests, "request", "requests"), decimal(s.Scan.RRU))
	b.WriteString("v2: a prefix read goes to the shards of its family. Shown is listing all of it.\n")
	s.warnings(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

func counted(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(n) + " " + many
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

// table aligns everything to the right of the names, which are padded here:
// tabwriter knows one alignment only.
func (s Stats) table() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	line := func(cells ...string) {
		cells[0] = fit(cells[0], maxName)
		fmt.Fprintln(w, strings.Join(cells, "\t")+"\t")
	}
	line("", "", "bytes/", "v1 scan", "", "v2", "v2", "v2")
	line("family", "records", "record", "RRU", "%", "shards", "requests", "RRU")
	shown := s.Families[:min(len(s.Families), maxRows)]
	for _, f := range shown {
		line(f.cells(quoted(f.Name))...)
	}
	if rest := s.Families[len(shown):]; len(rest) > 0 {
		line(sum(rest).cells(fmt.Sprintf("(%s more)", grouped(int64(len(rest)))))...)
	}
	line(sum(s.Families).cells("all")...)
	_ = w.Flush() // a builder takes everything
	// The names need no padding before them.
	return strings.TrimPrefix(strings.ReplaceAll(b.String(), "\n  ", "\n"), "  ")
}

// fit cuts or pads text to a number of characters.
func fit(text string, width int) string {
	if chars := []rune(text); len(chars) > width {
		text = string(chars[:width-1]) + "…"
	}
	return text + strings.Repeat(" ", width-utf8.RuneCountInString(text))
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

func (s Stats) warnings(b *strings.Builder) {
	for _, p := range []struct {
		n    int64
		what string
	}{
		{s.Problems.KeyTooLong, "with a key of more than 1,024 bytes, which v2 cannot hold"},
		{s.Problems.ItemTooLarge, "too large for v2, which adds the attribute bucket"},
		{s.Problems.Enlarged, "smaller than {pk, value} with no value, which a run enlarges"},
	} {
		if p.n > 0 {
			fmt.Fprintf(b, "warning: %s %s\n", counted(p.n, "record", "records"), p.what)
		}
	}
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
func grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
