package dynamo

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// Do serves one request about items without HTTP and JSON: the direct front. input
// is a pointer to one of the SDK's input types, and the output one to the type that
// belongs to it. The error is the one that the SDK would have found in the
// answer, such as *types.ConditionalCheckFailedException; what the SDK has no
// type for is a *smithy.GenericAPIError. What the SDK itself refuses to send,
// such as a request without a table's name, gets a ValidationException here.
//
// Nothing of the input is kept, and nothing of the output shared. As with
// [Engine.Serve], there is no panic, and the end of ctx stops nothing.
func (e *Engine) Do(ctx context.Context, input any) (output any, served Served, err error) {
	switch in := input.(type) {
	case *dynamodb.GetItemInput:
		return direct(ctx, e, "GetItem", in, getItemIn, (*Engine).getItem, (*getItemOutput).direct)
	case *dynamodb.PutItemInput:
		return direct(ctx, e, "PutItem", in, putItemIn, (*Engine).putItem, (*writeItemOutput).directPut)
	case *dynamodb.DeleteItemInput:
		return direct(ctx, e, "DeleteItem", in, deleteItemIn, (*Engine).deleteItem, (*writeItemOutput).directDelete)
	case *dynamodb.QueryInput:
		return direct(ctx, e, "Query", in, queryIn, (*Engine).query, (*pageOutput).directQuery)
	case *dynamodb.ScanInput:
		return direct(ctx, e, "Scan", in, scanIn, (*Engine).scan, (*pageOutput).directScan)
	case *dynamodb.BatchGetItemInput:
		return direct(ctx, e, "BatchGetItem", in, batchGetIn, (*Engine).batchGetItem, (*batchGetOutput).direct)
	case *dynamodb.BatchWriteItemInput:
		return direct(ctx, e, "BatchWriteItem", in, batchWriteIn, (*Engine).batchWriteItem, (*batchWriteOutput).direct)
	case *dynamodb.TransactGetItemsInput:
		return direct(ctx, e, "TransactGetItems", in, transactGetIn, (*Engine).transactGetItems, (*transactGetOutput).direct)
	case *dynamodb.TransactWriteItemsInput:
		return direct(ctx, e, "TransactWriteItems", in, transactWriteIn, (*Engine).transactWriteItems, (*transactWriteOutput).direct)
	default:
		return direct(ctx, e, fmt.Sprintf("%T", input), input, unsupportedIn, (*Engine).nothing, func(any, *bill) any { return nil })
	}
}

// direct serves one operation: from the SDK's input to the typed request, which
// is then served as any other, and from the typed answer to the SDK's output.
func direct[SDKIn, In, Out any, SDKOut any, P interface {
	*In
	request
}](ctx context.Context, e *Engine, name string, sdk SDKIn,
	convert func(c *inbound, from SDKIn, to P),
	run func(e *Engine, ctx context.Context, in P, b *bill) (Out, *serviceError),
	answer func(out Out, b *bill) SDKOut,
) (any, Served, error) {
	b := &bill{Served: Served{API: apiName(name), Outcome: OutcomeOK}}
	out, err := protect(name, func() (out SDKOut, err *serviceError) {
		in := P(new(In))
		c := inbound{}
		if convert(&c, sdk, in); c.err != nil {
			return out, bodyError(c.err)
		}
		if err := in.validate(); err != nil {
			return out, err
		}
		typed, err := run(e, ctx, in, b)
		if lost := e.settle(ctx); lost != nil {
			return out, lost
		}
		if err != nil {
			return out, err
		}
		return answer(typed, b), nil
	})
	if err != nil {
		b.Outcome = err.outcome()
	}
	e.counter.add(&b.Served)
	if err != nil {
		return nil, b.Served, err.direct()
	}
	return out, b.Served, nil
}

// unsupportedIn refuses an input that no operation of the engine has.
func unsupportedIn(c *inbound, from any, _ *tableInput) { c.fail(unsupported(fmt.Sprintf("%T", from))) }

func (*Engine) nothing(context.Context, *tableInput, *bill) (any, *serviceError) { return nil, nil }
