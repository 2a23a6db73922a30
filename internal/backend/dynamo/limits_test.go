package dynamo_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Limits: page ServiceQuotas; docs/facts/dynamodb.md §3.4.

func TestItemAndKeyLimits(t *testing.T) {
	const refused = "ValidationException"
	long := func(n int) types.AttributeValue { return s(strings.Repeat("x", n)) }
	for _, c := range []struct {
		name  string
		table string
		item  item
		want  string
	}{
		{"item of 409,600 B", "hash", ofSize("a", 409_600), ""},
		{"item of 409,601 B", "hash", ofSize("a", 409_601), refused},
		{"partition key of 2,048 B", "hash", item{"k": long(2048)}, ""},
		{"partition key of 2,049 B", "hash", item{"k": long(2049)}, refused},
		{"partition key of 2,049 B in 2-byte characters", "hash", item{"k": s(strings.Repeat("é", 1024) + "x")}, refused},
		{"sort key of 1,024 B", "sorted", item{"k": s("a"), "r": long(1024)}, ""},
		{"sort key of 1,025 B", "sorted", item{"k": s("a"), "r": long(1025)}, refused},
		{"empty partition key", "hash", item{"k": s("")}, refused},
		{"empty sort key", "sorted", item{"k": s("a"), "r": s("")}, refused},
		{"empty value", "hash", item{"k": s("a"), "v": s("")}, ""},
		{"empty binary value", "hash", item{"k": s("a"), "v": b([]byte{})}, ""},
		{"partition key of another type", "hash", item{"k": n("1")}, refused},
		{"no sort key", "sorted", item{"k": s("a")}, refused},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, nil)
			_, err := w.PutItem(w.ctx, &dynamodb.PutItemInput{TableName: &c.table, Item: c.item})
			if code(err) != c.want {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// A BatchGetItem returns up to 16 MB and says which keys are left.
func TestBatchGetStopsAt16MB(t *testing.T) {
	w := newWorld(t, nil)
	var keys []item
	for i := range 45 {
		k := fmt.Sprintf("key-%02d", i)
		keys = append(keys, key(k))
		w.stored(k, 409_600)
	}
	ask := map[string]types.KeysAndAttributes{"hash": {
		Keys: keys, ConsistentRead: aws.Bool(true),
		ProjectionExpression: aws.String("#k"), ExpressionAttributeNames: map[string]string{"#k": "k"},
	}}
	out, err := w.BatchGetItem(w.ctx, &dynamodb.BatchGetItemInput{RequestItems: ask})
	if err != nil {
		t.Fatal(err)
	}
	w.mustCost(40*100, 0, nil) // 16,777,216 / 409,600 items
	if len(out.Responses["hash"]) != 40 || len(out.UnprocessedKeys["hash"].Keys) != 5 {
		t.Fatalf("%d items and %d keys left, want 40 and 5", len(out.Responses["hash"]), len(out.UnprocessedKeys["hash"].Keys))
	}
	rest, err := w.BatchGetItem(w.ctx, &dynamodb.BatchGetItemInput{RequestItems: out.UnprocessedKeys})
	if err != nil {
		t.Fatal(err)
	}
	w.mustCost(5*100, 0, nil)
	got := append(texts(out.Responses["hash"], "k"), texts(rest.Responses["hash"], "k")...)
	if len(got) != 45 || got[44] != "key-44" || len(rest.Responses["hash"][0]) != 1 {
		t.Errorf("got %v", got)
	}
}

// A TransactGetItems reads up to 4 MB.
func TestTransactGetLimit(t *testing.T) {
	w := newWorld(t, nil)
	var keys []string
	for i := range 11 {
		keys = append(keys, fmt.Sprint("key-", i))
		w.stored(keys[i], 400_000)
	}
	get := func(keys []string) error {
		_, err := w.TransactGetItems(w.ctx, &dynamodb.TransactGetItemsInput{TransactItems: txGets(keys...)})
		return err
	}
	if err := get(keys[:10]); err != nil {
		t.Errorf("4,000,000 B: %v", err)
	}
	if err := get(keys); code(err) != "ValidationException" {
		t.Errorf("4,400,000 B: %v", err)
	}
}
