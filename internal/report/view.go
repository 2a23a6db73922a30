package report

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lakebench/lakebench/internal/render/texttab"
	"github.com/lakebench/lakebench/plots"
	"github.com/lakebench/lakebench/results"
)

// ErrNothing is a report of no results.
var ErrNothing = errors.New("a report needs at least one result")

// view is a report as both formats write it.
type view struct {
	Title string
	Runs  []run
}

// run is a result in a report.
type run struct {
	ID       string // of the section
	Workload string
	Headline string
	Context  string
	// Alerts speak against the numbers; they come first.
	Alerts []alert
	Tables []results.Grid
	// Crossovers are sentences.
	Crossovers []string
	// Pictures are SVG; LeftOut is how many more there are.
	Pictures [][]byte
	LeftOut  int
	Checks   []results.Check
	Ledgers  []string
	Attempts results.Grid
	// Facts are the parameters and the environment.
	Parameters, Environment []fact
	Assumptions             []string
	Reproduce               string
}

// alert is a sentence of some weight: "bad" or "warn".
type alert struct{ Level, Text string }

type fact struct{ Name, Value string }

// maxPictures bounds the pictures of a result, so that a report of large sweeps
// stays small enough to send.
const maxPictures = 12

func newView(docs []results.Document) (view, error) {
	if len(docs) == 0 {
		return view{}, ErrNothing
	}
	var v view
	var names []string
	for i, doc := range docs {
		r, err := newRun(i, doc)
		if err != nil {
			return view{}, fmt.Errorf("run %s: %w", doc.RunID, err)
		}
		v.Runs = append(v.Runs, r)
		if !slices.Contains(names, doc.Workload.Name) {
			names = append(names, doc.Workload.Name)
		}
	}
	v.Title = "lakebench: " + texttab.List(names)
	return v, nil
}

func newRun(i int, doc results.Document) (run, error) {
	r := run{
		ID: "run-" + strconv.Itoa(i+1), Workload: doc.Workload.Name,
		Headline: doc.Headline, Context: results.Context(doc), Alerts: alerts(doc),
		Crossovers: results.Crossovers(doc), Checks: doc.Checks, Ledgers: results.Ledgers(doc), Attempts: attempts(doc),
		Parameters: parameters(doc), Environment: environment(doc), Assumptions: assumptions(doc), Reproduce: reproduce(doc),
	}
	if costs := results.CostGrid(doc); len(costs.Rows) > 0 {
		r.Tables = append(r.Tables, costs)
	}
	r.Tables = append(r.Tables, results.GrowthGrids(doc)...)
	for _, p := range plots.Pictures(doc) {
		if p.Overview() {
			continue
		}
		if len(r.Pictures) == maxPictures {
			r.LeftOut++
			continue
		}
		svg, err := p.Render("svg")
		if err != nil {
			return run{}, fmt.Errorf("draw %s: %w", p.Name(), err)
		}
		r.Pictures = append(r.Pictures, svg)
	}
	return r, nil
}

func alerts(doc results.Document) []alert {
	var out []alert
	for _, c := range doc.Checks {
		switch c.Status {
		case results.Failed:
			out = append(out, alert{"bad", fmt.Sprintf("Invalid: the check %q failed. Do not use these numbers.", c.Name)})
		case results.Inconclusive:
			out = append(out, alert{"warn", fmt.Sprintf("The check %q came to no conclusion.", c.Name)})
		case results.Passed, results.Skipped: // the table of checks says so
		}
	}
	if len(doc.Series) == 0 {
		out = append(out, alert{"bad", "Nothing was measured."})
	}
	if doc.Partial {
		out = append(out, alert{"warn", "Partial: the run was interrupted. What is here was measured; the rest was not."})
	}
	for _, w := range doc.Warnings {
		out = append(out, alert{"warn", texttab.Capital(w)})
	}
	return out
}

// attempts sums the requests of the steady phase by kind, a column a variant.
func attempts(doc results.Document) results.Grid {
	type kind struct{ cause, service, api, outcome string }
	counts := map[kind]map[string]int64{}
	columns := variants(doc)
	for _, s := range doc.Series {
		if s.Phase != results.Steady {
			continue
		}
		for _, a := range s.Attempts {
			k := kind{a.Cause, a.Service, a.API, a.Outcome}
			if counts[k] == nil {
				counts[k] = map[string]int64{}
			}
			counts[k][s.Variant] += a.Count
		}
	}
	g := results.Grid{Title: "Requests by cause", Heads: append([]string{"", "request", "outcome"}, columns...), Words: []int{1, 2}}
	kinds := slices.SortedFunc(maps.Keys(counts), func(a, b kind) int {
		return cmp.Or(cmp.Compare(a.cause, b.cause), cmp.Compare(a.service, b.service), cmp.Compare(a.api, b.api), cmp.Compare(a.outcome, b.outcome))
	})
	for _, k := range kinds {
		row := results.GridRow{Cells: []string{k.cause, k.service + " " + k.api, k.outcome}}
		for _, v := range columns {
			row.Cells = append(row.Cells, texttab.Thousands(float64(counts[k][v]), 0))
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

func parameters(doc results.Document) []fact {
	var out []fact
	for _, name := range slices.Sorted(maps.Keys(doc.Workload.Params)) {
		out = append(out, fact{name, listed(doc.Workload.Params[name])})
	}
	return out
}

// listed writes a parameter as --set takes it. A document that was read has lists
// of any, one that was just made has lists of numbers.
func listed(v any) string {
	list := reflect.ValueOf(v)
	if list.Kind() != reflect.Slice {
		return fmt.Sprint(v)
	}
	var parts []string
	for i := range list.Len() {
		parts = append(parts, fmt.Sprint(list.Index(i).Interface()))
	}
	return strings.Join(parts, ",")
}

func environment(doc results.Document) []fact {
	e := doc.Environment
	out := []fact{
		{"run", doc.RunID},
		{"started", doc.Started.Format(time.RFC3339)},
		{"took", doc.Ended.Sub(doc.Started).Round(time.Millisecond).String()},
		{"lakebench", doc.Lakebench.Version + " " + doc.Lakebench.Commit},
		{"workload", fmt.Sprintf("%s, version %d", doc.Workload.Name, doc.Workload.Version)},
		{"workload hash", doc.Workload.Hash},
		{"seed, repeats", fmt.Sprintf("%d, %d", doc.Seed, doc.Repeats)},
		{"clock", string(doc.Clock)},
		{"counts", map[bool]string{true: "deterministic", false: "a distribution: they vary from run to run"}[doc.Deterministic]},
		{"machine", fmt.Sprintf("%s/%s, %d CPUs, %s", e.OS, e.Arch, e.CPUs, e.Go)},
		{"services", strings.TrimSpace(e.Backend.Kind + " " + e.Backend.Endpoint + " " + e.Backend.Region)},
	}
	for _, name := range slices.Sorted(maps.Keys(e.Backend.Settings)) {
		out = append(out, fact{name, e.Backend.Settings[name]})
	}
	return out
}

func assumptions(doc results.Document) []string {
	var out []string
	embedded := doc.Environment.Backend.Kind == "embedded"
	if embedded {
		out = append(out, "Units are computed in the embedded services from the documented rules of AWS.")
	} else {
		out = append(out, "Units are what the service reported; a request that failed reports none.")
	}
	if doc.Clock == results.VirtualClock {
		out = append(out, "Times are those of a model on a virtual clock, not measured.")
	} else if embedded {
		out = append(out, "Times are those of the embedded services on this machine: compare them with one another, not with AWS.")
	}
	return append(out, "Dollars are request charges on demand; storage, transfer, backups, taxes and the free tier are left out.")
}

// reproduce is the command that makes the run again.
func reproduce(doc results.Document) string {
	words := []string{
		"lakebench run --workload " + doc.Workload.Name, "--variant " + strings.Join(variants(doc), ","),
		fmt.Sprintf("--seed %d", doc.Seed), fmt.Sprintf("--repeats %d", doc.Repeats),
	}
	if doc.Clock == results.VirtualClock {
		words = append(words, "--clock virtual")
	}
	if e := doc.Environment.Backend; e.Kind != "embedded" {
		words = append(words, "--backend endpoint")
		if e.Endpoint != "" {
			words = append(words, "--dynamodb-endpoint "+quoted(e.Endpoint))
		}
	}
	comment := ""
	for _, p := range parameters(doc) {
		if p.Name == "history" { // no parameter, but the hash of a file
			words, comment = append(words, "--history FILE"), "\n# FILE is the history whose SHA-256 is "+p.Value
			continue
		}
		words = append(words, "\\\n  --set "+quoted(p.Name+"="+p.Value))
	}
	return strings.Join(words, " ") + comment
}

// variants names what was measured, in the order of the result.
func variants(doc results.Document) []string {
	var names []string
	for _, s := range doc.Series {
		if !slices.Contains(names, s.Variant) {
			names = append(names, s.Variant)
		}
	}
	return names
}

// quoted keeps a shell from taking a word apart.
func quoted(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-.,=/:+@%", r)
	}
	if strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
