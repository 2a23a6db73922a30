package dynamo_test

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
)

const clients = 16

// BenchmarkDurable is what a directory costs 16 clients of the SDK, compared with memory:
// they share the waits for the disk.
func BenchmarkDurable(b *testing.B) {
	for _, where := range []string{"memory", "directory"} {
		for _, write := range []string{"PutItem1KB", "TransactWrite2Puts"} {
			b.Run(where+"/"+write, func(b *testing.B) {
				a := newAccount(b, nil)
				engine := a.engine
				if where == "directory" {
					var err error
					if engine, _, err = dynamo.Open(dynamo.DefaultConfig(), b.TempDir()); err != nil {
						b.Fatal(err)
					}
				}
				a.Client = newClient(engine.Client(nil))
				a.createTable(b, "one", "k", "S")
				a.createTable(b, "two", "k", "S")
				var i atomic.Int64
				b.SetParallelism(max(1, clients/runtime.GOMAXPROCS(0)))
				b.ReportAllocs()
				b.ResetTimer()
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						if err := a.write(b, write, int(i.Add(1))%10_000); err != nil {
							b.Error(err)
							return
						}
					}
				})
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
				if err := engine.Close(); err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}

func (a *account) write(b *testing.B, kind string, i int) error {
	switch kind {
	case "PutItem1KB":
		_, err := a.PutItem(b.Context(), &dynamodb.PutItemInput{TableName: aws.String("one"), Item: sized(i, 1024, false)})
		return err
	case "TransactWrite2Puts":
		_, err := a.TransactWriteItems(b.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
			{Put: &types.Put{TableName: aws.String("one"), Item: sized(i, 300, false)}},
			{Put: &types.Put{TableName: aws.String("two"), Item: sized(i, 300, false)}},
		}})
		return err
	default:
		return fmt.Errorf("no write %q", kind)
	}
}
