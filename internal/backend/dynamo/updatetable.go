package dynamo

import (
	"context"
	"time"

	"github.com/lakebench/lakebench/internal/attr"
	"github.com/lakebench/lakebench/internal/sim/task"
)

// updateTableInput is an UpdateTable request. What it can change is how a table is
// billed; asking for what the engine lacks is refused, as when a table is made.
type updateTableInput struct {
	name        string
	billing     string
	provisioned *throughput
}

func (in *updateTableInput) member(r *attr.Reader, name string) error {
	switch name {
	case "TableName":
		return readString(r, &in.name)
	case "BillingMode":
		return readString(r, &in.billing)
	case "ProvisionedThroughput":
		in.provisioned = &throughput{}
		return object(r, in.provisioned.member)
	case "GlobalSecondaryIndexUpdates", "ReplicaUpdates":
		return refuseFilled(r, name)
	case "StreamSpecification":
		return refuseEnabled(r, name, "StreamEnabled")
	case "DeletionProtectionEnabled":
		return refuseTrue(r, name)
	default:
		return r.Skip()
	}
}

func (in *updateTableInput) validate() *serviceError {
	if err := checkTableName(in.name); err != nil {
		return err
	}
	if in.billing == "" && in.provisioned == nil {
		return invalid("At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates or SSESpecification or ReplicaUpdates is required")
	}
	if in.billing == "" {
		return in.provisioned.validate()
	}
	return checkBilling(in.billing, in.provisioned)
}

func (e *Engine) updateTable(ctx context.Context, in *updateTableInput, _ *bill) (*updateTableOutput, *serviceError) {
	e.mu.Lock() // so that the table is not deleted meanwhile
	defer e.mu.Unlock()
	t, ok := e.tables[in.name]
	if !ok {
		return nil, tableNotFound(in.name)
	}
	if err := t.bill(in, task.Now(ctx)); err != nil {
		return nil, err
	}
	e.persistChanged(t)
	return &updateTableOutput{t.describe(statusActive)}, nil
}

// bill changes how the table is billed.
func (t *table) bill(in *updateTableInput, now time.Time) *serviceError {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case in.provisioned == nil && in.billing == onDemand:
		if t.provisioned != (throughput{}) {
			t.provisioned, t.onDemand = throughput{}, now
		}
	case in.billing == "" && t.provisioned == (throughput{}):
		return invalid(throughputOnDemand)
	case *in.provisioned == t.provisioned:
		return invalid("The provisioned throughput for the table will not change. The requested value equals the current value. "+
			"Current ReadCapacityUnits provisioned for the table: %d. Requested ReadCapacityUnits: %d. "+
			"Current WriteCapacityUnits provisioned for the table: %d. Requested WriteCapacityUnits: %d. "+
			"Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.",
			t.provisioned.read, in.provisioned.read, t.provisioned.write, in.provisioned.write)
	default:
		t.provisioned = *in.provisioned
	}
	return nil
}
