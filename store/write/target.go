package write

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/store"
)

// returnOld asks for the item that a condition failed on, so that a caller learns
// the current value without another read.
const returnOld = types.ReturnValuesOnConditionCheckFailureAllOld

// A Target is one record on the wire: an item of a table, which holds the
// complete logical key in store.AttrKey and the value in store.AttrValue.
type Target struct {
	Table string
	Name  string                          // the logical key, for messages
	Key   map[string]types.AttributeValue // the primary key
}

// Item returns the whole record with the given value.
func (t Target) Item(value []byte) map[string]types.AttributeValue {
	item := make(map[string]types.AttributeValue, len(t.Key)+1)
	for name, v := range t.Key {
		item[name] = v
	}
	item[store.AttrValue] = binary(value)
	return item
}

// Put returns the action of a transaction that writes value to t if it is as
// expected.
func (t Target) Put(expected store.Expectation, value []byte) types.TransactWriteItem {
	c := matches(expected)
	return types.TransactWriteItem{Put: &types.Put{
		TableName: &t.Table, Item: t.Item(value),
		ConditionExpression: &c.expression, ExpressionAttributeNames: c.names, ExpressionAttributeValues: c.values,
		ReturnValuesOnConditionCheckFailure: returnOld,
	}}
}

// Delete returns the action that removes t if it is as expected.
func (t Target) Delete(expected store.Expectation) types.TransactWriteItem {
	c := matches(expected)
	return types.TransactWriteItem{Delete: &types.Delete{
		TableName: &t.Table, Key: t.Key,
		ConditionExpression: &c.expression, ExpressionAttributeNames: c.names, ExpressionAttributeValues: c.values,
		ReturnValuesOnConditionCheckFailure: returnOld,
	}}
}

// Check returns the action that writes nothing and fails unless t is as
// expected.
func (t Target) Check(expected store.Expectation) types.TransactWriteItem {
	c := matches(expected)
	return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName: &t.Table, Key: t.Key,
		ConditionExpression: &c.expression, ExpressionAttributeNames: c.names, ExpressionAttributeValues: c.values,
		ReturnValuesOnConditionCheckFailure: returnOld,
	}}
}

// A condition is a condition expression and what it refers to. Names are always
// placeholders: VALUE is a reserved word (page ReservedWords).
type condition struct {
	expression string
	names      map[string]string
	values     map[string]types.AttributeValue
}

func matches(e store.Expectation) condition {
	value, exists := e.Value()
	if !exists {
		return condition{expression: "attribute_not_exists(#k)", names: map[string]string{"#k": store.AttrKey}}
	}
	return condition{
		expression: "#v = :expected",
		names:      map[string]string{"#v": store.AttrValue},
		values:     map[string]types.AttributeValue{":expected": binary(value)},
	}
}

// binary makes a value of bytes. A nil slice would be sent as null, which is
// another type than the empty value.
func binary(v []byte) *types.AttributeValueMemberB {
	if v == nil {
		v = []byte{}
	}
	return &types.AttributeValueMemberB{Value: v}
}

// Value returns the value of a record, never nil. A record without one, or with
// one that is not binary, is store.ErrMalformed.
func Value(item map[string]types.AttributeValue) ([]byte, error) {
	switch v := item[store.AttrValue].(type) {
	case *types.AttributeValueMemberB:
		if v.Value == nil {
			return []byte{}, nil
		}
		return v.Value, nil
	case nil:
		return nil, fmt.Errorf("%w: no attribute %q", store.ErrMalformed, store.AttrValue)
	default:
		return nil, fmt.Errorf("%w: attribute %q has type %T, want binary", store.ErrMalformed, store.AttrValue, v)
	}
}

// Name returns the logical key of a record or of a primary key. One without is
// store.ErrMalformed.
func Name(item map[string]types.AttributeValue) (string, error) {
	name, ok := item[store.AttrKey].(*types.AttributeValueMemberS)
	if !ok {
		return "", fmt.Errorf("%w: attribute %q has type %T, want string", store.ErrMalformed, store.AttrKey, item[store.AttrKey])
	}
	return name.Value, nil
}

// Entry returns a record as the store's callers see it.
func Entry(item map[string]types.AttributeValue) (store.Entry, error) {
	name, err := Name(item)
	if err != nil {
		return store.Entry{}, err
	}
	value, err := Value(item)
	if err != nil {
		return store.Entry{}, fmt.Errorf("key %q: %w", name, err)
	}
	return store.Entry{Key: name, Value: value}, nil
}

// foundIn reads the item that the service returned with a failed condition.
func foundIn(t Target, item map[string]types.AttributeValue) (store.Found, error) {
	if len(item) == 0 {
		return store.Found{}, nil
	}
	value, err := Value(item)
	if err != nil {
		return store.Found{}, store.Failed("read", t.Table, t.Name, err)
	}
	return store.Found{Value: value, Exists: true}, nil
}
