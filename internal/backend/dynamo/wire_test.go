package dynamo_test

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
	"github.com/lakebench/lakebench/internal/backend/tally"
)

const createTable = `{"TableName":"tbl","BillingMode":"PAY_PER_REQUEST",
	"AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"}],
	"KeySchema":[{"AttributeName":"k","KeyType":"HASH"}]}`

// newEngine has the table "tbl" with the partition key k.
func newEngine(t testing.TB) *dynamo.Engine {
	t.Helper()
	e, err := dynamo.New(dynamo.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	mustServe(t, e, "CreateTable", createTable)
	return e
}

func mustServe(t testing.TB, e *dynamo.Engine, operation, body string) string {
	t.Helper()
	resp := e.Serve(t.Context(), operation, []byte(body))
	if resp.Status != http.StatusOK {
		t.Fatalf("%s: status %d: %s", operation, resp.Status, resp.Body)
	}
	return string(resp.Body)
}

// sameJSON compares two JSON texts without regard to the order of members.
func sameJSON(t *testing.T, got, want string) {
	t.Helper()
	var g, w any
	if err := json.Unmarshal([]byte(got), &g); err != nil {
		t.Fatalf("%v in %s", err, got)
	}
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatalf("%v in %s", err, want)
	}
	if diff := cmp.Diff(w, g); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
}

// typeOf is the type that an error's body names.
func typeOf(t *testing.T, body []byte) string {
	t.Helper()
	var e struct {
		Type string `json:"__type"`
	}
	if err := json.Unmarshal(body, &e); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return e.Type
}

// Shapes of ConsumedCapacity: docs/facts/dynamodb.md §3.2, below the table.
func TestConsumedCapacityShapes(t *testing.T) {
	for _, c := range []struct{ operation, body, want string }{
		{"PutItem", `{"TableName":"tbl","Item":{"k":{"S":"a"}},"ReturnConsumedCapacity":"TOTAL"}`,
			`{"ConsumedCapacity":{"TableName":"tbl","CapacityUnits":1}}`},
		{"PutItem", `{"TableName":"tbl","Item":{"k":{"S":"a"}},"ReturnConsumedCapacity":"INDEXES"}`,
			`{"ConsumedCapacity":{"TableName":"tbl","CapacityUnits":1,"Table":{"CapacityUnits":1}}}`},
		{"PutItem", `{"TableName":"tbl","Item":{"k":{"S":"a"}},"ReturnConsumedCapacity":"NONE"}`, `{}`},
		{"GetItem", `{"TableName":"tbl","Key":{"k":{"S":"b"}},"ReturnConsumedCapacity":"TOTAL"}`,
			`{"ConsumedCapacity":{"TableName":"tbl","CapacityUnits":0.5}}`},
		{"Scan", `{"TableName":"tbl","ReturnConsumedCapacity":"INDEXES"}`,
			`{"Count":0,"ScannedCount":0,"Items":[],"ConsumedCapacity":{"TableName":"tbl","CapacityUnits":0.5,"Table":{"CapacityUnits":0.5}}}`},
		{"Scan", `{"TableName":"tbl","Select":"COUNT"}`, `{"Count":0,"ScannedCount":0}`},
		{"BatchGetItem", `{"RequestItems":{"tbl":{"Keys":[{"k":{"S":"a"}}]}},"ReturnConsumedCapacity":"TOTAL"}`,
			`{"Responses":{"tbl":[]},"UnprocessedKeys":{},"ConsumedCapacity":[{"TableName":"tbl","CapacityUnits":0.5}]}`},
		{"BatchWriteItem", `{"RequestItems":{"tbl":[{"DeleteRequest":{"Key":{"k":{"S":"a"}}}}]},"ReturnConsumedCapacity":"TOTAL"}`,
			`{"UnprocessedItems":{},"ConsumedCapacity":[{"TableName":"tbl","CapacityUnits":1}]}`},
		{"TransactWriteItems", `{"TransactItems":[{"Delete":{"TableName":"tbl","Key":{"k":{"S":"a"}}}}],"ReturnConsumedCapacity":"TOTAL"}`,
			`{"ConsumedCapacity":[{"TableName":"tbl","CapacityUnits":2,"WriteCapacityUnits":2}]}`},
		{"TransactGetItems", `{"TransactItems":[{"Get":{"TableName":"tbl","Key":{"k":{"S":"a"}}}}],"ReturnConsumedCapacity":"INDEXES"}`,
			`{"Responses":[{}],"ConsumedCapacity":[{"TableName":"tbl","CapacityUnits":2,"ReadCapacityUnits":2,"Table":{"CapacityUnits":2,"ReadCapacityUnits":2}}]}`},
	} {
		t.Run(c.operation, func(t *testing.T) {
			sameJSON(t, mustServe(t, newEngine(t), c.operation, c.body), c.want)
		})
	}
}

// Golden row 17 and the wire format of errors: docs/facts/dynamodb.md §3.7. The error
// of a failed condition says nothing about capacity.
func TestErrorShapes(t *testing.T) {
	for _, c := range []struct{ operation, body, want string }{
		{"PutItem", `{"TableName":"tbl","Item":{"k":{"S":"a"}},"ConditionExpression":"attribute_exists(k)","ReturnConsumedCapacity":"TOTAL"}`,
			`{"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException","message":"The conditional request failed"}`},
		{"PutItem", `{"TableName":"tbl","Item":{"k":{"S":"old"}},"ConditionExpression":"attribute_not_exists(k)","ReturnValuesOnConditionCheckFailure":"ALL_OLD"}`,
			`{"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException","message":"The conditional request failed","Item":{"k":{"S":"old"},"v":{"N":"1"}}}`},
		{"PutItem", `{"TableName":"nowhere","Item":{"k":{"S":"a"}}}`,
			`{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException","message":"Requested resource not found"}`},
		{"PutItem", `{"TableName":"tbl","Item":{"k":{"S":""}}}`,
			`{"__type":"com.amazon.coral.validate#ValidationException","message":"One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: k"}`},
		{"TransactWriteItems", `{"TransactItems":[{"Delete":{"TableName":"tbl","Key":{"k":{"S":"b"}}}},{"ConditionCheck":{"TableName":"tbl","Key":{"k":{"S":"a"}},"ConditionExpression":"attribute_exists(k)"}}]}`,
			`{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
			"Message":"Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed]",
			"CancellationReasons":[{"Code":"None"},{"Code":"ConditionalCheckFailed","Message":"The conditional request failed"}]}`},
	} {
		t.Run(c.operation, func(t *testing.T) {
			e := newEngine(t)
			mustServe(t, e, "PutItem", `{"TableName":"tbl","Item":{"k":{"S":"old"},"v":{"N":"1"}}}`)
			resp := e.Serve(t.Context(), c.operation, []byte(c.body))
			if resp.Status != http.StatusBadRequest {
				t.Errorf("status %d", resp.Status)
			}
			sameJSON(t, string(resp.Body), c.want)
		})
	}
}

func TestBadBodies(t *testing.T) {
	deep := strings.Repeat(`{"M":{"a":`, 40) + `{"S":"x"}` + strings.Repeat("}}", 40)
	for _, c := range []struct{ name, operation, body, want string }{
		{"empty", "GetItem", ``, "SerializationException"},
		{"no object", "GetItem", `[]`, "SerializationException"},
		{"cut off", "GetItem", `{"TableName":"tbl","Key":{"k"`, "SerializationException"},
		{"more than one", "GetItem", `{"TableName":"tbl","Key":{"k":{"S":"a"}}}{}`, "SerializationException"},
		{"wrong type", "GetItem", `{"TableName":7}`, "SerializationException"},
		{"not UTF-8", "GetItem", "{\"TableName\":\"tbl\",\"Key\":{\"k\":{\"S\":\"\xff\"}}}", "SerializationException"},
		{"not base64", "PutItem", `{"TableName":"tbl","Item":{"k":{"S":"a"},"v":{"B":"*"}}}`, "SerializationException"},
		{"not a number", "PutItem", `{"TableName":"tbl","Item":{"k":{"S":"a"},"v":{"N":"seven"}}}`, "ValidationException"},
		{"39 digits", "PutItem", `{"TableName":"tbl","Item":{"k":{"S":"a"},"v":{"N":"` + strings.Repeat("9", 39) + `"}}}`, "ValidationException"},
		{"empty set", "PutItem", `{"TableName":"tbl","Item":{"k":{"S":"a"},"v":{"SS":[]}}}`, "ValidationException"},
		{"too deep", "PutItem", `{"TableName":"tbl","Item":{"k":{"S":"a"},"v":` + deep + `}}`, "ValidationException"},
		{"no table name", "GetItem", `{"Key":{"k":{"S":"a"}}}`, "ValidationException"},
		{"short table name", "GetItem", `{"TableName":"ab","Key":{"k":{"S":"a"}}}`, "ValidationException"},
		{"no key", "GetItem", `{"TableName":"tbl"}`, "ValidationException"},
		{"null key", "GetItem", `{"TableName":"tbl","Key":null}`, "ValidationException"},
		{"key of another type", "GetItem", `{"TableName":"tbl","Key":{"k":{"N":"1"}}}`, "ValidationException"},
		{"key and more", "GetItem", `{"TableName":"tbl","Key":{"k":{"S":"a"},"v":{"S":"b"}}}`, "ValidationException"},
		{"no item", "PutItem", `{"TableName":"tbl"}`, "ValidationException"},
		{"item without key", "PutItem", `{"TableName":"tbl","Item":{"v":{"S":"a"}}}`, "ValidationException"},
		{"unknown capacity", "GetItem", `{"TableName":"tbl","Key":{"k":{"S":"a"}},"ReturnConsumedCapacity":"ALL"}`, "ValidationException"},
		{"unknown return", "PutItem", `{"TableName":"tbl","Item":{"k":{"S":"a"}},"ReturnValues":"ALL"}`, "ValidationException"},
		{"return of an update", "PutItem", `{"TableName":"tbl","Item":{"k":{"S":"a"}},"ReturnValues":"ALL_NEW"}`, "ValidationException"},
		{"legacy parameter", "PutItem", `{"TableName":"tbl","Item":{"k":{"S":"a"}},"Expected":{"k":{"Exists":false}}}`, "ValidationException"},
		{"unused value", "PutItem", `{"TableName":"tbl","Item":{"k":{"S":"a"}},"ConditionExpression":"attribute_exists(k)","ExpressionAttributeValues":{":v":{"S":"a"}}}`, "ValidationException"},
		{"value without expression", "PutItem", `{"TableName":"tbl","Item":{"k":{"S":"a"}},"ExpressionAttributeValues":{":v":{"S":"a"}}}`, "ValidationException"},
		{"no values", "PutItem", `{"TableName":"tbl","Item":{"k":{"S":"a"}},"ConditionExpression":"attribute_exists(k)","ExpressionAttributeValues":{}}`, "ValidationException"},
		{"empty expression", "PutItem", `{"TableName":"tbl","Item":{"k":{"S":"a"}},"ConditionExpression":""}`, "ValidationException"},
		{"query without condition", "Query", `{"TableName":"tbl"}`, "ValidationException"},
		{"query by prefix of the partition key", "Query", `{"TableName":"tbl","KeyConditionExpression":"begins_with(k, :k)","ExpressionAttributeValues":{":k":{"S":"a"}}}`, "ValidationException"},
		{"query with a filter on the key", "Query", `{"TableName":"tbl","KeyConditionExpression":"k = :k","FilterExpression":"k = :k","ExpressionAttributeValues":{":k":{"S":"a"}}}`, "ValidationException"},
		{"index", "Query", `{"TableName":"tbl","IndexName":"byname","KeyConditionExpression":"k = :k","ExpressionAttributeValues":{":k":{"S":"a"}}}`, "ValidationException"},
		{"count with projection", "Scan", `{"TableName":"tbl","Select":"COUNT","ProjectionExpression":"k"}`, "ValidationException"},
		{"segment alone", "Scan", `{"TableName":"tbl","Segment":0}`, "ValidationException"},
		{"segment too large", "Scan", `{"TableName":"tbl","Segment":2,"TotalSegments":2}`, "ValidationException"},
		{"segments alone", "Scan", `{"TableName":"tbl","TotalSegments":2}`, "ValidationException"},
		{"too many segments", "Scan", `{"TableName":"tbl","Segment":0,"TotalSegments":1000001}`, "ValidationException"},
		{"empty batch", "BatchGetItem", `{"RequestItems":{}}`, "ValidationException"},
		{"batch of no keys", "BatchGetItem", `{"RequestItems":{"tbl":{"Keys":[]}}}`, "ValidationException"},
		{"a key twice", "BatchGetItem", `{"RequestItems":{"tbl":{"Keys":[{"k":{"S":"a"}},{"k":{"S":"a"}}]}}}`, "ValidationException"},
		{"101 keys", "BatchGetItem", `{"RequestItems":{"tbl":{"Keys":[` + repeated(101, `{"k":{"S":"%d"}}`) + `]}}}`, "ValidationException"},
		{"empty batch", "BatchWriteItem", `{"RequestItems":{}}`, "ValidationException"},
		{"26 writes", "BatchWriteItem", `{"RequestItems":{"tbl":[` + repeated(26, `{"DeleteRequest":{"Key":{"k":{"S":"%d"}}}}`) + `]}}`, "ValidationException"},
		{"an item twice", "BatchWriteItem", `{"RequestItems":{"tbl":[{"DeleteRequest":{"Key":{"k":{"S":"a"}}}},{"PutRequest":{"Item":{"k":{"S":"a"}}}}]}}`, "ValidationException"},
		{"write of nothing", "BatchWriteItem", `{"RequestItems":{"tbl":[{}]}}`, "ValidationException"},
		{"a table twice", "BatchWriteItem", `{"RequestItems":{"tbl":[],"tbl":[]}}`, "SerializationException"},
		{"check without condition", "TransactWriteItems", `{"TransactItems":[{"ConditionCheck":{"TableName":"tbl","Key":{"k":{"S":"a"}}}}]}`, "ValidationException"},
		{"two actions in one", "TransactWriteItems", `{"TransactItems":[{"Delete":{"TableName":"tbl","Key":{"k":{"S":"a"}}},"Put":{"TableName":"tbl","Item":{"k":{"S":"a"}}}}]}`, "ValidationException"},
		{"get of nothing", "TransactGetItems", `{"TransactItems":[{}]}`, "ValidationException"},
		{"not offered", "ExecuteStatement", `{"Statement":"SELECT * FROM tbl"}`, "UnknownOperationException"},
		{"invented", "DropTable", `{}`, "UnknownOperationException"},
	} {
		t.Run(c.operation+" "+c.name, func(t *testing.T) {
			e := newEngine(t)
			resp := e.Serve(t.Context(), c.operation, []byte(c.body))
			if !strings.HasSuffix(typeOf(t, resp.Body), "#"+c.want) || resp.Status != http.StatusBadRequest {
				t.Errorf("status %d, %s; want 400, %s", resp.Status, resp.Body, c.want)
			}
			if resp.Served.RRU+resp.Served.WRU != 0 || resp.Served.Outcome != dynamo.OutcomeOther {
				t.Errorf("served as %+v, want no units and outcome other", resp.Served)
			}
		})
	}
}

// repeated joins format for 0 to n-1.
func repeated(n int, format string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(parts, ",")
}

// Requests are counted under the names of operations only: anyone can invent
// names, and the counts are kept forever.
func TestTotalsBoundNames(t *testing.T) {
	e := newEngine(t)
	for i := range 1000 {
		e.Serve(t.Context(), fmt.Sprint("Invented", i), nil)
	}
	e.Serve(t.Context(), "UpdateItem", nil)
	want := tally.Requests{
		{API: "CreateTable", Outcome: dynamo.OutcomeOK}:   1,
		{API: "unknown", Outcome: dynamo.OutcomeOther}:    1000,
		{API: "UpdateItem", Outcome: dynamo.OutcomeOther}: 1,
	}
	if diff := cmp.Diff(want, e.Totals().Requests); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

// The same SDK client over a socket.
func TestLoopback(t *testing.T) {
	a := newAccount(t, nil)
	server := httptest.NewServer(a.engine.HTTPHandler())
	defer server.Close()
	remote := dynamodb.New(a.Options(), func(o *dynamodb.Options) {
		o.BaseEndpoint = aws.String(server.URL)
		o.HTTPClient = server.Client()
	})
	a.Client = remote
	a.createTable(t, "tbl", "k", "S")
	want := ofSize("a", 5000)
	if _, err := remote.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("tbl"), Item: want}); err != nil {
		t.Fatal(err)
	}
	got, err := remote.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String("tbl"), Key: key("a")})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got.Item, ignoreUnexported); diff != "" {
		t.Errorf("item (-want +got):\n%s", diff)
	}
	if _, err := remote.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String("nowhere"), Key: key("a")}); code(err) != "ResourceNotFoundException" {
		t.Errorf("unknown table: %v", err)
	}
}

func TestHandlerHeaders(t *testing.T) {
	e := newEngine(t)
	call := func(method, target, body string) *httptest.ResponseRecorder {
		req := httptest.NewRequestWithContext(t.Context(), method, "/", strings.NewReader(body))
		req.Header.Set("X-Amz-Target", target)
		w := httptest.NewRecorder()
		e.HTTPHandler().ServeHTTP(w, req)
		return w
	}
	w := call(http.MethodPost, "DynamoDB_20120810.ListTables", "{}")
	sameJSON(t, w.Body.String(), `{"TableNames":["tbl"]}`)
	if got, want := w.Header().Get("X-Amz-Crc32"), fmt.Sprint(crc32.ChecksumIEEE(w.Body.Bytes())); got != want {
		t.Errorf("checksum %s, want %s", got, want)
	}
	if w.Header().Get("Content-Type") != "application/x-amz-json-1.0" || w.Header().Get("X-Amzn-Requestid") == "" {
		t.Errorf("headers %v", w.Header())
	}
	if w := call(http.MethodGet, "", ""); w.Code != http.StatusNotFound {
		t.Errorf("GET: status %d", w.Code)
	}
	if w := call(http.MethodPost, "DynamoDB_20120810.ListTables", strings.Repeat(" ", 33<<20)); w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("33 MiB: status %d", w.Code)
	}
	if w := call(http.MethodPost, "", "{}"); w.Code != http.StatusBadRequest {
		t.Errorf("no target: status %d", w.Code)
	}
}

// The buffers of answers are used again, but only after they were closed.
func TestAnswersAreTheirOwn(t *testing.T) {
	e := newEngine(t)
	client := e.Client(nil)
	call := func(operation, body string) io.ReadCloser {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://embedded/", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		return resp.Body
	}
	read := func(body io.Reader) string {
		t.Helper()
		b, err := io.ReadAll(body)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	first := call("ListTables", `{}`)
	for i := range 10 {
		name := fmt.Sprint("item-", i)
		if err := call("PutItem", `{"TableName":"tbl","Item":{"k":{"S":"`+name+`"}}}`).Close(); err != nil {
			t.Fatal(err)
		}
		got := call("GetItem", `{"TableName":"tbl","Key":{"k":{"S":"`+name+`"}}}`)
		sameJSON(t, read(got), `{"Item":{"k":{"S":"`+name+`"}}}`)
		if err := got.Close(); err != nil {
			t.Fatal(err)
		}
		if left := read(got); left != "" {
			t.Errorf("a closed answer still gives %q", left)
		}
	}
	sameJSON(t, read(first), `{"TableNames":["tbl"]}`)
	unread := call("ListTables", `{}`)
	if err := unread.Close(); err != nil {
		t.Fatal(err)
	}
	if left := read(unread); left != "" {
		t.Errorf("an answer closed unread still gives %q", left)
	}
}
