package checker

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/lakebench/lakebench/internal/sim/task"
)

func TestRecorderOnVirtualTime(t *testing.T) {
	var h History
	_, err := task.Run(t.Context(), task.VirtualConfig{}, func(ctx context.Context) error {
		r := NewRecorder(ctx, Entry{"k", Text("0")})
		first := r.Begin(ctx, "a", cas("k", Text("0"), "1"))
		second := r.Begin(ctx, "b", get("k")) // at the same virtual time
		if err := task.Sleep(ctx, time.Second); err != nil {
			return err
		}
		second.End(ctx, saw("0"))
		first.End(ctx, answer(OK))
		r.Begin(ctx, "c", get("k"))
		r.Begin(ctx, "c", del("k", "1"))
		h = r.History()
		if r.Len() != 4 {
			t.Errorf("%d operations, want 4", r.Len())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []Operation{
		{"a", cas("k", Text("0"), "1"), Moment{1, 0}, Moment{4, time.Second}, answer(OK)},
		{"b", get("k"), Moment{2, 0}, Moment{3, time.Second}, saw("0")},
		{"c", get("k"), Moment{5, time.Second}, Moment{}, answer(Refused)},
		{"c", del("k", "1"), Moment{6, time.Second}, Moment{}, answer(Unknown)},
	}
	for i, o := range want {
		if h.Operations[i] != o {
			t.Errorf("operation %d: %+v, want %+v", i, h.Operations[i], o)
		}
	}
	if res := check(t, h); res.Verdict != Passed {
		t.Errorf("%s: %s", res.Verdict, res.Detail)
	}
}

// Many real tasks on one store that does one thing at a time: whatever the
// machine makes of it is linearizable.
func TestRecorderOnRealTime(t *testing.T) {
	r := NewRecorder(t.Context())
	s := &world{state: map[string]string{}} // the store of the random histories
	var mu task.Mutex
	g := task.NewGroup(t.Context(), 0)
	for _, actor := range []string{"a", "b", "c", "d"} {
		g.Go(actor, func(ctx context.Context) error {
			last := Absent()
			for i := range 100 {
				c := cas("k", last, actor+string(rune('0'+i%10)))
				p := r.Begin(ctx, actor, c)
				a := answer(Conflict)
				if err := mu.Lock(ctx); err != nil {
					return err
				}
				if v, ok := s.state["k"]; (last == Absent() && !ok) || last == Text(v) {
					s.state["k"], _ = c.Next.Get()
					a = answer(OK)
				}
				last = Text(s.state["k"])
				mu.Unlock()
				p.End(ctx, a)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	h := r.History()
	if err := h.Validate(); err != nil {
		t.Fatal(err)
	}
	if res := check(t, h); res.Verdict != Passed || len(h.Operations) != 400 {
		t.Errorf("%s: %s", res.Verdict, res.Detail)
	}
}

func TestEndingTwicePanics(t *testing.T) {
	r := NewRecorder(t.Context())
	p := r.Begin(t.Context(), "a", get("k"))
	p.End(t.Context(), answer(NotFound))
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	p.End(t.Context(), answer(NotFound))
}

func TestValidateRefusesWhatMakesNoSense(t *testing.T) {
	good := func() History {
		return history(
			op("a", 1, 3, cas("k", Absent(), "1"), answer(OK)),
			op("b", 2, 4, get("k"), saw("1")),
		).startingWith("i", "0")
	}
	if err := good().Validate(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(h *History){
		"initial without key":         func(h *History) { h.Initial[0].Key = "" },
		"initial without value":       func(h *History) { h.Initial[0].Value = Absent() },
		"initial twice":               func(h *History) { h.Initial = append(h.Initial, h.Initial[0]) },
		"unknown kind":                func(h *History) { h.Operations[0].Call.Kind = "swap" },
		"no key":                      func(h *History) { h.Operations[0].Call.Key = "" },
		"cas without expectation":     func(h *History) { h.Operations[0].Call.Expect = Value{} },
		"cas that removes":            func(h *History) { h.Operations[0].Call.Next = Absent() },
		"cas with a guard":            func(h *History) { h.Operations[0].Call.Guard = "g" },
		"get that expects":            func(h *History) { h.Operations[1].Call.Expect = Absent() },
		"delete of nothing":           func(h *History) { h.Operations[0].Call = Call{Kind: Delete, Key: "k", Expect: Absent()} },
		"delete that sets":            func(h *History) { h.Operations[0].Call.Kind = Delete },
		"guarded without guard":       func(h *History) { h.Operations[0].Call.Kind = Guarded },
		"guarded by its target":       func(h *History) { h.Operations[0].Call = guarded("k", "1", cas("k", Absent(), "1")) },
		"guarded without setting":     func(h *History) { h.Operations[0].Call = guarded("g", "1", Call{Key: "k", Expect: Absent()}) },
		"guarded removal of nothing":  func(h *History) { h.Operations[0].Call = Call{Guarded, "k", Absent(), Absent(), "g", Absent()} },
		"outcome of another kind":     func(h *History) { h.Operations[0].Answer = answer(NotFound) },
		"get of unknown outcome":      func(h *History) { h.Operations[1].Answer = answer(Unknown) },
		"get that found nothing":      func(h *History) { h.Operations[1].Answer = answer(OK) },
		"ok with a value found":       func(h *History) { h.Operations[0].Answer = found(OK, "1") },
		"seq 0":                       func(h *History) { h.Operations[0].Invoked.Seq = 0 },
		"time below 0":                func(h *History) { h.Operations[0].Invoked.At = -1 },
		"returned before it began":    func(h *History) { h.Operations[1].Returned.Seq = 1 },
		"definite and never returned": func(h *History) { h.Operations[1].Returned = Moment{} },
		"not in order": func(h *History) {
			h.Operations[1].Invoked, h.Operations[0].Invoked = h.Operations[0].Invoked, h.Operations[1].Invoked
		},
		"one seq twice":    func(h *History) { h.Operations[1].Returned.Seq = 3 },
		"time against seq": func(h *History) { h.Operations[1].Invoked.At = 0 },
	} {
		h := good()
		spoil(&h)
		if err := h.Validate(); !errors.Is(err, ErrHistory) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := Check(t.Context(), h, DefaultLimits()); !errors.Is(err, ErrHistory) {
			t.Errorf("%s: checked with %v", name, err)
		}
	}
}
