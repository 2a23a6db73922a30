package stats

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/history"
	"github.com/lakebench/lakebench/internal/backend/dynamo"
	"github.com/lakebench/lakebench/store/keyspace"
)

const tableV1, tableV2 = "lake", "lake_prefix_v2"

// service is an embedded DynamoDB with its bill.
type service struct {
	*dynamodb.Client
	bill Walk
}

func newService(t *testing.T) *service {
	t.Helper()
	engine, err := dynamo.New(dynamo.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	s := &service{}
	s.Client = dynamodb.New(dynamodb.Options{
		Region: "us-east-1", BaseEndpoint: aws.String("http://dynamodb.embedded"), Retryer: aws.NopRetryer{},
		HTTPClient: engine.Client(func(_ context.Context, served dynamo.Served) {
			s.bill.add(Walk{Requests: 1, RRU: served.RRU})
		}),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
		}),
	})
	return s
}

func (s *service) create(t *testing.T, table string, keys ...string) {
	t.Helper()
	in := &dynamodb.CreateTableInput{TableName: &table, BillingMode: types.BillingModePayPerRequest}
	for i, key := range keys {
		in.AttributeDefinitions = append(in.AttributeDefinitions, types.AttributeDefinition{AttributeName: aws.String(key), AttributeType: types.ScalarAttributeTypeS})
		in.KeySchema = append(in.KeySchema, types.KeySchemaElement{AttributeName: aws.String(key), KeyType: []types.KeyType{types.KeyTypeHash, types.KeyTypeRange}[i]})
	}
	if _, err := s.CreateTable(t.Context(), in); err != nil {
		t.Fatal(err)
	}
}

func (s *service) put(t *testing.T, records []history.Record) {
	t.Helper()
	for chunk := range slices.Chunk(records, 12) {
		v1, v2 := []types.WriteRequest{}, []types.WriteRequest{}
		for _, r := range chunk {
			item := map[string]types.AttributeValue{
				keyspace.AttrKey:   &types.AttributeValueMemberS{Value: r.Key},
				keyspace.AttrValue: &types.AttributeValueMemberB{Value: history.Value(1, r)},
			}
			v1 = append(v1, types.WriteRequest{PutRequest: &types.PutRequest{Item: item}})
			copied := map[string]types.AttributeValue{keyspace.AttrBucket: &types.AttributeValueMemberS{Value: keyspace.Bucket(r.Key)}}
			for name, value := range item {
				copied[name] = value
			}
			v2 = append(v2, types.WriteRequest{PutRequest: &types.PutRequest{Item: copied}})
		}
		out, err := s.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{tableV1: v1, tableV2: v2}})
		if err != nil || len(out.UnprocessedItems) > 0 {
			t.Fatalf("%v, %d unprocessed", err, len(out.UnprocessedItems))
		}
	}
}

// What is reckoned is what the service bills: for items of one size, whatever
// cuts the pages.
func TestAgreesWithTheEmbeddedService(t *testing.T) {
	cfg := history.Config{
		Tables: 30, ZipfExponent: 1, CommitsPerSecond: 20, Retention: time.Minute, ItemBytes: 9_000,
		RootKeys: 2, LeaseShare: 0.3, LeaseHold: 10 * time.Second, TombstoneShare: 0.2,
	}
	l, err := history.New(cfg, 5)
	if err != nil {
		t.Fatal(err)
	}
	records := slices.Collect(l.Live(5 * time.Second))
	s := newService(t)
	s.create(t, tableV1, keyspace.AttrKey)
	s.create(t, tableV2, keyspace.AttrBucket, keyspace.AttrKey)
	s.put(t, records)
	for _, limit := range []int{0, 10, len(records)} {
		want := collect(t, limit, records...)
		var pages *int32
		if limit > 0 {
			pages = aws.Int32(int32(limit))
		}
		s.bill = Walk{}
		scan := dynamodb.NewScanPaginator(s, &dynamodb.ScanInput{TableName: aws.String(tableV1), ConsistentRead: aws.Bool(true), Limit: pages})
		for scan.HasMorePages() {
			if _, err := scan.NextPage(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if s.bill != want.Scan {
			t.Errorf("limit %d: a scan was billed %+v, reckoned %+v", limit, s.bill, want.Scan)
		}
		for _, f := range want.Families {
			s.bill = Walk{}
			s.list(t, f, pages)
			if s.bill != f.List {
				t.Errorf("limit %d: listing %s was billed %+v, reckoned %+v", limit, f.Name, s.bill, f.List)
			}
		}
	}
}

func (s *service) list(t *testing.T, f Family, limit *int32) {
	t.Helper()
	for n := range f.Shards {
		query := dynamodb.NewQueryPaginator(s, &dynamodb.QueryInput{
			TableName: aws.String(tableV2), ConsistentRead: aws.Bool(true), Limit: limit,
			KeyConditionExpression:    aws.String("#b = :b"),
			ExpressionAttributeNames:  map[string]string{"#b": keyspace.AttrBucket},
			ExpressionAttributeValues: map[string]types.AttributeValue{":b": &types.AttributeValueMemberS{Value: fmt.Sprintf("%s#%02d", f.Name, n)}},
		})
		for query.HasMorePages() {
			if _, err := query.NextPage(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
}
