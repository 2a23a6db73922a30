package dynamo_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// updates are inputs of what changes items and tables in place.
func updates() []any {
	update := func(expression, condition string, values item, returns types.ReturnValue) *dynamodb.UpdateItemInput {
		in := &dynamodb.UpdateItemInput{
			TableName: aws.String("tbl"), Key: item{"k": s("a")}, UpdateExpression: &expression, ExpressionAttributeValues: values,
			ReturnValues: returns, ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes,
		}
		if condition != "" {
			in.ConditionExpression = &condition
			in.ReturnValuesOnConditionCheckFailure = types.ReturnValuesOnConditionCheckFailureAllOld
		}
		return in
	}
	one, legacy := item{":one": n("1")}, update("REMOVE n", "", nil, "")
	legacy.AttributeUpdates = map[string]types.AttributeValueUpdate{"n": {Action: types.AttributeActionDelete}}
	return []any{
		update("ADD n :one", "", one, types.ReturnValueUpdatedNew),
		update("SET m.x = m.x + :one REMOVE m.y", "", one, types.ReturnValueAllNew),
		update("SET m.x = :one", "", one, types.ReturnValueUpdatedOld),
		update("ADD n :one", "n > :one", item{":one": n("100")}, ""),
		update("ADD n :one", "", item{":one": s("text")}, ""),
		update("SET q = q + :one", "", one, ""),
		update("ADD n :one", "", one, "SOMETHING"),
		legacy,
		&dynamodb.TransactWriteItemsInput{ClientRequestToken: aws.String("t"), TransactItems: []types.TransactWriteItem{{Update: &types.Update{
			TableName: aws.String("tbl"), Key: item{"k": s("b")}, UpdateExpression: aws.String("ADD #n :one"),
			ExpressionAttributeNames: map[string]string{"#n": "n"}, ExpressionAttributeValues: one,
		}}}},
		&dynamodb.GetItemInput{TableName: aws.String("tbl"), Key: item{"k": s("b")}},
		&dynamodb.ListTagsOfResourceInput{ResourceArn: aws.String("arn:aws:dynamodb:us-east-1:000000000000:table/tbl")},
		&dynamodb.ListTagsOfResourceInput{ResourceArn: aws.String("arn:aws:dynamodb:us-east-1:000000000000:table/none")},
		&dynamodb.UpdateTableInput{TableName: aws.String("tbl"), BillingMode: types.BillingModePayPerRequest},
		&dynamodb.UpdateTableInput{TableName: aws.String("tbl"), BillingMode: types.BillingModeProvisioned},
		&dynamodb.UpdateTableInput{TableName: aws.String("tbl")},
		&dynamodb.UpdateTableInput{TableName: aws.String("tbl"), DeletionProtectionEnabled: aws.Bool(true)},
	}
}

// sdkCall sends an input with the SDK's client.
func (a *account) sdkCall(t *testing.T, input any) (any, error) {
	t.Helper()
	switch in := input.(type) {
	case *dynamodb.UpdateItemInput:
		return a.UpdateItem(t.Context(), in)
	case *dynamodb.TransactWriteItemsInput:
		return a.TransactWriteItems(t.Context(), in)
	case *dynamodb.GetItemInput:
		return a.GetItem(t.Context(), in)
	case *dynamodb.ListTagsOfResourceInput:
		return a.ListTagsOfResource(t.Context(), in)
	case *dynamodb.UpdateTableInput:
		return a.UpdateTable(t.Context(), in)
	default:
		t.Fatalf("no call for %T", input)
		return nil, nil
	}
}

// The direct front answers as the service does over HTTP and JSON.
func TestDirectUpdates(t *testing.T) {
	wire, straight := updating(t), updating(t)
	ignore := cmp.Options{
		ignoreValues, cmpopts.IgnoreTypes(middleware.Metadata{}, types.TableDescription{}.CreationDateTime),
		cmpopts.IgnoreUnexported(
			dynamodb.UpdateItemOutput{}, dynamodb.TransactWriteItemsOutput{}, dynamodb.GetItemOutput{}, dynamodb.ListTagsOfResourceOutput{},
			dynamodb.UpdateTableOutput{}, types.ConsumedCapacity{}, types.Capacity{}, types.TableDescription{}, types.BillingModeSummary{},
			types.ProvisionedThroughputDescription{}, types.KeySchemaElement{}, types.AttributeDefinition{}, types.Tag{},
		),
	}
	for i, input := range updates() {
		want, wantErr := wire.sdkCall(t, input)
		got, served, err := straight.engine.Do(t.Context(), input)
		if code(err) != code(wantErr) {
			t.Errorf("input %d: error %v, want %v", i, err, wantErr)
		}
		if err == nil {
			if diff := cmp.Diff(want, got, ignore); diff != "" {
				t.Errorf("input %d (-wire +direct):\n%s", i, diff)
			}
		}
		if last := wire.last(); served.API != last.API || served.Outcome != last.Outcome || served.WRU != last.WRU || served.RRU != last.RRU {
			t.Errorf("input %d: served as %+v, want %+v", i, served, last)
		}
	}
}
