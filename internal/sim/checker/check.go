package checker

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/lakebench/lakebench/internal/sim/task"
)

// Limits bound what a check may cost.
type Limits struct {
	// Steps bounds the tries of an operation on a state, over the whole history.
	// It is the bound of time that is the same on every machine: 10 million take
	// some seconds.
	Steps int64
	// Bytes bounds the memory that the search of one part of the history needs,
	// by an estimate from above that is the same on every machine.
	Bytes int64
	// Timeout bounds the time on ctx's runtime; 0 is no bound. Under virtual time
	// a check takes no time, so there it never ends one.
	Timeout time.Duration
}

// DefaultLimits returns 20 million steps, 1 GiB, and no timeout: a verdict that
// does not depend on the machine.
func DefaultLimits() Limits { return Limits{Steps: 20_000_000, Bytes: 1 << 30} }

// Validate reports the first limit that is out of range.
func (l Limits) Validate() error {
	switch {
	case l.Steps < 1:
		return fmt.Errorf("checker: Limits.Steps is %d, expected at least 1", l.Steps)
	case l.Bytes < 1:
		return fmt.Errorf("checker: Limits.Bytes is %d, expected at least 1", l.Bytes)
	case l.Timeout < 0:
		return fmt.Errorf("checker: Limits.Timeout is %v, expected 0 (none) or more", l.Timeout)
	}
	return nil
}

// Verdict is the result of a check in a word, as results.Check has it.
type Verdict string

// The verdicts. Inconclusive is neither: a limit was reached, or there was
// nothing to check.
const (
	Passed       Verdict = "passed"
	Failed       Verdict = "failed"
	Inconclusive Verdict = "inconclusive"
)

// A Result is what a check found.
type Result struct {
	Verdict Verdict
	Detail  string // one line
	// Failing is set when Verdict is Failed: a part of the history that fails on
	// its own. It is the shortest failing beginning of the smallest failing
	// group of keys, without the reads, refusals and guards that it fails
	// without; operations that had not returned by then are open. A limit
	// reached while it is made smaller leaves it larger, not wrong.
	Failing History
	// Parts is the number of independent groups of keys.
	Parts int
	// Steps is what the check took, without making Failing smaller.
	Steps int64
}

// Check decides whether h is linearizable. The error is of a malformed history
// (ErrHistory) or of limits out of range. The end of ctx makes the result
// Inconclusive.
func Check(ctx context.Context, h History, l Limits) (Result, error) {
	if err := l.Validate(); err != nil {
		return Result{}, err
	}
	if err := h.Validate(); err != nil {
		return Result{}, err
	}
	if l.Timeout > 0 {
		timed, cancel := task.WithTimeout(ctx, l.Timeout)
		defer cancel()
		ctx = timed
	}
	parts := split(h)
	res := Result{Verdict: Passed, Parts: len(parts)}
	if len(parts) == 0 {
		res.Verdict, res.Detail = Inconclusive, "nothing to check: no operation has a definite outcome"
		return res, nil
	}
	b := &budget{ctx: ctx, limits: l}
	for _, part := range parts {
		switch b.search(part) {
		case Failed:
			shrunk := shrink(part, &budget{ctx: ctx, limits: l})
			res.Verdict, res.Failing, res.Detail = Failed, shrunk, explain(shrunk)
			res.Steps = b.steps
			return res, nil
		case Inconclusive:
			if res.Verdict == Passed {
				res.Verdict = Inconclusive
				res.Detail = fmt.Sprintf("gave up on %s: %s", size(part), b.why)
			}
		case Passed:
		}
	}
	res.Steps = b.steps
	if res.Verdict == Passed {
		res.Detail = fmt.Sprintf("%s in %d independent parts, %d steps", size(h), res.Parts, res.Steps)
	}
	return res, nil
}

func size(h History) string {
	return fmt.Sprintf("%d operations on %d keys", len(h.Operations), len(h.keys()))
}

// explain points at the operation with which the shortest failing part ends.
func explain(h History) string {
	last := &h.Operations[0]
	for i := range h.Operations {
		if o := &h.Operations[i]; !o.open() && o.Returned.Seq > last.Returned.Seq {
			last = o
		}
	}
	return fmt.Sprintf("not linearizable: with %v (seq %d to %d, at %v) no order explains these %s",
		*last, last.Invoked.Seq, last.Returned.Seq, last.Returned.At, size(h))
}

// A budget is what is left of the limits.
type budget struct {
	ctx    context.Context
	limits Limits
	steps  int64
	why    string // it is used up, "" if it is not
}

// askEvery is the number of steps between two looks at the context.
const askEvery = 1024

// search looks for an order of the operations of one part. Steps add up over
// parts. Parts are searched from small to large, so the one that uses up the
// limits comes late; smaller ones have had their verdict by then.
func (b *budget) search(part History) Verdict {
	if b.steps >= b.limits.Steps || b.ctx.Err() != nil {
		b.exceeded()
		return Inconclusive
	}
	p := compile(part)
	// One part at a time and no timeout of porcupine's own: its parallel search
	// and its clock would make the verdict depend on the machine. It runs in a
	// goroutine that ends before the call does and waits for nothing.
	verdict := porcupine.CheckOperationsTimeout(b.model(p), p.ops, 0)
	switch {
	case b.why != "":
		return Inconclusive
	case verdict == porcupine.Ok:
		return Passed
	}
	return Failed
}

// model returns the model of a program, whose search the budget bounds: once it
// is used up every step fails, which ends the search quickly.
func (b *budget) model(p *program) porcupine.Model {
	// What porcupine keeps for each successful step: the set of operations
	// placed, the state, and both again in its table and on its stack.
	perStep := int64(len(p.ops)/8+len(p.start)) + stepOverhead
	left := b.limits.Bytes - int64(len(p.ops))*opOverhead
	b.why = ""
	m := p.model()
	step := m.Step
	m.Step = func(state, input, output any) (bool, any) {
		if !b.try() {
			return false, state
		}
		ok, next := step(state, input, output)
		if ok {
			if left -= perStep; left < 0 {
				b.why = fmt.Sprintf("it needs more than %d bytes", b.limits.Bytes)
				return false, state
			}
		}
		return ok, next
	}
	return m
}

// Bytes beside bitset and state, from porcupine's data structures: a table
// entry, a stack entry, their share of a map and of slices that grow by
// doubling; and for an operation its two list nodes and entries.
const (
	stepOverhead = 256
	opOverhead   = 512
)

// try counts a step and reports whether there is budget for it.
func (b *budget) try() bool {
	if b.why != "" {
		return false
	}
	b.steps++
	if b.steps >= b.limits.Steps || b.steps%askEvery == 0 && b.ctx.Err() != nil {
		b.exceeded()
		return false
	}
	return true
}

func (b *budget) exceeded() {
	if b.ctx.Err() != nil {
		b.why = fmt.Sprintf("it was stopped: %v", context.Cause(b.ctx))
		return
	}
	b.why = fmt.Sprintf("it takes more than %d steps", b.limits.Steps)
}

// split returns the parts of h that can be checked alone, smallest first: the
// connected components of keys that guarded mutations tie together. Parts in
// which no operation has a definite outcome are left out.
func split(h History) []History {
	groups := newUnion()
	for i := range h.Operations {
		c := &h.Operations[i].Call
		groups.find(c.Key)
		if c.Kind == Guarded && h.Operations[i].Answer.Outcome != Refused {
			groups.join(c.Key, c.Guard)
		}
	}
	index := map[string]int{}
	var parts []History
	definite := map[int]bool{}
	for i := range h.Operations {
		o := h.Operations[i]
		if o.Answer.Outcome == Refused {
			continue
		}
		root := groups.find(o.Call.Key)
		n, ok := index[root]
		if !ok {
			n = len(parts)
			index[root] = n
			parts = append(parts, History{})
		}
		parts[n].Operations = append(parts[n].Operations, o)
		definite[n] = definite[n] || !o.open()
	}
	for _, e := range h.Initial {
		if n, ok := index[groups.find(e.Key)]; ok {
			parts[n].Initial = append(parts[n].Initial, e)
		}
	}
	kept := parts[:0]
	for n, p := range parts {
		if definite[n] {
			kept = append(kept, p)
		}
	}
	slices.SortStableFunc(kept, func(a, b History) int { return cmp.Compare(len(a.Operations), len(b.Operations)) })
	return kept
}

// keys returns the keys that the operations touch.
func (h History) keys() map[string]bool {
	keys := map[string]bool{}
	for i := range h.Operations {
		c := &h.Operations[i].Call
		keys[c.Key] = true
		if c.Kind == Guarded {
			keys[c.Guard] = true
		}
	}
	return keys
}

// union finds which keys belong together.
type union struct{ parent map[string]string }

func newUnion() union { return union{parent: map[string]string{}} }

func (u union) find(k string) string {
	for {
		p, ok := u.parent[k]
		if !ok || p == k {
			u.parent[k] = k
			return k
		}
		u.parent[k] = u.parent[p] // halve the path
		k = p
	}
}

func (u union) join(a, b string) { u.parent[u.find(a)] = u.find(b) }
