package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/v1"
)

// isolate keeps the AWS configuration of whoever runs the tests out of them.
func isolate(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	for name, value := range map[string]string{
		"AWS_CONFIG_FILE": filepath.Join(dir, "config"), "AWS_SHARED_CREDENTIALS_FILE": filepath.Join(dir, "credentials"),
		"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_SESSION_TOKEN": "", "AWS_PROFILE": "",
		"AWS_REGION": "", "AWS_DEFAULT_REGION": "", tableVariable: "",
	} {
		t.Setenv(name, value)
	}
}

// serveEngine serves an embedded DynamoDB on loopback. intercept, if not nil,
// sees every request first.
func serveEngine(t *testing.T, intercept func(api string)) (address string, engine *dynamo.Engine) {
	t.Helper()
	engine, err := dynamo.New(dynamo.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	handler := engine.HTTPHandler()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if intercept != nil {
			_, api, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
			intercept(api)
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL, engine
}

func clientOf(engine *dynamo.Engine) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("a", "b", ""),
		BaseEndpoint: aws.String("http://embedded.invalid"), HTTPClient: engine.Client(nil),
	})
}

func tablesOf(t *testing.T, engine *dynamo.Engine) []string {
	t.Helper()
	out, err := clientOf(engine).ListTables(t.Context(), &dynamodb.ListTablesInput{})
	if err != nil {
		t.Fatal(err)
	}
	return out.TableNames
}

func TestEndpointRunComparesAndCleansUp(t *testing.T) {
	isolate(t)
	address, engine := serveEngine(t, nil)
	args := []string{
		"run", "--workload", "catalog-refresh", "--backend", "endpoint", "--dynamodb-endpoint", address,
		"--set", "tables=30", "--set", "history_records=0,50", "--set", "refreshes=2", "--json", "--out", t.TempDir(),
	}
	doc, err := results.Decode([]byte(printed(t, args...)))
	if err != nil {
		t.Fatal(err)
	}
	if left := tablesOf(t, engine); len(left) != 0 {
		t.Errorf("tables left behind: %v", left)
	}
	statuses := map[string]results.Status{}
	for _, c := range doc.Checks {
		statuses[c.Name] = c.Status
	}
	if statuses["the endpoint reports what the rules compute"] != results.Passed || doc.Deterministic {
		t.Errorf("checks %v, deterministic %v", doc.Checks, doc.Deterministic)
	}
	for _, s := range doc.Series {
		if s.Source != results.Reported || s.Unreported != 0 {
			t.Errorf("%s: units %+v, expected reported ones", s.Variant, s.Units)
		}
	}
	printed(t, append(args, "--keep")...)
	if left := tablesOf(t, engine); len(left) != 4 {
		t.Errorf("--keep left %v, expected two tables for each of two points", left)
	}
}

// TestInterruptedEndpointRunCleansUp interrupts a run while it measures: what was
// measured stays, marked partial, and the tables go.
func TestInterruptedEndpointRunCleansUp(t *testing.T) {
	isolate(t)
	ctx, interrupt := context.WithCancel(t.Context())
	scans := 0
	address, engine := serveEngine(t, func(api string) {
		if api == "Scan" {
			if scans++; scans == 4 { // the second point's: a point takes warm-up and refresh, a page each
				interrupt()
			}
		}
	})
	out := t.TempDir()
	var stdout, stderr bytes.Buffer
	code := run(ctx, []string{
		"run", "--workload", "catalog-refresh", "--backend", "endpoint", "--dynamodb-endpoint", address,
		"--set", "tables=30", "--set", "history_records=0,50,90", "--set", "refreshes=1", "--json", "--out", out,
	}, strings.NewReader(""), &stdout, &stderr)
	if code != 130 {
		t.Fatalf("exit code %d, expected 130\n%s", code, &stderr)
	}
	if left := tablesOf(t, engine); len(left) != 0 {
		t.Errorf("tables left behind: %v", left)
	}
	var partial struct {
		Partial bool
		Series  []json.RawMessage
	}
	if err := json.Unmarshal(stdout.Bytes(), &partial); err != nil || !partial.Partial || len(partial.Series) == 0 {
		t.Errorf("partial result: %v, %d series, partial %v\n%s", err, len(partial.Series), partial.Partial, &stderr)
	}
	if found, _ := filepath.Glob(filepath.Join(out, "*", "result.json")); len(found) != 1 {
		t.Errorf("result files: %v", found)
	}
}

// TestExistingTableIsOnlyRead measures a table that is somebody's own.
func TestExistingTableIsOnlyRead(t *testing.T) {
	isolate(t)
	writes := 0
	measuring := false
	address, engine := serveEngine(t, func(api string) {
		if measuring && !strings.HasPrefix(api, "Describe") && !strings.HasPrefix(api, "List") && api != "Scan" && api != "Query" {
			writes++
			t.Errorf("%s was sent", api)
		}
	})
	client := clientOf(engine)
	if err := v1.Create(t.Context(), client, "my-lake"); err != nil {
		t.Fatal(err)
	}
	cfg := v1.DefaultConfig()
	cfg.Client, cfg.Table, cfg.Random = client, "my-lake", fixedSource{}
	s, err := v1.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"tbl/a", "tbl/b", "lease/a", "lease/b", "lease/c"} {
		if err := s.CAS(t.Context(), key, store.Absent(), []byte("value")); err != nil {
			t.Fatal(err)
		}
	}
	measuring = true
	args := []string{
		"run", "--workload", "catalog-refresh", "--backend", "endpoint", "--dynamodb-endpoint", address,
		"--table", "my-lake", "--use-existing-table", "--set", "refreshes=1", "--json", "--out", t.TempDir(),
	}
	stdout, _ := lakebench(t, 0, append(args, "--variant", "v1")...)
	doc, err := results.Decode([]byte(stdout))
	if err != nil {
		t.Fatal(err)
	}
	// Two items of 17 bytes and three of 19 have 18 on average.
	for _, s := range doc.Series {
		if s.Metrics["evaluated/op"] != 5 || s.Metrics["returned/op"] != 2 || s.Point.String() != "history_records=3 item_bytes=18 page_limit=1000 tables=2" {
			t.Errorf("%v: %v", s.Point, s.Metrics)
		}
	}
	if left := tablesOf(t, engine); len(left) != 1 {
		t.Errorf("tables are now %v", left)
	}
	// Its companion of the v2 layout does not exist: that is said, with exit 5.
	_, stderr := lakebench(t, 5, append(args, "--variant", "v2")...)
	if !strings.Contains(stderr, "my-lake_prefix_v2") {
		t.Errorf("error is %q, expected the missing table's name", stderr)
	}
	_, stderr = lakebench(t, 5, "run", "--workload", "catalog-refresh", "--backend", "endpoint", "--dynamodb-endpoint", address,
		"--table", "no-lake", "--use-existing-table")
	if !strings.Contains(stderr, "no-lake") {
		t.Errorf("error is %q, expected the missing table's name", stderr)
	}
}

// fixedSource is a source of randomness for waits that do not happen.
type fixedSource struct{}

func (fixedSource) Uint64() uint64 { return 0 }
