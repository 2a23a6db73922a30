package results

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/lakebench/lakebench/cause"
)

// trust writes why the counts can be believed, or not: the sums of the ledgers,
// and the checks.
func (t *terminal) trust(doc Document) {
	t.title("Ledgers")
	t.paragraph("", "  "+strings.Join(ledgerSums(doc.Series), " · "), "  ")
	t.title("Checks")
	if len(doc.Checks) == 0 {
		t.paragraph(red, "  none was made", "")
	}
	status, names := &column{left: true}, &column{left: true}
	for _, c := range doc.Checks {
		status.cells = append(status.cells, string(c.Status))
		names.cells = append(names.cells, c.Name)
	}
	statusMargin := 2 + status.width() + len(gap)
	margin := statusMargin + names.width() + len(gap)
	for _, c := range doc.Checks {
		text := c.Name + strings.Repeat(" ", margin-statusMargin-utf8.RuneCountInString(c.Name)) + block(c.Detail, t.o.Width, margin)
		if margin > t.o.Width/2 { // long names: the details go below
			text = block(c.Name, t.o.Width, statusMargin) + "\n" + strings.Repeat(" ", statusMargin) + block(c.Detail, t.o.Width, statusMargin)
		}
		t.b.WriteString("  " + t.styled(statusStyle(c.Status), status.pad(string(c.Status), status.width())) + gap + strings.TrimRight(text, " \n") + "\n")
	}
}

// block wraps text that begins at a margin, and keeps to it.
func block(text string, width, margin int) string {
	const least = 20
	return strings.ReplaceAll(wrap(text, max(width-margin, least), ""), "\n", "\n"+strings.Repeat(" ", margin))
}

func statusStyle(s Status) string {
	switch s {
	case Passed:
		return green
	case Failed:
		return red
	default: // not shown either way
		return yellow
	}
}

// ledgerSums adds up the three ledgers over all series, those of warm-up too:
// this is what a bill would show. Setting up is counted apart.
func ledgerSums(series []Series) []string {
	var operations, failed, unknown, requests, refused, setup int64
	var units Units
	var usd float64
	for i := range series {
		s := &series[i]
		for _, o := range s.Operations {
			operations, failed, unknown = operations+o.Count, failed+o.Failed, unknown+o.Unknown
		}
		for _, a := range s.Attempts {
			switch {
			case a.Cause == string(cause.Setup):
				setup += a.Count
				continue
			case a.Outcome != "ok":
				refused += a.Count
			}
			requests += a.Count
		}
		units.RRU, units.WRU = units.RRU+s.Units.RRU, units.WRU+s.Units.WRU
		units.S3ClassA, units.S3ClassB = units.S3ClassA+s.Units.S3ClassA, units.S3ClassB+s.Units.S3ClassB
		units.Unreported += s.Units.Unreported
		units.Source = s.Units.Source
		usd += s.CostUSD
	}
	sums := []string{plural(operations, "operation", "operations"), plural(requests, "request", "requests")}
	count := func(n int64, one, many string) {
		if n != 0 {
			sums = append(sums, plural(n, one, many))
		}
	}
	amount := func(v float64, what string) {
		if v != 0 {
			sums = append(sums, thousands(v, decimals([]float64{v}))+" "+what)
		}
	}
	count(failed, "operation failed", "operations failed")
	count(unknown, "operation of unknown outcome", "operations of unknown outcome")
	count(refused, "request not ok", "requests not ok")
	count(setup, "request to set up", "requests to set up")
	amount(units.RRU, "read units")
	amount(units.WRU, "write units")
	amount(float64(units.S3ClassA), "S3 class A")
	amount(float64(units.S3ClassB), "S3 class B")
	sums = append(sums, "$"+significant(usd))
	if units.Source == Reported {
		sums = append(sums, fmt.Sprintf("units as the service reported them, %s without", plural(units.Unreported, "request", "requests")))
	}
	return sums
}
