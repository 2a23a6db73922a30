package backend

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
)

// tableNames are the tables that a server has.
func tableNames(t *testing.T, engine *dynamo.Engine) []string {
	t.Helper()
	c := dynamodb.New(dynamodb.Options{
		Region: "us-east-1", Credentials: endpointConfig("").AWS.Credentials,
		BaseEndpoint: aws.String(embeddedAddress), HTTPClient: engine.Client(nil),
	})
	out, err := c.ListTables(t.Context(), &dynamodb.ListTablesInput{})
	if err != nil {
		t.Fatal(err)
	}
	return out.TableNames
}

// makeForeign makes a table that is not this run's.
func makeForeign(t *testing.T, address, name string) {
	t.Helper()
	b := open(t, endpointConfig(address))
	b.tables.remember(name)
	if err := createTable(b.DynamoDB(newMeter(t, b)))(t.Context(), name); err != nil {
		t.Fatal(err)
	}
}

func TestCloseRemovesTheTablesOfTheRun(t *testing.T) {
	engine, address := serve(t)
	makeForeign(t, address, "lake")
	for _, keep := range []bool{false, true} {
		cfg := endpointConfig(address)
		cfg.Keep = keep
		b := open(t, cfg)
		c := b.DynamoDB(newMeter(t, b))
		for _, layout := range []string{"v1", "v2"} {
			name, err := b.Table(t.Context(), layout, createTable(c))
			if err != nil || name != "lakebench-test-"+layout {
				t.Fatalf("%s, %v", name, err)
			}
		}
		// Somebody removed one already.
		if _, err := c.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: aws.String("lakebench-test-v2")}); err != nil {
			t.Fatal(err)
		}
		// The run was interrupted; what closes it is not.
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := b.Close(context.WithoutCancel(ctx)); err != nil {
			t.Error(err)
		}
		want := []string{"lake"}
		if keep {
			want = append(want, "lakebench-test-v1")
		}
		if got := tableNames(t, engine); !cmp.Equal(got, want) {
			t.Errorf("keep %t: left are %v, want %v", keep, got, want)
		}
	}
}

// A name is remembered before the request goes out: if its answer is lost, the
// table is removed all the same.
func TestTableWithALostAnswerIsRemoved(t *testing.T) {
	engine, address := serve(t)
	b := open(t, endpointConfig(address))
	c := b.DynamoDB(newMeter(t, b))
	lost := errors.New("lost")
	_, err := b.Table(t.Context(), "v1", func(ctx context.Context, name string) error {
		if err := createTable(c)(ctx, name); err != nil {
			t.Fatal(err)
		}
		return lost
	})
	if !errors.Is(err, lost) {
		t.Errorf("got %v", err)
	}
	if err := b.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if got := tableNames(t, engine); len(got) != 0 {
		t.Errorf("left are %v", got)
	}
}

// A table of others that the configuration names may be changed; the others may
// not, and none is removed.
func TestMayChange(t *testing.T) {
	engine, address := serve(t)
	makeForeign(t, address, "lake")
	makeForeign(t, address, "sea")
	cfg := endpointConfig(address)
	cfg.MayChange = []string{"lake"}
	b := open(t, cfg)
	c := b.DynamoDB(newMeter(t, b))
	put := func(table string) error {
		_, err := c.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &table, Item: item("k", 1)})
		return err
	}
	if err := put("lake"); err != nil {
		t.Error(err)
	}
	var foreign *ForeignTableError
	if err := put("sea"); !errors.As(err, &foreign) {
		t.Errorf("another table: %v", err)
	}
	if err := b.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if got := tableNames(t, engine); len(got) != 2 {
		t.Errorf("left are %v", got)
	}
}

// A table that was there before is neither changed nor removed.
func TestTableOfAnotherRun(t *testing.T) {
	engine, address := serve(t)
	makeForeign(t, address, "lakebench-test-v1")
	b := open(t, endpointConfig(address))
	c := b.DynamoDB(newMeter(t, b))
	name, err := b.Table(t.Context(), "v1", createTable(c))
	var inUse *types.ResourceInUseException
	if !errors.As(err, &inUse) {
		t.Fatalf("got %v", err)
	}
	_, err = c.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &name, Item: item("k", 1)})
	var foreign *ForeignTableError
	if !errors.As(err, &foreign) {
		t.Errorf("writing: got %v", err)
	}
	if err := b.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if got := tableNames(t, engine); !cmp.Equal(got, []string{name}) {
		t.Errorf("left are %v", got)
	}

	// One's own table that is made twice stays one's own.
	own, err := b.Table(t.Context(), "v2", createTable(c))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Table(t.Context(), "v2", createTable(c)); !errors.As(err, &inUse) {
		t.Errorf("got %v", err)
	}
	if !b.tables.ours(own) {
		t.Errorf("%s was forgotten", own)
	}
}

func TestTableName(t *testing.T) {
	cfg := endpointConfig("")
	cfg.TablePrefix, cfg.RunID = "my lake", "20261129T170000.123-catalog/refresh"
	b := &Backend{cfg: cfg}
	if got, want := b.TableName("v1"), "my-lake-20261129T170000.123-catalog-refresh-v1"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Every operation that may change something is held against the tables of the
// run; reads are not. Nothing that is refused is sent.
func TestGuard(t *testing.T) {
	sent := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		sent++
		fmt.Fprint(w, "{}")
	}))
	defer server.Close()
	b := open(t, endpointConfig(server.URL))
	m := newMeter(t, b)
	c := b.DynamoDB(m)
	b.tables.remember("ours")
	ctx := t.Context()
	put := func(table string) types.TransactWriteItem {
		return types.TransactWriteItem{Put: &types.Put{TableName: &table, Item: item("k", 1)}}
	}
	for name, request := range map[string]func(table string) error{
		"PutItem": func(table string) error {
			_, err := c.PutItem(ctx, &dynamodb.PutItemInput{TableName: &table, Item: item("k", 1)})
			return err
		},
		"UpdateItem": func(table string) error {
			_, err := c.UpdateItem(ctx, &dynamodb.UpdateItemInput{TableName: &table, Key: item("k", 0)})
			return err
		},
		"DeleteItem": func(table string) error {
			_, err := c.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &table, Key: item("k", 0)})
			return err
		},
		"CreateTable": func(table string) error { return createTable(c)(ctx, table) },
		"DeleteTable": func(table string) error {
			_, err := c.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: &table})
			return err
		},
		"BatchWriteItem": func(table string) error {
			_, err := c.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{
				"ours": {{PutRequest: &types.PutRequest{Item: item("k", 1)}}}, table: {{PutRequest: &types.PutRequest{Item: item("k", 1)}}},
			}})
			return err
		},
		"TransactWriteItems": func(table string) error {
			_, err := c.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{put("ours"), put(table)}})
			return err
		},
		"TransactWriteItems update": func(table string) error {
			_, err := c.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
				put("ours"), {Update: &types.Update{TableName: &table, Key: item("k", 0), UpdateExpression: aws.String("SET a = b")}},
			}})
			return err
		},
		"TransactWriteItems delete": func(table string) error {
			_, err := c.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
				put("ours"), {Delete: &types.Delete{TableName: &table, Key: item("k", 0)}},
			}})
			return err
		},
		"TransactWriteItems check": func(table string) error {
			_, err := c.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
				put("ours"), {ConditionCheck: &types.ConditionCheck{TableName: &table, Key: item("k", 0), ConditionExpression: aws.String("a = b")}},
			}})
			return err
		},
	} {
		before := sent
		var foreign *ForeignTableError
		if err := request("theirs"); !errors.As(err, &foreign) || foreign.Table != "theirs" || !strings.HasPrefix(name, foreign.API) {
			t.Errorf("%s on another's table: %v", name, err)
		}
		if sent != before {
			t.Errorf("%s on another's table was sent", name)
		}
		if err := request("ours"); err != nil || sent != before+1 {
			t.Errorf("%s on our own: %v, %d requests", name, err, sent-before)
		}
	}

	before := sent
	var foreign *ForeignTableError
	if _, err := c.UpdateTable(ctx, &dynamodb.UpdateTableInput{TableName: aws.String("ours")}); !errors.As(err, &foreign) || sent != before {
		t.Errorf("an operation that nobody thought of: %v", err)
	}

	theirs := aws.String("theirs")
	for name, err := range map[string]error{
		"GetItem":       errOf(c.GetItem(ctx, &dynamodb.GetItemInput{TableName: theirs, Key: item("k", 0)})),
		"Query":         errOf(c.Query(ctx, &dynamodb.QueryInput{TableName: theirs, KeyConditionExpression: aws.String("a = b")})),
		"Scan":          errOf(c.Scan(ctx, &dynamodb.ScanInput{TableName: theirs})),
		"DescribeTable": errOf(c.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: theirs})),
		"BatchGetItem": errOf(c.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
			"theirs": {Keys: []map[string]types.AttributeValue{item("k", 0)}},
		}})),
		"TransactGetItems": errOf(c.TransactGetItems(ctx, &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{{Get: &types.Get{TableName: theirs, Key: item("k", 0)}}}})),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := m.Reconcile(); err != nil {
		t.Error(err)
	}
}

func errOf(_ any, err error) error { return err }

// A table that is still being made cannot be deleted yet: it is waited for. Those
// that stay are named, and all the others are removed.
func TestRemovingTables(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, err := Open(t.Context(), DefaultConfig())
		if err != nil {
			t.Fatal(err)
		}
		asked := map[string]int{}
		b.cfg.Kind = Endpoint
		b.cfg.AWS = endpointConfig("").AWS
		b.http = &http.Client{Transport: roundTripper(func(req *http.Request) (*http.Response, error) {
			body, err := io.ReadAll(req.Body)
			if err != nil {
				return nil, err
			}
			name := strings.Split(string(body), `"`)[3]
			asked[name]++
			status, answer := 200, "{}"
			switch {
			case name == "slow" && asked[name] < 4, name == "stuck":
				status, answer = 400, `{"__type":"ResourceInUseException","message":"being created"}`
			case name == "forbidden":
				status, answer = 400, `{"__type":"AccessDeniedException","message":"not you"}`
			case name == "gone":
				status, answer = 400, `{"__type":"ResourceNotFoundException"}`
			}
			return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(answer)), Request: req}, nil
		})}
		for _, name := range []string{"slow", "forbidden", "stuck", "gone", "plain"} {
			b.tables.remember(name)
		}
		err = b.RemoveTables(t.Context())
		var left *LeftBehindError
		if !errors.As(err, &left) || !cmp.Equal(left.Tables, []string{"forbidden", "stuck"}) {
			t.Fatalf("got %v", err)
		}
		if want := "tables left behind, to be removed by hand: forbidden, stuck: DeleteTable: AccessDeniedException: not you"; err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
		want := map[string]int{"slow": 4, "forbidden": 1, "stuck": removeTries, "gone": 1, "plain": 1}
		if diff := cmp.Diff(want, asked); diff != "" {
			t.Errorf("requests (-want +got):\n%s", diff)
		}
		if got := b.tables.all(); !cmp.Equal(got, left.Tables) {
			t.Errorf("still remembered: %v", got)
		}

		// Waiting ends with the context.
		ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		b.tables.forget("forbidden")
		if err := b.RemoveTables(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// A table that another process of the run makes may be written to, and is left to
// that process.
func TestSharedTables(t *testing.T) {
	var own tables
	own.share("theirs")
	if !own.ours("theirs") || own.ours("others") || len(own.all()) > 0 {
		t.Errorf("shared %v, foreign %v, to remove %v", own.ours("theirs"), own.ours("others"), own.all())
	}
}
