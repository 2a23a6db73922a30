package checker

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// shape describes a random history.
type shape struct {
	seed                             uint64
	actors, operations, keys, values int
	unknown                          float64 // share of mutations whose reply is lost
}

// randomHistory runs actors against one map, an event at a time: a call, an
// effect (at one moment, all of it) and a return are events, and a seed decides
// whose comes next. So what it returns is linearizable by construction. A
// mutation whose reply is lost has its effect at any later event, or never.
func randomHistory(s shape) History {
	rng := rand.New(rand.NewPCG(s.seed, 0))
	w := &world{rng: rng, shape: s, state: map[string]string{}}
	for range s.keys / 2 {
		k := w.key()
		if _, ok := w.state[k]; !ok {
			w.state[k] = w.value()
			w.h.Initial = append(w.h.Initial, Entry{k, Text(w.state[k])})
		}
	}
	busy := make([]*inFlight, s.actors)
	for len(w.h.Operations) < s.operations || slices.ContainsFunc(busy, func(f *inFlight) bool { return f != nil }) {
		if len(w.late) > 0 && rng.IntN(4) == 0 {
			i := rng.IntN(len(w.late))
			w.execute(w.late[i])
			w.late = slices.Delete(w.late, i, i+1)
			continue
		}
		w.event(busy, rng.IntN(s.actors))
	}
	return w.h // what is still late never lands
}

type world struct {
	rng *rand.Rand
	shape
	h     History
	state map[string]string
	next  int
	seq   int64
	late  []Call
}

type inFlight struct {
	index    int
	executed bool
	answer   Answer
}

func (w *world) key() string { return fmt.Sprintf("k%d", w.rng.IntN(w.keys)) }

// value is a new value, or one of few that come again and again.
func (w *world) value() string {
	w.next++
	return fmt.Sprintf("v%d", w.next%w.values)
}

func (w *world) moment() Moment {
	w.seq++
	return moment(w.seq)
}

func (w *world) event(busy []*inFlight, actor int) {
	f := busy[actor]
	switch {
	case f == nil:
		if len(w.h.Operations) < w.operations {
			w.h.Operations = append(w.h.Operations,
				Operation{Actor: fmt.Sprint("actor-", actor), Call: w.call(), Answer: answer(Unknown), Invoked: w.moment()})
			busy[actor] = &inFlight{index: len(w.h.Operations) - 1}
		}
		return
	case !f.executed:
		o := &w.h.Operations[f.index]
		f.executed = true
		if o.Call.Kind == Get || w.rng.Float64() >= w.unknown {
			f.answer = w.execute(o.Call)
			return
		}
		f.answer = answer(Unknown)
		if w.rng.IntN(2) == 0 {
			w.execute(o.Call)
		} else {
			w.late = append(w.late, o.Call)
		}
		return
	}
	o := &w.h.Operations[f.index]
	o.Answer, o.Returned = f.answer, w.moment()
	busy[actor] = nil
}

func (w *world) call() Call {
	k := w.key()
	expect := Absent()
	if v, ok := w.state[k]; ok && w.rng.IntN(4) > 0 {
		expect = Text(v) // most mutations have a chance
	} else if w.rng.IntN(3) == 0 {
		expect = Text(w.value())
	}
	switch w.rng.IntN(6) {
	case 0, 1:
		return get(k)
	case 2:
		if v, ok := expect.Get(); ok {
			return del(k, v)
		}
	case 3:
		if g := w.key(); g != k {
			c := Call{Kind: Guarded, Key: k, Expect: expect, Next: Text(w.value()), Guard: g, GuardExpect: Absent()}
			if v, ok := w.state[g]; ok {
				c.GuardExpect = Text(v)
			}
			if _, ok := expect.Get(); ok && w.rng.IntN(3) == 0 {
				c.Next = Absent()
			}
			return c
		}
	}
	return Call{Kind: CAS, Key: k, Expect: expect, Next: Text(w.value())}
}

// execute is the store, written independently of the model.
func (w *world) execute(c Call) Answer {
	holds := func(key string, v Value) bool {
		want, wantIt := v.Get()
		is, there := w.state[key]
		return there == wantIt && is == want
	}
	report := func(o Outcome, key string) Answer {
		if v, ok := w.state[key]; ok && w.rng.IntN(2) == 0 {
			return found(o, v)
		}
		return answer(o)
	}
	is, there := w.state[c.Key]
	switch {
	case c.Kind == Get && there:
		return saw(is)
	case c.Kind == Get, c.Kind == Delete && !there:
		return answer(NotFound)
	case c.Kind == Guarded && !holds(c.Guard, c.GuardExpect):
		return report(GuardFailed, c.Guard)
	case !holds(c.Key, c.Expect):
		return report(Conflict, c.Key)
	}
	if next, ok := c.Next.Get(); ok {
		w.state[c.Key] = next
	} else {
		delete(w.state, c.Key)
	}
	return answer(OK)
}

func TestLinearizableHistoriesPass(t *testing.T) {
	for seed := range uint64(400) {
		s := shape{seed: seed, actors: 2 + int(seed%5), operations: 60, keys: 1 + int(seed%4), values: 1 + int(seed%7), unknown: 0.1}
		if res := check(t, randomHistory(s)); res.Verdict != Passed {
			t.Fatalf("%+v: %s (%s)", s, res.Verdict, res.Detail)
		}
	}
}

// corrupt changes one answer, so that the history may or may not be linearizable.
func corrupt(rng *rand.Rand, h History) {
	o := &h.Operations[rng.IntN(len(h.Operations))]
	options := []Answer{}
	for _, out := range outcomes[o.Call.Kind] {
		if out == Refused {
			continue
		}
		a := answer(out)
		if o.Call.Kind == Get && out == OK || out == Conflict && rng.IntN(2) == 0 {
			a.Found = Text(fmt.Sprintf("v%d", rng.IntN(3)))
		}
		options = append(options, a)
	}
	o.Answer = options[rng.IntN(len(options))]
}

func TestCheckAgreesWithBruteForce(t *testing.T) {
	const histories = 4000
	var verdicts [2]int
	for seed := range uint64(histories) {
		rng := rand.New(rand.NewPCG(seed, 1))
		h := randomHistory(shape{seed: seed, actors: 3, operations: 7, keys: 1 + int(seed%3), values: 3, unknown: 0.3})
		for range rng.IntN(3) {
			corrupt(rng, h)
		}
		want := bruteForce(h)
		got, err := Check(context.Background(), h, DefaultLimits())
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if got.Verdict == Inconclusive { // nothing definite in it
			if len(split(h)) > 0 || !want {
				t.Fatalf("seed %d: %s", seed, got.Detail)
			}
			continue
		}
		if (got.Verdict == Passed) != want {
			t.Fatalf("seed %d: check says %s, brute force says linearizable: %v\n%v", seed, got.Verdict, want, h)
		}
		if got.Verdict == Failed {
			verdicts[1]++
			if bruteForce(got.Failing) {
				t.Fatalf("seed %d: the failing part is linearizable\n%v", seed, got.Failing)
			}
			if why := notImplied(h, got.Failing); why != "" {
				t.Fatalf("seed %d: %s\n%v\nin\n%v", seed, why, got.Failing, h)
			}
			continue
		}
		verdicts[0]++
	}
	// A comparison of nothing but passes would prove little.
	if verdicts[0] < histories/10 || verdicts[1] < histories/10 {
		t.Errorf("%d passed, %d failed: too few of one", verdicts[0], verdicts[1])
	}
}

// notImplied says why the failing part does not show that the history fails, ""
// if it does: operations must be what they were, or open, and nothing that may
// have set one of its keys may be missing.
func notImplied(h, failing History) string {
	end := int64(0)
	part := map[int64]Operation{}
	for _, o := range failing.Operations {
		if o.Answer.Outcome != Unknown {
			end = max(end, o.Returned.Seq)
		}
		part[o.Invoked.Seq] = o
	}
	keys := map[string]bool{}
	for _, o := range failing.Operations {
		keys[o.Call.Key] = true
		if o.Call.Kind == Guarded {
			keys[o.Call.Guard] = true
		}
	}
	for _, o := range h.Operations {
		kept, ok := part[o.Invoked.Seq]
		switch {
		case !ok && keys[o.Call.Key] && o.Call.Kind != Get && (o.Answer.Outcome == OK || o.Answer.Outcome == Unknown) && o.Invoked.Seq < end:
			return fmt.Sprintf("a mutation is missing: %v", o)
		case !ok || o.Answer.Outcome == Unknown:
		case o.Returned.Seq > end && kept.Answer.Outcome != Unknown:
			return fmt.Sprintf("had not returned by then: %v", o)
		case o.Returned.Seq <= end && (kept.Answer != o.Answer || kept.Returned != o.Returned):
			return fmt.Sprintf("was different: %v", o)
		}
	}
	return ""
}

// bruteForce tries every order of the operations that respects real time, with
// every choice of which unknown ones had an effect.
func bruteForce(h History) bool {
	state := map[string]Value{}
	for _, e := range h.Initial {
		state[e.Key] = e.Value
	}
	return anyOrder(h.Operations, state)
}

func anyOrder(left []Operation, state map[string]Value) bool {
	must := slices.ContainsFunc(left, func(o Operation) bool { return o.Answer.Outcome != Unknown && o.Answer.Outcome != Refused })
	if !must {
		return true
	}
	for i, o := range left {
		if o.Answer.Outcome == Refused {
			continue
		}
		// Some other operation had returned before this one was called.
		if slices.ContainsFunc(left, func(p Operation) bool {
			return p.Answer.Outcome != Unknown && p.Answer.Outcome != Refused && p.Returned.Seq < o.Invoked.Seq
		}) {
			continue
		}
		after, ok := oneStep(o, state)
		if ok && anyOrder(slices.Delete(slices.Clone(left), i, i+1), after) {
			return true
		}
	}
	return false
}

func oneStep(o Operation, state map[string]Value) (map[string]Value, bool) {
	in := func(key string) Value {
		if v, ok := state[key]; ok {
			return v
		}
		return Absent()
	}
	c, a := o.Call, o.Answer
	if c.Kind == Get {
		want := a.Found
		if a.Outcome == NotFound {
			want = Absent()
		}
		return state, in(c.Key) == want
	}
	// What a store that does one thing at a time would have said.
	honest, seen := OK, Value{}
	switch {
	case c.Kind == Guarded && in(c.Guard) != c.GuardExpect:
		honest, seen = GuardFailed, in(c.Guard)
	case c.Kind == Delete && in(c.Key) == Absent():
		honest = NotFound
	case in(c.Key) != c.Expect:
		honest, seen = Conflict, in(c.Key)
	}
	if a.Outcome != Unknown && (a.Outcome != honest || a.Found.Said() && a.Found != seen) {
		return nil, false
	}
	if honest != OK {
		return state, true
	}
	after := map[string]Value{}
	for k, v := range state {
		after[k] = v
	}
	delete(after, c.Key)
	if _, ok := c.Next.Get(); ok {
		after[c.Key] = c.Next
	}
	return after, true
}
