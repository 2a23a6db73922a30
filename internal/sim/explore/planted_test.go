package explore_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/sim/checker"
	"github.com/lakebench/lakebench/internal/sim/explore"
	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/run"
	"github.com/lakebench/lakebench/store"
)

// planted is a store with a bug that is easy to write: it looks whether a value
// is as expected, and writes later.
type planted struct {
	store.MetaStore
	values map[string][]byte
}

func (p *planted) Get(ctx context.Context, key string) ([]byte, error) {
	task.Yield(ctx)
	if v, ok := p.values[key]; ok {
		return v, nil
	}
	return nil, store.ErrNotFound
}

func (p *planted) CAS(ctx context.Context, key string, expected store.Expectation, next []byte) error {
	task.Yield(ctx)
	v, ok := p.values[key]
	if !expected.Met(v, ok) {
		return &store.ConflictError{Key: key, Expected: expected, Found: store.Found{Value: v, Exists: ok}}
	}
	task.Yield(ctx) // whoever runs now writes in between
	p.values[key] = next
	return nil
}

// counting is a scenario of actors that count in one key of such a store.
type counting struct {
	store    store.MetaStore
	setup    explore.Setup
	recorder *checker.Recorder
	numbers  []int
	limits   checker.Limits
	act      func(ctx context.Context, w *counting, actor int) error
}

func countingScenario(actors, operations int) explore.Scenario {
	return countingWith(actors, operations, checker.DefaultLimits(), nil)
}

// countingWith is countingScenario with other limits, and with actors that do
// something else if act is not nil.
func countingWith(actors, operations int, limits checker.Limits, act func(ctx context.Context, w *counting, actor int) error) explore.Scenario {
	s := explore.Scenario{
		Name: "counting", Flags: []string{"--scenario", "counting"}, Operations: operations,
		Open: func(ctx context.Context, s explore.Setup) (explore.World, error) {
			w := &counting{setup: s, recorder: checker.NewRecorder(ctx), limits: limits, act: act}
			w.store = run.Record(&planted{values: map[string][]byte{}}, w.recorder, nil)
			return w, nil
		},
	}
	for i := range actors {
		s.Actors = append(s.Actors, fmt.Sprintf("counter-%d", i+1))
	}
	return s
}

func (w *counting) Act(ctx context.Context, actor int) error {
	if w.act != nil {
		return w.act(ctx, w, actor)
	}
	for range w.setup.Operations {
		w.increment(ctx)
	}
	return nil
}

func (w *counting) increment(ctx context.Context) {
	expected, n := store.Absent(), 0
	old, err := w.store.Get(w.operation(ctx, "get"), "n")
	if err == nil {
		expected = store.Exactly(old)
		_, err = fmt.Sscan(string(old), &n)
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		panic(err)
	}
	ctx = w.operation(ctx, fmt.Sprintf("cas %v → %d", expected, n+1))
	err = w.store.CAS(ctx, "n", expected, fmt.Appendf(nil, "%d %s", n+1, cause.Actor(ctx)))
	w.setup.Log.End(ctx, fmt.Sprintf("= %v", err))
}

func (w *counting) operation(ctx context.Context, text string) context.Context {
	w.numbers = append(w.numbers, len(w.numbers))
	return w.setup.Log.Operation(ctx, len(w.numbers)-1, text)
}

func (w *counting) History() checker.History { return w.recorder.History() }

func (w *counting) Checks(ctx context.Context) ([]explore.Check, error) {
	res, err := checker.Check(ctx, w.recorder.History(), w.limits)
	return []explore.Check{{Name: "linearizable", Verdict: res.Verdict, Detail: res.Detail, Failing: res.Failing}}, err
}
