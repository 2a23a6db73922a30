package record_test

import (
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/record"
)

// TestValue: only a binary attribute is a value.
func TestValue(t *testing.T) {
	for _, c := range []struct {
		item map[string]types.AttributeValue
		want string
		err  error
	}{
		{map[string]types.AttributeValue{"value": &types.AttributeValueMemberB{Value: []byte("x")}}, "x", nil},
		{map[string]types.AttributeValue{"value": &types.AttributeValueMemberB{}}, "", nil},
		{map[string]types.AttributeValue{"value": &types.AttributeValueMemberS{Value: "x"}}, "", store.ErrMalformed},
		{map[string]types.AttributeValue{}, "", store.ErrMalformed},
	} {
		got, err := record.Value(c.item)
		if string(got) != c.want || !errors.Is(err, c.err) || (err == nil && got == nil) {
			t.Errorf("Value(%v) = %q, %v; want %q, %v", c.item, got, err, c.want, c.err)
		}
	}
}

// TestEntries: a page with one bad item is refused, and the item named.
func TestEntries(t *testing.T) {
	good := record.Record{Key: map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "tbl/a"}}}
	entries, err := record.Entries([]map[string]types.AttributeValue{good.Item([]byte("x")), good.Item(nil)})
	if err != nil || len(entries) != 2 || entries[0].Key != "tbl/a" || string(entries[0].Value) != "x" || entries[1].Value == nil {
		t.Errorf("entries %v, %v", entries, err)
	}
	for what, bad := range map[string]map[string]types.AttributeValue{
		"value": {"pk": &types.AttributeValueMemberS{Value: "tbl/b"}},
		"key":   {"value": &types.AttributeValueMemberB{}},
	} {
		if _, err := record.Entries([]map[string]types.AttributeValue{good.Item(nil), bad}); !errors.Is(err, store.ErrMalformed) {
			t.Errorf("an item without %s: %v, want ErrMalformed", what, err)
		}
	}
}

// TestLast: an empty key is no key.
func TestLast(t *testing.T) {
	for _, c := range []struct {
		key  map[string]types.AttributeValue
		want string
		err  error
	}{
		{nil, "", nil},
		{map[string]types.AttributeValue{}, "", nil},
		{map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "a"}, "bucket": &types.AttributeValueMemberS{Value: "b"}}, "a", nil},
		{map[string]types.AttributeValue{"bucket": &types.AttributeValueMemberS{Value: "b"}}, "", store.ErrMalformed},
	} {
		if got, err := record.Last(c.key); got != c.want || !errors.Is(err, c.err) {
			t.Errorf("Last(%v) = %q, %v; want %q, %v", c.key, got, err, c.want, c.err)
		}
	}
}
