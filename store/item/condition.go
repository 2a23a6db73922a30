package item

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/keyspace"
)

// A Condition is what a write demands of the record that it replaces. The zero
// Condition demands nothing.
type Condition struct {
	expression *string
	// Names are always placeholders: VALUE is a reserved word (page ReservedWords).
	names  map[string]string
	values map[string]types.AttributeValue
}

// Anything demands nothing: the write is another record's mirror, whose condition
// in the same transaction decides for both.
func Anything() Condition { return Condition{} }

// Is demands that the record is exactly as expected.
func Is(e store.Expectation) Condition {
	value, exists := e.Value()
	if !exists {
		expression := "attribute_not_exists(#k)"
		return Condition{expression: &expression, names: map[string]string{"#k": keyspace.AttrKey}}
	}
	expression := "#v = :expected"
	return Condition{
		expression: &expression,
		names:      map[string]string{"#v": keyspace.AttrValue},
		values:     map[string]types.AttributeValue{":expected": binary(value)},
	}
}

// Holds demands that the record's value is that of an item which was read, of
// whatever type and even if it has none; of no item, that there is no record.
func Holds(read map[string]types.AttributeValue) Condition {
	if len(read) == 0 {
		return Is(store.Absent())
	}
	if held, ok := read[keyspace.AttrValue]; ok {
		c := Is(store.Exactly(nil))
		c.values[":expected"] = held
		return c
	}
	expression := "attribute_exists(#k) AND attribute_not_exists(#v)"
	return Condition{expression: &expression, names: map[string]string{"#k": keyspace.AttrKey, "#v": keyspace.AttrValue}}
}

// AbsentOr demands that the record is as expected, or does not exist.
func AbsentOr(e store.Expectation) Condition {
	c := Is(e)
	if _, exists := e.Value(); exists {
		expression := "attribute_not_exists(#k) OR " + *c.expression
		c.expression, c.names["#k"] = &expression, keyspace.AttrKey
	}
	return c
}

// binary makes a value of bytes. A nil slice would be sent as null, which is
// another type than the empty value.
func binary(v []byte) *types.AttributeValueMemberB {
	if v == nil {
		v = []byte{}
	}
	return &types.AttributeValueMemberB{Value: v}
}
