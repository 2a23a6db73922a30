package meter

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/counts"
)

// dynamoDB is DynamoDB. Operations that it does not name (tables, streams, …)
// cost no units.
type dynamoDB struct{}

func (dynamoDB) name() string { return "dynamodb" }

// ask turns on ReturnConsumedCapacity, in a copy: the caller may use its input
// again.
func (dynamoDB) ask(input any) any {
	switch in := input.(type) {
	case *dynamodb.GetItemInput:
		return asking(in, func(c *dynamodb.GetItemInput) *types.ReturnConsumedCapacity { return &c.ReturnConsumedCapacity })
	case *dynamodb.PutItemInput:
		return asking(in, func(c *dynamodb.PutItemInput) *types.ReturnConsumedCapacity { return &c.ReturnConsumedCapacity })
	case *dynamodb.UpdateItemInput:
		return asking(in, func(c *dynamodb.UpdateItemInput) *types.ReturnConsumedCapacity { return &c.ReturnConsumedCapacity })
	case *dynamodb.DeleteItemInput:
		return asking(in, func(c *dynamodb.DeleteItemInput) *types.ReturnConsumedCapacity { return &c.ReturnConsumedCapacity })
	case *dynamodb.QueryInput:
		return asking(in, func(c *dynamodb.QueryInput) *types.ReturnConsumedCapacity { return &c.ReturnConsumedCapacity })
	case *dynamodb.ScanInput:
		return asking(in, func(c *dynamodb.ScanInput) *types.ReturnConsumedCapacity { return &c.ReturnConsumedCapacity })
	case *dynamodb.BatchGetItemInput:
		return asking(in, func(c *dynamodb.BatchGetItemInput) *types.ReturnConsumedCapacity { return &c.ReturnConsumedCapacity })
	case *dynamodb.BatchWriteItemInput:
		return asking(in, func(c *dynamodb.BatchWriteItemInput) *types.ReturnConsumedCapacity { return &c.ReturnConsumedCapacity })
	case *dynamodb.TransactGetItemsInput:
		return asking(in, func(c *dynamodb.TransactGetItemsInput) *types.ReturnConsumedCapacity {
			return &c.ReturnConsumedCapacity
		})
	case *dynamodb.TransactWriteItemsInput:
		return asking(in, func(c *dynamodb.TransactWriteItemsInput) *types.ReturnConsumedCapacity {
			return &c.ReturnConsumedCapacity
		})
	}
	return input
}

// asking returns a copy of in whose field is TOTAL, or in itself if it already asks
// for something.
func asking[T any](in *T, field func(*T) *types.ReturnConsumedCapacity) *T {
	if in == nil {
		return in
	}
	c := *in
	if f := field(&c); *f == "" || *f == types.ReturnConsumedCapacityNone {
		*f = types.ReturnConsumedCapacityTotal
		return &c
	}
	return in
}

// absent is about GetItem, which answers a missing item with no item.
func (dynamoDB) absent(output any) bool {
	out, ok := output.(*dynamodb.GetItemOutput)
	return ok && out.Item == nil
}

// usage reads the answer. An error carries no units.
func (dynamoDB) usage(api string, input, output any, err error, outcome Outcome) counts.Usage {
	reads, writes := consumes(api)
	if !reads && !writes {
		return counts.Usage{}
	}
	u := counts.Usage{Work: counts.Work{BytesSent: bytesSent(input)}}
	if err != nil {
		if !refused(err, outcome) {
			u.Unreported = 1
		}
		return u
	}
	answered := answerOf(output)
	u.Evaluated, u.Returned = int64(answered.evaluated), int64(answered.returned)
	u.BytesReceived = answered.bytes
	if len(answered.capacity) == 0 {
		u.Unreported = 1
	}
	for i := range answered.capacity {
		addCapacity(&u, &answered.capacity[i], writes)
	}
	return u
}

// consumes returns the kinds of units that an operation is charged in.
func consumes(api string) (reads, writes bool) {
	switch api {
	case "GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems":
		return true, false
	case "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems":
		return false, true
	}
	return false, false
}

// addCapacity adds what one table reported. Transactions say read and write
// units apart; that a repeated TransactWriteItems is charged in read units shows
// there alone (docs/facts/dynamodb.md §3.2, row 24).
func addCapacity(u *counts.Usage, c *types.ConsumedCapacity, writes bool) {
	switch {
	case c.ReadCapacityUnits != nil || c.WriteCapacityUnits != nil:
		u.RRU += value(c.ReadCapacityUnits)
		u.WRU += value(c.WriteCapacityUnits)
	case writes:
		u.WRU += value(c.CapacityUnits)
	default:
		u.RRU += value(c.CapacityUnits)
	}
}

func value(f *float64) float64 {
	if f == nil {
		return 0
	}
	return *f
}

// answer is what the outputs of all operations have in common.
type answer struct {
	capacity            []types.ConsumedCapacity
	evaluated, returned int
	bytes               int64
}

func answerOf(output any) (a answer) {
	switch out := output.(type) {
	case *dynamodb.GetItemOutput:
		a.single(out.ConsumedCapacity)
		a.items(out.Item)
		a.evaluated = a.returned
	case *dynamodb.QueryOutput:
		a.single(out.ConsumedCapacity)
		a.items(out.Items...)
		a.evaluated, a.returned = int(out.ScannedCount), int(out.Count)
	case *dynamodb.ScanOutput:
		a.single(out.ConsumedCapacity)
		a.items(out.Items...)
		a.evaluated, a.returned = int(out.ScannedCount), int(out.Count)
	case *dynamodb.BatchGetItemOutput:
		a.capacity = out.ConsumedCapacity
		for _, items := range out.Responses {
			a.items(items...)
		}
		a.evaluated = a.returned
	case *dynamodb.TransactGetItemsOutput:
		a.capacity = out.ConsumedCapacity
		for _, r := range out.Responses {
			a.items(r.Item)
		}
		a.evaluated = a.returned
	case *dynamodb.PutItemOutput:
		a.single(out.ConsumedCapacity)
		a.items(out.Attributes)
	case *dynamodb.UpdateItemOutput:
		a.single(out.ConsumedCapacity)
		a.items(out.Attributes)
	case *dynamodb.DeleteItemOutput:
		a.single(out.ConsumedCapacity)
		a.items(out.Attributes)
	case *dynamodb.BatchWriteItemOutput:
		a.capacity = out.ConsumedCapacity
	case *dynamodb.TransactWriteItemsOutput:
		a.capacity = out.ConsumedCapacity
	}
	return a
}

func (a *answer) single(c *types.ConsumedCapacity) {
	if c != nil {
		a.capacity = []types.ConsumedCapacity{*c}
	}
}

// items counts those that are there: an absent one has no attributes.
func (a *answer) items(items ...map[string]types.AttributeValue) {
	for _, item := range items {
		if item != nil {
			a.returned++
			a.bytes += itemSize(item)
		}
	}
}
