package v2_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
	"github.com/lakebench/lakebench/internal/storetest"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/item"
	"github.com/lakebench/lakebench/store/keyspace"
	"github.com/lakebench/lakebench/store/v2"
)

// newBench returns a store on the embedded service that holds n tables of 300
// bytes, and the client that it uses.
func newBench(b *testing.B, n, parallel int) (*v2.Store, *dynamodb.Client) {
	b.Helper()
	engine, err := dynamo.New(dynamo.DefaultConfig())
	if err != nil {
		b.Fatal(err)
	}
	client := storetest.Client(engine.Client(nil))
	cfg := config(client, 1)
	cfg.PageLimit, cfg.Parallel = 1000, parallel
	ctx := context.Background()
	if err := v2.Create(ctx, client, cfg); err != nil {
		b.Fatal(err)
	}
	load := item.DefaultLoadConfig()
	load.Random = rand.NewPCG(1, 1)
	items := func(yield func(map[string]types.AttributeValue) bool) {
		for i := range n {
			if !yield(v2.Item(cfg.Shards, tableKey(i), make([]byte, 280))) {
				return
			}
		}
	}
	if _, err := item.Load(ctx, client, lake, items, load); err != nil {
		b.Fatal(err)
	}
	s, err := v2.Open(ctx, cfg)
	if err != nil {
		b.Fatal(err)
	}
	return s, client
}

func tableKey(i int) string { return fmt.Sprintf("tbl/%05d", i) }

// BenchmarkGet compares a point read with the bare request that it makes.
func BenchmarkGet(b *testing.B) {
	s, client := newBench(b, 1000, 1)
	ctx, key := context.Background(), tableKey(7)
	b.Run("store", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Get(ctx, key); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("sdk", func(b *testing.B) {
		name, strong := lake, true
		item := v2.Item(keyspace.DefaultShardCounts(), key, nil)
		delete(item, keyspace.AttrValue)
		in := &dynamodb.GetItemInput{TableName: &name, Key: item, ConsistentRead: &strong}
		for b.Loop() {
			if _, err := client.GetItem(ctx, in); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkCAS compares a conditional write with an unconditional PutItem.
func BenchmarkCAS(b *testing.B) {
	s, client := newBench(b, 1, 1)
	ctx, value := context.Background(), make([]byte, 280)
	b.Run("store", func(b *testing.B) {
		for b.Loop() {
			if err := s.CAS(ctx, tableKey(0), store.Exactly(value), value); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("sdk", func(b *testing.B) {
		name := lake
		in := &dynamodb.PutItemInput{TableName: &name, Item: v2.Item(keyspace.DefaultShardCounts(), tableKey(0), value)}
		for b.Loop() {
			if _, err := client.PutItem(ctx, in); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkList refreshes a catalog of 1,000 tables.
func BenchmarkList(b *testing.B) {
	for _, parallel := range []int{1, 4} {
		b.Run(fmt.Sprintf("parallel=%d", parallel), func(b *testing.B) {
			s, _ := newBench(b, 1000, parallel)
			for b.Loop() {
				n := 0
				for _, err := range s.List(context.Background(), "tbl/") {
					if err != nil {
						b.Fatal(err)
					}
					n++
				}
				if n != 1000 {
					b.Fatalf("%d tables", n)
				}
			}
		})
	}
}
