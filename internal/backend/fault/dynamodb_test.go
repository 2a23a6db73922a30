package fault

import (
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestDynamoTargets(t *testing.T) {
	for _, c := range []struct {
		operation, body string
		want            []Target
	}{
		{"GetItem", `{"TableName":"t","Key":{"bucket":{"S":"tbl#03"},"pk":{"S":"tbl/a"}}}`, []Target{{"t", []string{"tbl#03", "tbl/a"}}}},
		{"PutItem", `{"TableName":"t","Item":{"pk":{"S":"a"},"value":{"B":"AA=="}},"ExpressionAttributeValues":{":e":{"S":"x"}}}`, []Target{{"t", []string{"a"}}}},
		{"DeleteItem", `{"TableName":"t","Key":{"pk":{"S":"a"}},"ExpressionAttributeValues":{":e":{"S":"x"}}}`, []Target{{"t", []string{"a"}}}},
		{"Query", `{"TableName":"t","ExpressionAttributeValues":{":b":{"S":"tbl#03"},":p":{"S":"tbl/"}}}`, []Target{{"t", []string{"tbl#03", "tbl/"}}}},
		{"Scan", `{"TableName":"t"}`, []Target{{"t", nil}}},
		{"DescribeTable", `{"TableName":"t"}`, []Target{{"t", nil}}},
		{"ListTables", `{}`, nil},
		{"TransactWriteItems", `{"TransactItems":[
			{"Put":{"TableName":"t","Item":{"pk":{"S":"a"}}}},
			{"ConditionCheck":{"TableName":"u","Key":{"pk":{"S":"b"}}}},
			{"Delete":{"TableName":"u","Key":{"pk":{"S":"c"}}}}]}`, []Target{{"t", []string{"a"}}, {"u", []string{"b"}}, {"u", []string{"c"}}}},
		{"TransactGetItems", `{"TransactItems":[{"Get":{"TableName":"t","Key":{"pk":{"S":"a"}}}}]}`, []Target{{"t", []string{"a"}}}},
		{"BatchWriteItem", `{"RequestItems":{"u":[{"DeleteRequest":{"Key":{"pk":{"S":"c"}}}}],"t":[{"PutRequest":{"Item":{"pk":{"S":"a"}}}}]}}`,
			[]Target{{"t", []string{"a"}}, {"u", []string{"c"}}}},
		{"BatchGetItem", `{"RequestItems":{"t":{"Keys":[{"pk":{"S":"a"}},{"pk":{"S":"b"}}],"ConsistentRead":true}}}`,
			[]Target{{"t", []string{"a"}}, {"t", []string{"b"}}}},
		{"PutItem", `{"TableName":`, nil},
		{"PutItem", `[]`, nil},
	} {
		req := s3Request(t.Context(), t, http.MethodPost, "http://dynamodb/", c.body, "X-Amz-Target", "DynamoDB_20120810."+c.operation)
		r := (&httpExchange{req: req}).request()
		got := r.Targets()
		for _, target := range got {
			slices.Sort(target.Keys)
		}
		if r.Service != DynamoDB || r.Operation != c.operation || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s %s: %s %+v, want %+v", c.operation, c.body, r.Operation, got, c.want)
		}
	}
}

func TestLeaveOut(t *testing.T) {
	all := map[string][]int{"a": {1, 2}, "b": {3}, "c": {4, 5, 6}}
	for _, c := range []struct {
		n          int64
		kept, left map[string][]int
	}{
		{1, map[string][]int{"a": {1, 2}, "b": {3}, "c": {4, 5}}, map[string][]int{"c": {6}}},
		{4, map[string][]int{"a": {1, 2}}, map[string][]int{"b": {3}, "c": {4, 5, 6}}},
		{5, map[string][]int{"a": {1}}, map[string][]int{"a": {2}, "b": {3}, "c": {4, 5, 6}}},
		{6, nil, all},
		{9, nil, all},
	} {
		kept, left := LeaveOut(all, c.n)
		if !reflect.DeepEqual(kept, c.kept) || !reflect.DeepEqual(left, c.left) {
			t.Errorf("%d: kept %v, left %v, want %v and %v", c.n, kept, left, c.kept, c.left)
		}
	}
}

// What is not a batch goes to the service as it is, which will refuse it.
func TestUnprocessedOfWhatIsNoBatch(t *testing.T) {
	for _, body := range []string{"", "{", "[]", "{}", `{"RequestItems":7}`, `{"RequestItems":{"t":{}}}`, `{"RequestItems":{"t":7}}`} {
		in := New(t.Context(), mustParse(t, `on dynamodb : unprocessed 1`), DefaultConfig())
		inner := &keeping{}
		req := s3Request(t.Context(), t, http.MethodPost, "http://dynamodb/", body, "X-Amz-Target", "DynamoDB_20120810.BatchWriteItem")
		resp, err := in.HTTPClient(inner).Do(req)
		if err != nil {
			t.Errorf("%s: %v", body, err)
			continue
		}
		_ = resp.Body.Close()
		if strings.Join(inner.got, "|") != body {
			t.Errorf("%s: the service got %q", body, inner.got)
		}
	}
}
