package dynamo_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
)

// seeds are bodies with something of everything that a request can have.
var seeds = []struct{ operation, body string }{
	{"CreateTable", createTable},
	{"CreateTable", `{"TableName":"two","AttributeDefinitions":[{"AttributeName":"k","AttributeType":"N"},{"AttributeName":"r","AttributeType":"B"}],"KeySchema":[{"AttributeName":"k","KeyType":"HASH"},{"AttributeName":"r","KeyType":"RANGE"}],"ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":1},"Tags":[],"StreamSpecification":{"StreamEnabled":false}}`},
	{"DescribeTable", `{"TableName":"tbl"}`},
	{"ListTables", `{"Limit":1,"ExclusiveStartTableName":"sorted"}`},
	{"DeleteTable", `{"TableName":"tbl"}`},
	{"GetItem", `{"TableName":"tbl","Key":{"k":{"S":"a"}},"ConsistentRead":true,"ProjectionExpression":"#v.x[0], k","ExpressionAttributeNames":{"#v":"v"},"ReturnConsumedCapacity":"INDEXES"}`},
	{"PutItem", `{"TableName":"tbl","Item":{"k":{"S":"a\"\\\u00e9\ud83d\ude00"},"n":{"N":"-1.5e-3"},"b":{"B":"AP8="},"l":{"L":[{"M":{"x":{"NULL":true}}},{"BOOL":false}]},"ss":{"SS":["a","b"]},"ns":{"NS":["1","2"]},"bs":{"BS":["AA=="]}},"ConditionExpression":"attribute_not_exists(k) OR size(v) > :n","ExpressionAttributeValues":{":n":{"N":"3"}},"ReturnValues":"ALL_OLD","ReturnValuesOnConditionCheckFailure":"ALL_OLD"}`},
	{"DeleteItem", `{"TableName":"sorted","Key":{"k":{"S":"p"},"r":{"N":"1"}},"ReturnValues":"ALL_OLD"}`},
	{"BatchGetItem", `{"RequestItems":{"tbl":{"Keys":[{"k":{"S":"a"}},{"k":{"S":"b"}}],"ConsistentRead":true},"sorted":{"Keys":[{"k":{"S":"p"},"r":{"N":"2"}}]}}}`},
	{"BatchWriteItem", `{"RequestItems":{"tbl":[{"PutRequest":{"Item":{"k":{"S":"c"}}}},{"DeleteRequest":{"Key":{"k":{"S":"a"}}}}]},"ReturnConsumedCapacity":"TOTAL"}`},
	{"Query", `{"TableName":"sorted","KeyConditionExpression":"k = :k AND r BETWEEN :a AND :b","FilterExpression":"v IN (:a, :b)","ExpressionAttributeValues":{":k":{"S":"p"},":a":{"N":"1"},":b":{"N":"1e1"}},"Limit":2,"ScanIndexForward":false,"Select":"COUNT","ExclusiveStartKey":{"k":{"S":"p"},"r":{"N":"3"}}}`},
	{"Scan", `{"TableName":"tbl","Segment":0,"TotalSegments":2,"FilterExpression":"begins_with(k, :p)","ExpressionAttributeValues":{":p":{"S":""}},"ExclusiveStartKey":{"k":{"S":"a"}}}`},
	{"TransactGetItems", `{"TransactItems":[{"Get":{"TableName":"tbl","Key":{"k":{"S":"a"}},"ProjectionExpression":"k"}}]}`},
	{"TransactWriteItems", `{"ClientRequestToken":"t","TransactItems":[{"Put":{"TableName":"tbl","Item":{"k":{"S":"x"}}}},{"Delete":{"TableName":"tbl","Key":{"k":{"S":"y"}}}},{"ConditionCheck":{"TableName":"sorted","Key":{"k":{"S":"p"},"r":{"N":"1"}},"ConditionExpression":"attribute_exists(r)","ReturnValuesOnConditionCheckFailure":"ALL_OLD"}}]}`},
	{"UpdateItem", `{"TableName":"tbl","Key":{"k":{"S":"a"}},"UpdateExpression":"SET #v.x[0] = v.x[0] + :n, l = list_append(if_not_exists(l, :l), :l) REMOVE s ADD c :n DELETE ss :ss","ConditionExpression":"attribute_exists(k)","ExpressionAttributeNames":{"#v":"v"},"ExpressionAttributeValues":{":n":{"N":"1"},":l":{"L":[]},":ss":{"SS":["a"]}},"ReturnValues":"UPDATED_NEW","ReturnConsumedCapacity":"TOTAL"}`},
	{"TransactWriteItems", `{"TransactItems":[{"Update":{"TableName":"sorted","Key":{"k":{"S":"p"},"r":{"N":"2"}},"UpdateExpression":"SET v = v - :one","ExpressionAttributeValues":{":one":{"N":"1"}},"ConditionExpression":"v < :one","ReturnValuesOnConditionCheckFailure":"ALL_OLD"}}]}`},
	{"UpdateTable", `{"TableName":"tbl","BillingMode":"PROVISIONED","ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":2}}`},
	{"ListTagsOfResource", `{"ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/tbl"}`},
}

// furnished is an engine with a table of each kind, and some items.
func furnished(t testing.TB) *dynamo.Engine {
	e := newEngine(t)
	mustServe(t, e, "CreateTable", `{"TableName":"sorted","BillingMode":"PAY_PER_REQUEST",
		"AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"},{"AttributeName":"r","AttributeType":"N"}],
		"KeySchema":[{"AttributeName":"k","KeyType":"HASH"},{"AttributeName":"r","KeyType":"RANGE"}]}`)
	mustServe(t, e, "BatchWriteItem", `{"RequestItems":{
		"tbl":[{"PutRequest":{"Item":{"k":{"S":"a"},"v":{"M":{"x":{"L":[{"N":"1"}]}}}}}},{"PutRequest":{"Item":{"k":{"S":"b"},"v":{"S":"text"}}}}],
		"sorted":[`+repeated(5, `{"PutRequest":{"Item":{"k":{"S":"p"},"r":{"N":"%d"},"v":{"N":"1"}}}}`)+`]}}`)
	return e
}

// FuzzServe: whatever the body, the engine answers with JSON and never with its
// own fault, which is what a panic is turned into.
func FuzzServe(f *testing.F) {
	for _, s := range seeds {
		f.Add(s.operation, []byte(s.body))
	}
	f.Fuzz(func(t *testing.T, operation string, body []byte) {
		e := furnished(t)
		for range 2 { // the second time it meets what the first one left
			resp := e.Serve(t.Context(), operation, body)
			if resp.Status != http.StatusOK && resp.Status != http.StatusBadRequest {
				t.Fatalf("status %d: %s", resp.Status, resp.Body)
			}
			if !json.Valid(resp.Body) {
				t.Fatalf("answer is no JSON: %s", resp.Body)
			}
			if s := resp.Served; s.RRU < 0 || s.WRU < 0 || s.WRU == 0 && s.Returned > s.Evaluated {
				t.Fatalf("served as %+v", s)
			}
		}
		mustServe(t, e, "ListTables", `{}`)
	})
}

// Every seed is taken apart at each byte: cut off, and with each kind of
// bracket, quote and sign put there.
func TestDamagedBodies(t *testing.T) {
	e := furnished(t)
	for _, s := range seeds {
		for i := range s.body {
			damaged := []string{s.body[:i]}
			for _, c := range "{}[]\",:-0n\x00\xff" {
				damaged = append(damaged, s.body[:i]+string(c)+s.body[i+1:], s.body[:i]+string(c)+s.body[i:])
			}
			for _, body := range damaged {
				resp := e.Serve(t.Context(), s.operation, []byte(body))
				if resp.Status >= http.StatusInternalServerError || !json.Valid(resp.Body) {
					t.Fatalf("%s %q: status %d: %s", s.operation, body, resp.Status, resp.Body)
				}
			}
		}
	}
}
