package dynamo_test

import (
	"net/http"
	"testing"

	"github.com/lakebench/lakebench/backend/dynamo"
)

const createTable = `{"TableName":"tbl","BillingMode":"PAY_PER_REQUEST",
	"AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"}],
	"KeySchema":[{"AttributeName":"k","KeyType":"HASH"}]}`

func mustServe(t testing.TB, e *dynamo.Engine, operation, body string) string {
	t.Helper()
	resp := e.Serve(t.Context(), operation, []byte(body))
	if resp.Status != http.StatusOK {
		t.Fatalf("%s: status %d: %s", operation, resp.Status, resp.Body)
	}
	return string(resp.Body)
}
