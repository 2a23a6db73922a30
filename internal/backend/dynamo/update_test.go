package dynamo_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// updating is an engine with the item {k: a, n: 5, m: {x: 1, y: 2}} in "tbl".
func updating(t testing.TB) *account {
	a := newAccount(t, nil)
	a.createTable(t, "tbl", "k", "S")
	if _, err := a.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("tbl"), Item: item{
		"k": s("a"), "n": n("5"), "m": &types.AttributeValueMemberM{Value: item{"x": n("1"), "y": n("2")}},
	}}); err != nil {
		t.Fatal(err)
	}
	return a
}

// All forms of ReturnValues, on an item that exists and on one that does not (API
// reference, UpdateItem; for nested paths see expr.Update.Set).
func TestUpdateReturnValues(t *testing.T) {
	m := func(v item) types.AttributeValue { return &types.AttributeValueMemberM{Value: v} }
	for _, c := range []struct {
		key    string
		values types.ReturnValue
		want   item
	}{
		{"a", "", nil},
		{"a", types.ReturnValueNone, nil},
		{"a", types.ReturnValueAllOld, item{"k": s("a"), "n": n("5"), "m": m(item{"x": n("1"), "y": n("2")})}},
		{"a", types.ReturnValueAllNew, item{"k": s("a"), "n": n("7"), "m": m(item{"x": s("new"), "y": n("2")})}},
		{"a", types.ReturnValueUpdatedOld, item{"n": n("5"), "m": m(item{"x": n("1")})}},
		{"a", types.ReturnValueUpdatedNew, item{"n": n("7"), "m": m(item{"x": s("new")})}},
		{"b", types.ReturnValueAllOld, nil},
		{"b", types.ReturnValueAllNew, item{"k": s("b"), "n": n("2")}},
		{"b", types.ReturnValueUpdatedOld, nil},
		{"b", types.ReturnValueUpdatedNew, item{"n": n("2")}},
	} {
		a := updating(t)
		in := &dynamodb.UpdateItemInput{
			TableName: aws.String("tbl"), Key: item{"k": s(c.key)}, ReturnValues: c.values,
			UpdateExpression: aws.String("SET m.x = :new ADD n :two"), ExpressionAttributeValues: item{":new": s("new"), ":two": n("2")},
		}
		if c.key == "b" {
			in.UpdateExpression, in.ExpressionAttributeValues = aws.String("ADD n :two"), item{":two": n("2")}
		}
		out, err := a.UpdateItem(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, out.Attributes, ignoreValues); diff != "" {
			t.Errorf("%s of %s (-want +got):\n%s", c.values, c.key, diff)
		}
	}
}

var ignoreValues = cmpopts.IgnoreUnexported(types.AttributeValueMemberS{}, types.AttributeValueMemberN{}, types.AttributeValueMemberM{})

// An update without an expression makes sure that the item is there.
func TestUpdateOfNothing(t *testing.T) {
	e := updating(t).engine
	for _, key := range []string{"a", "new"} {
		body := fmt.Sprintf(`{"TableName":"tbl","Key":{"k":{"S":%q}}}`, key)
		sameJSON(t, mustServe(t, e, "UpdateItem", body), `{}`)
		if got := mustServe(t, e, "GetItem", body); !strings.Contains(got, `"k":{"S":"`+key+`"}`) {
			t.Errorf("item %s after an update of nothing: %s", key, got)
		}
	}
}

// What refuses an update leaves the item as it is.
func TestUpdateRefused(t *testing.T) {
	big := strings.Repeat("x", 300_000)
	for _, c := range []struct{ name, expression, values, wantType, wantText string }{
		{"of a key", "SET k = :v", `{":v":{"S":"b"}}`, "ValidationException", "This attribute is part of the key"},
		{"into a key", "SET k.x = :v", `{":v":{"S":"b"}}`, "ValidationException", "This attribute is part of the key"},
		{"that looks into a key", "SET q = k.x", ``, "ValidationException", "Key attributes must be scalars"},
		{"of a missing operand", "SET n = q", ``, "ValidationException", "refers to an attribute that does not exist"},
		{"of a wrong type", "ADD m :v", `{":v":{"N":"1"}}`, "ValidationException", "incorrect data type"},
		{"of a missing path", "SET q.x = :v", `{":v":{"N":"1"}}`, "ValidationException", "document path provided in the update expression is invalid"},
		{"to over 400 KB", "SET a = :v, b = :v", `{":v":{"S":"` + big + `"}}`, "ValidationException", "Item size to update has exceeded the maximum allowed size"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := updating(t).engine
			const get = `{"TableName":"tbl","Key":{"k":{"S":"a"}}}`
			before := mustServe(t, e, "GetItem", get)
			values := ""
			if c.values != "" {
				values = `,"ExpressionAttributeValues":` + c.values
			}
			update := fmt.Sprintf(`{"TableName":"tbl","Key":{"k":{"S":"a"}},"UpdateExpression":%q%s}`, c.expression, values)
			resp := e.Serve(t.Context(), "UpdateItem", []byte(update))
			if !strings.HasSuffix(typeOf(t, resp.Body), c.wantType) || !strings.Contains(string(resp.Body), c.wantText) || resp.Served.WRU != 0 {
				t.Errorf("answered %s, billed %v WRU; want %s with %q and none", resp.Body, resp.Served.WRU, c.wantType, c.wantText)
			}
			sameJSON(t, mustServe(t, e, "GetItem", get), before)
			checkRefusedTransaction(t, c.wantText, update, func(body string) (int, string) {
				resp := e.Serve(t.Context(), "TransactWriteItems", []byte(body))
				return resp.Status, string(resp.Body)
			})
			sameJSON(t, mustServe(t, e, "GetItem", get), before)
		})
	}
}

// checkRefusedTransaction puts an update that must be refused behind a write in a
// transaction: what is at fault on an item is the reason that cancels it.
func checkRefusedTransaction(t *testing.T, wantText, update string, serve func(string) (int, string)) {
	t.Helper()
	status, got := serve(`{"TransactItems":[{"Put":{"TableName":"tbl","Item":{"k":{"S":"other"}}}},{"Update":` + update + `}]}`)
	if status != http.StatusBadRequest || !strings.Contains(got, wantText) {
		t.Errorf("in a transaction: %d %s, want %q", status, got, wantText)
	}
	whole := strings.Contains(wantText, "must be scalars") // shows in the request, whatever the item
	if canceled := strings.Contains(got, `[None, ValidationError]`); canceled == whole {
		t.Errorf("in a transaction: %s, want reasons [None, ValidationError]: %v", got, !whole)
	}
}

// Updates of one item by many clients are carried out one after the other, alone
// and in transactions, which conflict.
func TestUpdatesAreAtomic(t *testing.T) {
	const clients, each = 8, 50
	a := updating(t)
	var wg sync.WaitGroup
	var transactions sync.Map
	for i := range clients {
		wg.Go(func() {
			for j := range each {
				add := &dynamodb.UpdateItemInput{
					TableName: aws.String("tbl"), Key: item{"k": s("sum")},
					UpdateExpression: aws.String("ADD n :one"), ExpressionAttributeValues: item{":one": n("1")},
				}
				var err error
				if i%2 == 0 {
					_, err = a.UpdateItem(t.Context(), add)
				} else {
					_, err = a.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{{Update: &types.Update{
						TableName: add.TableName, Key: add.Key, UpdateExpression: add.UpdateExpression, ExpressionAttributeValues: add.ExpressionAttributeValues,
					}}}})
				}
				switch code(err) {
				case "":
					transactions.Store([2]int{i, j}, true)
				case "TransactionConflictException", "TransactionCanceledException":
				default:
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	done := 0
	transactions.Range(func(any, any) bool { done++; return true })
	out, err := a.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String("tbl"), Key: item{"k": s("sum")}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(n(fmt.Sprint(done)), out.Item["n"], ignoreValues); diff != "" {
		t.Errorf("sum of %d acknowledged updates (-want +got):\n%s", done, diff)
	}
}

// Paths into a key attribute are refused in every expression.
func TestPathsIntoKeys(t *testing.T) {
	const key, values = `"Key":{"k":{"S":"a"}}`, `"ExpressionAttributeValues":{":v":{"S":"a"}}`
	for operation, bodies := range map[string][]string{
		"GetItem":            {`{"TableName":"tbl",` + key + `,"ProjectionExpression":"n, k.x"}`},
		"PutItem":            {`{"TableName":"tbl","Item":{"k":{"S":"a"}},"ConditionExpression":"k[0] = :v",` + values + `}`},
		"DeleteItem":         {`{"TableName":"tbl",` + key + `,"ConditionExpression":"attribute_exists(k.x)"}`},
		"UpdateItem":         {`{"TableName":"tbl",` + key + `,"ConditionExpression":"size(k.x) > :v","UpdateExpression":"REMOVE n",` + values + `}`},
		"Scan":               {`{"TableName":"tbl","FilterExpression":"k.x = :v",` + values + `}`, `{"TableName":"tbl","ProjectionExpression":"k.x"}`},
		"Query":              {`{"TableName":"tbl","KeyConditionExpression":"k = :v","ProjectionExpression":"k[1]",` + values + `}`},
		"BatchGetItem":       {`{"RequestItems":{"tbl":{"Keys":[{"k":{"S":"a"}}],"ProjectionExpression":"k.x"}}}`},
		"TransactGetItems":   {`{"TransactItems":[{"Get":{"TableName":"tbl",` + key + `,"ProjectionExpression":"k.x"}}]}`},
		"TransactWriteItems": {`{"TransactItems":[{"ConditionCheck":{"TableName":"tbl",` + key + `,"ConditionExpression":"k.x = :v",` + values + `}}]}`},
	} {
		for _, body := range bodies {
			resp := updating(t).engine.Serve(t.Context(), operation, []byte(body))
			if resp.Status != http.StatusBadRequest || !strings.Contains(string(resp.Body), "Key attributes must be scalars") {
				t.Errorf("%s %s: %d %s", operation, body, resp.Status, resp.Body)
			}
		}
	}
}

// An update that creates an item sees the item's key, its condition does not.
func TestUpdateSeesTheKeyOfANewItem(t *testing.T) {
	for _, expression := range []string{"SET x = k", "SET x = if_not_exists(k, :v)"} {
		values := `,"ExpressionAttributeValues":{":v":{"S":"other"}}`
		if !strings.Contains(expression, ":v") {
			values = ""
		}
		body := `{"TableName":"tbl","Key":{"k":{"S":"a"}},"UpdateExpression":"` + expression + `","ConditionExpression":"attribute_not_exists(k)"` + values
		for operation, body := range map[string]string{
			"UpdateItem":         body + `}`,
			"TransactWriteItems": `{"TransactItems":[{"Update":` + body + `}}]}`,
		} {
			e := newEngine(t)
			mustServe(t, e, operation, body)
			if got, want := mustServe(t, e, "GetItem", `{"TableName":"tbl","Key":{"k":{"S":"a"}}}`), `"x":{"S":"a"}`; !strings.Contains(got, want) {
				t.Errorf("%s %s: got %s, want %s", operation, expression, got, want)
			}
		}
	}
}
