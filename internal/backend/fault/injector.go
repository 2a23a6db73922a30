package fault

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/sim/task"
)

// Config holds an injector's settings beside its rules. There are no wrong ones.
type Config struct {
	// Seed decides the probabilities. Each rule draws from a stream of its own, so
	// that adding one does not change what the others do.
	Seed uint64
	// Observe, unless nil, is called for each effect on each request, with the
	// request's context, before the effect takes place. It must not wait.
	Observe func(ctx context.Context, f Firing)
}

// DefaultConfig returns seed 1 and no observer.
func DefaultConfig() Config { return Config{Seed: 1} }

// A Firing is one time that a rule had its effect.
type Firing struct {
	Index int // of the rule
	Rule  Rule
	// Match is the request's number among those that fulfilled the rule's
	// conditions, from 1: what nth counts.
	Match int64
}

// Only returns the rule that fires at this request only: a replay of the same
// requests with it has this fault and no other of the rule.
func (f Firing) Only() Rule {
	r := f.Rule
	r.Select = Selection{First: f.Match, Last: f.Match}
	return r
}

// An Injector applies rules to requests, of any number of clients.
type Injector struct {
	start   time.Time
	observe func(context.Context, Firing)

	mu      sync.Mutex // never held over a yield
	rules   []*active
	counts  Counts
	landing *task.Group // requests whose callers got a timeout; nil: none
}

// active is a rule in use.
type active struct {
	Rule
	index   int
	scope   scope
	rng     *rand.Rand
	matched int64 // requests that fulfilled the conditions
	fired   int64
}

// Counts are of requests. A request that was made is one of both.
type Counts struct {
	Forwarded int64 // handed on to the service
	Stopped   int64 // answered, or left unanswered, without the service
}

// New returns an injector. The windows of from and to begin now, on ctx's clock.
func New(ctx context.Context, rules Rules, cfg Config) *Injector {
	in := &Injector{start: task.Now(ctx), observe: cfg.Observe}
	for i, r := range rules {
		in.rules = append(in.rules, &active{
			Rule: r, index: i, scope: scopeOf(r.Effect), rng: rand.New(rand.NewPCG(cfg.Seed, uint64(i))),
		})
	}
	return in
}

// A Request is what rules look at.
type Request struct {
	Service   Service
	Operation string
	// Targets returns what the request is about, one entry for each action of a
	// transaction, in order. It is called at most once, and only if a rule wants
	// to know. It may be nil.
	Targets func() []Target
}

// A Target is one thing that a request is about.
type Target struct {
	In   string   // the table or bucket
	Keys []string // any of which a pattern may match
}

// A Decision tells what happens to a request: first a delay, then the effect.
// A transport that cannot use Run acts on it itself.
type Decision struct {
	Delay  time.Duration
	Effect Effect
	Rule   Rule // whose effect it is, if there is one
	// Actions is the number of a cancelled transaction's actions, Action the
	// index of the one that it is for.
	Actions, Action int
}

// Decide counts a request and returns what happens to it. The cause label, the
// actor and the node are ctx's.
func (in *Injector) Decide(ctx context.Context, req Request) Decision {
	if len(in.rules) == 0 {
		return Decision{}
	}
	q := &question{Request: req, ctx: ctx, since: task.Since(ctx, in.start), actor: cause.Actor(ctx), cause: cause.From(ctx)}
	var hits []hit
	for _, a := range in.rules {
		if target, ok := a.match(q); ok {
			hits = append(hits, hit{a, target})
		}
	}
	if len(hits) == 0 {
		return Decision{}
	}
	d, firings := in.choose(hits)
	if d.Effect.Kind == Conflict || d.Effect.Form == FormAction {
		d.Actions = len(q.targets())
	}
	if in.observe != nil {
		for _, f := range firings {
			in.observe(ctx, f)
		}
	}
	return d
}

// A hit is a rule whose conditions a request fulfils, with the index of the
// target that does.
type hit struct {
	rule   *active
	target int
}

// choose counts the request for its rules, and lets those that are due decide.
func (in *Injector) choose(hits []hit) (d Decision, firings []Firing) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for _, h := range hits {
		a := h.rule
		a.matched++
		taken := a.Effect.Kind != Delay && d.Effect.Kind != None
		if !a.due() || taken {
			continue
		}
		a.fired++
		firings = append(firings, Firing{a.index, a.Rule, a.matched})
		if a.Effect.Kind == Delay {
			d.Delay += a.Effect.Wait
			continue
		}
		d.Effect, d.Rule, d.Action = a.Effect, a.Rule, h.target
	}
	return d, firings
}

// A question is a request as rules ask about it.
type question struct {
	Request
	ctx   context.Context
	since time.Duration
	actor string
	cause cause.Label
	asked bool
	found []Target
}

func (q *question) targets() []Target {
	if !q.asked && q.Targets != nil {
		q.found = q.Targets()
	}
	q.asked = true
	return q.found
}

// match reports whether the request fulfils the conditions, and which of its
// targets does. What is cheap to know comes first.
func (a *active) match(q *question) (target int, ok bool) {
	switch r := &a.Rule; {
	case r.Actor != "" && !match(r.Actor, q.actor),
		r.Service != Any && r.Service != q.Service,
		r.Operation != "" && r.Operation != q.Operation,
		r.Cause != "" && r.Cause != q.cause,
		q.since < r.From || r.To != 0 && q.since >= r.To,
		!a.possible(q):
		return 0, false
	case r.In == "" && r.Key == "":
		return 0, true
	}
	i := slices.IndexFunc(q.targets(), a.hits)
	return i, i >= 0
}

// possible reports whether the request can have the effect at all.
func (a *active) possible(q *question) bool {
	if k := a.Effect.Kind; (k == CrashBefore || k == CrashAfter) && nodeOf(q.ctx) == nil {
		return false
	}
	ops := a.scope[q.Service]
	return ops == nil || slices.Contains(ops, q.Operation)
}

func (a *active) hits(t Target) bool {
	if a.In != "" && !match(a.In, t.In) {
		return false
	}
	return a.Key == "" || slices.ContainsFunc(t.Keys, func(k string) bool { return match(a.Key, k) })
}

// due reports whether the selection picks the request just counted.
func (a *active) due() bool {
	switch s := a.Select; {
	case s.First != 0:
		return s.First <= a.matched && a.matched <= s.Last
	case s.Every != 0:
		return a.matched%s.Every == 0
	case s.P != 0:
		return a.rng.Float64() < s.P
	}
	return true
}

// Counts returns what became of the requests so far. Once Wait has returned,
// their sum is the number of requests that were made, and Forwarded is what the
// service got.
func (in *Injector) Counts() Counts {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.counts
}

func (in *Injector) forwarded() {
	in.mu.Lock()
	in.counts.Forwarded++
	in.mu.Unlock()
}

func (in *Injector) stopped() {
	in.mu.Lock()
	in.counts.Stopped++
	in.mu.Unlock()
}

// Warnings returns one line for each rule that never took effect, with the reason.
func (in *Injector) Warnings() []string {
	in.mu.Lock()
	defer in.mu.Unlock()
	var warnings []string
	for _, a := range in.rules {
		switch {
		case a.fired > 0:
		case a.matched == 0:
			warnings = append(warnings, fmt.Sprintf("fault %s: never happened, no request matched it", a.Rule))
		default:
			warnings = append(warnings, fmt.Sprintf("fault %s: never happened, none of the %d requests that matched it was selected, or another rule came first", a.Rule, a.matched))
		}
	}
	return warnings
}
