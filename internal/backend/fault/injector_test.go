package fault

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/sim/task"
)

// asked is a request as a rule sees it.
type asked struct {
	service   Service
	operation string
	in        string
	keys      []string
	cause     cause.Label
	actor     string
	node      bool
}

func (a asked) decide(ctx context.Context, in *Injector) Decision {
	if a.cause != "" {
		ctx = cause.With(ctx, a.cause)
	}
	ctx = cause.WithActor(ctx, a.actor)
	if a.node {
		var end func()
		ctx, end = Node(ctx, a.actor)
		defer end()
	}
	return in.Decide(ctx, Request{a.service, a.operation, func() []Target { return []Target{{a.in, a.keys}} }})
}

func TestConditions(t *testing.T) {
	put := asked{service: DynamoDB, operation: "PutItem", in: "lake", keys: []string{"tbl/a"}, cause: cause.Mutate, actor: "writer-1"}
	query := asked{service: DynamoDB, operation: "Query", in: "lake_v2", keys: []string{"tbl#03", "tbl/"}, cause: cause.List, actor: "reader-1"}
	head := asked{service: S3, operation: "HeadObject", in: "bucket", keys: []string{"shard/manifest/7"}, cause: "probe", actor: "writer-1", node: true}
	for _, c := range []struct {
		rule string
		hit  []asked // of the three
	}{
		{`on any : error-before`, []asked{put, query, head}},
		{`on dynamodb : error-before`, []asked{put, query}},
		{`on s3 : error-before`, []asked{head}},
		{`on dynamodb Query : error-before`, []asked{query}},
		{`on any in "lake*" : error-before`, []asked{put, query}},
		{`on any in "lake" : error-before`, []asked{put}},
		{`on any key "tbl/*" : error-before`, []asked{put, query}},
		{`on any key "tbl#03" : error-before`, []asked{query}},
		{`on any in "lake" key "tbl/*" : error-before`, []asked{put}},
		{`on any in "lake" key "tbl#03" : error-before`, nil},
		{`on any cause list : error-before`, []asked{query}},
		{`on s3 cause probe : error-before`, []asked{head}},
		{`on any cause none : error-before`, nil},
		{`on any actor "writer-*" : error-before`, []asked{put, head}},
		{`on dynamodb : conflict`, []asked{put}},
		{`on dynamodb : unprocessed 1`, nil},
		{`on s3 : error-before 409`, nil},
		{`on any : crash-before`, []asked{head}},
	} {
		for _, a := range []asked{put, query, head} {
			in := New(t.Context(), mustParse(t, c.rule), DefaultConfig())
			got := a.decide(t.Context(), in).Effect.Kind != None
			want := slices.ContainsFunc(c.hit, func(h asked) bool { return h.operation == a.operation })
			if got != want {
				t.Errorf("%s: on %s: %v, want %v", c.rule, a.operation, got, want)
			}
		}
	}
}

// Table and key are those of one entry.
func TestConditionsHoldForOneTarget(t *testing.T) {
	transaction := Request{DynamoDB, "TransactWriteItems", func() []Target {
		return []Target{{"lake", []string{"a"}}, {"lake_v2", []string{"b"}}}
	}}
	for rule, want := range map[string]Kind{
		`on dynamodb in "lake" key "a" : conflict`: Conflict,
		`on dynamodb in "lake" key "b" : conflict`: None,
		`on dynamodb key "b" : conflict`:           Conflict,
	} {
		in := New(t.Context(), mustParse(t, rule), DefaultConfig())
		if d := in.Decide(t.Context(), transaction); d.Effect.Kind != want {
			t.Errorf("%s: %q, want %q", rule, d.Effect.Kind, want)
		}
	}
}

// hits returns the numbers of the requests, of n, that have an effect.
func hits(t *testing.T, rules string, cfg Config, n int) []int {
	t.Helper()
	in := New(t.Context(), mustParse(t, rules), cfg)
	var hit []int
	for i := range n {
		if (asked{service: S3}).decide(t.Context(), in).Effect.Kind != None {
			hit = append(hit, i+1)
		}
	}
	return hit
}

func TestSelections(t *testing.T) {
	for rule, want := range map[string][]int{
		`on s3 : error-before`:             {1, 2, 3, 4, 5, 6, 7},
		`on s3 nth 3 : error-before`:       {3},
		`on s3 nth 3..5 : error-before`:    {3, 4, 5},
		`on s3 every 3 : error-before`:     {3, 6},
		`on s3 p 1 : error-before`:         {1, 2, 3, 4, 5, 6, 7},
		`on dynamodb : error-before`:       nil,
		`on s3 nth 8 : error-before reset`: nil,
		// Two rules count apart, and both count what the other one takes.
		"on s3 nth 2..3 : throttle\non s3 nth 3..4 : error-before": {2, 3, 4},
	} {
		if got := hits(t, rule, DefaultConfig(), 7); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", rule, got, want)
		}
	}
}

func TestProbabilityIsOfTheSeed(t *testing.T) {
	const n, p = 10_000, 0.05
	rule := fmt.Sprintf("on s3 p %v : error-before", p)
	first := hits(t, rule, Config{Seed: 1}, n)
	if again := hits(t, rule, Config{Seed: 1}, n); !slices.Equal(first, again) {
		t.Error("one seed, two outcomes")
	}
	if other := hits(t, rule, Config{Seed: 2}, n); slices.Equal(first, other) {
		t.Error("two seeds, one outcome")
	}
	// Five standard deviations: a seed in two million is farther away, and these
	// are fixed.
	if far := math.Abs(float64(len(first)) - n*p); far > 5*math.Sqrt(n*p*(1-p)) {
		t.Errorf("%d of %d, want about %v", len(first), n, n*p)
	}
	// A rule before it changes nothing for it.
	both := New(t.Context(), mustParse(t, "on s3 p 0.5 : delay 1ms\n"+rule), Config{Seed: 1})
	alone := New(t.Context(), mustParse(t, "on dynamodb : delay 1ms\n"+rule), Config{Seed: 1})
	for i := range 1000 {
		a := asked{service: S3}
		if a.decide(t.Context(), both).Effect != a.decide(t.Context(), alone).Effect {
			t.Fatalf("request %d: another rule's draws changed this one's", i)
		}
	}
}

func TestWindowIsOfTheInjectorsTime(t *testing.T) {
	virtually(t, func(ctx context.Context) {
		if err := task.Sleep(ctx, time.Hour); err != nil { // it begins with the injector, not with the clock
			t.Fatal(err)
		}
		in := New(ctx, mustParse(t, `on s3 from 10s to 12s nth 2..9 : error-before`), DefaultConfig())
		var hit []int
		for second := range 20 {
			if (asked{service: S3}).decide(ctx, in).Effect.Kind != None {
				hit = append(hit, second)
			}
			if err := task.Sleep(ctx, time.Second); err != nil {
				t.Fatal(err)
			}
		}
		if want := []int{11}; !slices.Equal(hit, want) {
			t.Errorf("seconds %v, want %v", hit, want)
		}
	})
}

func TestObserverHearsWhatReplays(t *testing.T) {
	var fired []Firing
	cfg := Config{Seed: 7, Observe: func(ctx context.Context, f Firing) {
		if cause.Actor(ctx) != "me" {
			t.Errorf("observed under the context of %q", cause.Actor(ctx))
		}
		fired = append(fired, f)
	}}
	in := New(t.Context(), mustParse(t, "on s3 : delay 1ms\non s3 p 0.2 : error-before"), cfg)
	var effects []Effect
	for range 50 {
		effects = append(effects, asked{service: S3, actor: "me"}.decide(t.Context(), in).Effect)
	}
	var only Rules
	for _, f := range fired {
		if f.Index == 1 {
			only = append(only, f.Only())
		}
	}
	if len(only) < 2 || len(fired) != 50+len(only) {
		t.Fatalf("%d firings, %d of the second rule", len(fired), len(only))
	}
	replay := New(t.Context(), mustParse(t, only.String()), Config{Seed: 8})
	for i, want := range effects {
		if got := (asked{service: S3, actor: "me"}).decide(t.Context(), replay).Effect; got != want {
			t.Errorf("request %d: %v, replayed %v", i, want, got)
		}
	}
}

func TestUnmatchedRulesAreWarnedOf(t *testing.T) {
	rules := mustParse(t, strings.Join([]string{
		`on s3 : delay 1ms`,
		`on s3 key "nowhere" : error-before`,
		`on s3 nth 9 : error-before`,
		`on dynamodb : error-before`,
	}, "\n"))
	in := New(t.Context(), rules, DefaultConfig())
	for range 3 {
		asked{service: S3, keys: []string{"here"}}.decide(t.Context(), in)
	}
	want := []string{
		`fault on s3 key "nowhere" : error-before: never happened, no request matched it`,
		`fault on s3 nth 9 : error-before: never happened, none of the 3 requests that matched it was selected, or another rule came first`,
		`fault on dynamodb : error-before: never happened, no request matched it`,
	}
	if got := in.Warnings(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Targets cost something to find out.
func TestTargetsAreAskedForAtMostOnce(t *testing.T) {
	for rules, want := range map[string]int{
		`on s3 : error-before`:               0,
		`on dynamodb key "a" : error-before`: 0,
		"on s3 key \"a\" : error-before\non s3 key \"b\" : error-before\non s3 in \"c\" : throttle": 1,
	} {
		n := 0
		in := New(t.Context(), mustParse(t, rules), DefaultConfig())
		in.Decide(t.Context(), Request{Service: S3, Targets: func() []Target { n++; return nil }})
		if n != want {
			t.Errorf("%s: asked %d times, want %d", rules, n, want)
		}
	}
}
