// Package item keeps the records of the metadata store as items of DynamoDB
// tables: what an item looks like, the requests that read and write it, the tables
// that hold it, and how many items are loaded at once. Both layouts use it; they
// differ only in the primary key.
//
// After an attempt without an answer, only the service's own word settles a write.
// A conditional PutItem or DeleteItem is then not sent again, because the first
// attempt may be carried out after the second. A transaction is sent again under
// the token that it had, and only its success is believed
// (docs/spec/metadata-store.md §1). Answers are read from error types and from the
// reason code of each action, never from message text (hazard 6).
package item

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/keyspace"
)

// Value returns the value of an item, never nil. An item without one, or with one
// that is not binary, is store.ErrMalformed.
func Value(item map[string]types.AttributeValue) ([]byte, error) {
	switch v := item[keyspace.AttrValue].(type) {
	case *types.AttributeValueMemberB:
		if v.Value == nil {
			return []byte{}, nil
		}
		return v.Value, nil
	case nil:
		return nil, fmt.Errorf("%w: no attribute %q", store.ErrMalformed, keyspace.AttrValue)
	default:
		return nil, fmt.Errorf("%w: attribute %q has type %T, want binary", store.ErrMalformed, keyspace.AttrValue, v)
	}
}

// Name returns the logical key of an item or of a primary key. One without is
// store.ErrMalformed.
func Name(item map[string]types.AttributeValue) (string, error) {
	name, ok := item[keyspace.AttrKey].(*types.AttributeValueMemberS)
	if !ok {
		return "", fmt.Errorf("%w: attribute %q has type %T, want string", store.ErrMalformed, keyspace.AttrKey, item[keyspace.AttrKey])
	}
	return name.Value, nil
}

// Entries returns the items of a page as the store's callers see them.
func Entries(items []map[string]types.AttributeValue) ([]store.Entry, error) {
	entries := make([]store.Entry, len(items))
	for i, item := range items {
		name, err := Name(item)
		if err != nil {
			return nil, err
		}
		value, err := Value(item)
		if err != nil {
			return nil, fmt.Errorf("key %q: %w", name, err)
		}
		entries[i] = store.Entry{Key: name, Value: value}
	}
	return entries, nil
}

// Last returns the logical key of the last item that a page evaluated, "" if there
// is nothing behind it. Some services return an empty key then, instead of none
// (hazard 7).
func Last(lastEvaluated map[string]types.AttributeValue) (string, error) {
	if len(lastEvaluated) == 0 {
		return "", nil
	}
	return Name(lastEvaluated)
}
