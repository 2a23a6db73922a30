// Package compare holds two results of one workload side by side.
//
// A count of a deterministic run is a fact, so any difference is a
// difference, in every repeat; everything else is a sample, and a difference
// between samples is only told where it is significant among all the rows that
// were looked at (docs/spec/results.md §3). Where there are too few repeats for that,
// this is what is told, and not that nothing changed.
package compare

import (
	"errors"
	"fmt"
	"slices"

	"github.com/lakebench/lakebench/results"
)

// DefaultAlpha is the chance of calling any difference significant that is none,
// over all rows that are tested together.
const DefaultAlpha = 0.05

// Options say how to compare.
type Options struct {
	// Alpha is the level of significance, above 0 and below 1.
	Alpha float64
	// Force compares results of different workloads or parameters: what both measured
	// at the same point.
	Force bool
	// By are the parameters that the results differ in, and are told apart by (see
	// Align).
	By []string
	// Test says which rows are tested together: the more there are, the clearer a
	// difference must be. nil is all. Other rows are not told to differ.
	Test func(*Row) bool
}

// DefaultOptions compares everything at DefaultAlpha.
func DefaultOptions() Options { return Options{Alpha: DefaultAlpha} }

// Validate reports what is out of range.
func (o Options) Validate() error {
	if !(o.Alpha > 0 && o.Alpha < 1) {
		return fmt.Errorf("compare: alpha is %v, expected above 0 and below 1", o.Alpha)
	}
	return nil
}

// ErrDifferent and ErrWorse are for those to whom a difference is an error; ErrWorse
// is that of results which are compared by a parameter, and so must differ.
var (
	ErrDifferent = errors.New("the results differ")
	ErrWorse     = fmt.Errorf("%w: the second is worse, or lacks what the first has", ErrDifferent)
)

// A MismatchError reports that two results measured different things.
type MismatchError struct {
	Old, New results.Workload
}

func (e *MismatchError) Error() string {
	return "the results are not comparable: " + e.Difference() + "; --force compares the points that both measured"
}

// Difference says what differs.
func (e *MismatchError) Difference() string {
	if e.Old.Name != e.New.Name || e.Old.Version != e.New.Version {
		return fmt.Sprintf("the workloads are %s version %d and %s version %d", e.Old.Name, e.Old.Version, e.New.Name, e.New.Version)
	}
	return differentParams(e.Old.Params, e.New.Params)
}

// A Comparison is what differs between two results.
type Comparison struct {
	Old Side `json:"old"`
	New Side `json:"new"`
	// By are the parameters that tell the results apart, if they are aligned.
	By []string `json:"by,omitempty"`
	// Rows are in the order of the old result, those that only the new one has
	// last.
	Rows []Row `json:"rows"`
	// Ledgers are the entries of the ledgers that differ, of exact rows only: they
	// say which requests a changed count is made of.
	Ledgers []Entry `json:"ledgers"`
	// Growth are all fits of both results.
	Growth []Growth `json:"growth"`
	// TooFew is nil unless no row that was tested could have been significant.
	TooFew   *TooFew  `json:"too_few"`
	Warnings []string `json:"warnings"`
	Namer    `json:"-"`
}

// Side is one of the two results.
type Side struct {
	Name          string              `json:"name"`            // for its user: a path
	Label         string              `json:"label,omitempty"` // what Align calls it
	RunID         string              `json:"run_id"`
	Workload      string              `json:"workload"`
	Hash          string              `json:"hash"`
	Seed          uint64              `json:"seed"`
	Repeats       int                 `json:"repeats"`
	Clock         results.Clock       `json:"clock"`
	Deterministic bool                `json:"deterministic"`
	Environment   results.Environment `json:"environment"`
}

func sideOf(n results.Named) Side {
	doc := n.Document
	return Side{
		Name: n.Name, RunID: doc.RunID, Workload: doc.Workload.Name, Hash: doc.Workload.Hash, Seed: doc.Seed,
		Repeats: doc.Repeats, Clock: doc.Clock, Deterministic: doc.Deterministic, Environment: doc.Environment,
	}
}

// Compare compares two results. It refuses two of different parameters with an
// *AlignError that names the parameters to compare them by, and two of different
// workloads with a *MismatchError, unless it is forced.
func Compare(old, next results.Named, o Options) (*Comparison, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if len(o.By) > 0 {
		each, err := Across([]results.Named{old, next}, o)
		if err != nil {
			return nil, err
		}
		return each[0], nil
	}
	if old.Document.Workload.Hash != next.Document.Workload.Hash && !o.Force {
		if err := Unaligned([]results.Named{old, next}); err != nil {
			return nil, err
		}
		return nil, &MismatchError{old.Document.Workload, next.Document.Workload}
	}
	return held(old.Document, next.Document, sideOf(old), sideOf(next), o), nil
}

// held compares two documents whose points mean the same.
func held(old, next results.Document, oldSide, newSide Side, o Options) *Comparison {
	c := &Comparison{
		Old: oldSide, New: newSide, By: unique(o.By),
		Warnings: warnings(old, next, len(o.By) > 0), Namer: NewNamer(old, next),
	}
	places := pair(old.Series, next.Series)
	k := kindsOf(old, next, len(o.By) > 0)
	declared := next.Metrics.Union(old.Metrics)
	if len(places) > 0 {
		c.Rows = make([]Row, 0, len(places)*len(places[0].metrics(declared)))
	}
	for i, p := range places {
		c.Rows = p.rows(c.Rows, i, declared, k)
		if k.counts == exact {
			c.Ledgers = append(c.Ledgers, p.ledger()...)
		}
	}
	c.Growth = growths(old.Summary.Growth, next.Summary.Growth, declared, k)
	if o.Test == nil {
		o.Test = func(*Row) bool { return true }
	}
	c.TooFew = c.Test(o.Alpha, o.Test)
	return c
}

// Err returns ErrDifferent if the results differ. Of results that are compared by a
// parameter that is expected, and ErrWorse is returned if a metric is worse, or is on
// one side only.
func (c *Comparison) Err() error {
	switch {
	case len(c.By) == 0 && c.Differs():
		return ErrDifferent
	case len(c.By) > 0 && slices.ContainsFunc(c.Rows, func(r Row) bool { return r.Differs() && (r.Change != Different || r.Worse()) }):
		return ErrWorse
	}
	return nil
}

// Differs reports whether any row, entry of a ledger or class of growth differs.
func (c *Comparison) Differs() bool {
	for i := range c.Rows {
		if c.Rows[i].Differs() {
			return true
		}
	}
	for _, g := range c.Growth {
		if g.Differs() && g.Exact {
			return true
		}
	}
	return len(c.Ledgers) > 0
}
