package item_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
	"github.com/lakebench/lakebench/internal/storetest"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/item"
	"github.com/lakebench/lakebench/store/v1"
	"github.com/lakebench/lakebench/store/v2"
)

// picky is a service that takes some items of each batch and hands the rest back.
type picky struct {
	take func(try, items int) int // how many of a batch's items it takes
	fail error

	mu       sync.Mutex
	requests int
	sizes    []int
	tries    map[string]int // how often each key came first in a batch
	held     map[string]int // how often each key was written
}

func (p *picky) BatchWriteItem(ctx context.Context, in *dynamodb.BatchWriteItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.BatchWriteItemOutput, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if p.fail != nil {
		return nil, p.fail
	}
	batch := in.RequestItems["lake"]
	first := keyOf(batch[0])
	n := p.take(p.tries[first], len(batch))
	p.tries[first]++
	p.requests++
	p.sizes = append(p.sizes, len(batch))
	for _, r := range batch[:n] {
		p.held[keyOf(r)]++
	}
	out := &dynamodb.BatchWriteItemOutput{}
	if n < len(batch) {
		out.UnprocessedItems = map[string][]types.WriteRequest{"lake": batch[n:]}
	}
	return out, nil
}

func keyOf(r types.WriteRequest) string {
	return r.PutRequest.Item["pk"].(*types.AttributeValueMemberS).Value
}

func newPicky(take func(try, items int) int) *picky {
	return &picky{take: take, tries: make(map[string]int), held: make(map[string]int)}
}

func items(n int) iter.Seq[map[string]types.AttributeValue] {
	return func(yield func(map[string]types.AttributeValue) bool) {
		for i := range n {
			if !yield(v1.Item(fmt.Sprintf("tbl/%d", i), []byte{1})) {
				return
			}
		}
	}
}

func config(parallel int) item.LoadConfig {
	cfg := item.DefaultLoadConfig()
	cfg.Parallel, cfg.Random = parallel, rand.NewPCG(1, 2)
	return cfg
}

// TestUnprocessed: what is handed back is written in the end, once (hazard 9).
func TestUnprocessed(t *testing.T) {
	for what, take := range map[string]func(try, items int) int{
		"everything":          func(_, items int) int { return items },
		"half":                func(_, items int) int { return (items + 1) / 2 },
		"one":                 func(_, _ int) int { return 1 },
		"nothing, now and so": func(try, items int) int { return items * (try % 2) },
		"nothing five times":  func(try, items int) int { return items * (try / 5) },
	} {
		for _, parallel := range []int{1, 3} {
			synctest.Test(t, func(t *testing.T) {
				p := newPicky(take)
				loaded, err := item.Load(context.Background(), p, "lake", items(107), config(parallel))
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				if len(p.held) != 107 || loaded.Items != 107 {
					t.Errorf("%s: %d items written, %d reported; want 107", what, len(p.held), loaded.Items)
				}
				sent := 0
				for _, n := range p.sizes {
					sent += n
					if n > 25 {
						t.Errorf("%s: a request with %d items, at most 25 are allowed", what, n)
					}
				}
				if int(loaded.Requests) != len(p.sizes) || int(loaded.Returned) != sent-107 {
					t.Errorf("%s: reports %+v, want %d requests and %d items returned", what, loaded, len(p.sizes), sent-107)
				}
				for key, n := range p.held {
					if n != 1 {
						t.Errorf("%s: %s written %d times", what, key, n)
					}
				}
			})
		}
	}
}

// TestRequestCount: full batches, and nothing for nothing.
func TestRequestCount(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 1, 25: 1, 26: 2, 50: 2, 51: 3} {
		p := newPicky(func(_, items int) int { return items })
		if _, err := item.Load(context.Background(), p, "lake", items(n), config(1)); err != nil || p.requests != want {
			t.Errorf("%d items: %d requests, %v; want %d", n, p.requests, err, want)
		}
	}
}

// TestGivesUp: a load that cannot go on fails, and starts nothing more.
func TestGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		p := newPicky(func(int, int) int { return 0 })
		loaded, err := item.Load(context.Background(), p, "lake", items(1000), config(2))
		if !errors.Is(err, item.ErrUnprocessed) || loaded.Items != 0 {
			t.Errorf("nothing taken: %d items, %v; want ErrUnprocessed", loaded.Items, err)
		}
		if p.requests > 20 || time.Since(began) > time.Minute {
			t.Errorf("%d requests in %v before it gave up", p.requests, time.Since(began))
		}

		p = newPicky(nil)
		p.fail = io.ErrUnexpectedEOF
		if _, err := item.Load(context.Background(), p, "lake", items(1000), config(2)); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("failing service: %v", err)
		}

		ctx, cancel := context.WithCancel(context.Background())
		p = newPicky(func(_, items int) int {
			if p.requests == 3 {
				cancel()
			}
			return items
		})
		if _, err := item.Load(ctx, p, "lake", items(1000), config(1)); !errors.Is(err, context.Canceled) || p.requests != 4 {
			t.Errorf("cancelled load: %v after %d requests, want Canceled after 4", err, p.requests)
		}
	})
	for what, change := range map[string]func(*item.LoadConfig){
		"parallel": func(c *item.LoadConfig) { c.Parallel = 0 },
		"tries":    func(c *item.LoadConfig) { c.Tries = 0 },
		"waits":    func(c *item.LoadConfig) { c.Base = time.Hour },
		"random":   func(c *item.LoadConfig) { c.Random = nil },
	} {
		cfg := config(1)
		change(&cfg)
		if _, err := item.Load(context.Background(), newPicky(nil), "lake", items(1), cfg); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("bad %s: %v, want ErrInvalid", what, err)
		}
	}
}

// TestLoadedLayouts: what is loaded in bulk is what the stores read.
func TestLoadedLayouts(t *testing.T) {
	ctx := context.Background()
	engine, err := dynamo.New(dynamo.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	client := storetest.Client(engine.Client(nil))
	want := make(map[string]string)
	for i := range 60 {
		want[fmt.Sprintf("tbl/%d", i)] = fmt.Sprint(i)
	}
	put := func(table string, asItem func(key string, value []byte) map[string]types.AttributeValue) {
		t.Helper()
		seq := func(yield func(map[string]types.AttributeValue) bool) {
			for key, value := range want {
				if !yield(asItem(key, []byte(value))) {
					return
				}
			}
		}
		if _, err := item.Load(ctx, client, table, seq, config(2)); err != nil {
			t.Fatal(err)
		}
	}
	check := func(s store.MetaStore) {
		t.Helper()
		got := make(map[string]string)
		for e, err := range s.List(ctx, "tbl/") {
			if err != nil {
				t.Fatal(err)
			}
			got[e.Key] = string(e.Value)
			if v, err := s.Get(ctx, e.Key); string(v) != string(e.Value) || err != nil {
				t.Errorf("Get(%q) = %q, %v", e.Key, v, err)
			}
		}
		if !maps.Equal(got, want) {
			t.Errorf("listed %v, want %v", got, want)
		}
	}

	if err := v1.Create(ctx, client, "lake"); err != nil {
		t.Fatal(err)
	}
	put("lake", v1.Item)
	cfg1 := v1.DefaultConfig()
	cfg1.Client, cfg1.Table, cfg1.Random = client, "lake", rand.NewPCG(1, 1)
	s1, err := v1.Open(ctx, cfg1)
	if err != nil {
		t.Fatal(err)
	}
	check(s1)

	cfg2 := v2.DefaultConfig()
	cfg2.Client, cfg2.Table, cfg2.Random = client, v2.TableName("lake"), rand.NewPCG(1, 2)
	if err := v2.Create(ctx, client, cfg2); err != nil {
		t.Fatal(err)
	}
	put(cfg2.Table, func(key string, value []byte) map[string]types.AttributeValue {
		return v2.Item(cfg2.Shards, key, value)
	})
	s2, err := v2.Open(ctx, cfg2)
	if err != nil {
		t.Fatal(err)
	}
	check(s2)
}
