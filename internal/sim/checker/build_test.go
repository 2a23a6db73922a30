package checker

import (
	"slices"
	"time"
)

// Histories by hand. Numbers are sequence numbers; a millisecond passes from one
// to the next.

const never = 0

func op(actor string, from, to int64, c Call, a Answer) Operation {
	o := Operation{Actor: actor, Call: c, Answer: a, Invoked: moment(from)}
	if to != never {
		o.Returned = moment(to)
	}
	return o
}

func moment(seq int64) Moment { return Moment{Seq: seq, At: time.Duration(seq) * time.Millisecond} }

func get(key string) Call { return Call{Kind: Get, Key: key} }

func cas(key string, expect Value, next string) Call {
	return Call{Kind: CAS, Key: key, Expect: expect, Next: Text(next)}
}

func del(key, expect string) Call { return Call{Kind: Delete, Key: key, Expect: Text(expect)} }

func guarded(guard, holds string, c Call) Call {
	if c.Kind == Delete {
		c.Next = Absent()
	}
	c.Kind, c.Guard, c.GuardExpect = Guarded, guard, Text(holds)
	return c
}

func answer(o Outcome) Answer              { return Answer{Outcome: o} }
func saw(s string) Answer                  { return Answer{Outcome: OK, Found: Text(s)} }
func found(o Outcome, found string) Answer { return Answer{Outcome: o, Found: Text(found)} }

// history puts operations into order of invocation.
func history(ops ...Operation) History {
	slices.SortFunc(ops, func(a, b Operation) int { return int(a.Invoked.Seq - b.Invoked.Seq) })
	return History{Operations: ops}
}

func (h History) startingWith(key, value string) History {
	h.Initial = append(h.Initial, Entry{key, Text(value)})
	return h
}
