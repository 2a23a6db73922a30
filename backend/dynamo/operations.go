package dynamo

import "context"

// operation serves one operation: body in, answer out, both JSON.
type operation func(ctx context.Context, e *Engine, body []byte, b *bill) ([]byte, *serviceError)

// operations are those that the engine has, by name.
var operations = map[string]operation{
	"BatchGetItem":       serve((*Engine).batchGetItem),
	"BatchWriteItem":     serve((*Engine).batchWriteItem),
	"CreateTable":        serve((*Engine).createTable),
	"DeleteItem":         serve((*Engine).deleteItem),
	"DeleteTable":        serve((*Engine).deleteTable),
	"DescribeTable":      serve((*Engine).describeTable),
	"GetItem":            serve((*Engine).getItem),
	"ListTables":         serve((*Engine).listTables),
	"PutItem":            serve((*Engine).putItem),
	"Query":              serve((*Engine).query),
	"Scan":               serve((*Engine).scan),
	"TransactGetItems":   serve((*Engine).transactGetItems),
	"TransactWriteItems": serve((*Engine).transactWriteItems),
}

// serve puts the wire codec around a typed operation.
func serve[In any, Out answer, P interface {
	*In
	request
}](run func(e *Engine, ctx context.Context, in P, b *bill) (Out, *serviceError)) operation {
	return func(ctx context.Context, e *Engine, body []byte, b *bill) ([]byte, *serviceError) {
		in := P(new(In))
		if err := decode(body, in); err != nil {
			return nil, err
		}
		out, err := run(e, ctx, in, b)
		if err != nil {
			return nil, err
		}
		return encode(out, b), nil
	}
}
