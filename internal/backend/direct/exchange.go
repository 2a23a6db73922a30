package direct

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/backend/fault"
	"github.com/lakebench/lakebench/internal/concern"
)

// exchange is one attempt, as fault rules see it.
type exchange struct {
	client *Client
	input  any
}

func (x *exchange) request(api string) fault.Request {
	return fault.Request{Service: fault.DynamoDB, Operation: api, Targets: func() []fault.Target { return targets(x.input) }}
}

// Send implements fault.Exchange.
func (x *exchange) Send(ctx context.Context) (reply, error) {
	return replied(x.client.act(ctx, x.input))
}

// SendPart implements fault.Exchange.
func (x *exchange) SendPart(ctx context.Context, leave int64) (reply, error) {
	switch in := x.input.(type) {
	case *dynamodb.BatchWriteItemInput:
		return x.writePart(ctx, in, leave)
	case *dynamodb.BatchGetItemInput:
		return x.getPart(ctx, in, leave)
	}
	return x.Send(ctx)
}

func (x *exchange) writePart(ctx context.Context, in *dynamodb.BatchWriteItemInput, leave int64) (reply, error) {
	kept, left := fault.LeaveOut(in.RequestItems, leave)
	if kept == nil {
		return reply{}, fault.ErrWholeBatch
	}
	part := *in
	part.RequestItems = kept
	r, err := replied(x.client.act(ctx, &part))
	if out, ok := r.output.(*dynamodb.BatchWriteItemOutput); ok {
		for table, writes := range left {
			out.UnprocessedItems[table] = append(out.UnprocessedItems[table], writes...)
		}
	}
	return r, err
}

func (x *exchange) getPart(ctx context.Context, in *dynamodb.BatchGetItemInput, leave int64) (reply, error) {
	keys := make(map[string][]map[string]types.AttributeValue, len(in.RequestItems))
	for table, of := range in.RequestItems {
		keys[table] = of.Keys
	}
	kept, left := fault.LeaveOut(keys, leave)
	if kept == nil {
		return reply{}, fault.ErrWholeBatch
	}
	part := *in
	part.RequestItems = make(map[string]types.KeysAndAttributes, len(kept))
	for table, keys := range kept {
		of := in.RequestItems[table]
		of.Keys = keys
		part.RequestItems[table] = of
	}
	r, err := replied(x.client.act(ctx, &part))
	if out, ok := r.output.(*dynamodb.BatchGetItemOutput); ok {
		for table, keys := range left {
			of, some := out.UnprocessedKeys[table]
			if !some {
				of = in.RequestItems[table]
				of.Keys = nil
			}
			of.Keys = append(of.Keys, keys...)
			out.UnprocessedKeys[table] = of
		}
	}
	return r, err
}

// Refuse implements fault.Exchange.
func (x *exchange) Refuse(r fault.Refusal) (reply, error) { return reply{err: r.Err()}, nil }

// Cut implements fault.Exchange: without bytes, an answer that is cut is lost.
func (x *exchange) Cut(_ reply, _ int64, lost error) (reply, error) { return reply{}, lost }

// Drop implements fault.Exchange.
func (x *exchange) Drop(reply) {}

// Detach implements fault.Exchange: the input stays as it is (see [Client]).
func (x *exchange) Detach() error { return nil }

// targets returns what a request concerns, as rules see it: the strings of its keys
// and items, or of a page's conditions.
func targets(input any) (all []fault.Target) {
	for _, item := range concern.Items(input) {
		t := fault.Target{In: item.Table}
		for _, attributes := range []concern.Attributes{item.Key, item.Put, item.Values} {
			for _, v := range attributes {
				if s, ok := v.(*types.AttributeValueMemberS); ok {
					t.Keys = append(t.Keys, s.Value)
				}
			}
		}
		all = append(all, t)
	}
	return all
}
