package dynamo_test

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
)

// The SDK's own client, and what each of its requests costs.
func ExampleEngine_Client() {
	ctx := context.Background()
	engine, err := dynamo.New(dynamo.DefaultConfig())
	if err != nil {
		fmt.Println(err)
		return
	}
	client := dynamodb.New(dynamodb.Options{
		Region:       "us-east-1",
		BaseEndpoint: aws.String("http://embedded"),
		Credentials:  aws.AnonymousCredentials{},
		HTTPClient: engine.Client(func(_ context.Context, s dynamo.Served) {
			fmt.Printf("%s %s: %v RRU, %v WRU\n", s.API, s.Outcome, s.RRU, s.WRU)
		}),
	})
	table, key := aws.String("tables"), map[string]types.AttributeValue{"name": &types.AttributeValueMemberS{Value: "trips"}}
	_, err = client.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName: table, BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("name"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("name"), KeyType: types.KeyTypeHash}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 2 {
		_, _ = client.PutItem(ctx, &dynamodb.PutItemInput{
			TableName: table, Item: key, ConditionExpression: aws.String("attribute_not_exists(#n)"),
			ExpressionAttributeNames: map[string]string{"#n": "name"},
		})
	}
	_, _ = client.GetItem(ctx, &dynamodb.GetItemInput{TableName: table, Key: key, ConsistentRead: aws.Bool(true)})
	// Output:
	// CreateTable ok: 0 RRU, 0 WRU
	// PutItem ok: 0 RRU, 1 WRU
	// PutItem condition-failed: 0 RRU, 1 WRU
	// GetItem ok: 1 RRU, 0 WRU
}
