package fault

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/lakebench/lakebench/internal/cause"
)

// Service is whose requests a rule is about.
type Service string

// The services. Any is both, in rules only.
const (
	DynamoDB Service = "dynamodb"
	S3       Service = "s3"
	Any      Service = "any"
)

// Rules are rules in their order of precedence.
type Rules []Rule

// A Rule describes which requests fail, and how. Rules come from Parse, which accepts
// only those that mean something; they can be compared with ==.
type Rule struct {
	Service   Service
	Operation string // "" is every operation that can have the effect

	// Conditions; their zero values are always fulfilled.
	In    string // pattern
	Key   string // pattern
	Cause cause.Label
	Actor string // pattern
	From  time.Duration
	To    time.Duration

	Select Selection
	Effect Effect
}

// Selection picks among the requests that a rule's conditions match. At most one
// of its kinds is set; the zero Selection picks every request.
type Selection struct {
	First, Last int64   // nth First..Last
	Every       int64   // each n-th
	P           float64 // with that probability
}

// Effect is what becomes of a request. The zero Effect is none.
type Effect struct {
	Kind Kind
	// Form is that of an error or a throttle, "" the default one.
	Form Form
	// Wait is the delay, or when the caller gets the timeout.
	Wait time.Duration
	// Lands reports whether the request of a timeout reaches the service all the same,
	// LandsAfter the time at which it was made.
	Lands      bool
	LandsAfter time.Duration
	// Count is of unprocessed entries, or of the bytes before a cut; 0 there is
	// half of the body.
	Count int64
}

// Kind is an effect without its arguments.
type Kind string

// The kinds of effects. The package comment describes them.
const (
	None        Kind = ""
	ErrorBefore Kind = "error-before"
	ErrorAfter  Kind = "error-after"
	Timeout     Kind = "timeout"
	Throttle    Kind = "throttle"
	Conflict    Kind = "conflict"
	Unprocessed Kind = "unprocessed"
	Delay       Kind = "delay"
	Cut         Kind = "cut"
	CrashBefore Kind = "crash-before"
	CrashAfter  Kind = "crash-after"
)

// Form is what an error or a throttle looks like.
type Form string

// The forms. The package comment describes them.
const (
	Form500             Form = "500"
	Form503             Form = "503"
	FormReset           Form = "reset"
	Form403             Form = "403"
	Form409             Form = "409"
	Form409Bare         Form = "409-bare"
	Form304             Form = "304"
	Form200             Form = "200"
	Form200Precondition Form = "200-precondition"

	FormProvisioned Form = "provisioned"
	FormOnDemand    Form = "on-demand"
	FormAccount     Form = "account"
	FormAction      Form = "action"
)

// String returns the rules as Parse reads them, a line each.
func (rs Rules) String() string {
	var b strings.Builder
	for _, r := range rs {
		b.WriteString(r.String())
		b.WriteByte('\n')
	}
	return b.String()
}

// String returns the rule as Parse reads it: conditions in the order in which
// the package comment lists them, defaults left out.
func (r Rule) String() string {
	w := []string{"on", string(r.Service)}
	if r.Operation != "" {
		w = append(w, r.Operation)
	}
	quoted := func(name, pattern string) {
		if pattern != "" {
			w = append(w, name, strconv.Quote(pattern))
		}
	}
	quoted("in", r.In)
	quoted("key", r.Key)
	if r.Cause != "" {
		w = append(w, "cause", string(r.Cause))
	}
	quoted("actor", r.Actor)
	if r.From != 0 {
		w = append(w, "from", duration(r.From))
	}
	if r.To != 0 {
		w = append(w, "to", duration(r.To))
	}
	if s := r.Select.String(); s != "" {
		w = append(w, s)
	}
	return strings.Join(append(w, ":", r.Effect.String()), " ")
}

func (s Selection) String() string {
	switch {
	case s.Every != 0:
		return fmt.Sprintf("every %d", s.Every)
	case s.P != 0:
		return "p " + strconv.FormatFloat(s.P, 'f', -1, 64)
	case s.First != s.Last:
		return fmt.Sprintf("nth %d..%d", s.First, s.Last)
	case s.First != 0:
		return fmt.Sprintf("nth %d", s.First)
	}
	return ""
}

func (e Effect) String() string {
	w := string(e.Kind)
	switch e.Kind {
	case ErrorBefore, ErrorAfter, Throttle:
		if e.Form != "" {
			w += " " + string(e.Form)
		}
	case Timeout:
		w += " " + duration(e.Wait)
		if e.Lands {
			w += " lands " + duration(e.LandsAfter)
		}
	case Delay:
		w += " " + duration(e.Wait)
	case Unprocessed, Cut:
		if e.Count != 0 {
			w += fmt.Sprintf(" %d", e.Count)
		}
	case None, Conflict, CrashBefore, CrashAfter:
	}
	return w
}

// duration is Go's form without parts that are zero: 2m, not 2m0s.
func duration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
