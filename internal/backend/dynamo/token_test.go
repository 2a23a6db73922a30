package dynamo_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
)

// Rules of ClientRequestToken: API reference, TransactWriteItems;
// docs/facts/dynamodb.md §3.5.

func (w *world) transactWithToken(token string, actions ...types.TransactWriteItem) error {
	_, err := w.TransactWriteItems(w.ctx, &dynamodb.TransactWriteItemsInput{ClientRequestToken: &token, TransactItems: actions})
	return err
}

// size of the item under key in table hash, 0 if there is none.
func (w *world) size(k string) int64 {
	w.t.Helper()
	if err := w.get(k, true); err != nil {
		w.t.Fatal(err)
	}
	return w.last().BytesReceived
}

func TestTokenReplaysOnce(t *testing.T) {
	w := newWorld(t, nil)
	first := txPut("hash", ofSize("a", 100))
	if err := w.transactWithToken("one", first); err != nil {
		t.Fatal(err)
	}
	w.mustCost(0, 2, nil)
	w.stored("a", 50) // somebody else's write
	if err := w.transactWithToken("one", first); err != nil {
		t.Fatal(err)
	}
	w.mustCost(2, 0, nil)
	if got := w.size("a"); got != 50 {
		t.Errorf("a replay wrote again: item has %d bytes, want 50", got)
	}
	if err := w.transactWithToken("two", first); err != nil {
		t.Fatal(err)
	}
	if got := w.size("a"); got != 100 {
		t.Errorf("a new token did not write: item has %d bytes, want 100", got)
	}
}

func TestTokenWithOtherRequest(t *testing.T) {
	value := func(v types.AttributeValue) *types.Put {
		return &types.Put{
			TableName: aws.String("hash"), Item: item{"k": s("a"), "v": v},
			ConditionExpression:       aws.String("attribute_not_exists(#k) OR k <> :other"),
			ExpressionAttributeNames:  map[string]string{"#k": "k"},
			ExpressionAttributeValues: item{":other": s("b")},
		}
	}
	names := value(n("1"))
	names.ExpressionAttributeNames = map[string]string{"#k": "v"}
	values := value(n("1"))
	values.ExpressionAttributeValues = item{":other": s("c")}
	condition := value(n("1"))
	condition.ConditionExpression = aws.String("attribute_not_exists(#k) OR k = :other")
	table := value(n("1"))
	table.TableName = aws.String("other")
	old := value(n("1"))
	old.ReturnValuesOnConditionCheckFailure = types.ReturnValuesOnConditionCheckFailureAllOld
	const mismatch = "IdempotentParameterMismatchException"
	for name, c := range map[string]struct {
		again types.TransactWriteItem
		want  string
	}{
		"the same":                   {types.TransactWriteItem{Put: value(n("1"))}, ""},
		"a number spelled otherwise": {types.TransactWriteItem{Put: value(n("1.0e0"))}, ""},
		"another value":              {types.TransactWriteItem{Put: value(n("2"))}, mismatch},
		"another type":               {types.TransactWriteItem{Put: value(s("1"))}, mismatch},
		"another name":               {types.TransactWriteItem{Put: names}, mismatch},
		"another operand":            {types.TransactWriteItem{Put: values}, mismatch},
		"another condition":          {types.TransactWriteItem{Put: condition}, mismatch},
		"another table":              {types.TransactWriteItem{Put: table}, mismatch},
		"another return":             {types.TransactWriteItem{Put: old}, mismatch},
		"another action":             {txDelete("a"), mismatch},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil)
			w.createTable(t, "other", "k", "S")
			if err := w.transactWithToken("token", types.TransactWriteItem{Put: value(n("1"))}); err != nil {
				t.Fatal(err)
			}
			if got := code(w.transactWithToken("token", c.again)); got != c.want {
				t.Errorf("error %q, want %q", got, c.want)
			}
		})
	}
}

// Two actions that differ in nothing but their kind or their key.
func TestTokenTellsActionsApart(t *testing.T) {
	const condition = "attribute_exists(k)"
	remove := func(k string) types.TransactWriteItem {
		return types.TransactWriteItem{Delete: &types.Delete{
			TableName: aws.String("hash"), Key: key(k), ConditionExpression: aws.String(condition),
		}}
	}
	for name, again := range map[string]types.TransactWriteItem{
		"kind": txCheck("a", condition),
		"key":  remove("b"),
	} {
		w := newWorld(t, nil)
		w.stored("a", 10)
		w.stored("b", 10)
		if err := w.transactWithToken("token", remove("a")); err != nil {
			t.Fatal(err)
		}
		if got := code(w.transactWithToken("token", again)); got != "IdempotentParameterMismatchException" {
			t.Errorf("another %s: error %q", name, got)
		}
	}
}

// Sets and maps have no order, so neither has a request that holds them.
func TestTokenIgnoresOrder(t *testing.T) {
	e, err := dynamo.New(dynamo.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	mustServe(t, e, "CreateTable", createTable)
	request := func(item string) string {
		return `{"ClientRequestToken":"t","TransactItems":[{"Put":{"TableName":"tbl","Item":` + item + `}}]}`
	}
	mustServe(t, e, "TransactWriteItems", request(`{"k":{"S":"a"},"x":{"SS":["1","2"]},"m":{"M":{"p":{"N":"1"},"q":{"N":"2"}}}}`))
	mustServe(t, e, "TransactWriteItems", request(`{"m":{"M":{"q":{"N":"2"},"p":{"N":"1"}}},"x":{"SS":["2","1"]},"k":{"S":"a"}}`))
}

func TestTokenExpires(t *testing.T) {
	for _, c := range []struct {
		after time.Duration
		rru   float64
		wru   float64
	}{
		{10*time.Minute - time.Second, 2, 0},
		{10*time.Minute + time.Second, 0, 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, nil)
			if err := w.transactWithToken("token", txPut("hash", ofSize("a", 100))); err != nil {
				t.Fatal(err)
			}
			time.Sleep(c.after)
			if err := w.transactWithToken("token", txPut("hash", ofSize("a", 100))); err != nil {
				t.Fatal(err)
			}
			w.mustCost(c.rru, c.wru, nil)
		})
	}
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		_ = w.transactWithToken("token", txPut("hash", ofSize("a", 100)))
		time.Sleep(11 * time.Minute)
		if err := w.transactWithToken("token", txPut("hash", ofSize("a", 200))); err != nil {
			t.Errorf("a token that has expired, with another request: %v", err)
		}
	})
}

func TestTokenInProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, delayed)
		result := make(chan error, 1)
		put := txPut("hash", ofSize("a", 100))
		go func() { result <- w.transactWithToken("token", put) }()
		synctest.Wait()
		if got := code(w.transactWithToken("token", put)); got != "TransactionInProgressException" {
			t.Errorf("error %q, want TransactionInProgressException", got)
		}
		if err := <-result; err != nil {
			t.Errorf("the first call: %v", err)
		}
	})
}

// Nothing is remembered of a cancelled call: its token may carry another one.
func TestTokenOfCancelledTransaction(t *testing.T) {
	w := newWorld(t, nil)
	if got := code(w.transactWithToken("token", txCheck("a", "attribute_exists(k)"))); got != "TransactionCanceledException" {
		t.Fatalf("error %q", got)
	}
	if err := w.transactWithToken("token", txPut("hash", ofSize("a", 10))); err != nil {
		t.Error(err)
	}
}

func TestTokenLength(t *testing.T) {
	w := newWorld(t, nil)
	if got := code(w.transactWithToken(strings.Repeat("x", 37), txDelete("a"))); got != "ValidationException" {
		t.Errorf("a token of 37 characters: %q", got)
	}
	if err := w.transactWithToken(strings.Repeat("x", 36), txDelete("a")); err != nil {
		t.Errorf("a token of 36 characters: %v", err)
	}
}

// What a replay is told of its capacity is its own wish, and no part of what the
// token stands for.
func TestTokenWithOtherReturnConsumedCapacity(t *testing.T) {
	w := newWorld(t, nil)
	for i, mode := range []types.ReturnConsumedCapacity{types.ReturnConsumedCapacityNone, types.ReturnConsumedCapacityTotal} {
		out, err := w.TransactWriteItems(w.ctx, &dynamodb.TransactWriteItemsInput{
			ClientRequestToken: aws.String("one"), ReturnConsumedCapacity: mode,
			TransactItems: []types.TransactWriteItem{txPut("hash", ofSize("a", 100))},
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(out.ConsumedCapacity); got != i {
			t.Errorf("%s: consumed capacity of %d tables, want %d", mode, got, i)
		}
	}
}
