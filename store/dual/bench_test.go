package dual_test

import (
	"context"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
	"github.com/lakebench/lakebench/internal/storetest"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/dual"
	"github.com/lakebench/lakebench/store/item"
	"github.com/lakebench/lakebench/store/keyspace"
	"github.com/lakebench/lakebench/store/v1"
	"github.com/lakebench/lakebench/store/v2"
)

// BenchmarkCAS compares a mutation of a dual node with the bare transaction that it
// sends, made once.
func BenchmarkCAS(b *testing.B) {
	ctx, value, shards := context.Background(), make([]byte, 280), keyspace.DefaultShardCounts()
	engine, err := dynamo.New(dynamo.DefaultConfig())
	if err != nil {
		b.Fatal(err)
	}
	client := storetest.Client(engine.Client(nil))
	cfg := config(client, "a", control.ModeDual, 1)
	made := v2.DefaultConfig()
	made.Client, made.Table, made.Random = client, lake2, cfg.Random
	if err := v1.Create(ctx, client, lake); err != nil {
		b.Fatal(err)
	}
	if err := v2.Create(ctx, client, made); err != nil {
		b.Fatal(err)
	}
	s, err := dual.Open(ctx, cfg)
	if err != nil {
		b.Fatal(err)
	}
	same := store.Exactly(value)
	if err := s.CAS(ctx, "tbl/a", store.Absent(), value); err != nil {
		b.Fatal(err)
	}
	b.Run("store", func(b *testing.B) {
		for b.Loop() {
			if err := s.CAS(ctx, "tbl/a", same, value); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("sdk", func(b *testing.B) {
		records, err := control.New(control.Config{Client: client, Table: lake2, Random: rand.NewPCG(1, 2), Backoff: cfg.Backoff})
		if err != nil {
			b.Fatal(err)
		}
		in := &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
			records.BarrierAbsent(),
			v1.Layout(lake).Record("tbl/a").Put(same, value),
			v2.Layout(lake2, shards).Record("tbl/a").PutIf(item.AbsentOr(same), value),
		}}
		for n := 0; b.Loop(); n++ {
			token := strconv.Itoa(n) + "-" + strconv.Itoa(b.N)
			in.ClientRequestToken = &token
			if _, err := client.TransactWriteItems(ctx, in); err != nil {
				b.Fatal(err)
			}
		}
	})
}
