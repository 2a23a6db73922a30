package migrate

import (
	"errors"
	"fmt"
	"strings"

	"github.com/lakebench/lakebench/store/control"
)

// ErrRefused reports that a verb must not be carried out as things stand. The error
// is a *RefusedError.
var ErrRefused = errors.New("refused")

// A RefusedError tells why a verb was refused. Nothing was changed by it, or what
// was changed is what it was before. It is an ErrRefused.
type RefusedError struct {
	Verb    string
	Reasons []Reason // at least one
}

// A Reason is one thing that stands in the way of a verb.
type Reason struct {
	What string // is the case
	Do   string // next
}

func (e *RefusedError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %v", e.Verb, ErrRefused)
	for i, r := range e.Reasons {
		separator := ": "
		if i > 0 {
			separator = "; "
		}
		fmt.Fprintf(&b, "%s%s; %s", separator, r.What, r.Do)
	}
	return b.String()
}

// Unwrap returns ErrRefused.
func (e *RefusedError) Unwrap() error { return ErrRefused }

func refuse(verb, do, format string, args ...any) error {
	return &RefusedError{Verb: verb, Reasons: []Reason{{What: fmt.Sprintf(format, args...), Do: do}}}
}

// ErrProblems reports that a verb has done its work, and that items are left which
// cannot be in v2 as they are. The error is a *ProblemsError.
var ErrProblems = errors.New("problems are open")

// A ProblemsError tells how many problems are open, and of the first. It is an
// ErrProblems.
type ProblemsError struct {
	Verb  string
	Count int64
	First control.Problem
}

func (e *ProblemsError) Error() string {
	return fmt.Sprintf("%s: %d %v, such as key %.80q: %s; change such items in v1, or run repair where copies differ, then run backfill again",
		e.Verb, e.Count, ErrProblems, e.First.Key, e.First.Detail)
}

// Unwrap returns ErrProblems.
func (e *ProblemsError) Unwrap() error { return ErrProblems }

// Err returns a *ProblemsError if any are open after a verb.
func (p Problems) Err(verb string) error {
	if p.Count == 0 {
		return nil
	}
	return &ProblemsError{Verb: verb, Count: p.Count, First: p.Examples[0]}
}

// errBarrier: the write barrier was there when a write to v2 was to land.
var errBarrier = errors.New("the write barrier is in place")
