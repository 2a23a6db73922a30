package results

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/render/texttab"
)

// trust writes why the counts can be believed, or not: the sums of the ledgers,
// and the checks.
func (t *terminal) trust(doc Document) {
	t.Title("Ledgers")
	t.Paragraph(texttab.Plain, "  "+strings.Join(ledgerSums(doc.Series), " · "), "  ")
	t.Title("Checks")
	if len(doc.Checks) == 0 {
		t.Paragraph(texttab.Red, "  none was made", "")
	}
	status, names := &texttab.Column{Left: true}, &texttab.Column{Left: true}
	for _, c := range doc.Checks {
		status.Cells = append(status.Cells, string(c.Status))
		names.Cells = append(names.Cells, c.Name)
	}
	statusMargin := 2 + status.Width() + len(texttab.Gap)
	margin := statusMargin + names.Width() + len(texttab.Gap)
	for _, c := range doc.Checks {
		text := c.Name + strings.Repeat(" ", margin-statusMargin-utf8.RuneCountInString(c.Name)) + texttab.Block(c.Detail, t.Width, margin)
		if margin > t.Width/2 { // long names: the details go below
			text = texttab.Block(c.Name, t.Width, statusMargin) + "\n" + strings.Repeat(" ", statusMargin) + texttab.Block(c.Detail, t.Width, statusMargin)
		}
		t.Line("  " + t.Styled(statusStyle(c.Status), status.Pad(string(c.Status), status.Width())) + texttab.Gap + strings.TrimRight(text, " \n"))
	}
}

func statusStyle(s Status) texttab.Style {
	switch s {
	case Passed:
		return texttab.Green
	case Failed:
		return texttab.Red
	default: // not shown either way
		return texttab.Yellow
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
	sums := []string{texttab.Plural(operations, "operation", "operations"), texttab.Plural(requests, "request", "requests")}
	count := func(n int64, one, many string) {
		if n != 0 {
			sums = append(sums, texttab.Plural(n, one, many))
		}
	}
	amount := func(v float64, what string) {
		if v != 0 {
			sums = append(sums, texttab.Thousands(v, texttab.Decimals([]float64{v}))+" "+what)
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
	sums = append(sums, "$"+texttab.Significant(usd))
	if units.Source == Reported {
		sums = append(sums, fmt.Sprintf("units as the service reported them, %s without", texttab.Plural(units.Unreported, "request", "requests")))
	}
	return sums
}
