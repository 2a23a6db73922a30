package migrate

import (
	"errors"
	"fmt"
	"strings"
)

// ErrRefused says that a verb must not be carried out as things stand. The error
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

// errBarrier: the write barrier was there when a write to v2 was to land.
var errBarrier = errors.New("the write barrier is in place")
