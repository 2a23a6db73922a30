package dynamo_test

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/backend/dynamo"
)

// account is an embedded service with an SDK client that talks to it.
type account struct {
	*dynamodb.Client
	engine *dynamo.Engine
	served []dynamo.Served // every request, in order
}

func newAccount(t testing.TB, configure func(*dynamo.Config)) *account {
	t.Helper()
	cfg := dynamo.DefaultConfig()
	if configure != nil {
		configure(&cfg)
	}
	engine, err := dynamo.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	a := &account{engine: engine}
	a.Client = newClient(engine.Client(func(_ context.Context, s dynamo.Served) { a.served = append(a.served, s) }))
	return a
}

func newClient(transport dynamodb.HTTPClient) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region:       "us-east-1",
		BaseEndpoint: aws.String("http://dynamodb.embedded"),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
		}),
		HTTPClient: transport,
		Retryer:    aws.NopRetryer{},
	})
}

// last is what the last request was billed.
func (a *account) last() dynamo.Served { return a.served[len(a.served)-1] }

// createTable makes a table with the key attributes given as name and type,
// partition key first.
func (a *account) createTable(t testing.TB, name string, keys ...string) {
	t.Helper()
	in := &dynamodb.CreateTableInput{TableName: &name, BillingMode: types.BillingModePayPerRequest}
	for i := 0; i < len(keys); i += 2 {
		in.AttributeDefinitions = append(in.AttributeDefinitions, types.AttributeDefinition{
			AttributeName: &keys[i], AttributeType: types.ScalarAttributeType(keys[i+1]),
		})
		role := [...]types.KeyType{types.KeyTypeHash, types.KeyTypeRange}[i/2]
		in.KeySchema = append(in.KeySchema, types.KeySchemaElement{AttributeName: &keys[i], KeyType: role})
	}
	if _, err := a.CreateTable(t.Context(), in); err != nil {
		t.Fatal(err)
	}
}

type item = map[string]types.AttributeValue

func s(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }
func n(v string) types.AttributeValue { return &types.AttributeValueMemberN{Value: v} }
func b(v []byte) types.AttributeValue { return &types.AttributeValueMemberB{Value: v} }
