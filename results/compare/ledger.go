package compare

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/results/growth"
)

// An Entry is a line of the ledgers whose sum over all repeats differs. Of
// repeats only those count that both results have.
type Entry struct {
	Variant string        `json:"variant"`
	Point   results.Point `json:"point"`
	Phase   results.Phase `json:"phase"`
	// Operation, with its outcome, is set for the first ledger: "refresh failed";
	// Attempt for the second: "dynamodb Scan ok, list".
	Operation string `json:"operation,omitempty"`
	Attempt   string `json:"attempt,omitempty"`
	// Cause is that of the attempt.
	Cause string `json:"cause,omitempty"`
	Old   int64  `json:"old"`
	New   int64  `json:"new"`
}

// What names the entry.
func (e Entry) What() string {
	if e.Operation != "" {
		return e.Operation
	}
	return e.Attempt
}

// counts are the entries of the ledgers of one side, by what they count.
type counts struct {
	operations, attempts map[string]int64
	causes               map[string]string // of the attempts
}

// ledger returns the entries that differ, in order of their names.
func (p *place) ledger() []Entry {
	if len(p.old) == 0 || len(p.new) == 0 {
		return nil // the rows say so
	}
	old, next := countsOf(p.old, p.new), countsOf(p.new, p.old)
	var entries []Entry
	for _, what := range union(old.operations, next.operations) {
		entries = append(entries, Entry{Operation: what, Old: old.operations[what], New: next.operations[what]})
	}
	for _, what := range union(old.attempts, next.attempts) {
		entries = append(entries, Entry{Attempt: what, Cause: cmp.Or(old.causes[what], next.causes[what]), Old: old.attempts[what], New: next.attempts[what]})
	}
	entries = slices.DeleteFunc(entries, func(e Entry) bool { return e.Old == e.New })
	for i := range entries {
		entries[i].Variant, entries[i].Point, entries[i].Phase = p.variant, p.point, p.phase
	}
	return entries
}

// countsOf adds up the repeats that others have too.
func countsOf(series, others []*results.Series) counts {
	c := counts{map[string]int64{}, map[string]int64{}, map[string]string{}}
	for _, s := range series {
		if !slices.ContainsFunc(others, func(o *results.Series) bool { return o.Repeat == s.Repeat }) {
			continue
		}
		for name, o := range s.Operations {
			c.operations[name+" ok"] += o.OK
			c.operations[name+" failed"] += o.Failed
			c.operations[name+" of unknown outcome"] += o.Unknown
		}
		for _, a := range s.Attempts {
			what := fmt.Sprintf("%s %s %s, %s", a.Service, a.API, a.Outcome, a.Cause)
			c.attempts[what] += a.Count
			c.causes[what] = a.Cause
		}
	}
	return c
}

// Growth is how a metric of a variant grows with a parameter in both results; the
// class is "" where there is no fit.
type Growth struct {
	Variant string        `json:"variant"`
	Point   results.Point `json:"point"`
	Metric  string        `json:"metric"`
	// About describes the metric.
	About results.Metric `json:"-"`
	X     string         `json:"x"`
	Old   growth.Class   `json:"old"`
	New   growth.Class   `json:"new"`
	// Exact reports whether the fits are of exact metrics, so that a change is no noise.
	Exact bool `json:"exact"`
}

// Differs reports whether the class changed.
func (g Growth) Differs() bool { return g.Old != g.New }

// growths pairs the fits, in the order of the old ones.
func growths(old, next []results.Growth, declared results.Metrics, ways kinds) []Growth {
	type key struct{ variant, point, metric, x string }
	all := []Growth{}
	at := make(map[key]int)
	find := func(g results.Growth) *Growth {
		k := key{g.Variant, g.Point.String(), g.Metric, g.X}
		i, ok := at[k]
		if !ok {
			i = len(all)
			at[k] = i
			m := declared.Lookup(g.Metric)
			all = append(all, Growth{Variant: g.Variant, Point: g.Point, Metric: g.Metric, About: m, X: g.X, Exact: ways.of(m) == exact})
		}
		return &all[i]
	}
	for _, g := range old {
		find(g).Old = g.Class
	}
	for _, g := range next {
		find(g).New = g.Class
	}
	return all
}
