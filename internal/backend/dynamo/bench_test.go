package dynamo_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
)

// Each benchmark has two parts: the engine, and a handler that gives the same
// answers without doing anything. The second is what the SDK alone allows on
// this machine at this moment (docs/facts/dynamodb.md §1).

// replayer answers every request with the body that the engine gave to the
// first one.
type replayer struct{ body []byte }

func (r *replayer) Do(req *http.Request) (*http.Response, error) {
	_, _ = io.Copy(io.Discard, req.Body)
	return &http.Response{
		StatusCode:    http.StatusOK,
		Header:        http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body:          io.NopCloser(bytes.NewReader(r.body)),
		ContentLength: int64(len(r.body)),
		Request:       req,
	}, nil
}

// recorder keeps the last answer that passes through.
type recorder struct {
	inner dynamodb.HTTPClient
	body  []byte
}

func (r *recorder) Do(req *http.Request) (*http.Response, error) {
	resp, err := r.inner.Do(req)
	if err != nil {
		return nil, err
	}
	r.body, err = io.ReadAll(resp.Body)
	resp.Body = io.NopCloser(bytes.NewReader(r.body))
	return resp, err
}

// benchmark runs call on the engine and at the SDK's ceiling.
func benchmark(b *testing.B, engine *dynamo.Engine, call func(ctx context.Context, c *dynamodb.Client, i int) error) {
	run := func(b *testing.B, transport dynamodb.HTTPClient) {
		client := newClient(transport)
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			if err := call(b.Context(), client, i); err != nil {
				b.Fatal(err)
			}
			i++
		}
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
	}
	b.Run("engine", func(b *testing.B) { run(b, engine.Client(nil)) })
	b.Run("sdk-ceiling", func(b *testing.B) {
		record := &recorder{inner: engine.Client(nil)}
		if err := call(b.Context(), newClient(record), 0); err != nil {
			b.Fatal(err)
		}
		run(b, &replayer{record.body})
	})
}

func BenchmarkGetItem1KB(b *testing.B) {
	a := newAccount(b, nil)
	a.createTable(b, "tbl", "k", "S")
	a.fill(b, "tbl", 1000, 1024, false)
	benchmark(b, a.engine, func(ctx context.Context, c *dynamodb.Client, i int) error {
		_, err := c.GetItem(ctx, &dynamodb.GetItemInput{
			TableName: aws.String("tbl"), ConsistentRead: aws.Bool(true), Key: item{"k": s(fmt.Sprintf("%07d", i%1000))},
		})
		return err
	})
}

func BenchmarkPutItem1KB(b *testing.B) {
	a := newAccount(b, nil)
	a.createTable(b, "tbl", "k", "S")
	benchmark(b, a.engine, func(ctx context.Context, c *dynamodb.Client, i int) error {
		_, err := c.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("tbl"), Item: sized(i%10_000, 1024, false)})
		return err
	})
}

func BenchmarkPutItemConditional1KB(b *testing.B) {
	a := newAccount(b, nil)
	a.createTable(b, "tbl", "k", "S")
	benchmark(b, a.engine, func(ctx context.Context, c *dynamodb.Client, i int) error {
		_, err := c.PutItem(ctx, &dynamodb.PutItemInput{
			TableName: aws.String("tbl"), Item: sized(i%10_000, 1024, false),
			ConditionExpression:       aws.String("attribute_not_exists(k) OR #v = :v"),
			ExpressionAttributeNames:  map[string]string{"#v": "v"},
			ExpressionAttributeValues: item{":v": b1KB},
		})
		return err
	})
}

var b1KB = sized(0, 1024, false)["v"]

func BenchmarkTransactWrite2Puts(b *testing.B) {
	a := newAccount(b, nil)
	a.createTable(b, "one", "k", "S")
	a.createTable(b, "two", "k", "S", "r", "S")
	benchmark(b, a.engine, func(ctx context.Context, c *dynamodb.Client, i int) error {
		_, err := c.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
			{Put: &types.Put{TableName: aws.String("one"), Item: sized(i%10_000, 300, false)}},
			{Put: &types.Put{TableName: aws.String("two"), Item: sized(i%10_000, 300, true)}},
		}})
		return err
	})
}

func BenchmarkQuery100x300B(b *testing.B) {
	a := newAccount(b, nil)
	a.createTable(b, "tbl", "k", "S", "r", "S")
	a.fill(b, "tbl", 1000, 300, true)
	benchmark(b, a.engine, func(ctx context.Context, c *dynamodb.Client, _ int) error {
		out, err := c.Query(ctx, &dynamodb.QueryInput{
			TableName: aws.String("tbl"), ConsistentRead: aws.Bool(true),
			KeyConditionExpression:    aws.String("k = :k AND begins_with(r, :p)"),
			ExpressionAttributeValues: item{":k": s("part"), ":p": s("00005")},
		})
		if err == nil && out.Count != 100 {
			return fmt.Errorf("query returned %d items, want 100", out.Count)
		}
		return err
	})
}

// One call is a whole scan of 100,000 items, page by page.
func BenchmarkScan100000x300B(b *testing.B) {
	a := newAccount(b, nil)
	a.createTable(b, "tbl", "k", "S")
	a.fill(b, "tbl", 100_000, 300, false)
	scan := func(b *testing.B, client *dynamodb.Client, in dynamodb.ScanInput, want int) {
		b.ReportAllocs()
		for b.Loop() {
			in.ExclusiveStartKey = nil
			got := 0
			for requests := 1; ; requests++ {
				out, err := client.Scan(b.Context(), &in)
				if err != nil {
					b.Fatal(err)
				}
				got += len(out.Items)
				if in.ExclusiveStartKey = out.LastEvaluatedKey; in.ExclusiveStartKey == nil || requests == 29 {
					break
				}
			}
			if want > 0 && got != want {
				b.Fatalf("scan returned %d items, want %d", got, want)
			}
		}
	}
	in := dynamodb.ScanInput{TableName: aws.String("tbl"), ConsistentRead: aws.Bool(true)}
	b.Run("engine", func(b *testing.B) { scan(b, newClient(a.engine.Client(nil)), in, 100_000) })
	b.Run("sdk-ceiling", func(b *testing.B) {
		record := &recorder{inner: a.engine.Client(nil)}
		if _, err := newClient(record).Scan(b.Context(), &in); err != nil {
			b.Fatal(err)
		}
		scan(b, newClient(&replayer{record.body}), in, 0) // the first page 29 times: 1,384 items more
	})
	in.FilterExpression = aws.String("begins_with(k, :p)")
	in.ExpressionAttributeValues = item{":p": s("00005")}
	b.Run("engine-filtered", func(b *testing.B) { scan(b, newClient(a.engine.Client(nil)), in, 100) })
}

// BenchmarkServe is the engine's own cost, without the SDK.
func BenchmarkServe(b *testing.B) {
	a := newAccount(b, nil)
	a.createTable(b, "hash", "k", "S")
	a.createTable(b, "sorted", "k", "S", "r", "S")
	a.fill(b, "hash", 1000, 1024, false)
	a.fill(b, "sorted", 1000, 300, true)
	kilobyte := strings.Repeat("eHh4", 335)
	tiny := strings.Repeat("eHh4", 90)
	for _, c := range []struct{ operation, body string }{
		{"GetItem", `{"TableName":"hash","ConsistentRead":true,"Key":{"k":{"S":"0000500"}}}`},
		{"PutItem", `{"TableName":"hash","Item":{"k":{"S":"0000500"},"v":{"B":"` + kilobyte + `"}}}`},
		{"DeleteItem", `{"TableName":"hash","Key":{"k":{"S":"absent"}}}`},
		{"TransactWriteItems", `{"TransactItems":[
			{"Put":{"TableName":"hash","Item":{"k":{"S":"0000500"},"v":{"B":"` + tiny + `"}}}},
			{"Put":{"TableName":"sorted","Item":{"k":{"S":"part"},"r":{"S":"0000500"},"v":{"B":"` + tiny + `"}}}}]}`},
		{"Query", `{"TableName":"sorted","KeyConditionExpression":"k = :k AND begins_with(r, :p)",
			"ExpressionAttributeValues":{":k":{"S":"part"},":p":{"S":"00005"}}}`},
		{"Scan", `{"TableName":"hash","FilterExpression":"begins_with(k, :p)","ExpressionAttributeValues":{":p":{"S":"00005"}}}`},
	} {
		b.Run(c.operation, func(b *testing.B) {
			b.ReportAllocs()
			body := []byte(c.body)
			for b.Loop() {
				if resp := a.engine.Serve(b.Context(), c.operation, body); resp.Status != http.StatusOK {
					b.Fatal(string(resp.Body))
				}
			}
		})
	}
}

// conditionalUpdate counts in an item of 1 KB, if it is there.
func conditionalUpdate(table string, i int) *dynamodb.UpdateItemInput {
	return &dynamodb.UpdateItemInput{
		TableName: &table, Key: item{"k": s(fmt.Sprintf("%07d", i%1000))},
		UpdateExpression:          aws.String("ADD n :one"),
		ConditionExpression:       aws.String("attribute_exists(k)"),
		ExpressionAttributeValues: item{":one": n("1")},
	}
}

func BenchmarkUpdateItemConditional1KB(b *testing.B) {
	a := newAccount(b, nil)
	a.createTable(b, "tbl", "k", "S")
	a.fill(b, "tbl", 1000, 1024, false)
	benchmark(b, a.engine, func(ctx context.Context, c *dynamodb.Client, i int) error {
		_, err := c.UpdateItem(ctx, conditionalUpdate("tbl", i))
		return err
	})
}
