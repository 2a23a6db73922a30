//go:build real

package dynamo_test

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
)

var benchReal = flag.Bool("bench-real", false, "measure beside DynamoDB Local: minutes, on a quiet machine")

// realCase is one operation as one client makes it, and how many times faster than
// DynamoDB Local it must be in memory.
type realCase struct {
	name  string
	calls int // in one measurement
	want  float64
	call  func(ctx context.Context, c *dynamodb.Client, i int) error
}

var realCases = []realCase{
	{"GetItem 1 KB", 2000, 8, func(ctx context.Context, c *dynamodb.Client, i int) error {
		_, err := c.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("one"), ConsistentRead: aws.Bool(true), Key: item{"k": s(fmt.Sprintf("%07d", i%1000))}})
		return err
	}},
	{"PutItem 1 KB", 2000, 8, func(ctx context.Context, c *dynamodb.Client, i int) error {
		_, err := c.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("one"), Item: sized(i%1000, 1024, false)})
		return err
	}},
	{"UpdateItem with a condition", 2000, 0, func(ctx context.Context, c *dynamodb.Client, i int) error {
		_, err := c.UpdateItem(ctx, conditionalUpdate("one", i))
		return err
	}},
	{"TransactWriteItems of 2 puts, 2 tables", 1000, 20, func(ctx context.Context, c *dynamodb.Client, i int) error {
		_, err := c.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
			{Put: &types.Put{TableName: aws.String("one"), Item: sized(i%1000, 300, false)}},
			{Put: &types.Put{TableName: aws.String("two"), Item: sized(i%1000, 300, true)}},
		}})
		return err
	}},
	{"Scan of 100,000 items of 300 B", 1, 5, func(ctx context.Context, c *dynamodb.Client, _ int) error {
		count := 0
		for pages := dynamodb.NewScanPaginator(c, &dynamodb.ScanInput{TableName: aws.String("large")}); pages.HasMorePages(); {
			page, err := pages.NextPage(ctx)
			if err != nil {
				return err
			}
			count += len(page.Items)
		}
		if count != 100_000 {
			return fmt.Errorf("scan returned %d items", count)
		}
		return nil
	}},
}

// TestRealBench compares in one run: DynamoDB Local, ours over loopback, ours in
// memory; one client each, medians of 5 that take turns.
func TestRealBench(t *testing.T) {
	if !*benchReal {
		t.Skip("without -bench-real")
	}
	engine, err := dynamo.New(dynamo.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(engine.HTTPHandler())
	defer server.Close()
	at := func(address string) *account {
		return &account{Client: dynamodb.New(newClient(http.DefaultClient).Options(), func(o *dynamodb.Options) {
			o.BaseEndpoint = &address
			o.Retryer = retry.NewStandard() // over sockets the SDK now and then loses an answer (docs/facts/dynamodb.md §1)
		})}
	}
	local := at(os.Getenv("LAKEBENCH_TEST_DYNAMODB"))
	memory := &account{Client: newClient(engine.Client(nil))}
	for _, a := range []*account{local, memory} {
		for _, table := range []string{"one", "two", "large"} { // that an earlier run may have left
			_, _ = a.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: &table})
		}
		a.createTable(t, "one", "k", "S")
		a.createTable(t, "two", "k", "S", "r", "S")
		a.createTable(t, "large", "k", "S")
		a.fill(t, "one", 1000, 1024, false)
		a.fill(t, "large", 100_000, 300, false)
	}
	t.Logf("%-40s %12s %12s %12s %8s %8s", "calls/s", "local", "loopback", "memory", "memory ×", "want")
	for _, c := range realCases {
		var seconds [3][]float64
		for range 5 {
			for i, a := range []*account{local, at(server.URL), memory} {
				seconds[i] = append(seconds[i], c.measure(t, a.Client))
			}
		}
		var rates [3]float64
		for i := range rates {
			slices.Sort(seconds[i])
			rates[i] = float64(c.calls) / seconds[i][2]
		}
		t.Logf("%-40s %12.1f %12.1f %12.1f %8.1f %8.0f", c.name, rates[0], rates[1], rates[2], rates[2]/rates[0], c.want)
	}
}

func (c *realCase) measure(t *testing.T, client *dynamodb.Client) (seconds float64) {
	t.Helper()
	began := time.Now()
	for i := range c.calls {
		if err := c.call(t.Context(), client, i); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
	}
	return time.Since(began).Seconds()
}
