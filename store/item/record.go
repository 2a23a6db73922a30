package item

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/keyspace"
)

// A Record is the place of one record: an item of a table.
type Record struct {
	Table string
	Name  string                          // the logical key, for messages
	Key   map[string]types.AttributeValue // the primary key
}

// Item returns the whole item with the given value.
func (r Record) Item(value []byte) map[string]types.AttributeValue {
	item := make(map[string]types.AttributeValue, len(r.Key)+1)
	for name, v := range r.Key {
		item[name] = v
	}
	item[keyspace.AttrValue] = binary(value)
	return item
}

// returnOld asks for the item that a condition failed on, so that a caller learns
// the current value without another read.
const returnOld = types.ReturnValuesOnConditionCheckFailureAllOld

// PutInput returns the request that writes value if the record is as expected.
func (r Record) PutInput(expected store.Expectation, value []byte) *dynamodb.PutItemInput {
	c := Is(expected)
	return &dynamodb.PutItemInput{
		TableName: &r.Table, Item: r.Item(value),
		ConditionExpression: c.expression, ExpressionAttributeNames: c.names, ExpressionAttributeValues: c.values,
		ReturnValuesOnConditionCheckFailure: returnOld,
	}
}

// DeleteInput returns the request that removes the record if it is as expected.
func (r Record) DeleteInput(expected store.Expectation) *dynamodb.DeleteItemInput {
	c := Is(expected)
	return &dynamodb.DeleteItemInput{
		TableName: &r.Table, Key: r.Key,
		ConditionExpression: c.expression, ExpressionAttributeNames: c.names, ExpressionAttributeValues: c.values,
		ReturnValuesOnConditionCheckFailure: returnOld,
	}
}

// Put returns the action of a transaction that writes value if the record is as
// expected.
func (r Record) Put(expected store.Expectation, value []byte) types.TransactWriteItem {
	return r.PutIf(Is(expected), value)
}

// PutIf returns the action that writes value if c holds.
func (r Record) PutIf(c Condition, value []byte) types.TransactWriteItem {
	return types.TransactWriteItem{Put: &types.Put{
		TableName: &r.Table, Item: r.Item(value),
		ConditionExpression: c.expression, ExpressionAttributeNames: c.names, ExpressionAttributeValues: c.values,
		ReturnValuesOnConditionCheckFailure: returnOld,
	}}
}

// Delete returns the action that removes the record if it is as expected.
func (r Record) Delete(expected store.Expectation) types.TransactWriteItem {
	return r.DeleteIf(Is(expected))
}

// DeleteIf returns the action that removes the record, if there is one, if c
// holds.
func (r Record) DeleteIf(c Condition) types.TransactWriteItem {
	return types.TransactWriteItem{Delete: &types.Delete{
		TableName: &r.Table, Key: r.Key,
		ConditionExpression: c.expression, ExpressionAttributeNames: c.names, ExpressionAttributeValues: c.values,
		ReturnValuesOnConditionCheckFailure: returnOld,
	}}
}

// Check returns the action that writes nothing and fails unless the record is as
// expected.
func (r Record) Check(expected store.Expectation) types.TransactWriteItem {
	c := Is(expected)
	return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName: &r.Table, Key: r.Key,
		ConditionExpression: c.expression, ExpressionAttributeNames: c.names, ExpressionAttributeValues: c.values,
		ReturnValuesOnConditionCheckFailure: returnOld,
	}}
}

// A Getter reads an item.
type Getter interface {
	GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error)
}

// Get reads the record's value, never nil. Errors name what was read: it is
// store.ErrNotFound if the record does not exist, store.ErrMalformed if it has no
// binary value.
func (r Record) Get(ctx context.Context, client Getter, c store.Consistency) ([]byte, error) {
	strong := c == store.Strong
	out, err := client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &r.Table, Key: r.Key, ConsistentRead: &strong})
	if err != nil {
		return nil, store.Failed("get", r.Table, r.Name, err)
	}
	if len(out.Item) == 0 {
		return nil, store.Failed("get", r.Table, r.Name, store.ErrNotFound)
	}
	value, err := Value(out.Item)
	if err != nil {
		return nil, store.Failed("get", r.Table, r.Name, err)
	}
	return value, nil
}

// Found reads the item that the service returned with a failed condition.
func (r Record) Found(item map[string]types.AttributeValue) (store.Found, error) {
	if len(item) == 0 {
		return store.Found{}, nil
	}
	value, err := Value(item)
	if err != nil {
		return store.Found{}, fmt.Errorf("current value: %w", err)
	}
	return store.Found{Value: value, Exists: true}, nil
}
