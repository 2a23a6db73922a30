package direct_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/internal/backend/direct"
	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/sim/checker"
	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/v1"
)

// embedded opens a backend whose transactions take time, and a direct client.
func embedded(ctx context.Context, t *testing.T, oneByOne bool) *direct.Client {
	t.Helper()
	cfg := backend.DefaultConfig()
	cfg.Dynamo.CommitDelay = time.Millisecond
	cfg.Dynamo.VisibleOneByOne = oneByOne
	b, err := backend.Open(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return directClient(t, b, newMeter(t, b))
}

// TestVisibleOneByOne: between a transaction's items there is a time at which one
// is visible and the other is not, in the order of the actions and, next time, in
// the reverse. What is not visible yet keeps its hold.
func TestVisibleOneByOne(t *testing.T) {
	for _, tc := range []struct {
		oneByOne bool
		want     string // what is seen of a and b half-way through two transactions
	}{
		{false, "a=1 b=1, a=2 b=2"},
		{true, "a=1 b=0, a=1 b=2"},
	} {
		_, err := task.Run(t.Context(), task.VirtualConfig{}, func(ctx context.Context) error {
			c := embedded(ctx, t, tc.oneByOne)
			if _, err := c.CreateTable(ctx, tableCases()[1].(*dynamodb.CreateTableInput)); err != nil {
				return err
			}
			seen := ""
			for round := range 2 {
				if round == 0 {
					put(ctx, t, c, "a", 0)
					put(ctx, t, c, "b", 0)
				}
				g := task.NewGroup(ctx, 0)
				g.Go("writer", func(ctx context.Context) error { return putBoth(ctx, c, round+1) })
				// The first item is visible after 1 ms, the second after 2 ms.
				if err := task.Sleep(ctx, 1500*time.Microsecond); err != nil {
					return err
				}
				if round > 0 {
					seen += ", "
				}
				seen += fmt.Sprintf("a=%s b=%s", valueOf(ctx, t, c, "a"), valueOf(ctx, t, c, "b"))
				pending := "b"
				if round == 1 {
					pending = "a"
				}
				_, err := c.PutItem(ctx, &dynamodb.PutItemInput{TableName: lakeTable, Item: valued(pending, round+1)})
				var conflict *types.TransactionConflictException
				if errors.As(err, &conflict) != tc.oneByOne {
					t.Errorf("one by one %v, round %d: a write of the second item: %v", tc.oneByOne, round, err)
				}
				if err := g.Wait(); err != nil {
					return err
				}
			}
			if seen != tc.want {
				t.Errorf("one by one %v: saw %s, want %s", tc.oneByOne, seen, tc.want)
			}
			if a, b := valueOf(ctx, t, c, "a"), valueOf(ctx, t, c, "b"); a != "2" || b != "2" {
				t.Errorf("one by one %v: in the end a=%s b=%s, want 2 and 2", tc.oneByOne, a, b)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func valued(key string, v int) attributes {
	item := keyOf("1", key)
	item["v"] = number(strconv.Itoa(v))
	return item
}

func put(ctx context.Context, t *testing.T, c *direct.Client, key string, v int) {
	t.Helper()
	if _, err := c.PutItem(ctx, &dynamodb.PutItemInput{TableName: lakeTable, Item: valued(key, v)}); err != nil {
		t.Fatal(err)
	}
}

func putBoth(ctx context.Context, c *direct.Client, v int) error {
	var actions []types.TransactWriteItem
	for _, key := range []string{"a", "b"} {
		actions = append(actions, types.TransactWriteItem{Put: &types.Put{TableName: lakeTable, Item: valued(key, v)}})
	}
	_, err := c.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: actions})
	return err
}

func valueOf(ctx context.Context, t *testing.T, c *direct.Client, key string) string {
	t.Helper()
	out, err := c.GetItem(ctx, &dynamodb.GetItemInput{TableName: lakeTable, Key: keyOf("1", key), ConsistentRead: aws.Bool(true)})
	if err != nil {
		t.Fatal(err)
	}
	return out.Item["v"].(*types.AttributeValueMemberN).Value
}

const guardKey, targetKey = "tbl/guard", "tbl/target"

// fenced is a store of one guard and one target whose operations are recorded.
type fenced struct {
	*v1.Store
	*checker.Recorder
}

func (f fenced) get(ctx context.Context, key string) string {
	p := f.Begin(ctx, cause.Actor(ctx), checker.Call{Kind: checker.Get, Key: key})
	v, err := f.Get(ctx, key)
	if err != nil {
		p.End(ctx, checker.Answer{Outcome: checker.Refused})
		return ""
	}
	p.End(ctx, checker.Answer{Outcome: checker.OK, Found: checker.Bytes(v)})
	return string(v)
}

func (f fenced) cas(ctx context.Context, key, expect, next string) {
	p := f.Begin(ctx, cause.Actor(ctx), checker.Call{Kind: checker.CAS, Key: key, Expect: checker.Text(expect), Next: checker.Text(next)})
	p.End(ctx, told(f.CAS(ctx, key, store.Exactly([]byte(expect)), []byte(next))))
}

func (f fenced) mutate(ctx context.Context, guard, expect, next string) {
	p := f.Begin(ctx, cause.Actor(ctx), checker.Call{Kind: checker.Guarded, Key: targetKey, Guard: guardKey,
		GuardExpect: checker.Text(guard), Expect: checker.Text(expect), Next: checker.Text(next)})
	p.End(ctx, told(f.GuardedMutate(ctx, store.Guard{Key: guardKey, Expect: store.Exactly([]byte(guard))},
		store.Mutation{Key: targetKey, Expect: store.Exactly([]byte(expect)), Next: []byte(next)})))
}

func told(err error) checker.Answer {
	switch {
	case err == nil:
		return checker.Answer{Outcome: checker.OK}
	case errors.Is(err, store.ErrGuard):
		return checker.Answer{Outcome: checker.GuardFailed}
	case errors.Is(err, store.ErrConflict):
		return checker.Answer{Outcome: checker.Conflict}
	case errors.Is(err, store.ErrContention):
		return checker.Answer{Outcome: checker.Refused}
	default:
		return checker.Answer{Outcome: checker.Unknown}
	}
}

// fence lets two nodes move the target under the guard while a third raises the
// guard and looks at the target.
func fence(t *testing.T, seed uint64, oneByOne bool) checker.History {
	t.Helper()
	var h checker.History
	_, err := task.Run(t.Context(), task.VirtualConfig{Seed: seed, Policy: task.Random{}}, func(ctx context.Context) error {
		c := embedded(ctx, t, oneByOne)
		if err := v1.Create(ctx, c, *lakeTable); err != nil {
			return err
		}
		recorder := checker.NewRecorder(ctx, checker.Entry{Key: guardKey, Value: checker.Text("0")}, checker.Entry{Key: targetKey, Value: checker.Text("0")})
		node := func(n int) (fenced, error) {
			cfg := v1.DefaultConfig()
			cfg.Client, cfg.Table, cfg.Random = c, *lakeTable, rand.NewPCG(seed, uint64(n))
			s, err := v1.Open(ctx, cfg)
			return fenced{s, recorder}, err
		}
		g := task.NewGroup(ctx, 0)
		for n := range 3 {
			f, err := node(n)
			if err != nil {
				return err
			}
			for _, key := range []string{guardKey, targetKey} {
				if err := f.CAS(ctx, key, store.Absent(), []byte("0")); n == 0 && err != nil {
					return err
				}
			}
			name := "node-" + strconv.Itoa(n)
			g.Go(name, func(ctx context.Context) error {
				f.act(cause.WithActor(ctx, name), n, rand.New(rand.NewPCG(seed, 100+uint64(n))))
				return nil
			})
		}
		err := g.Wait()
		h = recorder.History()
		return err
	})
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	return h
}

func (f fenced) act(ctx context.Context, n int, random *rand.Rand) {
	for i := range 6 {
		_ = task.Sleep(ctx, time.Duration(random.IntN(4000))*time.Microsecond)
		guard := f.get(ctx, guardKey)
		if n == 0 {
			f.cas(ctx, guardKey, guard, "g"+strconv.Itoa(i))
			f.get(ctx, targetKey)
			continue
		}
		f.mutate(ctx, guard, f.get(ctx, targetKey), fmt.Sprint(n, "-", i))
	}
}

// byKey is the history as it is without guards: what each key shows by itself.
func byKey(h checker.History) checker.History {
	out := checker.History{Initial: h.Initial}
	for _, o := range h.Operations {
		if o.Call.Kind == checker.Guarded {
			if o.Answer.Outcome == checker.GuardFailed {
				continue
			}
			o.Call.Kind, o.Call.Guard, o.Call.GuardExpect = checker.CAS, "", checker.Value{}
		}
		out.Operations = append(out.Operations, o)
	}
	return out
}

// TestWhatSurvivesVisibilityOneByOne: Get, CAS and GuardedMutate stay linearizable
// key by key. Across keys they do not: a node that has raised the guard may still
// see, for a while, the target from before a mutation that the old guard let
// through, and then the mutation. With transactions that are visible at once
// there is nothing of the kind.
func TestWhatSurvivesVisibilityOneByOne(t *testing.T) {
	const schedules = 150
	for _, oneByOne := range []bool{false, true} {
		broken, first := 0, uint64(0)
		for seed := uint64(1); seed <= schedules; seed++ {
			h := fence(t, seed, oneByOne)
			if r := verdict(t, byKey(h)); r.Verdict != checker.Passed {
				t.Fatalf("one by one %v, seed %d: a key by itself: %s: %s", oneByOne, seed, r.Verdict, r.Detail)
			}
			if r := verdict(t, h); r.Verdict == checker.Failed {
				if broken++; broken == 1 {
					first = seed
				}
			}
		}
		t.Logf("one by one %v: %d of %d schedules are not linearizable across keys, the first with seed %d", oneByOne, broken, schedules, first)
		if oneByOne != (broken > 0) {
			t.Errorf("one by one %v: %d of %d schedules are not linearizable across keys; want some only if one by one", oneByOne, broken, schedules)
		}
	}
}

func verdict(t *testing.T, h checker.History) checker.Result {
	t.Helper()
	r, err := checker.Check(t.Context(), h, checker.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	return r
}
