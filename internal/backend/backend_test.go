package backend

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
	"github.com/lakebench/lakebench/internal/backend/tally"
	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/counts"
	"github.com/lakebench/lakebench/internal/meter"
)

// endpointConfig leads to a server on this machine.
func endpointConfig(address string) Config {
	cfg := DefaultConfig()
	cfg.Kind = Endpoint
	cfg.AWS = aws.Config{Region: "eu-west-1", Credentials: credentials.NewStaticCredentialsProvider("a", "b", "")}
	cfg.DynamoDBEndpoint = address
	cfg.RunID = "test"
	return cfg
}

// serve serves an embedded DynamoDB over HTTP.
func serve(t *testing.T) (*dynamo.Engine, string) {
	t.Helper()
	engine, err := dynamo.New(dynamo.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(engine.HTTPHandler())
	t.Cleanup(server.Close)
	return engine, server.URL
}

func open(t *testing.T, cfg Config) *Backend {
	t.Helper()
	b, err := Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func newMeter(t *testing.T, b *Backend) *meter.Meter {
	t.Helper()
	m, err := b.NewMeter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func createTable(c *dynamodb.Client) func(context.Context, string) error {
	return func(ctx context.Context, name string) error {
		_, err := c.CreateTable(ctx, &dynamodb.CreateTableInput{
			TableName: &name, BillingMode: types.BillingModePayPerRequest,
			KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash}},
			AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("pk"), AttributeType: types.ScalarAttributeTypeS}},
		})
		return err
	}
}

func item(key string, bytes int) map[string]types.AttributeValue {
	m := map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: key}}
	if bytes > 0 {
		m["value"] = &types.AttributeValueMemberB{Value: make([]byte, bytes)}
	}
	return m
}

// requests makes requests of every kind and with every outcome that the embedded
// service can be brought to without faults. It returns how many there were.
func requests(ctx context.Context, t *testing.T, c *dynamodb.Client, table string) int {
	t.Helper()
	sent := 0
	check := func(label cause.Label, wantCode string, call func(context.Context) error) {
		t.Helper()
		sent++
		err := call(cause.With(ctx, label))
		var api interface{ ErrorCode() string }
		switch {
		case wantCode == "" && err != nil:
			t.Errorf("got %v", err)
		case wantCode != "" && (!errors.As(err, &api) || api.ErrorCode() != wantCode):
			t.Errorf("got %v, want %s", err, wantCode)
		}
	}
	absent := aws.String("attribute_not_exists(pk)")
	for i := range 5 {
		check(cause.Mutate, "", func(ctx context.Context) error {
			_, err := c.PutItem(ctx, &dynamodb.PutItemInput{TableName: &table, Item: item(fmt.Sprint("k", i), 1500), ConditionExpression: absent})
			return err
		})
	}
	check(cause.Mutate, "ConditionalCheckFailedException", func(ctx context.Context) error {
		_, err := c.PutItem(ctx, &dynamodb.PutItemInput{TableName: &table, Item: item("k0", 10), ConditionExpression: absent})
		return err
	})
	for _, key := range []string{"k0", "none"} {
		check(cause.Point, "", func(ctx context.Context) error {
			_, err := c.GetItem(ctx, &dynamodb.GetItemInput{TableName: &table, Key: item(key, 0), ConsistentRead: aws.Bool(true)})
			return err
		})
	}
	check(cause.List, "", func(ctx context.Context) error {
		_, err := c.Scan(ctx, &dynamodb.ScanInput{
			TableName: &table, FilterExpression: aws.String("pk = :k"),
			ExpressionAttributeValues: map[string]types.AttributeValue{":k": &types.AttributeValueMemberS{Value: "k1"}},
		})
		return err
	})
	check(cause.List, "", func(ctx context.Context) error {
		_, err := c.Query(ctx, &dynamodb.QueryInput{
			TableName: &table, KeyConditionExpression: aws.String("pk = :k"),
			ExpressionAttributeValues: map[string]types.AttributeValue{":k": &types.AttributeValueMemberS{Value: "k1"}},
		})
		return err
	})
	check(cause.Setup, "", func(ctx context.Context) error {
		_, err := c.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{table: {
			{PutRequest: &types.PutRequest{Item: item("b", 3000)}}, {DeleteRequest: &types.DeleteRequest{Key: item("k4", 0)}},
		}}})
		return err
	})
	check(cause.Verify, "", func(ctx context.Context) error {
		_, err := c.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{table: {
			Keys: []map[string]types.AttributeValue{item("b", 0), item("k0", 0), item("none", 0)},
		}}})
		return err
	})
	transact := func(ctx context.Context, token string, condition *string) error {
		_, err := c.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{ClientRequestToken: &token, TransactItems: []types.TransactWriteItem{
			{Put: &types.Put{TableName: &table, Item: item("t", 1200), ConditionExpression: condition}},
			{Delete: &types.Delete{TableName: &table, Key: item("k3", 0)}},
			{ConditionCheck: &types.ConditionCheck{TableName: &table, Key: item("none", 0), ConditionExpression: absent}},
		}})
		return err
	}
	for range 2 { // the second is a replay
		check(cause.Mutate, "", func(ctx context.Context) error { return transact(ctx, "one", nil) })
	}
	check(cause.Mutate, "TransactionCanceledException", func(ctx context.Context) error { return transact(ctx, "two", absent) })
	check(cause.Point, "", func(ctx context.Context) error {
		_, err := c.TransactGetItems(ctx, &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{
			{Get: &types.Get{TableName: &table, Key: item("t", 0)}}, {Get: &types.Get{TableName: &table, Key: item("none", 0)}},
		}})
		return err
	})
	check(cause.Point, "ValidationException", func(ctx context.Context) error {
		_, err := c.GetItem(ctx, &dynamodb.GetItemInput{TableName: &table, Key: map[string]types.AttributeValue{"no": &types.AttributeValueMemberS{Value: "x"}}})
		return err
	})
	check(cause.Point, "ResourceNotFoundException", func(ctx context.Context) error {
		_, err := c.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("nowhere"), Key: item("k", 0)})
		return err
	})
	check(cause.Mutate, "", func(ctx context.Context) error {
		_, err := c.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &table, Key: item("k2", 0), ReturnValues: types.ReturnValueAllOld})
		return err
	})
	return sent
}

// byOutcome is what a meter counted, in the engine's terms.
func byOutcome(m *meter.Meter) tally.Requests {
	got := tally.Requests{}
	for _, phase := range m.Phases() {
		for _, a := range m.Ledger(phase).Attempts() {
			got[tally.Request{API: a.API, Outcome: a.Outcome.String()}] += a.Count
		}
	}
	return got
}

// On the embedded service all counting points agree, and the outcomes that the
// client side reads from typed answers are the ones that the service counted by
// itself.
func TestEmbeddedRoundTrip(t *testing.T) {
	b := open(t, DefaultConfig())
	m := newMeter(t, b)
	c := b.DynamoDB(m)
	ctx := meter.InPhase(t.Context(), meter.PhaseSteady)
	table, err := b.Table(cause.With(ctx, cause.Setup), "v1", createTable(c))
	if err != nil {
		t.Fatal(err)
	}
	sent := requests(ctx, t, c, table)
	if err := m.Reconcile(); err != nil {
		t.Error(err)
	}
	l := m.Ledger(meter.PhaseSteady)
	if got := l.Total().Attempts; got != int64(sent)+1 {
		t.Errorf("%d attempts, made %d and CreateTable", got, sent)
	}
	totals := b.engine.Totals()
	if diff := cmp.Diff(totals.Requests, byOutcome(m)); diff != "" {
		t.Errorf("outcomes (-service +client):\n%s", diff)
	}
	if u := l.Total().Usage; u.RRU != totals.RRU || u.WRU != totals.WRU || u.RRU == 0 || u.WRU == 0 {
		t.Errorf("got %v RRU, %v WRU; the service billed %v, %v", u.RRU, u.WRU, totals.RRU, totals.WRU)
	}
	if d := b.Describe(); d.Kind != "embedded" || d.Endpoint != "" || d.Region != "" || len(d.Settings) != 0 {
		t.Errorf("described as %+v", d)
	}
	if err := b.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// The same requests over sockets: every attempt reaches the server, plus the
// repeats that net/http makes by itself; and what the answers report is what the
// embedded service computes, but for failures, whose cost no answer has.
func TestLoopbackRoundTrip(t *testing.T) {
	embedded := open(t, DefaultConfig())
	computed := newMeter(t, embedded)
	ctx := meter.InPhase(t.Context(), meter.PhaseSteady)
	local := embedded.DynamoDB(computed)
	if err := createTable(local)(t.Context(), "lakebench-test-v1"); err != nil {
		t.Fatal(err)
	}
	requests(ctx, t, local, "lakebench-test-v1")

	engine, address := serve(t)
	b := open(t, endpointConfig(address))
	m := newMeter(t, b)
	c := b.DynamoDB(m)
	before := engine.Totals().Requests // the probe's
	table, err := b.Table(t.Context(), "v1", createTable(c))
	if err != nil {
		t.Fatal(err)
	}
	requests(ctx, t, c, table)
	if err := m.Reconcile(); err != nil {
		t.Error(err)
	}
	var served, attempts int64
	for k, n := range engine.Totals().Requests {
		served += n - before[k]
	}
	for _, phase := range m.Phases() {
		f := m.Ledger(phase).Total().Flow
		attempts += f.Attempts + f.Repeats
	}
	if served != attempts {
		t.Errorf("the server served %d requests, the client counted %d", served, attempts)
	}
	delete(before, tally.Request{API: "ListTables", Outcome: "ok"})
	if len(before) != 0 {
		t.Errorf("opening made other requests than one ListTables: %v", before)
	}

	want, got := computed.Ledger(meter.PhaseSteady), m.Ledger(meter.PhaseSteady)
	if want.Source != counts.Computed || got.Source != counts.Reported {
		t.Errorf("sources %s, %s", want.Source, got.Source)
	}
	for i, r := range got.Rows {
		w := want.Rows[i]
		if r.Key != w.Key || r.Outcomes != w.Outcomes {
			t.Errorf("got %+v, want %+v", r, w)
		}
		failures := r.Outcomes[meter.ConditionFailed]
		if r.Unreported != failures {
			t.Errorf("%+v: %d unreported, want %d", r.Key, r.Unreported, failures)
		}
		if failures == 0 && r.Usage != w.Usage {
			t.Errorf("%+v:\n reported %+v\n computed %+v", r.Key, r.Usage, w.Usage)
		}
	}

	if d := b.Describe(); d.Kind != "endpoint" || d.Endpoint != address || d.Region != "eu-west-1" {
		t.Errorf("described as %+v", d)
	}
	if err := b.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if n := engine.Totals().Requests[tally.Request{API: "DeleteTable", Outcome: "ok"}]; n != 1 {
		t.Errorf("%d tables removed, want 1", n)
	}
}

func TestDescribeNamesChangedSettings(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Dynamo.PhysicalPartitions = 4
	cfg.Dynamo.CommitDelay = 5 * time.Millisecond
	want := map[string]string{"dynamodb.physical_partitions": "4", "dynamodb.commit_delay": "5ms"}
	if got := open(t, cfg).Describe().Settings; !cmp.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestDescribeNamesTheServer(t *testing.T) {
	for header, want := range map[string]map[string]string{
		"Jetty(12.0.14)": {"server": "DynamoDB Local"},
		"Server":         {"server": "AWS"},
		"ours/1":         {"server": "ours/1"},
		"":               {},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if header != "" {
				w.Header().Set("Server", header)
			}
			fmt.Fprint(w, "{}")
		}))
		b := open(t, endpointConfig(server.URL))
		if got := b.Describe().Settings; !cmp.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", header, got, want)
		}
		server.Close()
	}
}

// The client's name does not depend on the platform.
func TestUserAgent(t *testing.T) {
	var agents []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		agents = append(agents, strings.Join(r.Header["User-Agent"], ","))
		fmt.Fprint(w, "{}")
	}))
	defer server.Close()
	open(t, endpointConfig(server.URL))
	if !cmp.Equal(agents, []string{"lakebench"}) {
		t.Errorf("got %q", agents)
	}
}

func TestConfigIsValidated(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"retry":       func(c *Config) { c.Retry.MaxAttempts = 0 },
		"run id":      func(c *Config) { c.RunID = "" },
		"prefix":      func(c *Config) { c.TablePrefix = "" },
		"credentials": func(c *Config) { c.AWS.Credentials = nil },
		"region":      func(c *Config) { c.AWS.Region = "" },
		"timeout":     func(c *Config) { c.ConnectTimeout = 0 },
		"scheme":      func(c *Config) { c.DynamoDBEndpoint = "127.0.0.1:8000" },
		"host":        func(c *Config) { c.DynamoDBEndpoint = "http://" },
	} {
		cfg := endpointConfig("http://127.0.0.1:1")
		change(&cfg)
		_, err := Open(t.Context(), cfg)
		var unreachable *UnreachableError
		if err == nil || errors.As(err, &unreachable) {
			t.Errorf("a wrong %s: %v", name, err)
		}
	}
	cfg := DefaultConfig()
	cfg.Dynamo.PhysicalPartitions = 0
	if _, err := Open(t.Context(), cfg); err == nil {
		t.Error("a wrong embedded service was opened")
	}
}
