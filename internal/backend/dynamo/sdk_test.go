package dynamo_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
)

// account is an embedded service with an SDK client that talks to it.
type account struct {
	*dynamodb.Client
	engine *dynamo.Engine
	mu     sync.Mutex
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
	a.Client = newClient(engine.Client(a.observe))
	return a
}

func (a *account) observe(_ context.Context, s dynamo.Served) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.served = append(a.served, s)
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
func (a *account) last() dynamo.Served {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.served[len(a.served)-1]
}

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

var ignoreRequests = cmpopts.IgnoreUnexported(types.WriteRequest{}, types.PutRequest{}, types.DeleteRequest{})

// fill puts n items of exactly size bytes into a table with keys k (S) and,
// if the table has one, r (S); all in one partition if so.
func (a *account) fill(t testing.TB, table string, n, size int, sorted bool) {
	t.Helper()
	for from := 0; from < n; from += 25 {
		var requests []types.WriteRequest
		for i := from; i < min(from+25, n); i++ {
			requests = append(requests, types.WriteRequest{PutRequest: &types.PutRequest{Item: sized(i, size, sorted)}})
		}
		out, err := a.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{table: requests}})
		if err != nil {
			t.Fatal(err)
		}
		if len(out.UnprocessedItems) > 0 {
			t.Fatalf("unprocessed: %v", out.UnprocessedItems)
		}
	}
}

// sized is the i-th of a table's items: k and r of 8 bytes each with their
// names, and v for the rest of size.
func sized(i, size int, sorted bool) item {
	id := fmt.Sprintf("%07d", i)
	it := item{"k": s(id)}
	keys := 1 + 7
	if sorted {
		it["k"] = s("part")
		it["r"] = s(id)
		keys = 1 + 4 + 1 + 7
	}
	it["v"] = b([]byte(strings.Repeat("x", size-keys-1)))
	return it
}

// code is the error code of an SDK error, empty for nil.
func code(err error) string {
	if api := smithy.APIError(nil); errors.As(err, &api) {
		return api.ErrorCode()
	}
	if err != nil {
		return err.Error()
	}
	return ""
}
