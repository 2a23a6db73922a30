package metadata

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/sim/checker"
	"github.com/lakebench/lakebench/run"
	"github.com/lakebench/lakebench/store"
)

// An actor makes random operations. What it asks for follows from its seed and
// from what it has been told: it mostly expects keys to be as it last saw them.
type actor struct {
	world *World
	name  string
	store *run.Recorded
	mix   []string // an operation is a random one of these
	rng   *rand.Rand
	known map[string]store.Expectation
	made  int // unique values
}

func newActor(w *World, index int, s *run.Recorded) *actor {
	a := &actor{
		world: w, name: w.names[index], store: s,
		rng:   rand.New(rand.NewPCG(w.service.Stream(w.names[index]), streamOperations)),
		known: map[string]store.Expectation{},
	}
	for _, op := range knownOperations() {
		for range w.cfg.Mix[w.cfg.role(index)][op] {
			a.mix = append(a.mix, op)
		}
	}
	return a
}

// auditor is who makes the last reads of a run.
const auditor = "auditor"

// Audit reads every key once more, through s, as the last operations of the run.
func (w *World) Audit(ctx context.Context, s store.MetaStore) {
	ctx = cause.WithActor(context.WithoutCancel(ctx), auditor)
	a := &actor{world: w, name: auditor, store: run.Record(s, w.recorder, nil), known: map[string]store.Expectation{}}
	for _, key := range w.cfg.Keys() {
		a.get(ctx, key)
	}
}

// An operation is one that is under way.
type operation struct {
	number int
	last   error // of its last call
}

type operationKey struct{}

func operationOf(ctx context.Context) *operation {
	o, _ := ctx.Value(operationKey{}).(*operation)
	return o
}

// begin takes note of a new operation, which the recorder will have as its next
// entries entries.
func (a *actor) begin(ctx context.Context, entries int, what func() string) (context.Context, *operation) {
	w := a.world
	o := &operation{number: w.begun}
	w.begun++
	for range entries {
		w.numbers = append(w.numbers, o.number)
	}
	if w.setup.Log.Wanted() {
		ctx = w.setup.Log.Operation(ctx, o.number, what())
	}
	return context.WithValue(ctx, operationKey{}, o), o
}

func (a *actor) end(ctx context.Context, what func() string) {
	if a.world.setup.Log.Wanted() {
		a.world.setup.Log.End(ctx, what())
	}
}

// operate makes the next operation. It draws as many random numbers whatever it
// does, so that what it does next does not depend on how this one ends.
func (a *actor) operate(ctx context.Context) {
	op := a.mix[a.rng.IntN(len(a.mix))]
	group := a.world.cfg.Groups[a.rng.IntN(len(a.world.cfg.Groups))]
	at := a.rng.IntN(1 + len(group.Targets))
	guess, guardGuess := a.guess(), a.guess()
	next, removes := a.value(), a.rng.IntN(3) == 0
	key := slices.Concat([]string{group.Guard}, group.Targets)[at]
	switch op {
	case opGet:
		a.get(ctx, key)
	case opCAS:
		a.cas(ctx, key, a.expected(key, guess), next)
	case opDelete:
		a.remove(ctx, key, a.expected(key, guess))
	case opGuarded:
		target := group.Targets[at%len(group.Targets)]
		a.guarded(ctx, store.Guard{Key: group.Guard, Expect: a.expected(group.Guard, guardGuess)}, target, a.expected(target, guess), next, removes)
	case opList:
		a.list(ctx)
	}
}

// A guess is an expectation that does without knowledge, and whether to make use
// of it all the same.
type guess struct {
	use    bool
	expect store.Expectation
}

func (a *actor) guess() guess {
	shared := a.world.cfg.Shared
	g := guess{use: a.rng.IntN(8) == 0}
	if i := a.rng.IntN(1 + len(shared)); i < len(shared) {
		g.expect = store.Exactly([]byte(shared[i]))
	}
	return g
}

func (a *actor) expected(key string, g guess) store.Expectation {
	if known, ok := a.known[key]; ok && !g.use {
		return known
	}
	return g.expect
}

// value returns a value to write.
func (a *actor) value() []byte {
	shared := a.world.cfg.Shared
	i, unique := a.rng.IntN(len(shared)), a.rng.Float64() < a.world.cfg.Unique
	if !unique {
		return []byte(shared[i])
	}
	a.made++
	return fmt.Appendf(nil, "%s.%d", a.name, a.made)
}

func (a *actor) get(ctx context.Context, key string) {
	ctx, _ = a.begin(ctx, 1, func() string { return checker.Call{Kind: checker.Get, Key: key}.String() })
	value, err := a.store.Get(ctx, key)
	switch {
	case err == nil:
		a.known[key] = store.Exactly(value)
	case errors.Is(err, store.ErrNotFound):
		a.known[key] = store.Absent()
	}
	a.end(ctx, func() string { return describeRead(value, err) })
}

func (a *actor) cas(ctx context.Context, key string, expected store.Expectation, next []byte) {
	ctx, o := a.begin(ctx, 1, func() string { return fmt.Sprintf("cas %q %v → %q", key, describe(expected), next) })
	err := a.store.CAS(ctx, key, expected, next)
	a.learn(key, err, store.Exactly(next))
	a.judge(ctx, o, err)
}

// remove deletes a key. One that is expected to be absent cannot be deleted: then
// the first shared value is expected.
func (a *actor) remove(ctx context.Context, key string, expected store.Expectation) {
	value, exists := expected.Value()
	if !exists {
		value = []byte(a.world.cfg.Shared[0])
	}
	ctx, o := a.begin(ctx, 1, func() string { return fmt.Sprintf("delete %q %q", key, value) })
	err := a.store.Delete(ctx, key, value)
	a.learn(key, err, store.Absent())
	a.judge(ctx, o, err)
}

func (a *actor) guarded(ctx context.Context, g store.Guard, key string, expected store.Expectation, next []byte, removes bool) {
	m := store.Mutation{Key: key, Expect: expected, Next: next}
	then := store.Exactly(next)
	if _, exists := expected.Value(); removes && exists {
		m.Next, m.Delete, then = nil, true, store.Absent()
	}
	ctx, o := a.begin(ctx, 1, func() string {
		return fmt.Sprintf("guarded %q %v → %v if %q %v", key, describe(expected), describe(then), g.Key, describe(g.Expect))
	})
	err := a.store.GuardedMutate(ctx, g, m)
	a.learn(key, err, then)
	var refused *store.GuardError
	if errors.As(err, &refused) {
		a.known[g.Key] = found(refused.Found)
	}
	a.judge(ctx, o, err)
}

// learn takes note of what a mutation tells of its key.
func (a *actor) learn(key string, err error, then store.Expectation) {
	var conflict *store.ConflictError
	switch {
	case err == nil:
		a.known[key] = then
	case errors.As(err, &conflict):
		a.known[key] = found(conflict.Found)
	case errors.Is(err, store.ErrNotFound):
		a.known[key] = store.Absent()
	}
}

func found(f store.Found) store.Expectation {
	if f.Exists {
		return store.Exactly(f.Value)
	}
	return store.Absent()
}

// judge holds the end of a mutation against the contract.
func (a *actor) judge(ctx context.Context, o *operation, err error) {
	a.end(ctx, func() string { return "= " + run.MutationAnswer(err).String() })
	if ctx.Err() != nil {
		return // its node has crashed, so no caller was answered
	}
	switch {
	case isContention(err):
		if !refusedForContention(o.last) {
			a.world.answers.add(o.number, "%s was told of contention, and its last request ended with: %v", a.name, o.last)
		}
	case !isOutcome(err):
		a.world.answers.add(o.number, "%s was told what is no outcome of a mutation: %v", a.name, err)
	}
}

func (a *actor) list(ctx context.Context) {
	w := a.world
	ctx, o := a.begin(ctx, len(w.listedKeys()), func() string { return fmt.Sprintf("list %q", listed) })
	var keys []string
	var failed error
	for e, err := range a.store.List(ctx, listed) {
		if failed = err; err != nil {
			break
		}
		switch {
		case slices.Contains(keys, e.Key):
			w.listings.add(o.number, "%s got %q twice in one list", a.name, e.Key)
		case !isListed(e.Key) || !slices.Contains(w.cfg.Keys(), e.Key):
			w.listings.add(o.number, "%s got %q in a list of %q, which no actor wrote", a.name, e.Key, listed)
		}
		keys = append(keys, e.Key)
		a.known[e.Key] = store.Exactly(e.Value)
	}
	a.end(ctx, func() string { return describeList(keys, failed) })
}
