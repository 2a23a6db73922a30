package direct_test

import (
	"context"
	"strconv"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/internal/backend/latency"
	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/meter"
	"github.com/lakebench/lakebench/internal/sim/task"
)

// actors make the requests of a benchmark in turns, as the scheduler picks them.
const actors = 8

// simulate has actors read and write items of 300 bytes on the virtual clock, one
// write to three strong reads. A request is one iteration: ns/op are those of the
// scheduler, the ledgers and the service together.
func simulate(b *testing.B, open func(*backend.Backend, *meter.Meter) operations) {
	b.Helper()
	times, err := latency.Default()
	if err != nil {
		b.Fatal(err)
	}
	_, err = task.Run(b.Context(), task.VirtualConfig{Seed: 1, Policy: task.Random{}}, func(ctx context.Context) error {
		cfg := backend.DefaultConfig()
		cfg.ServiceTimes = &times
		opened, err := backend.Open(ctx, cfg)
		if err != nil {
			return err
		}
		m, err := opened.NewMeter(nil)
		if err != nil {
			return err
		}
		c := open(opened, m)
		create := tableCases()[1].(*dynamodb.CreateTableInput)
		if _, err := c.CreateTable(ctx, create); err != nil {
			return err
		}
		b.ReportAllocs()
		b.ResetTimer()
		g := task.NewGroup(meter.InPhase(ctx, meter.PhaseSteady), 0)
		for a := range actors {
			g.Go("actor-"+strconv.Itoa(a), func(ctx context.Context) error {
				return act(cause.With(cause.WithActor(ctx, "actor-"+strconv.Itoa(a)), cause.Point), c, a, b.N)
			})
		}
		return g.Wait()
	})
	if err != nil {
		b.Fatal(err)
	}
}

func act(ctx context.Context, c operations, actor, requests int) error {
	for i := actor; i < requests; i += actors {
		key := "tbl/" + strconv.Itoa(i/actors%100)
		var err error
		if i/actors%4 == 0 {
			item := keyOf("1", key)
			item["value"] = &types.AttributeValueMemberB{Value: make([]byte, 280)}
			_, err = c.PutItem(ctx, &dynamodb.PutItemInput{TableName: lakeTable, Item: item})
		} else {
			_, err = c.GetItem(ctx, &dynamodb.GetItemInput{TableName: lakeTable, Key: keyOf("1", key), ConsistentRead: aws.Bool(true)})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func BenchmarkDirect(b *testing.B) {
	simulate(b, func(o *backend.Backend, m *meter.Meter) operations { return directClient(b, o, m) })
}

func BenchmarkSDK(b *testing.B) {
	simulate(b, func(o *backend.Backend, m *meter.Meter) operations { return o.DynamoDB(m) })
}
