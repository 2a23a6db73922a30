package dynamo_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
)

// reopen ends a durable engine and opens its directory again.
func reopen(t testing.TB, e *dynamo.Engine, dir string) (*dynamo.Engine, dynamo.Restored) {
	t.Helper()
	if e != nil {
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
	e, found, err := dynamo.Open(dynamo.DefaultConfig(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return e, found
}

// everything is all that an engine shows of its tables, as JSON.
func everything(t testing.TB, e *dynamo.Engine) map[string]any {
	t.Helper()
	all := map[string]any{}
	var list struct{ TableNames []string }
	decodeInto(t, mustServe(t, e, "ListTables", `{}`), &list)
	for _, name := range list.TableNames {
		var table map[string]any
		decodeInto(t, mustServe(t, e, "DescribeTable", fmt.Sprintf(`{"TableName":%q}`, name)), &table)
		all["table "+name] = table
		all["tags "+name] = mustServe(t, e, "ListTagsOfResource", fmt.Sprintf(`{"ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/%s"}`, name))
		start := ""
		for page := 0; ; page++ {
			var out struct {
				Items            []any
				LastEvaluatedKey json.RawMessage
			}
			decodeInto(t, mustServe(t, e, "Scan", fmt.Sprintf(`{"TableName":%q,"Limit":50%s}`, name, start)), &out)
			all[fmt.Sprintf("items %s %d", name, page)] = out.Items
			if out.LastEvaluatedKey == nil {
				break
			}
			start = `,"ExclusiveStartKey":` + string(out.LastEvaluatedKey)
		}
	}
	return all
}

// count returns how many tables and items everything has found.
func count(all map[string]any) (tables, items int) {
	for name, value := range all {
		if strings.HasPrefix(name, "table ") {
			tables++
		}
		if page, ok := value.([]any); ok {
			items += len(page)
		}
	}
	return tables, items
}

func decodeInto(t testing.TB, body string, to any) {
	t.Helper()
	if err := json.Unmarshal([]byte(body), to); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
}

// sortedOf makes a table with a sort key of a type.
func sortedOf(name, kind string) string {
	return fmt.Sprintf(`{"TableName":%[1]q,"BillingMode":"PAY_PER_REQUEST","Tags":[{"Key":"kind","Value":%[2]q}],"AttributeDefinitions":[
		{"AttributeName":"k","AttributeType":"S"},{"AttributeName":"r","AttributeType":%[2]q}],
		"KeySchema":[{"AttributeName":"k","KeyType":"HASH"},{"AttributeName":"r","KeyType":"RANGE"}]}`, name, kind)
}

// After each of many lives of a directory the engine that is opened on it shows what
// the last one did.
func TestDirectoryKeepsEverything(t *testing.T) {
	const seed = 1
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	dir := t.TempDir()
	e, _ := reopen(t, nil, dir)
	for life := range 6 {
		for range 120 {
			changeSomething(t, e, rng)
		}
		before := everything(t, e)
		var found dynamo.Restored
		e, found = reopen(t, e, dir)
		if diff := cmp.Diff(before, everything(t, e)); diff != "" {
			t.Fatalf("life %d (-before +after):\n%s", life, diff)
		}
		if tables, items := count(before); found.Tables != tables || found.Items != items {
			t.Errorf("life %d: restored %+v, want %d tables with %d items", life, found, tables, items)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
}

// changeSomething makes one request that changes tables or items, or is refused.
func changeSomething(t testing.TB, e *dynamo.Engine, rng *rand.Rand) {
	t.Helper()
	kind := []string{"S", "N", "B"}[rng.IntN(3)]
	table := "tbl-" + kind
	values := map[string]string{
		"S": fmt.Sprintf(`{"S":"s%d"}`, rng.IntN(30)), "N": fmt.Sprintf(`{"N":"%d.5"}`, rng.IntN(30)-15),
		"B": fmt.Sprintf(`{"B":"%c%c=="}`, 'A'+rng.IntN(26), "AQgw"[rng.IntN(4)]),
	}
	key := fmt.Sprintf(`{"k":{"S":"k%d"},"r":%s}`, rng.IntN(5), values[kind])
	item := strings.TrimSuffix(key, "}") + fmt.Sprintf(`,"v":{"N":"%d"},"m":{"M":{"l":{"L":[{"SS":["a","b"]}]}}}}`, rng.IntN(1000))
	var operation, body string
	switch n := rng.IntN(20); {
	case n == 0:
		operation, body = "DeleteTable", fmt.Sprintf(`{"TableName":%q}`, table)
	case n <= 3:
		operation, body = "CreateTable", sortedOf(table, kind)
	case n <= 9:
		operation, body = "PutItem", fmt.Sprintf(`{"TableName":%q,"Item":%s}`, table, item)
	case n <= 10:
		operation, body = "UpdateTable", fmt.Sprintf(`{"TableName":%q,"BillingMode":"PROVISIONED","ProvisionedThroughput":{"ReadCapacityUnits":%d,"WriteCapacityUnits":2}}`, table, 1+rng.IntN(9))
	case n <= 12:
		operation, body = "UpdateItem", fmt.Sprintf(`{"TableName":%q,"Key":%s,"UpdateExpression":"ADD c :one SET m.x = :one","ExpressionAttributeValues":{":one":{"N":"1"}}}`, table, key)
	case n <= 13:
		operation, body = "DeleteItem", fmt.Sprintf(`{"TableName":%q,"Key":%s}`, table, key)
	case n <= 15:
		operation, body = "BatchWriteItem", fmt.Sprintf(`{"RequestItems":{%q:[{"PutRequest":{"Item":%s}}]}}`, table, item)
	default:
		operation = "TransactWriteItems"
		body = fmt.Sprintf(`{"ClientRequestToken":"t%d","TransactItems":[{"Put":{"TableName":%q,"Item":%s}},
			{"Delete":{"TableName":%q,"Key":{"k":{"S":"other"},"r":%s}}},
			{"Update":{"TableName":%q,"Key":{"k":{"S":"counter"},"r":%s},"UpdateExpression":"ADD n :n","ExpressionAttributeValues":{":n":{"N":"1"}}}}]}`,
			rng.IntN(1000), table, item, table, values[kind], table, values[kind])
	}
	if resp := e.Serve(t.Context(), operation, []byte(body)); resp.Status == http.StatusInternalServerError {
		t.Fatalf("%s %s: %s", operation, body, resp.Body)
	}
}

// A token is good across a restart: the transaction it stands for is not carried
// out a second time, and is charged as a replay.
func TestTokensSurvive(t *testing.T) {
	dir := t.TempDir()
	e, _ := reopen(t, nil, dir)
	mustServe(t, e, "CreateTable", createTable)
	const body = `{"ClientRequestToken":"once","ReturnConsumedCapacity":"TOTAL","TransactItems":[{"Put":{"TableName":"tbl","Item":{"k":{"S":"a"}},"ConditionExpression":"attribute_not_exists(k)"}}]}`
	mustServe(t, e, "TransactWriteItems", body)
	for life := range 2 {
		e, _ = reopen(t, e, dir)
		resp := e.Serve(t.Context(), "TransactWriteItems", []byte(body))
		if resp.Status != http.StatusOK || resp.Served.RRU != 2 || resp.Served.WRU != 0 {
			t.Errorf("life %d: replay answered %s, billed %+v", life, resp.Body, resp.Served)
		}
		other := strings.Replace(body, `"S":"a"`, `"S":"b"`, 1)
		if resp := e.Serve(t.Context(), "TransactWriteItems", []byte(other)); !strings.Contains(string(resp.Body), "IdempotentParameterMismatchException") {
			t.Errorf("life %d: another request with the token answered %s", life, resp.Body)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
}

// Tables keep their ids, and a new table gets one that none ever had.
func TestTableIDsSurvive(t *testing.T) {
	dir := t.TempDir()
	e, _ := reopen(t, nil, dir)
	id := func(operation, body string) string {
		var out struct{ TableDescription, Table struct{ TableID string } }
		decodeInto(t, mustServe(t, e, operation, body), &out)
		return out.TableDescription.TableID + out.Table.TableID
	}
	var ids []string
	for range 3 {
		ids = append(ids, id("CreateTable", createTable))
		mustServe(t, e, "DeleteTable", `{"TableName":"tbl"}`)
		e, _ = reopen(t, e, dir)
	}
	slices.Sort(ids)
	if len(slices.Compact(ids)) != 3 {
		t.Errorf("ids %q, want three", ids)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
}

// A directory that cannot be written makes every request fail from then on: none
// is acknowledged that is not on disk, and nothing is shown that is not.
func TestClosedDirectoryAcknowledgesNothing(t *testing.T) {
	e, _ := reopen(t, nil, t.TempDir())
	mustServe(t, e, "CreateTable", createTable)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		resp := e.Serve(t.Context(), "PutItem", []byte(`{"TableName":"tbl","Item":{"k":{"S":"a"}}}`))
		if resp.Status != http.StatusInternalServerError || resp.Served.Outcome != dynamo.OutcomeServerError {
			t.Errorf("put on a closed directory: %d %s", resp.Status, resp.Body)
		}
		if resp := e.Serve(t.Context(), "GetItem", []byte(`{"TableName":"tbl","Key":{"k":{"S":"a"}}}`)); resp.Status != http.StatusInternalServerError {
			t.Errorf("get of what is not on disk: %d %s", resp.Status, resp.Body)
		}
	}
}
