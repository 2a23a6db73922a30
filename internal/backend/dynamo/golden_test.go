package dynamo_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
)

// The golden rows of docs/facts/dynamodb.md §3.2, by their numbers there. "Source" is
// where the number comes from: A, the AWS documentation page named; C, captured
// on AWS; M, measured on DynamoDB Local. Row 12 needs UpdateItem and row 23 is in
// TestCancelledTransactionIsCharged.

// world has the tables "hash" (key k) and "sorted" (keys k and r), empty.
type world struct {
	*account
	t   *testing.T
	ctx context.Context
}

func newWorld(t *testing.T, configure func(*dynamo.Config)) *world {
	a := newAccount(t, configure)
	a.createTable(t, "hash", "k", "S")
	a.createTable(t, "sorted", "k", "S", "r", "S")
	return &world{a, t, t.Context()}
}

// stored puts an item of exactly size bytes into table hash under key; directly,
// since large items take long as JSON.
func (w *world) stored(key string, size int) {
	w.t.Helper()
	w.do(&dynamodb.PutItemInput{TableName: aws.String("hash"), Item: ofSize(key, size)})
}

// ofSize is an item of exactly size bytes: the names k and v, the key, and
// the rest as one binary value (CapacityUnitCalculations).
func ofSize(key string, size int) item {
	return item{"k": s(key), "v": b([]byte(strings.Repeat("x", size-len("k")-len(key)-len("v"))))}
}

func key(k string) item { return item{"k": s(k)} }

func (w *world) get(k string, strong bool) error {
	_, err := w.GetItem(w.ctx, &dynamodb.GetItemInput{TableName: aws.String("hash"), Key: key(k), ConsistentRead: &strong})
	return err
}

// query queries the partition "part" of table sorted.
func (w *world) query(strong bool, change func(*dynamodb.QueryInput)) error {
	in := &dynamodb.QueryInput{
		TableName: aws.String("sorted"), ConsistentRead: &strong,
		KeyConditionExpression:    aws.String("k = :k"),
		ExpressionAttributeValues: item{":k": s("part")},
	}
	if change != nil {
		change(in)
	}
	_, err := w.Query(w.ctx, in)
	return err
}

func (w *world) scan(strong bool) error {
	_, err := w.Scan(w.ctx, &dynamodb.ScanInput{TableName: aws.String("hash"), ConsistentRead: &strong})
	return err
}

func (w *world) put(it item) error {
	_, err := w.PutItem(w.ctx, &dynamodb.PutItemInput{TableName: aws.String("hash"), Item: it})
	return err
}

func (w *world) putIf(it item, condition string) error {
	_, err := w.PutItem(w.ctx, &dynamodb.PutItemInput{TableName: aws.String("hash"), Item: it, ConditionExpression: &condition})
	return err
}

func (w *world) transact(actions ...types.TransactWriteItem) error {
	_, err := w.TransactWriteItems(w.ctx, &dynamodb.TransactWriteItemsInput{TransactItems: actions})
	return err
}

func txPut(table string, it item) types.TransactWriteItem {
	return types.TransactWriteItem{Put: &types.Put{TableName: &table, Item: it}}
}

func txDelete(k string) types.TransactWriteItem {
	return types.TransactWriteItem{Delete: &types.Delete{TableName: aws.String("hash"), Key: key(k)}}
}

func txCheck(k, condition string) types.TransactWriteItem {
	return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName: aws.String("hash"), Key: key(k), ConditionExpression: &condition,
	}}
}

type golden struct {
	row     string
	request string
	source  string
	config  func(*dynamo.Config)
	setup   func(w *world)
	call    func(w *world) error
	rru     float64
	wru     float64
	fails   string // the error code, empty for success
}

func (g golden) run(t *testing.T) {
	w := newWorld(t, g.config)
	if g.setup != nil {
		g.setup(w)
	}
	before := w.engine.Totals()
	if got := code(g.call(w)); got != g.fails {
		t.Fatalf("request ended with error %q, want %q", got, g.fails)
	}
	served := w.last()
	if served.RRU != g.rru || served.WRU != g.wru {
		t.Errorf("billed %v RRU and %v WRU, want %v and %v (source: %s)", served.RRU, served.WRU, g.rru, g.wru, g.source)
	}
	var rru, wru float64
	for _, table := range served.Tables {
		rru += table.RRU
		wru += table.WRU
	}
	if rru != served.RRU || wru != served.WRU {
		t.Errorf("tables add up to %v RRU and %v WRU, the request to %v and %v", rru, wru, served.RRU, served.WRU)
	}
	after := w.engine.Totals()
	if after.RRU-before.RRU != served.RRU || after.WRU-before.WRU != served.WRU {
		t.Errorf("the engine's totals grew by %v RRU and %v WRU", after.RRU-before.RRU, after.WRU-before.WRU)
	}
}

func TestGoldenUnits(t *testing.T) {
	for _, g := range append(goldenReads(), goldenWrites()...) {
		t.Run(g.row+" "+g.request, g.run)
	}
}

func goldenReads() []golden {
	const pages = "A read-write-operations, CapacityUnitCalculations"
	hundred := func(w *world) { w.fill(w.t, "sorted", 100, 300, true) }
	return []golden{
		{row: "1", request: "GetItem 304 B, eventual", source: pages, setup: func(w *world) { w.stored("a", 304) },
			call: func(w *world) error { return w.get("a", false) }, rru: 0.5},
		{row: "1", request: "GetItem 304 B, strong", source: pages, setup: func(w *world) { w.stored("a", 304) },
			call: func(w *world) error { return w.get("a", true) }, rru: 1},
		{row: "2", request: "GetItem 4,096 B, strong", source: pages, setup: func(w *world) { w.stored("a", 4096) },
			call: func(w *world) error { return w.get("a", true) }, rru: 1},
		{row: "2", request: "GetItem 4,101 B, eventual", source: pages, setup: func(w *world) { w.stored("a", 4101) },
			call: func(w *world) error { return w.get("a", false) }, rru: 1},
		{row: "2", request: "GetItem 4,101 B, strong", source: pages, setup: func(w *world) { w.stored("a", 4101) },
			call: func(w *world) error { return w.get("a", true) }, rru: 2},
		{row: "3", request: "GetItem of a missing key, eventual", source: "A read-write-operations",
			call: func(w *world) error { return w.get("a", false) }, rru: 0.5},
		{row: "3", request: "GetItem of a missing key, strong", source: "A read-write-operations",
			call: func(w *world) error { return w.get("a", true) }, rru: 1},
		{row: "4", request: "Query 100 items of 300 B, eventual", source: "A Query; M", setup: hundred,
			call: func(w *world) error { return w.query(false, nil) }, rru: 4},
		{row: "4", request: "Query 100 items of 300 B, strong", source: "A Query; M", setup: hundred,
			call: func(w *world) error { return w.query(true, nil) }, rru: 8},
		{row: "5", request: "Query with projection", source: "A Query; M", setup: hundred,
			call: func(w *world) error {
				return w.query(true, func(in *dynamodb.QueryInput) { in.ProjectionExpression = aws.String("r") })
			}, rru: 8},
		{row: "5", request: "Query with Select COUNT", source: "A Query; M", setup: hundred,
			call: func(w *world) error {
				return w.query(true, func(in *dynamodb.QueryInput) { in.Select = types.SelectCount })
			}, rru: 8},
		{row: "5", request: "Query with a filter that drops all", source: "A Query; M", setup: hundred,
			call: func(w *world) error {
				return w.query(true, func(in *dynamodb.QueryInput) { in.FilterExpression = aws.String("attribute_exists(nothing)") })
			}, rru: 8},
		{row: "7", request: "Query of an empty partition, eventual", source: "A* read-write-operations (DynamoDB Local: 0)",
			call: func(w *world) error { return w.query(false, nil) }, rru: 0.5},
		{row: "7", request: "Query of an empty partition, strong", source: "A* read-write-operations (DynamoDB Local: 0)",
			call: func(w *world) error { return w.query(true, nil) }, rru: 1},
		{row: "8", request: "Scan of an empty table, eventual", source: "A Scan",
			call: func(w *world) error { return w.scan(false) }, rru: 0.5},
		{row: "8", request: "Scan of an empty table, strong", source: "A Scan",
			call: func(w *world) error { return w.scan(true) }, rru: 1},
		{row: "8", request: "Scan of an empty table of 4 partitions, strong", source: "A Scan; number of partitions is a setting",
			config: func(c *dynamo.Config) { c.PhysicalPartitions = 4 },
			call:   func(w *world) error { return w.scan(true) }, rru: 4},
		{row: "8", request: "Scan of a table of 4 partitions with 1 item, strong", source: "A Scan; number of partitions is a setting",
			config: func(c *dynamo.Config) { c.PhysicalPartitions = 4 }, setup: func(w *world) { w.stored("a", 5000) },
			call: func(w *world) error { return w.scan(true) }, rru: 2 + 3},
		{row: "10", request: "BatchGetItem 1,500 B + 6,500 B + missing, strong", source: "A CapacityUnitCalculations; C local-samples#7 (DynamoDB Local: 3)",
			setup: func(w *world) { w.stored("a", 1500); w.stored("b", 6500) },
			call: func(w *world) error {
				_, err := w.BatchGetItem(w.ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
					"hash": {ConsistentRead: aws.Bool(true), Keys: []item{key("a"), key("b"), key("c")}},
				}})
				return err
			}, rru: 1 + 2 + 1},
		{row: "25", request: "TransactGetItems 2 items and 1 missing", source: "C",
			setup: func(w *world) { w.stored("a", 100); w.stored("b", 4096) },
			call: func(w *world) error {
				_, err := w.TransactGetItems(w.ctx, &dynamodb.TransactGetItemsInput{TransactItems: txGets("a", "b", "c")})
				return err
			}, rru: 6},
	}
}

func txGets(keys ...string) []types.TransactGetItem {
	var gets []types.TransactGetItem
	for _, k := range keys {
		gets = append(gets, types.TransactGetItem{Get: &types.Get{TableName: aws.String("hash"), Key: key(k)}})
	}
	return gets
}

func goldenWrites() []golden {
	const (
		sizes      = "A CapacityUnitCalculations; M"
		conditions = "A* WorkingWithItems"
		missing    = "ConditionalCheckFailedException"
	)
	bySize := func(c *dynamo.Config) { c.AbsentFailureBySize = true }
	return []golden{
		{row: "11", request: "PutItem 1,024 B", source: sizes,
			call: func(w *world) error { return w.put(ofSize("a", 1024)) }, wru: 1},
		{row: "11", request: "PutItem 1,025 B", source: sizes,
			call: func(w *world) error { return w.put(ofSize("a", 1025)) }, wru: 2},
		{row: "11", request: "PutItem 300 B over 2,500 B", source: sizes, setup: func(w *world) { w.stored("a", 2500) },
			call: func(w *world) error { return w.put(ofSize("a", 300)) }, wru: 3},
		{row: "12", request: "UpdateItem that shrinks 2,500 B", source: sizes, setup: func(w *world) { w.stored("a", 2500) },
			call: func(w *world) error { return w.update("a", "REMOVE v", "") }, wru: 3},
		{row: "12", request: "UpdateItem that grows to 2,500 B", source: sizes, setup: func(w *world) { w.stored("a", 10) },
			call: func(w *world) error { return w.updateTo("a", 2500) }, wru: 3},
		{row: "15", request: "UpdateItem, failed condition on 2,500 B", source: conditions, setup: func(w *world) { w.stored("a", 2500) },
			call: func(w *world) error { return w.update("a", "REMOVE v", "attribute_not_exists(k)") }, wru: 3, fails: missing},
		{row: "16", request: "UpdateItem, failed condition, item absent", source: conditions,
			call: func(w *world) error { return w.update("a", "REMOVE v", "attribute_exists(k)") }, wru: 1, fails: missing},
		{row: "19", request: "TransactWriteItems update that shrinks 2.5 KB", source: "A transaction-apis; C", setup: func(w *world) { w.stored("a", 2560) },
			call: func(w *world) error {
				return w.transact(types.TransactWriteItem{Update: &types.Update{
					TableName: aws.String("hash"), Key: key("a"), UpdateExpression: aws.String("REMOVE v"),
				}})
			}, wru: 6},
		{row: "13", request: "DeleteItem 2,500 B", source: sizes, setup: func(w *world) { w.stored("a", 2500) },
			call: func(w *world) error { return w.remove("a") }, wru: 3},
		{row: "13", request: "DeleteItem of a missing key", source: sizes,
			call: func(w *world) error { return w.remove("a") }, wru: 1},
		{row: "14", request: "BatchWriteItem 500 B + 3.5 KB", source: "A CapacityUnitCalculations",
			call: func(w *world) error {
				_, err := w.BatchWriteItem(w.ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"hash": {
					{PutRequest: &types.PutRequest{Item: ofSize("a", 500)}},
					{PutRequest: &types.PutRequest{Item: ofSize("b", 3584)}},
				}}})
				return err
			}, wru: 1 + 4},
		{row: "15", request: "failed condition, 310 KB over 300 KB", source: conditions, setup: func(w *world) { w.stored("a", 300<<10) },
			call: func(w *world) error { return w.putIf(ofSize("a", 310<<10), "attribute_not_exists(k)") }, wru: 310, fails: missing},
		{row: "15", request: "failed condition, 1 KB over 300 KB", source: conditions, setup: func(w *world) { w.stored("a", 300<<10) },
			call: func(w *world) error { return w.putIf(ofSize("a", 1024), "attribute_not_exists(k)") }, wru: 300, fails: missing},
		{row: "16", request: "failed condition, item absent", source: conditions,
			call: func(w *world) error { return w.putIf(ofSize("a", 5000), "attribute_exists(k)") }, wru: 1, fails: missing},
		{row: "16", request: "failed condition, item absent, by size", source: "A: AWS's cost script", config: bySize,
			call: func(w *world) error { return w.putIf(ofSize("a", 5000), "attribute_exists(k)") }, wru: 5, fails: missing},
		{row: "18", request: "TransactWriteItems 2 puts ≤ 1 KB, 2 tables", source: "A transaction-apis; C",
			call: func(w *world) error {
				return w.transact(txPut("hash", ofSize("a", 1024)), txPut("sorted", item{"k": s("a"), "r": s("a")}))
			}, wru: 4},
		{row: "19", request: "TransactWriteItems put 2.5 KB", source: "A transaction-apis; C",
			call: func(w *world) error { return w.transact(txPut("hash", ofSize("a", 2560))) }, wru: 6},
		{row: "19", request: "TransactWriteItems tiny put over 2.5 KB", source: "A transaction-apis; C", setup: func(w *world) { w.stored("a", 2560) },
			call: func(w *world) error { return w.transact(txPut("hash", ofSize("a", 10))) }, wru: 6},
		{row: "20", request: "TransactWriteItems delete 3 KB", source: "C", setup: func(w *world) { w.stored("a", 3072) },
			call: func(w *world) error { return w.transact(txDelete("a")) }, wru: 6},
		{row: "20", request: "TransactWriteItems delete of a missing key", source: "C",
			call: func(w *world) error { return w.transact(txDelete("a")) }, wru: 2},
		{row: "21", request: "ConditionCheck ≤ 1 KB", source: "C conformance#67", setup: func(w *world) { w.stored("a", 1000) },
			call: func(w *world) error { return w.transact(txCheck("a", "attribute_exists(k)")) }, wru: 2},
		{row: "21", request: "ConditionCheck 3 KB", source: "C conformance#67", setup: func(w *world) { w.stored("a", 3072) },
			call: func(w *world) error { return w.transact(txCheck("a", "attribute_exists(k)")) }, wru: 6},
		{row: "22", request: "PutItem with a condition that holds", source: "C conformance#67", setup: func(w *world) { w.stored("a", 300) },
			call: func(w *world) error { return w.putIf(ofSize("a", 300), "attribute_exists(k)") }, wru: 1},
		{row: "24", request: "replay of a transaction, 1.5 KB", source: "A transaction-apis; C",
			setup: func(w *world) { w.mustCost(0, 4, w.replay(ofSize("a", 1536))) },
			call:  func(w *world) error { return w.replay(ofSize("a", 1536)) }, rru: 2},
	}
}

func (w *world) remove(k string) error {
	_, err := w.DeleteItem(w.ctx, &dynamodb.DeleteItemInput{TableName: aws.String("hash"), Key: key(k)})
	return err
}

// update changes an item if a condition holds; an empty one always does.
func (w *world) update(k, expression, condition string) error {
	in := &dynamodb.UpdateItemInput{TableName: aws.String("hash"), Key: key(k), UpdateExpression: &expression}
	if condition != "" {
		in.ConditionExpression = &condition
	}
	_, err := w.UpdateItem(w.ctx, in)
	return err
}

// updateTo makes an item of size bytes of what is there.
func (w *world) updateTo(k string, size int) error {
	_, err := w.UpdateItem(w.ctx, &dynamodb.UpdateItemInput{
		TableName: aws.String("hash"), Key: key(k), UpdateExpression: aws.String("SET v = :v"),
		ExpressionAttributeValues: item{":v": ofSize(k, size)["v"]},
	})
	return err
}

// replay puts an item in a transaction whose token is always the same.
func (w *world) replay(it item) error {
	_, err := w.TransactWriteItems(w.ctx, &dynamodb.TransactWriteItemsInput{
		ClientRequestToken: aws.String("token"), TransactItems: []types.TransactWriteItem{txPut("hash", it)},
	})
	return err
}

// mustCost checks what the last request was billed; err is how it ended.
func (w *world) mustCost(rru, wru float64, err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
	if last := w.last(); last.RRU != rru || last.WRU != wru {
		w.t.Errorf("billed %v RRU and %v WRU, want %v and %v", last.RRU, last.WRU, rru, wru)
	}
}

// Row 6: a Limit counts evaluated items, so a filter that drops all leaves an
// empty page that has a key to go on from. Source: A Query; M.
func TestGoldenLimitBeforeFilter(t *testing.T) {
	w := newWorld(t, nil)
	w.fill(t, "sorted", 100, 300, true)
	out, err := w.Query(w.ctx, &dynamodb.QueryInput{
		TableName: aws.String("sorted"), ConsistentRead: aws.Bool(true), Limit: aws.Int32(10),
		KeyConditionExpression:    aws.String("k = :k"),
		FilterExpression:          aws.String("attribute_exists(nothing)"),
		ExpressionAttributeValues: item{":k": s("part")},
	})
	if err != nil {
		t.Fatal(err)
	}
	if out.ScannedCount != 10 || out.Count != 0 || len(out.Items) != 0 || len(out.LastEvaluatedKey) != 2 {
		t.Errorf("scanned %d, count %d, %d items, last key %v; want 10, 0, 0 and a key", out.ScannedCount, out.Count, len(out.Items), out.LastEvaluatedKey)
	}
	w.mustCost(1, 0, nil)
	if s := w.last(); s.Evaluated != 10 || s.Returned != 0 {
		t.Errorf("served as %+v, want 10 items evaluated and none returned", s)
	}
}

// Row 9: 29 requests, 28 of 3,496 items (257 units) and one of 2,112 (155).
// Source: M, rule A.
func TestGoldenFullScan(t *testing.T) {
	const items, page = 100_000, 3496
	w := newWorld(t, nil)
	for from := 0; from < items; from += 25 {
		var puts []types.WriteRequest
		for i := range 25 {
			puts = append(puts, types.WriteRequest{PutRequest: &types.PutRequest{Item: ofSize(fmt.Sprintf("%07d", from+i), 300)}})
		}
		w.do(&dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"hash": puts}})
	}
	in := &dynamodb.ScanInput{TableName: aws.String("hash"), ConsistentRead: aws.Bool(true), Select: types.SelectCount}
	requests, units := 0, 0.0
	for seen := 0; ; requests++ {
		out, served := w.do(in)
		want, evaluated := 257.0, int64(page)
		if seen += page; seen > items {
			want, evaluated = 155, 2112
		}
		if served.RRU != want || served.Evaluated != evaluated || served.Returned != evaluated {
			t.Errorf("request %d: %v RRU, %d evaluated, %d returned; want %v, %d, %d", requests+1, served.RRU, served.Evaluated, served.Returned, want, evaluated, evaluated)
		}
		units += served.RRU
		if in.ExclusiveStartKey = out.(*dynamodb.ScanOutput).LastEvaluatedKey; in.ExclusiveStartKey == nil {
			break
		}
	}
	if requests++; requests != 29 || units != 7351 {
		t.Errorf("%d requests of %v RRU in all, want 29 of 7351", requests, units)
	}
}

// do makes a request directly, which must succeed.
func (w *world) do(input any) (output any, served dynamo.Served) {
	w.t.Helper()
	output, served, err := w.engine.Do(w.ctx, input)
	if err != nil {
		w.t.Fatal(err)
	}
	return output, served
}
