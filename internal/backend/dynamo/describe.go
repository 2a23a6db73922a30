package dynamo

import (
	"fmt"

	"github.com/lakebench/lakebench/internal/attr"
)

// account is the AWS account of all tables.
const account = "000000000000"

// The answers about a table differ in the name of their one member.
type (
	createTableOutput   struct{ *tableDescription }
	describeTableOutput struct{ *tableDescription }
	deleteTableOutput   struct{ *tableDescription }
	updateTableOutput   struct{ *tableDescription }
)

func (out createTableOutput) appendJSON(o *jsonObject, _ *bill) {
	o.object("TableDescription", func() { out.appendMembers(o) })
}

func (out describeTableOutput) appendJSON(o *jsonObject, _ *bill) {
	o.object("Table", func() { out.appendMembers(o) })
}

func (out deleteTableOutput) appendJSON(o *jsonObject, _ *bill) {
	o.object("TableDescription", func() { out.appendMembers(o) })
}

func (out updateTableOutput) appendJSON(o *jsonObject, _ *bill) {
	o.object("TableDescription", func() { out.appendMembers(o) })
}

// id is the table's UUID, or looks like one.
func (d *tableDescription) id() string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", d.number) }

func (d *tableDescription) appendMembers(o *jsonObject) {
	o.string("TableName", d.name)
	o.string("TableStatus", d.status)
	o.string("TableArn", d.arn)
	o.string("TableId", d.id())
	o.float("CreationDateTime", float64(d.created.UnixMilli())/1000)
	o.objects("AttributeDefinitions", len(d.keys()), func(i int) {
		o.string("AttributeName", d.keys()[i].name)
		o.string("AttributeType", d.keys()[i].kind.String())
	})
	o.objects("KeySchema", len(d.keys()), func(i int) {
		o.string("AttributeName", d.keys()[i].name)
		o.string("KeyType", [...]string{"HASH", "RANGE"}[i])
	})
	o.object("ProvisionedThroughput", func() {
		o.int("NumberOfDecreasesToday", 0)
		o.int("ReadCapacityUnits", d.provisioned.read)
		o.int("WriteCapacityUnits", d.provisioned.write)
	})
	if d.provisioned == (throughput{}) {
		o.object("BillingModeSummary", func() {
			o.string("BillingMode", onDemand)
			o.float("LastUpdateToPayPerRequestDateTime", float64(d.onDemand.UnixMilli())/1000)
		})
	}
	o.bool("DeletionProtectionEnabled", false)
	o.int("ItemCount", int64(d.items))
	o.int("TableSizeBytes", d.bytes)
}

func (out *listTablesOutput) appendJSON(o *jsonObject, _ *bill) {
	o.array("TableNames", len(out.names), func(i int) { o.dst = attr.AppendQuoted(o.dst, out.names[i]) })
	if out.last != "" {
		o.string("LastEvaluatedTableName", out.last)
	}
}
