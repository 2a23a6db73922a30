package dynamo_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
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
