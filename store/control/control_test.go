package control_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
	"github.com/lakebench/lakebench/internal/storetest"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/item"
	"github.com/lakebench/lakebench/store/keyspace"
)

const lake = "lake_prefix_v2"

// lakeTable is a v2 table without a layout record, on a service whose requests
// can be made to fail.
type lakeTable struct {
	*dynamodb.Client
	faults *storetest.Faults
	sender *item.Sender
}

func newLakeTable(t *testing.T) lakeTable {
	t.Helper()
	engine, err := dynamo.New(dynamo.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	faults := storetest.NewFaults(engine.Client(nil))
	client := storetest.Client(faults)
	if err := item.CreateTable(context.Background(), client, item.Schema{Name: lake, Hash: "bucket", Range: "pk"}); err != nil {
		t.Fatal(err)
	}
	sender, err := item.NewSender(item.SenderConfig{Client: client, Random: rand.NewPCG(1, 2), Backoff: item.DefaultBackoff()})
	if err != nil {
		t.Fatal(err)
	}
	return lakeTable{client, faults, sender}
}

func (l lakeTable) put(counts keyspace.ShardCounts) error {
	return control.PutLayout(context.Background(), l, l.sender, lake, counts)
}

// write puts any value into the layout record.
func (l lakeTable) write(t *testing.T, value types.AttributeValue) {
	t.Helper()
	name := lake
	_, err := l.PutItem(context.Background(), &dynamodb.PutItemInput{TableName: &name, Item: map[string]types.AttributeValue{
		"bucket": &types.AttributeValueMemberS{Value: "control"}, "pk": &types.AttributeValueMemberS{Value: "layout"}, "value": value,
	}})
	if err != nil {
		t.Fatal(err)
	}
}

func TestLayout(t *testing.T) {
	ctx, l := context.Background(), newLakeTable(t)
	spec := keyspace.DefaultShardCounts()
	if err := control.CheckLayout(ctx, l, lake, spec); !errors.Is(err, control.ErrNoLayout) {
		t.Errorf("no record: %v, want ErrNoLayout", err)
	}
	for range 2 { // the second finds it
		if err := l.put(spec); err != nil {
			t.Fatal(err)
		}
	}
	if err := control.CheckLayout(ctx, l, lake, spec); err != nil {
		t.Errorf("the same counts: %v", err)
	}
	other := keyspace.ShardCounts{Families: map[string]int{"append-operation": 16}, Default: 8}
	for what, err := range map[string]error{"check": control.CheckLayout(ctx, l, lake, other), "put": l.put(other)} {
		var layout *control.LayoutError
		if !errors.Is(err, control.ErrLayout) || !errors.As(err, &layout) {
			t.Fatalf("%s other counts: %v, want a LayoutError", what, err)
		}
		if !layout.Stored.Equal(spec) || !layout.Wanted.Equal(other) {
			t.Errorf("%s: stored %v and wanted %v, should be %v and %v", what, layout.Stored, layout.Wanted, spec, other)
		}
		for _, want := range []string{lake, "append-operation=64, lance-manifest=32, default=8", "append-operation=16, default=8"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: message %q lacks %q", what, err, want)
			}
		}
	}
	if err := control.CheckLayout(ctx, l, lake, spec); err != nil {
		t.Errorf("after the refused put: %v", err)
	}
	if err := l.put(keyspace.ShardCounts{}); !errors.Is(err, store.ErrInvalid) {
		t.Errorf("put no counts: %v, want ErrInvalid", err)
	}
	if err := control.CheckLayout(ctx, l, "no-such-table", spec); !errors.Is(err, store.ErrNoTable) {
		t.Errorf("no table: %v, want ErrNoTable", err)
	}
}

// TestRecordFormat pins the stored bytes: tables outlive programs.
func TestRecordFormat(t *testing.T) {
	l := newLakeTable(t)
	const stored = `{"layout":"v2","shards":{"families":{"append-operation":64,"lance-manifest":32},"default":8}}`
	l.write(t, &types.AttributeValueMemberB{Value: []byte(stored)})
	if err := control.CheckLayout(context.Background(), l, lake, keyspace.DefaultShardCounts()); err != nil {
		t.Error(err)
	}
	l = newLakeTable(t)
	if err := l.put(keyspace.DefaultShardCounts()); err != nil {
		t.Fatal(err)
	}
	name := lake
	out, err := l.Scan(context.Background(), &dynamodb.ScanInput{TableName: &name})
	if err != nil || len(out.Items) != 1 {
		t.Fatalf("the table holds %d items, %v; want the record", len(out.Items), err)
	}
	if got, err := item.Value(out.Items[0]); string(got) != stored {
		t.Errorf("stored %s, %v; want %s", got, err, stored)
	}
}

func TestMalformedRecord(t *testing.T) {
	for _, bad := range []string{
		"", "{", "null", "[]", `{"layout":"v3","shards":{"families":{},"default":8}}`, `{"layout":"v2","shards":{"families":{},"default":0}}`,
		`{"layout":"v2","shards":{"families":{"tbl":-1},"default":8}}`, `{"layout":"v2","shards":{"families":{},"default":8},"more":1}`,
		`{"layout":"v2","shards":{"families":{},"default":8}} {}`, `{"layout":"v2"}`,
	} {
		l := newLakeTable(t)
		l.write(t, &types.AttributeValueMemberB{Value: []byte(bad)})
		if err := control.CheckLayout(context.Background(), l, lake, keyspace.DefaultShardCounts()); !errors.Is(err, store.ErrMalformed) {
			t.Errorf("record %s: %v, want ErrMalformed", bad, err)
		}
	}
	l := newLakeTable(t)
	l.write(t, &types.AttributeValueMemberS{Value: "{}"})
	if err := control.CheckLayout(context.Background(), l, lake, keyspace.DefaultShardCounts()); !errors.Is(err, store.ErrMalformed) {
		t.Errorf("a record that is text: %v, want ErrMalformed", err)
	}
}

// TestPutLayoutFaults: the record never changes once it is there, so reading it
// settles a lost answer.
func TestPutLayoutFaults(t *testing.T) {
	l := newLakeTable(t)
	l.faults.Next("PutItem", storetest.LostReply)
	if err := l.put(keyspace.DefaultShardCounts()); err != nil {
		t.Errorf("lost reply: %v", err)
	}
	l = newLakeTable(t)
	l.faults.Next("PutItem", storetest.NeverArrives)
	if err := l.put(keyspace.DefaultShardCounts()); !errors.Is(err, control.ErrNoLayout) {
		t.Errorf("lost request: %v, want ErrNoLayout", err)
	}
	if err := l.put(keyspace.DefaultShardCounts()); err != nil {
		t.Errorf("again: %v", err)
	}
}

// TestStrongRead: control records are read strongly (hazard 13).
func TestStrongRead(t *testing.T) {
	l := newLakeTable(t)
	rec := &getter{inner: l}
	if err := l.put(keyspace.DefaultShardCounts()); err != nil {
		t.Fatal(err)
	}
	if err := control.CheckLayout(context.Background(), rec, lake, keyspace.DefaultShardCounts()); err != nil || rec.eventual > 0 {
		t.Errorf("%d eventual reads, %v; want none", rec.eventual, err)
	}
}

type getter struct {
	inner    item.Getter
	eventual int
}

func (g *getter) GetItem(ctx context.Context, in *dynamodb.GetItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	if in.ConsistentRead == nil || !*in.ConsistentRead {
		g.eventual++
	}
	return g.inner.GetItem(ctx, in, opts...)
}
