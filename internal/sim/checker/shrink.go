package checker

import (
	"slices"
	"sort"
)

// shrink returns a small part of a failing history that fails as well. What it
// leaves out never made the difference: a beginning of a linearizable history is
// linearizable, and so is one without some of its reads and refusals, which have
// no effect on the others, or without some of its guards, which only forbid.
// Leaving out a mutation could make a history fail, so that is not done, unless
// nothing that is left ties its key to the rest.
func shrink(h History, b *budget) History {
	h = shortestBeginning(h, b)
	h = b.simplify(h, withoutObserver)
	h = b.simplify(h, withoutGuard)
	for _, part := range split(h) {
		if b.search(part) == Failed {
			return part
		}
	}
	return h // the budget was used up
}

// shortestBeginning cuts after the first return with which the history fails.
func shortestBeginning(h History, b *budget) History {
	var returns []int64
	for i := range h.Operations {
		if o := &h.Operations[i]; !o.open() {
			returns = append(returns, o.Returned.Seq)
		}
	}
	slices.Sort(returns)
	n := sort.Search(len(returns), func(i int) bool {
		return b.search(h.until(returns[i])) == Failed
	})
	if n == len(returns) {
		return h // the budget was used up
	}
	return h.until(returns[n])
}

// until returns the beginning of h up to and with the moment seq. An operation
// that had not returned by then is open if it did have an effect later on; if it
// did not, it cannot have had one before.
func (h History) until(seq int64) History {
	cut := History{Initial: h.Initial}
	for _, o := range h.Operations {
		if o.Invoked.Seq > seq {
			break
		}
		if !o.open() && o.Returned.Seq > seq {
			if !o.mutates() {
				continue
			}
			o.Answer, o.Returned = Answer{Outcome: Unknown}, Moment{}
		}
		cut.Operations = append(cut.Operations, o)
	}
	return cut
}

// A simplification returns an operation that says less, or false for none at all.
type simplification func(Operation) (Operation, bool)

func withoutObserver(o Operation) (Operation, bool) { return o, o.open() || o.mutates() }

func withoutGuard(o Operation) (Operation, bool) {
	if o.Call.Kind == Guarded && (o.open() || o.mutates()) {
		o.Call.Kind, o.Call.Guard, o.Call.GuardExpect = CAS, "", Value{}
		if o.Call.Next == Absent() {
			o.Call.Kind, o.Call.Next = Delete, Value{}
		}
	}
	return o, true
}

// simplify applies s to ever smaller runs of operations, as long as the whole
// fails.
func (b *budget) simplify(h History, s simplification) History {
	for run := len(h.Operations); run > 0; run /= 2 {
		for from := 0; from < len(h.Operations); {
			to := min(from+run, len(h.Operations))
			simpler, ok := h.simpler(from, to, s)
			if ok && b.search(simpler) == Failed {
				to -= len(h.Operations) - len(simpler.Operations)
				h = simpler
			}
			from = to
		}
	}
	return h
}

// simpler returns h with s applied to the operations from..to, and whether that
// changed any.
func (h History) simpler(from, to int, s simplification) (History, bool) {
	ops, changed := slices.Clone(h.Operations[:from]), false
	for _, o := range h.Operations[from:to] {
		simpler, keep := s(o)
		changed = changed || !keep || simpler != o
		if keep {
			ops = append(ops, simpler)
		}
	}
	return History{Initial: h.Initial, Operations: append(ops, h.Operations[to:]...)}, changed
}
