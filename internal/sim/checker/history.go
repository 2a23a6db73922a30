package checker

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Kind is what an operation does.
type Kind string

// The operations of the model.
const (
	Get     Kind = "get"
	CAS     Kind = "cas"
	Delete  Kind = "delete"
	Guarded Kind = "guarded" // a mutation of one key under the guard of another
)

// Outcome is what an operation's caller was told.
type Outcome string

// The outcomes of the model; the package comment explains each.
const (
	OK          Outcome = "ok"
	NotFound    Outcome = "not-found"
	Conflict    Outcome = "conflict"
	GuardFailed Outcome = "guard"
	Refused     Outcome = "refused"
	Unknown     Outcome = "unknown"
)

// outcomes lists the outcomes that an operation can have. A get without an answer
// is refused: it has no effect that could be unknown.
var outcomes = map[Kind][]Outcome{
	Get:     {OK, NotFound, Refused},
	CAS:     {OK, Conflict, Refused, Unknown},
	Delete:  {OK, NotFound, Conflict, Refused, Unknown},
	Guarded: {OK, GuardFailed, Conflict, Refused, Unknown},
}

// A Call is what was asked.
type Call struct {
	Kind Kind   `json:"operation"`
	Key  string `json:"key"`
	// Expect is what Key must hold for a mutation to apply.
	Expect Value `json:"expect,omitzero"`
	// Next is what a CAS or a guarded mutation sets Key to; Absent removes it,
	// which only a guarded mutation may.
	Next Value `json:"next,omitzero"`
	// Guard must hold GuardExpect for a guarded mutation to apply.
	Guard       string `json:"guard,omitzero"`
	GuardExpect Value  `json:"guard_expect,omitzero"`
}

// An Answer is what was told.
type Answer struct {
	Outcome Outcome `json:"outcome"`
	// Found is what the key held: always with an OK get; with Conflict and
	// GuardFailed (then of the guard) only if the store said so.
	Found Value `json:"found,omitzero"`
}

// A Moment is a point of a history. Seq orders the moments of a history
// strictly, from 1; operations at one virtual time keep their order. At is the
// time since the history began, which is for people only.
type Moment struct {
	Seq int64
	At  time.Duration
}

// An Operation is a call with its answer. Returned is zero while there is none:
// then the outcome is Unknown, or Refused for a get.
type Operation struct {
	Actor    string `json:"actor"`
	Call     Call   `json:",embed"`
	Invoked  Moment `json:"call"`
	Returned Moment `json:"return,omitzero"`
	Answer   Answer `json:",embed"`
}

// An Entry is what a key held when the history began.
type Entry struct {
	Key   string `json:"key"`
	Value Value  `json:"value"`
}

// A History is what happened to a store. Keys that Initial does not name held
// nothing when it began. Operations are in the order in which they were called.
type History struct {
	Initial    []Entry     `json:"initial"`
	Operations []Operation `json:"operations"`
}

// ErrHistory is wrapped by every error about a history that makes no sense.
var ErrHistory = errors.New("malformed history")

// Validate reports the first thing in h that makes no sense.
func (h History) Validate() error {
	seen := map[string]bool{}
	for i, e := range h.Initial {
		switch _, exists := e.Value.Get(); {
		case e.Key == "":
			return fmt.Errorf("%w: initial entry %d has no key", ErrHistory, i)
		case !exists:
			return fmt.Errorf("%w: initial entry %q has no value; leave out keys that hold nothing", ErrHistory, e.Key)
		case seen[e.Key]:
			return fmt.Errorf("%w: initial entry %q comes twice", ErrHistory, e.Key)
		}
		seen[e.Key] = true
	}
	for i := range h.Operations {
		if err := h.Operations[i].validate(); err != nil {
			return fmt.Errorf("%w: operation %d (%s %q): %w", ErrHistory, i, h.Operations[i].Call.Kind, h.Operations[i].Call.Key, err)
		}
	}
	return h.validateMoments()
}

// validateMoments checks that there is one order of all moments.
func (h History) validateMoments() error {
	var moments []Moment
	for i := range h.Operations {
		o := &h.Operations[i]
		if i > 0 && o.Invoked.Seq < h.Operations[i-1].Invoked.Seq {
			return fmt.Errorf("%w: operation %d was called (seq %d) before its predecessor (seq %d)",
				ErrHistory, i, o.Invoked.Seq, h.Operations[i-1].Invoked.Seq)
		}
		moments = append(moments, o.Invoked)
		if o.Returned != (Moment{}) {
			moments = append(moments, o.Returned)
		}
	}
	slices.SortFunc(moments, func(a, b Moment) int {
		if a.Seq < b.Seq {
			return -1
		}
		return 1
	})
	for i := 1; i < len(moments); i++ {
		switch before, m := moments[i-1], moments[i]; {
		case m.Seq == before.Seq:
			return fmt.Errorf("%w: two moments have seq %d; each has its own", ErrHistory, m.Seq)
		case m.At < before.At:
			return fmt.Errorf("%w: seq %d is at %v, but seq %d before it at %v", ErrHistory, m.Seq, m.At, before.Seq, before.At)
		}
	}
	return nil
}

func (o *Operation) validate() error {
	if err := o.Call.validate(); err != nil {
		return err
	}
	if err := o.validateAnswer(); err != nil {
		return err
	}
	switch in, out := o.Invoked, o.Returned; {
	case in.Seq < 1 || in.At < 0:
		return fmt.Errorf("called at seq %d, %v; seq starts at 1, time at 0", in.Seq, in.At)
	case out == Moment{}:
		if o.Answer.Outcome != Unknown && o.Answer.Outcome != Refused {
			return fmt.Errorf("outcome %q, but it never returned", o.Answer.Outcome)
		}
	case out.Seq <= in.Seq || out.At < in.At:
		return fmt.Errorf("returned at seq %d, %v, but called at seq %d, %v", out.Seq, out.At, in.Seq, in.At)
	}
	return nil
}

func (c Call) validate() error {
	if outcomes[c.Kind] == nil {
		return fmt.Errorf("unknown operation %q; there are get, cas, delete and guarded", c.Kind)
	}
	if c.Key == "" {
		return errors.New("no key")
	}
	_, expectsValue := c.Expect.Get()
	_, setsValue := c.Next.Get()
	guarded := c.Guard != "" || c.GuardExpect.Said()
	switch {
	case c.Kind != Guarded && guarded:
		return errors.New("only a guarded mutation has a guard")
	case c.Kind == Get && (c.Expect.Said() || c.Next.Said()):
		return errors.New("a get neither expects nor sets a value")
	case c.Kind == CAS && (!c.Expect.Said() || !setsValue):
		return errors.New("a cas needs what it expects and the value to set")
	case c.Kind == Delete && (!expectsValue || c.Next.Said()):
		return errors.New("a delete needs the value it expects and sets none")
	case c.Kind == Guarded && (c.Guard == "" || c.Guard == c.Key || !c.GuardExpect.Said()):
		return errors.New("a guarded mutation needs a guard on another key, and what it expects there")
	case c.Kind == Guarded && (!c.Expect.Said() || !c.Next.Said()):
		return errors.New("a guarded mutation needs what it expects and what it sets")
	case c.Kind == Guarded && !setsValue && !expectsValue:
		return errors.New("a guarded mutation that removes its target expects a value there")
	}
	return nil
}

func (o *Operation) validateAnswer() error {
	a := o.Answer
	if !slices.Contains(outcomes[o.Call.Kind], a.Outcome) {
		return fmt.Errorf("outcome %q is none of %v", a.Outcome, outcomes[o.Call.Kind])
	}
	_, exists := a.Found.Get()
	switch {
	case o.Call.Kind == Get && a.Outcome == OK && !exists:
		return errors.New("a get that is ok has found a value")
	case a.Found.Said() && (o.Call.Kind != Get || a.Outcome != OK) && a.Outcome != Conflict && a.Outcome != GuardFailed:
		return fmt.Errorf("outcome %q does not come with a value found", a.Outcome)
	}
	return nil
}

// open reports whether the operation may have had an unknown effect.
func (o *Operation) open() bool { return o.Answer.Outcome == Unknown }

// mutates reports whether the operation had an effect, for sure.
func (o *Operation) mutates() bool { return o.Call.Kind != Get && o.Answer.Outcome == OK }

func (c Call) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %q", c.Kind, c.Key)
	switch c.Kind {
	case Get:
	case Delete:
		fmt.Fprintf(&b, " %v", c.Expect)
	case CAS, Guarded:
		fmt.Fprintf(&b, " %v → %v", c.Expect, c.Next)
	}
	if c.Kind == Guarded {
		fmt.Fprintf(&b, " if %q is %v", c.Guard, c.GuardExpect)
	}
	return b.String()
}

func (a Answer) String() string {
	if a.Found.Said() {
		return fmt.Sprintf("%s, found %v", a.Outcome, a.Found)
	}
	return string(a.Outcome)
}

func (o Operation) String() string { return fmt.Sprintf("%s: %v: %v", o.Actor, o.Call, o.Answer) }
