package dynamo_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

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

func TestScanReturnsEverythingInPages(t *testing.T) {
	a := newAccount(t, nil)
	a.createTable(t, "tbl", "k", "S")
	a.fill(t, "tbl", 5000, 300, false)
	seen := map[string]bool{}
	var order []string
	pages := dynamodb.NewScanPaginator(a, &dynamodb.ScanInput{TableName: aws.String("tbl")})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range page.Items {
			k := it["k"].(*types.AttributeValueMemberS).Value
			seen[k] = true
			order = append(order, k)
		}
	}
	if len(seen) != 5000 || len(order) != 5000 {
		t.Errorf("scan returned %d items, %d different ones, want 5000", len(order), len(seen))
	}
}

func TestQueryPrefix(t *testing.T) {
	a := newAccount(t, nil)
	a.createTable(t, "tbl", "k", "S", "r", "S")
	a.fill(t, "tbl", 100, 300, true)
	out, err := a.Query(t.Context(), &dynamodb.QueryInput{
		TableName:                 aws.String("tbl"),
		KeyConditionExpression:    aws.String("k = :k AND begins_with(r, :p)"),
		ExpressionAttributeValues: item{":k": s("part"), ":p": s("000001")},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, it := range out.Items {
		got = append(got, it["r"].(*types.AttributeValueMemberS).Value)
	}
	want := "0000010 0000011 0000012 0000013 0000014 0000015 0000016 0000017 0000018 0000019"
	if strings.Join(got, " ") != want {
		t.Errorf("begins_with 000001 gave %v", got)
	}
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
