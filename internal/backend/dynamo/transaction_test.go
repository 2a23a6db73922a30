package dynamo_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
)

// reasonCodes are the codes of a cancelled transaction's reasons, in order.
func reasonCodes(t *testing.T, err error) []string {
	t.Helper()
	var canceled *types.TransactionCanceledException
	if !errors.As(err, &canceled) {
		t.Fatalf("got error %v, want a TransactionCanceledException", err)
	}
	var codes []string
	for _, r := range canceled.CancellationReasons {
		codes = append(codes, aws.ToString(r.Code))
	}
	return codes
}

// Golden row 23: a cancelled transaction is charged all the same, and its error
// says nothing of it. Source: A* transaction-apis; C.
func TestCancelledTransactionIsCharged(t *testing.T) {
	w := newWorld(t, nil)
	w.stored("old", 2500)
	_, err := w.TransactWriteItems(w.ctx, &dynamodb.TransactWriteItemsInput{
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
		TransactItems: []types.TransactWriteItem{
			txPut("hash", ofSize("new", 1000)),
			{Put: &types.Put{
				TableName: aws.String("hash"), Item: ofSize("old", 100),
				ConditionExpression:                 aws.String("attribute_not_exists(k)"),
				ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
			}},
			txCheck("absent", "attribute_exists(k)"),
		},
	})
	want := []string{"None", "ConditionalCheckFailed", "ConditionalCheckFailed"}
	if got := reasonCodes(t, err); !slices.Equal(got, want) {
		t.Errorf("reasons %v, want %v", got, want)
	}
	var canceled *types.TransactionCanceledException
	errors.As(err, &canceled)
	if got := canceled.ErrorMessage(); got != "Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed, ConditionalCheckFailed]" {
		t.Errorf("message %q", got)
	}
	reasons := canceled.CancellationReasons
	if reasons[0].Message != nil || aws.ToString(reasons[1].Message) != "The conditional request failed" {
		t.Errorf("messages %v and %v", reasons[0].Message, reasons[1].Message)
	}
	if diff := cmp.Diff(ofSize("old", 2500), reasons[1].Item, ignoreUnexported); diff != "" {
		t.Errorf("ALL_OLD (-want +got):\n%s", diff)
	}
	w.mustCost(0, 2*(1+3+1), nil)
	if w.last().Outcome != dynamo.OutcomeConditionFailed {
		t.Errorf("outcome %s", w.last().Outcome)
	}
	if out, err := w.GetItem(w.ctx, &dynamodb.GetItemInput{TableName: aws.String("hash"), Key: key("new")}); err != nil || out.Item != nil {
		t.Errorf("a cancelled transaction left %v (error %v)", out.Item, err)
	}
}

// inFlight starts a transaction and returns once it has prepared; done waits for
// its end. It runs in a synctest bubble with a CommitDelay.
func (w *world) inFlight(actions ...types.TransactWriteItem) (done func() error) {
	result := make(chan error, 1)
	go func() { result <- w.transact(actions...) }()
	synctest.Wait()
	return func() error { return <-result }
}

func delayed(c *dynamo.Config) { c.CommitDelay = time.Second }

// Which requests conflict with a transaction that writes an item:
// docs/facts/dynamodb.md §3.5, transaction-apis.
func TestConflictsWithWriteInFlight(t *testing.T) {
	const (
		canceled = "TransactionCanceledException"
		single   = "TransactionConflictException"
	)
	for _, c := range []struct {
		name     string
		call     func(w *world) error
		want     string
		rru, wru float64 // a single write that is refused is free, a transaction is not
	}{
		{"PutItem", func(w *world) error { return w.put(ofSize("a", 2000)) }, single, 0, 0},
		{"PutItem of another item", func(w *world) error { return w.put(ofSize("b", 20)) }, "", 0, 1},
		{"DeleteItem", func(w *world) error { return w.remove("a") }, single, 0, 0},
		{"GetItem", func(w *world) error { return w.get("a", true) }, "", 1, 0},
		{"Scan", func(w *world) error { return w.scan(true) }, "", 1, 0},
		{"TransactWriteItems", func(w *world) error { return w.transact(txPut("hash", ofSize("b", 20)), txDelete("a")) }, canceled, 0, 4},
		{"ConditionCheck", func(w *world) error { return w.transact(txCheck("a", "attribute_exists(k)")) }, canceled, 0, 2},
		{"TransactGetItems", func(w *world) error {
			_, err := w.TransactGetItems(w.ctx, &dynamodb.TransactGetItemsInput{TransactItems: txGets("b", "a")})
			return err
		}, canceled, 4, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, delayed)
				w.stored("a", 10)
				done := w.inFlight(txPut("hash", ofSize("a", 100)))
				err := c.call(w)
				if got := code(err); got != c.want {
					t.Errorf("error %q, want %q", got, c.want)
				}
				w.mustCost(c.rru, c.wru, nil)
				if c.want != "" && w.last().Outcome != dynamo.OutcomeConflict {
					t.Errorf("outcome %s, want a conflict", w.last().Outcome)
				}
				if c.want == canceled && !slices.Contains(reasonCodes(t, err), "TransactionConflict") {
					t.Errorf("reasons %v, want a TransactionConflict", reasonCodes(t, err))
				}
				if err := done(); err != nil {
					t.Errorf("the first transaction: %v", err)
				}
				// Nothing is held any more, whoever lost.
				if err := w.transact(txPut("hash", ofSize("a", 50)), txPut("hash", ofSize("b", 50))); err != nil {
					t.Errorf("after both: %v", err)
				}
			})
		})
	}
}

// A reader sees a transaction in flight not at all, and all of it afterwards.
func TestInFlightIsInvisible(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, delayed)
		done := w.inFlight(txPut("hash", ofSize("a", 100)), txPut("sorted", item{"k": s("a"), "r": s("a")}))
		if _ = w.get("a", true); w.last().Outcome != dynamo.OutcomeAbsent {
			t.Errorf("prepared item: outcome %s", w.last().Outcome)
		}
		if err := done(); err != nil {
			t.Fatal(err)
		}
		if _ = w.get("a", true); w.last().Returned != 1 {
			t.Error("committed item is not there")
		}
	})
}

// Whether two mere checks of an item conflict is a switch.
func TestChecksConflictSwitch(t *testing.T) {
	for _, conflict := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, func(c *dynamo.Config) { c.CommitDelay = time.Second; c.ChecksConflict = conflict })
			w.stored("a", 10)
			check := txCheck("a", "attribute_exists(k)")
			done := w.inFlight(check)
			want := ""
			if conflict {
				want = "TransactionCanceledException"
			}
			if got := code(w.transact(check, txPut("hash", ofSize("b", 10)))); got != want {
				t.Errorf("ChecksConflict %v: check during a check: %q, want %q", conflict, got, want)
			}
			// A check's item must not change before its transaction commits.
			again := w.inFlight(txCheck("a", "attribute_exists(k)"))
			if got := code(w.put(ofSize("a", 20))); got != "TransactionConflictException" {
				t.Errorf("ChecksConflict %v: put during a check: %q", conflict, got)
			}
			if got := code(w.transact(txDelete("a"))); got != "TransactionCanceledException" {
				t.Errorf("ChecksConflict %v: transactional delete during a check: %q", conflict, got)
			}
			_, _ = done(), again()
			if err := w.put(ofSize("a", 20)); err != nil {
				t.Errorf("put after the checks: %v", err)
			}
		})
	}
}

// A batch leaves unprocessed what meets a transaction in flight, and does the
// rest.
func TestBatchWriteAgainstTransaction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, delayed)
		done := w.inFlight(txPut("hash", ofSize("a", 100)))
		put := types.WriteRequest{PutRequest: &types.PutRequest{Item: ofSize("a", 10)}}
		out, err := w.BatchWriteItem(w.ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{
			"hash": {put, {PutRequest: &types.PutRequest{Item: ofSize("b", 10)}}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		want := map[string][]types.WriteRequest{"hash": {put}}
		if diff := cmp.Diff(want, out.UnprocessedItems, ignoreUnexported, ignoreRequests); diff != "" {
			t.Errorf("unprocessed (-want +got):\n%s", diff)
		}
		w.mustCost(0, 1, nil)
		if err := done(); err != nil {
			t.Error(err)
		}
	})
}

// A transaction is finished although the client has given up on it.
func TestTransactionOutlivesItsClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, delayed)
		ctx, cancel := context.WithCancel(w.ctx)
		w.ctx = ctx
		done := w.inFlight(txPut("hash", ofSize("a", 100)))
		cancel()
		if err := done(); !errors.Is(err, context.Canceled) {
			t.Errorf("the client that gave up got %v", err)
		}
		w.ctx = t.Context()
		if _ = w.get("a", true); w.last().Returned != 1 {
			t.Error("the transaction did not commit")
		}
	})
}

// Up-front refusals, outside the reasons: docs/facts/dynamodb.md §3.5.
func TestTransactionRefusedUpFront(t *testing.T) {
	tooMany := make([]types.TransactWriteItem, 101)
	for i := range tooMany {
		tooMany[i] = txDelete(string(rune('A' + i)))
	}
	var tooLarge []types.TransactWriteItem
	for i := range 11 {
		tooLarge = append(tooLarge, txPut("hash", ofSize(string(rune('a'+i)), 400_000)))
	}
	for _, c := range []struct {
		name    string
		actions []types.TransactWriteItem
		want    string
	}{
		{"one item twice", []types.TransactWriteItem{txPut("hash", ofSize("a", 10)), txCheck("a", "attribute_exists(k)")}, "ValidationException"},
		{"unknown table", []types.TransactWriteItem{txPut("hash", ofSize("a", 10)), txPut("nowhere", ofSize("a", 10))}, "ResourceNotFoundException"},
		{"101 actions", tooMany, "ValidationException"},
		{"over 4 MB", tooLarge, "ValidationException"},
		{"empty key", []types.TransactWriteItem{txPut("hash", item{"k": s("")})}, "ValidationException"},
		{"empty key to delete", []types.TransactWriteItem{txDelete("")}, "ValidationException"},
		{"item over 400 KB", []types.TransactWriteItem{txPut("hash", ofSize("a", 409_601))}, "ValidationException"},
		{"no action", []types.TransactWriteItem{{}}, "ValidationException"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, nil)
			if got := code(w.transact(c.actions...)); got != c.want {
				t.Errorf("error %q, want %q", got, c.want)
			}
			w.mustCost(0, 0, nil)
		})
	}
}

// Keys that do not fit the schema cancel the transaction, and only the first of them
// gets a reason (docs/facts/dynamodb.md §3.5; captured on AWS:
// paritysuite/dynamodb-conformance#46, #60).
func TestTransactionCancelledByKeys(t *testing.T) {
	w := newWorld(t, nil)
	err := w.transact(txPut("hash", ofSize("a", 10)), txPut("hash", item{"k": n("1")}), txPut("hash", item{"v": s("no key")}))
	if got, want := reasonCodes(t, err), []string{"None", "ValidationError", "None"}; !slices.Equal(got, want) {
		t.Errorf("reasons %v, want %v", got, want)
	}
	_, err = w.TransactGetItems(w.ctx, &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{
		{Get: &types.Get{TableName: aws.String("hash"), Key: item{"other": s("x")}}},
	}})
	if got, want := reasonCodes(t, err), []string{"ValidationError"}; !slices.Equal(got, want) {
		t.Errorf("reasons %v, want %v", got, want)
	}
}
