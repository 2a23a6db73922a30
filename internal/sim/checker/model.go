package checker

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"
)

// A program is a history in the form in which the search runs it: keys and
// values are numbers.
type program struct {
	keys     []string
	values   []Value // number absent is Absent
	keyIndex map[string]int
	valueNum map[Value]int32
	start    string // the initial state
	ops      []porcupine.Operation
}

func (p *program) key(k string) int {
	i, ok := p.keyIndex[k]
	if !ok {
		i = len(p.keys)
		p.keyIndex[k] = i
		p.keys = append(p.keys, k)
	}
	return i
}

func (p *program) value(v Value) int32 {
	n, ok := p.valueNum[v]
	if !ok {
		n = int32(len(p.values))
		p.valueNum[v] = n
		p.values = append(p.values, v)
	}
	return n
}

// A step is one operation. The search tries it on states.
type step struct {
	op                        *Operation // nil: the end of the history
	target, guard             int        // index of a key; guard is noGuard without one
	expect, next, guardExpect int32      // numbers of values
	found                     int32      // unsaidFound if nothing was said
	outcome                   Outcome
}

const (
	noGuard           = -1
	absent      int32 = 0
	unsaidFound int32 = -1
)

// A state is a string of 4 bytes a key, the number of its value: strings compare
// and copy fast, and are never changed. After the end of the history nothing is
// looked at any more.
const (
	stateBytes = 4
	ended      = "end" // no state: those are multiples of 4 long
)

// compile turns h into a program. Refused operations say nothing and are left
// out.
//
// An open operation returns at the end of time, so the search may place it
// anywhere after its call. Before the end of the history it is placed only where
// it has an effect; what is left is placed after it, where nothing matters: those
// are the operations that never took effect. Placing them without effect
// anywhere else would say the same and take much longer to search.
func compile(h History) *program {
	p := &program{
		keyIndex: map[string]int{},
		values:   []Value{Absent()},
		valueNum: map[Value]int32{Absent(): absent},
	}
	last := int64(0)
	for i := range h.Operations {
		o := &h.Operations[i]
		last = max(last, o.Invoked.Seq, o.Returned.Seq)
		if o.Answer.Outcome == Refused {
			continue
		}
		returned := o.Returned.Seq
		if o.open() {
			returned = math.MaxInt64
		}
		p.ops = append(p.ops, porcupine.Operation{Input: p.step(o), Call: o.Invoked.Seq, Return: returned})
	}
	p.ops = append(p.ops, porcupine.Operation{Input: &step{}, Call: last + 1, Return: last + 2})
	p.start = p.initial(h.Initial)
	return p
}

func (p *program) step(o *Operation) *step {
	c := &o.Call
	s := &step{op: o, outcome: o.Answer.Outcome, target: p.key(c.Key), guard: noGuard, found: unsaidFound}
	if c.Kind != Get {
		s.expect = p.value(c.Expect)
	}
	if c.Kind == CAS || c.Kind == Guarded { // a delete's is absent, number 0
		s.next = p.value(c.Next)
	}
	if c.Kind == Guarded {
		s.guard, s.guardExpect = p.key(c.Guard), p.value(c.GuardExpect)
	}
	if o.Answer.Found.Said() {
		s.found = p.value(o.Answer.Found)
	}
	return s
}

// initial is the state that the entries make, of the keys in use.
func (p *program) initial(entries []Entry) string {
	state := make([]byte, stateBytes*len(p.keys))
	for _, e := range entries {
		if i, ok := p.keyIndex[e.Key]; ok {
			binary.LittleEndian.PutUint32(state[stateBytes*i:], uint32(p.value(e.Value)))
		}
	}
	return string(state)
}

func at(state string, key int) int32 {
	s := state[stateBytes*key:]
	return int32(uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24)
}

func with(state string, key int, n int32) string {
	var b strings.Builder
	b.Grow(len(state))
	b.WriteString(state[:stateBytes*key])
	b.Write([]byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)})
	b.WriteString(state[stateBytes*(key+1):])
	return b.String()
}

// apply reports whether the operation can take effect in a state with the outcome
// that it had, and returns the state after it.
func (s *step) apply(state string) (bool, string) {
	switch {
	case state == ended:
		return s.op != nil && s.op.open(), ended
	case s.op == nil:
		return true, ended
	}
	current := at(state, s.target)
	guarded := s.guard == noGuard || at(state, s.guard) == s.guardExpect
	asFound := s.found == unsaidFound || s.found == current
	switch s.outcome {
	case OK:
		if s.op.Call.Kind == Get {
			return s.found == current, state
		}
		if guarded && current == s.expect {
			return true, with(state, s.target, s.next)
		}
	case Unknown:
		if guarded && current == s.expect && s.next != s.expect {
			return true, with(state, s.target, s.next)
		}
	case NotFound:
		return current == absent, state
	case Conflict:
		// A delete that meets nothing is told so, and not of a conflict.
		nothingThere := s.op.Call.Kind == Delete && current == absent
		return guarded && current != s.expect && !nothingThere && asFound, state
	case GuardFailed:
		found := s.found == unsaidFound || s.found == at(state, s.guard)
		return !guarded && found, state
	case Refused: // left out by compile
	}
	return false, state
}

// hash mixes the values of a state (the multiplier is that of splitmix64).
func hash(state string) uint64 {
	var h uint64
	for i := range len(state) / stateBytes {
		h = (h ^ uint64(at(state, i))) * 0xbf58476d1ce4e5b9
		h ^= h >> 29
	}
	return h
}

// model returns what porcupine needs to search p, and to draw it.
func (p *program) model() porcupine.Model {
	return porcupine.Model{
		Init:              func() any { return p.start },
		Step:              func(state, input, _ any) (bool, any) { return input.(*step).apply(state.(string)) },
		Hash:              func(state any) uint64 { return hash(state.(string)) },
		DescribeOperation: func(input, _ any) string { return input.(*step).String() },
		DescribeState:     func(state any) string { return p.describe(state.(string)) },
		DescribeOperationMetadata: func(data any) string {
			o, ok := data.(*Operation)
			switch {
			case !ok:
				return ""
			case o.Returned == Moment{}:
				return fmt.Sprintf("called at %v, never returned", o.Invoked.At)
			}
			return fmt.Sprintf("called at %v, returned at %v", o.Invoked.At, o.Returned.At)
		},
	}
}

func (s *step) String() string {
	if s.op == nil {
		return "end of the history: what is still open took no effect"
	}
	return s.op.String()
}

// describe shows a state, keys in order.
func (p *program) describe(state string) string {
	if state == ended {
		return "end"
	}
	lines := make([]string, len(p.keys))
	for i, k := range p.keys {
		lines[i] = fmt.Sprintf("%q: %v", k, p.values[at(state, i)])
	}
	slices.Sort(lines)
	return strings.Join(lines, ", ")
}
