package dynamo_test

import (
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
)

// What is put comes back, key types and all.
func TestPutGet(t *testing.T) {
	for name, keys := range map[string][]string{
		"S": {"k", "S"}, "N": {"k", "N"}, "B": {"k", "B"},
		"S+S": {"k", "S", "r", "S"}, "B+N": {"k", "B", "r", "N"}, "N+B": {"k", "N", "r", "B"},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAccount(t, nil)
			a.createTable(t, "tbl", keys...)
			value := map[string]types.AttributeValue{"S": s("schlüssel/\"\\\n"), "N": n("-12.5"), "B": b([]byte{0, 0xff, 7})}
			key := item{"k": value[keys[1]]}
			if len(keys) > 2 {
				key["r"] = value[keys[3]]
			}
			for _, rest := range []item{
				{},
				{"a": s(""), "z": n("0.00000000000000000000000000000000000001")},
				{"list": &types.AttributeValueMemberL{Value: []types.AttributeValue{s("x"), n("1"), &types.AttributeValueMemberNULL{Value: true}}},
					"map":  &types.AttributeValueMemberM{Value: item{"in": &types.AttributeValueMemberBOOL{Value: true}}},
					"tags": &types.AttributeValueMemberSS{Value: []string{"a", "b"}}, "v": b([]byte("value"))},
			} {
				full := item{}
				for name, v := range key {
					full[name] = v
				}
				for name, v := range rest {
					full[name] = v
				}
				if _, err := a.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("tbl"), Item: full}); err != nil {
					t.Fatal(err)
				}
				got, err := a.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String("tbl"), Key: key})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(full, got.Item, ignoreUnexported); diff != "" {
					t.Errorf("put, then got (-want +got):\n%s", diff)
				}
			}
		})
	}
}

var ignoreUnexported = cmpopts.IgnoreUnexported(
	types.AttributeValueMemberS{}, types.AttributeValueMemberN{}, types.AttributeValueMemberB{},
	types.AttributeValueMemberL{}, types.AttributeValueMemberM{}, types.AttributeValueMemberSS{},
	types.AttributeValueMemberBOOL{}, types.AttributeValueMemberNULL{},
)

// Put and delete return the old item where asked, and only then.
func TestReturnOldItem(t *testing.T) {
	w := newWorld(t, nil)
	old := ofSize("a", 100)
	w.stored("a", 100)
	put := &dynamodb.PutItemInput{TableName: aws.String("hash"), Item: ofSize("a", 50)}
	if out, err := w.PutItem(w.ctx, put); err != nil || out.Attributes != nil {
		t.Errorf("not asked: %v (error %v)", out.Attributes, err)
	}
	w.stored("a", 100)
	put.ReturnValues = types.ReturnValueAllOld
	out, err := w.PutItem(w.ctx, put)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(old, out.Attributes, ignoreUnexported); diff != "" {
		t.Errorf("PutItem's old item (-want +got):\n%s", diff)
	}
	if s := w.last(); s.Returned != 1 || s.BytesReceived != 100 || s.BytesSent != 50 {
		t.Errorf("served as %+v", s)
	}
	remove := &dynamodb.DeleteItemInput{TableName: aws.String("hash"), Key: key("a"), ReturnValues: types.ReturnValueAllOld}
	deleted, err := w.DeleteItem(w.ctx, remove)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(ofSize("a", 50), deleted.Attributes, ignoreUnexported); diff != "" {
		t.Errorf("DeleteItem's old item (-want +got):\n%s", diff)
	}
	if again, err := w.DeleteItem(w.ctx, remove); err != nil || again.Attributes != nil {
		t.Errorf("a missing item's old one: %v (error %v)", again.Attributes, err)
	}
}

// A failed condition leaves the item as it is, and returns it where asked.
func TestFailedCondition(t *testing.T) {
	w := newWorld(t, nil)
	w.stored("a", 100)
	_, err := w.DeleteItem(w.ctx, &dynamodb.DeleteItemInput{
		TableName: aws.String("hash"), Key: key("a"),
		ConditionExpression: aws.String("v = :v"), ExpressionAttributeValues: item{":v": s("other")},
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	var failed *types.ConditionalCheckFailedException
	if !errors.As(err, &failed) {
		t.Fatalf("error %v, want a ConditionalCheckFailedException", err)
	}
	if diff := cmp.Diff(ofSize("a", 100), failed.Item, ignoreUnexported); diff != "" {
		t.Errorf("item (-want +got):\n%s", diff)
	}
	if w.last().Outcome != dynamo.OutcomeConditionFailed || w.last().Returned != 0 {
		t.Errorf("served as %+v", w.last())
	}
	if w.size("a") != 100 {
		t.Error("the item is gone")
	}
}

// What a projection leaves out was read all the same.
func TestProjectionIsCharged(t *testing.T) {
	w := newWorld(t, nil)
	if err := w.put(item{"k": s("a"), "m": &types.AttributeValueMemberM{Value: item{"x": n("1"), "y": n("2")}}, "v": b(make([]byte, 5000))}); err != nil {
		t.Fatal(err)
	}
	out, err := w.GetItem(w.ctx, &dynamodb.GetItemInput{
		TableName: aws.String("hash"), Key: key("a"), ConsistentRead: aws.Bool(true),
		ProjectionExpression: aws.String("m.y, nothing, k"),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := item{"k": s("a"), "m": &types.AttributeValueMemberM{Value: item{"y": n("2")}}}
	if diff := cmp.Diff(want, out.Item, ignoreUnexported); diff != "" {
		t.Errorf("item (-want +got):\n%s", diff)
	}
	w.mustCost(2, 0, nil)
	// k and a, m, the map's 3 and the element's 1, y and 2: 1+1 + 1+3+1+1+2.
	if got := w.last().BytesReceived; got != 10 {
		t.Errorf("%d bytes returned, want 10", got)
	}
}
