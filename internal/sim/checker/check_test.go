package checker

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/lakebench/lakebench/internal/sim/task"
)

func check(t *testing.T, h History) Result {
	t.Helper()
	res, err := Check(t.Context(), h, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestCheckKnownVerdicts(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			res := check(t, c.h)
			if res.Verdict != c.want {
				t.Fatalf("%s (%s), want %s", res.Verdict, res.Detail, c.want)
			}
			if res.Detail == "" || strings.Contains(res.Detail, "\n") {
				t.Errorf("detail %q, want one line", res.Detail)
			}
			if again := check(t, c.h); again.Steps != res.Steps {
				t.Errorf("%d steps, then %d", res.Steps, again.Steps)
			}
			if c.want == Failed {
				if again := check(t, res.Failing); again.Verdict != Failed {
					t.Errorf("the failing part alone %s", again.Verdict)
				}
			}
		})
	}
}

// The program of a check with one of its guards taken out; the known verdicts
// must tell each from the real one.
func TestCheckMutants(t *testing.T) {
	steps := func(p *program, each func(*step, *porcupine.Operation)) {
		for i := range p.ops {
			if s := p.ops[i].Input.(*step); s.op != nil {
				each(s, &p.ops[i])
			}
		}
	}
	mutants := map[string]func(p *program){
		"unknown outcomes end when the caller gave up": func(p *program) {
			steps(p, func(s *step, o *porcupine.Operation) {
				if s.op.open() && s.op.Returned.Seq > 0 {
					o.Return = s.op.Returned.Seq
				}
			})
		},
		"unknown outcomes are taken for success": func(p *program) {
			steps(p, func(s *step, _ *porcupine.Operation) {
				if s.outcome == Unknown {
					must := *s.op
					must.Answer.Outcome = OK
					s.op, s.outcome = &must, OK
				}
			})
		},
		"unknown outcomes are left out": func(p *program) {
			kept := p.ops[:0]
			for _, o := range p.ops {
				if s := o.Input.(*step); s.op == nil || !s.op.open() {
					kept = append(kept, o)
				}
			}
			p.ops = kept
		},
		"unknown outcomes reach back before their call": func(p *program) {
			steps(p, func(s *step, o *porcupine.Operation) {
				if s.op.open() {
					o.Call = 0
				}
			})
		},
		"guards are not looked at": func(p *program) {
			steps(p, func(s *step, _ *porcupine.Operation) { s.guard = noGuard })
		},
		"what a refusal found is not looked at": func(p *program) {
			steps(p, func(s *step, _ *porcupine.Operation) {
				if s.outcome != OK {
					s.found = unsaidFound
				}
			})
		},
		"an empty value is nothing": func(p *program) {
			empty := p.value(Text(""))
			steps(p, func(s *step, _ *porcupine.Operation) {
				for _, n := range []*int32{&s.expect, &s.next, &s.found} {
					if *n == empty {
						*n = absent
					}
				}
			})
		},
		"real time is not looked at": func(p *program) {
			steps(p, func(_ *step, o *porcupine.Operation) { o.Call, o.Return = 0, math.MaxInt64 })
		},
		"the initial state is not looked at": func(p *program) {
			p.start = strings.Repeat("\x00", len(p.start))
		},
	}
	for name, mutate := range mutants {
		t.Run(name, func(t *testing.T) {
			for _, c := range cases {
				if c.want == Inconclusive {
					continue
				}
				p := compile(c.h)
				mutate(p)
				got := Failed
				if porcupine.CheckOperations(p.model(), p.ops) {
					got = Passed
				}
				if got != c.want {
					return // found
				}
			}
			t.Error("no known verdict tells this mutant from the checker")
		})
	}
}

// A history of one key that has an order, but whose search has to try many.
func hardHistory(unknown int) History {
	var ops []Operation
	seq := int64(0)
	for i := range unknown {
		seq++
		ops = append(ops, op("u", seq, never, cas("k", Text("0"), string(rune('a'+i))), answer(Unknown)))
		seq++
		ops = append(ops, op("v", seq, never, cas("k", Text(string(rune('a'+i))), "0"), answer(Unknown)))
	}
	ops = append(ops, op("r", seq+1, seq+2, get("k"), saw("never written")))
	return history(ops...).startingWith("k", "0")
}

func TestCheckStopsAtItsLimits(t *testing.T) {
	easy := op("e", 101, 102, get("other"), answer(NotFound))
	hard := hardHistory(12)
	hard.Operations = append(hard.Operations, easy)
	for _, c := range []struct {
		name   string
		limits Limits
		want   string
	}{
		{"steps", Limits{Steps: 10_000, Bytes: 1 << 30}, "more than 10000 steps"},
		{"bytes", Limits{Steps: 1 << 40, Bytes: 1 << 20}, "more than 1048576 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			first, err := Check(t.Context(), hard, c.limits)
			if err != nil {
				t.Fatal(err)
			}
			if first.Verdict != Inconclusive || !strings.Contains(first.Detail, c.want) {
				t.Errorf("%s (%s), want inconclusive for %q", first.Verdict, first.Detail, c.want)
			}
			second, err := Check(t.Context(), hard, c.limits)
			if err != nil || second.Steps != first.Steps {
				t.Errorf("%d steps, then %d (%v)", first.Steps, second.Steps, err)
			}
		})
	}
	t.Run("a failure elsewhere still counts", func(t *testing.T) {
		h := hard
		h.Operations = append(h.Operations, op("e", 103, 104, get("other"), saw("x")))
		res, err := Check(t.Context(), h, Limits{Steps: 10_000, Bytes: 1 << 30})
		if err != nil || res.Verdict != Failed {
			t.Errorf("%s, %v, want failed", res.Verdict, err)
		}
	})
	t.Run("the end of the context", func(t *testing.T) {
		why := errors.New("interrupted")
		ctx, cancel := task.WithCancel(t.Context())
		cancel(why)
		res, err := Check(ctx, hard, DefaultLimits())
		if err != nil || res.Verdict != Inconclusive || !strings.Contains(res.Detail, why.Error()) {
			t.Errorf("%s (%s), %v, want inconclusive", res.Verdict, res.Detail, err)
		}
	})
	t.Run("a timeout", func(t *testing.T) {
		l := Limits{Steps: math.MaxInt64, Bytes: math.MaxInt64, Timeout: time.Nanosecond}
		res, err := Check(t.Context(), hard, l)
		if err != nil || res.Verdict != Inconclusive || !strings.Contains(res.Detail, "deadline") {
			t.Errorf("%s (%s), %v, want inconclusive", res.Verdict, res.Detail, err)
		}
	})
}

func TestLimitsValidate(t *testing.T) {
	for _, l := range []Limits{{Steps: 0, Bytes: 1}, {Steps: 1, Bytes: 0}, {Steps: 1, Bytes: 1, Timeout: -1}} {
		if _, err := Check(context.Background(), History{}, l); err == nil {
			t.Errorf("%+v: no error", l)
		}
	}
	if err := DefaultLimits().Validate(); err != nil {
		t.Error(err)
	}
}

// Long histories of few actors must not need more than a few steps an operation,
// or real ones could not be checked.
func TestCheckLongHistory(t *testing.T) {
	h := randomHistory(shape{seed: 1, actors: 8, operations: 1600, keys: 20, values: 1 << 30, unknown: 0.01})
	res := check(t, h)
	if res.Verdict != Passed || res.Parts != 1 {
		t.Fatalf("%s (%s) in %d parts, want passed in one", res.Verdict, res.Detail, res.Parts)
	}
	if most := int64(100 * len(h.Operations)); res.Steps > most {
		t.Errorf("%d steps for %d operations, want at most %d", res.Steps, len(h.Operations), most)
	}
}

func TestFailingPartIsSmall(t *testing.T) {
	h := randomHistory(shape{seed: 2, actors: 6, operations: 400, keys: 8, values: 1 << 30, unknown: 0.02})
	// A read in the middle returns a value that was never written.
	lied := 0
	for i := 200; lied == 0; i++ {
		if o := &h.Operations[i]; o.Call.Kind == Get && o.Answer.Outcome != Refused {
			o.Answer = saw("a lie")
			lied = i
		}
	}
	res := check(t, h)
	if res.Verdict != Failed {
		t.Fatal(res.Verdict)
	}
	// The lie contradicts every order on its own: all else that stays are
	// mutations of its key before it.
	key := h.Operations[lied].Call.Key
	observers := 0
	for _, o := range res.Failing.Operations {
		if o.Call.Key != key || o.Invoked.Seq > h.Operations[lied].Returned.Seq {
			t.Errorf("not needed: %v", o)
		}
		if !o.mutates() && !o.open() {
			observers++
		}
	}
	if observers != 1 || !strings.Contains(res.Detail, "a lie") {
		t.Errorf("%d reads and refusals left, want the one that lies; detail %q", observers, res.Detail)
	}
}
