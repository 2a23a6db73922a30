package backend

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/backend/fault"
	"github.com/lakebench/lakebench/internal/meter"
	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/store/v1"
)

// getter is what both transports can do.
type getter interface {
	GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error)
}

// TestLedgersAgreeUnderFaults lets requests be stopped before the service, lose
// their answer after it acted, and land after their caller gave up: on both
// transports every attempt is then either served or stopped, and which is known.
func TestLedgersAgreeUnderFaults(t *testing.T) {
	rules, err := fault.Parse("test", `
on dynamodb GetItem nth 2 : throttle
on dynamodb GetItem nth 4 : error-after
on dynamodb GetItem nth 6 : timeout 1s lands 30s
on dynamodb GetItem nth 9 : error-before
`)
	if err != nil {
		t.Fatal(err)
	}
	for _, transport := range []string{"sdk", "direct"} {
		_, err := task.Run(t.Context(), task.VirtualConfig{}, func(ctx context.Context) error {
			b, err := Open(ctx, DefaultConfig())
			if err != nil {
				return err
			}
			m, err := b.NewMeter(nil)
			if err != nil {
				return err
			}
			faults := fault.New(ctx, rules, fault.DefaultConfig())
			client, err := clientOver(b, m, faults, transport)
			if err != nil {
				return err
			}
			if err := v1.Create(ctx, b.DynamoDB(m), "lake"); err != nil {
				return err
			}
			key := map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "a"}}
			for range 8 {
				// Whatever comes of it: the ledgers are what is looked at.
				_, _ = client.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("lake"), Key: key})
			}
			if early := m.Reconcile(); early != nil {
				t.Errorf("%s: while a request is under way: %v", transport, early)
			}
			if err := faults.Wait(); err != nil {
				return err
			}
			if err := m.Reconcile(); err != nil {
				t.Errorf("%s: %v", transport, err)
			}
			got := m.Ledger(meter.PhaseSetup).Total().Flow
			counts := faults.Counts()
			if got.Stopped != counts.Stopped || got.Stopped != 2 {
				t.Errorf("%s: %d stopped in the ledgers, %d in the injector, expected 2 by the rules", transport, got.Stopped, counts.Stopped)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func clientOver(b *Backend, m *meter.Meter, faults *fault.Injector, transport string) (getter, error) {
	if transport == "direct" {
		return b.Direct(m, faults)
	}
	return b.DynamoDBUnder(m, faults), nil
}
