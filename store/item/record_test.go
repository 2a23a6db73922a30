package item_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
	"github.com/lakebench/lakebench/internal/storetest"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/item"
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
		got, err := item.Value(c.item)
		if string(got) != c.want || !errors.Is(err, c.err) || (err == nil && got == nil) {
			t.Errorf("Value(%v) = %q, %v; want %q, %v", c.item, got, err, c.want, c.err)
		}
	}
}

// TestEntries: a page with one bad item is refused, and the item named.
func TestEntries(t *testing.T) {
	good := item.Record{Key: map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "tbl/a"}}}
	entries, err := item.Entries([]map[string]types.AttributeValue{good.Item([]byte("x")), good.Item(nil)})
	if err != nil || len(entries) != 2 || entries[0].Key != "tbl/a" || string(entries[0].Value) != "x" || entries[1].Value == nil {
		t.Errorf("entries %v, %v", entries, err)
	}
	for what, bad := range map[string]map[string]types.AttributeValue{
		"value": {"pk": &types.AttributeValueMemberS{Value: "tbl/b"}},
		"key":   {"value": &types.AttributeValueMemberB{}},
	} {
		if _, err := item.Entries([]map[string]types.AttributeValue{good.Item(nil), bad}); !errors.Is(err, store.ErrMalformed) {
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
		if got, err := item.Last(c.key); got != c.want || !errors.Is(err, c.err) {
			t.Errorf("Last(%v) = %q, %v; want %q, %v", c.key, got, err, c.want, c.err)
		}
	}
}

// TestConditions: what each condition demands of a record, put to the embedded
// service for every state of the record.
func TestConditions(t *testing.T) {
	ctx, states := context.Background(), []*string{nil, ptr(""), ptr("1"), ptr("2")}
	engine, err := dynamo.New(dynamo.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	client := storetest.Client(engine.Client(nil))
	if err := item.CreateTable(ctx, client, item.Schema{Name: "lake", Hash: "pk"}); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, holds := range states {
		for _, wants := range states {
			equal := holds == wants || holds != nil && wants != nil && *holds == *wants
			expect := store.Absent()
			if wants != nil {
				expect = store.Exactly([]byte(*wants))
			}
			for what, c := range map[string]struct {
				condition item.Condition
				met       bool
			}{
				"is": {item.Is(expect), equal}, "absent or": {item.AbsentOr(expect), equal || holds == nil}, "anything": {item.Anything(), true},
			} {
				for _, remove := range []bool{false, true} {
					n++
					r := item.Record{Table: "lake", Key: map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: fmt.Sprint(n)}}}
					action := r.PutIf(c.condition, []byte("new"))
					if remove {
						action = r.DeleteIf(c.condition)
					}
					if holds != nil {
						send(ctx, t, client, "create", r.Put(store.Absent(), []byte(*holds)), true)
					}
					what := fmt.Sprintf("%s: holds %s, wants %s, remove %v", what, show(holds), show(wants), remove)
					send(ctx, t, client, what, action, c.met)
				}
			}
		}
	}
}

func ptr(s string) *string { return &s }

func show(s *string) string {
	if s == nil {
		return "nothing"
	}
	return fmt.Sprintf("%q", *s)
}

// send makes a transaction of one action, which may be refused for its condition
// and for nothing else.
func send(ctx context.Context, t *testing.T, client *dynamodb.Client, what string, action types.TransactWriteItem, met bool) {
	t.Helper()
	_, err := client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{action}})
	var cancelled *types.TransactionCanceledException
	if err != nil && (!errors.As(err, &cancelled) || *cancelled.CancellationReasons[0].Code != "ConditionalCheckFailed") {
		t.Fatal(err)
	}
	if (err == nil) != met {
		t.Errorf("%s: condition met: %v, want %v", what, err == nil, met)
	}
}
