package direct_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"

	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/internal/backend/direct"
	"github.com/lakebench/lakebench/internal/backend/fault"
	"github.com/lakebench/lakebench/internal/backend/latency"
	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/meter"
	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/internal/storetest"
)

// operations are those that both transports have.
type operations interface {
	storetest.Service
	BatchGetItem(context.Context, *dynamodb.BatchGetItemInput, ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error)
	TransactGetItems(context.Context, *dynamodb.TransactGetItemsInput, ...func(*dynamodb.Options)) (*dynamodb.TransactGetItemsOutput, error)
	DeleteTable(context.Context, *dynamodb.DeleteTableInput, ...func(*dynamodb.Options)) (*dynamodb.DeleteTableOutput, error)
	ListTables(context.Context, *dynamodb.ListTablesInput, ...func(*dynamodb.Options)) (*dynamodb.ListTablesOutput, error)
}

var (
	_ operations = (*dynamodb.Client)(nil)
	_ operations = (*direct.Client)(nil)
)

// transports are the ways to the embedded DynamoDB.
var transports = map[string]func(*testing.T, *backend.Backend, *meter.Meter, *fault.Injector) operations{
	"sdk": func(_ *testing.T, b *backend.Backend, m *meter.Meter, faults *fault.Injector) operations {
		return b.DynamoDBUnder(m, faults)
	},
	"direct": func(t *testing.T, b *backend.Backend, m *meter.Meter, faults *fault.Injector) operations {
		c, err := b.Direct(m, faults)
		if err != nil {
			t.Fatal(err)
		}
		return c
	},
}

func open(t *testing.T, cfg backend.Config) *backend.Backend {
	t.Helper()
	b, err := backend.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func newMeter(t testing.TB, b *backend.Backend) *meter.Meter {
	t.Helper()
	m, err := b.NewMeter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func directClient(t testing.TB, b *backend.Backend, m *meter.Meter) *direct.Client {
	t.Helper()
	c, err := b.Direct(m, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// invoke makes one request, by the type of its input.
func invoke(ctx context.Context, c operations, input any) (any, error) {
	switch in := input.(type) {
	case *dynamodb.GetItemInput:
		return c.GetItem(ctx, in)
	case *dynamodb.PutItemInput:
		return c.PutItem(ctx, in)
	case *dynamodb.DeleteItemInput:
		return c.DeleteItem(ctx, in)
	case *dynamodb.QueryInput:
		return c.Query(ctx, in)
	case *dynamodb.ScanInput:
		return c.Scan(ctx, in)
	case *dynamodb.BatchGetItemInput:
		return c.BatchGetItem(ctx, in)
	case *dynamodb.BatchWriteItemInput:
		return c.BatchWriteItem(ctx, in)
	case *dynamodb.TransactGetItemsInput:
		return c.TransactGetItems(ctx, in)
	case *dynamodb.TransactWriteItemsInput:
		return c.TransactWriteItems(ctx, in)
	case *dynamodb.CreateTableInput:
		return c.CreateTable(ctx, in)
	case *dynamodb.DescribeTableInput:
		return c.DescribeTable(ctx, in)
	case *dynamodb.DeleteTableInput:
		return c.DeleteTable(ctx, in)
	case *dynamodb.ListTablesInput:
		return c.ListTables(ctx, in)
	}
	panic(fmt.Sprintf("no operation takes a %T", input))
}

// an answer is what a caller gets of one request.
type answer struct {
	Output any
	Error  failure
}

// a failure is what a caller can know of an error without reading its text.
type failure struct {
	Operation, Code, Message string
	Condition                map[string]types.AttributeValue
	Reasons                  []types.CancellationReason
}

func answered(output any, err error) answer {
	if err == nil {
		// What the SDK notes of its own doing.
		reflect.ValueOf(output).Elem().FieldByName("ResultMetadata").SetZero()
		return answer{Output: output}
	}
	var (
		operation *smithy.OperationError
		api       smithy.APIError
		condition *types.ConditionalCheckFailedException
		cancelled *types.TransactionCanceledException
		f         failure
	)
	if errors.As(err, &operation) {
		f.Operation = operation.ServiceID + " " + operation.OperationName
	}
	if errors.As(err, &api) {
		f.Code, f.Message = api.ErrorCode(), api.ErrorMessage()
	}
	if errors.As(err, &condition) {
		f.Condition = condition.Item
	}
	if errors.As(err, &cancelled) {
		f.Reasons = cancelled.CancellationReasons
	}
	return answer{Error: f}
}

// A record is what came of a session.
type record struct {
	answers []answer
	ledgers map[string]meter.Ledger
	took    time.Duration // on the virtual clock
}

// session makes requests one after the other, on a new backend and under the
// rules of faults.
func session(t *testing.T, transport, rules string, inputs []any) (r record) {
	t.Helper()
	parsed, err := fault.Parse("rules", rules)
	if err != nil {
		t.Fatal(err)
	}
	var m *meter.Meter
	_, err = task.Run(t.Context(), task.VirtualConfig{}, func(ctx context.Context) error {
		b, err := backend.Open(ctx, timed(t))
		if err != nil {
			return err
		}
		m = newMeter(t, b)
		faults := fault.New(ctx, parsed, fault.DefaultConfig())
		c := transports[transport](t, b, m, faults)
		began := task.Now(ctx)
		labels := []cause.Label{cause.Point, cause.List, cause.Mutate}
		for i, input := range inputs {
			ctx := meter.InPhase(cause.With(ctx, labels[i%len(labels)]), meter.PhaseSteady)
			r.answers = append(r.answers, answered(invoke(ctx, c, input)))
		}
		r.took = task.Since(ctx, began)
		for _, w := range faults.Warnings() {
			t.Errorf("%s: %s", transport, w)
		}
		return faults.Wait()
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Reconcile(); err != nil && rules == "" {
		t.Errorf("%s: %v", transport, err)
	}
	r.ledgers = map[string]meter.Ledger{}
	for _, phase := range m.Phases() {
		r.ledgers[phase] = m.Ledger(phase)
	}
	return r
}

// timed is a backend whose requests take time.
func timed(t testing.TB) backend.Config {
	t.Helper()
	cfg := backend.DefaultConfig()
	times, err := latency.Default()
	if err != nil {
		t.Fatal(err)
	}
	cfg.ServiceTimes = &times
	return cfg
}

// agree holds a session over each transport against the other, and returns the
// codes of the errors that it brought about.
func agree(t *testing.T, rules string) map[string]bool {
	t.Helper()
	// Each has inputs of its own: the SDK writes its request tokens into them.
	inputs := agreeing()
	sdk, direct := session(t, "sdk", rules, agreeing()), session(t, "direct", rules, inputs)
	codes := map[string]bool{}
	for i := range inputs {
		if !reflect.DeepEqual(sdk.answers[i], direct.answers[i]) {
			t.Errorf("request %d, %s: the answers differ:\nsdk:    %s\ndirect: %s", i, show(inputs[i]), inFull(sdk.answers[i]), inFull(direct.answers[i]))
		}
		codes[direct.answers[i].Error.Code] = true
	}
	for phase := range sdk.ledgers {
		if diff := cmp.Diff(sdk.ledgers[phase].Rows, direct.ledgers[phase].Rows); diff != "" {
			t.Errorf("the ledgers of %s differ (-sdk +direct):\n%s", phase, diff)
		}
	}
	if sdk.took != direct.took || sdk.took == 0 {
		t.Errorf("the session took %v over the SDK and %v directly; want the same time", sdk.took, direct.took)
	}
	return codes
}

// TestTransportsAgree: request by request, both transports give the same answers
// and errors, and in the end the same ledgers after the same time.
func TestTransportsAgree(t *testing.T) {
	codes := agree(t, "")
	for _, code := range []string{
		"", "ConditionalCheckFailedException", "TransactionCanceledException", "ResourceNotFoundException",
		"ResourceInUseException", "ValidationException", "IdempotentParameterMismatchException",
	} {
		if !codes[code] {
			t.Errorf("no request ended with error code %q", code)
		}
	}
}

// TestTransportsAgreeUnderFaults: so they do when requests fail, are sent again
// and land late. Only where an answer without an error code was cut or reset do
// the errors' texts differ, which are not compared.
func TestTransportsAgreeUnderFaults(t *testing.T) {
	codes := agree(t, `
on dynamodb PutItem nth 2 : throttle
on dynamodb PutItem nth 5..9 : throttle on-demand
on dynamodb PutItem key "key6" nth 1 : error-before 503
on dynamodb PutItem key "key7" nth 1 : error-after 500
on dynamodb PutItem key "key8" nth 1 : error-before reset
on dynamodb PutItem key "key9" nth 1 : conflict
on dynamodb PutItem key "key10" : timeout 40ms lands 70ms
on dynamodb GetItem nth 1 : cut
on dynamodb GetItem nth 2..9 : error-before 500
on dynamodb Query every 2 : delay 3ms
on dynamodb BatchWriteItem nth 1 : unprocessed 1
on dynamodb BatchGetItem nth 1 : unprocessed 2
on dynamodb BatchGetItem nth 5 : unprocessed 1
on dynamodb TransactWriteItems nth 1 : conflict
on dynamodb TransactWriteItems nth 7 : error-after reset
on dynamodb TransactWriteItems key "fresh" nth 1 : error-after reset
on dynamodb TransactGetItems nth 1 : throttle account
on dynamodb in "other" : throttle
`)
	if !codes["InternalServerError"] || !codes["ProvisionedThroughputExceededException"] || !codes["TransactionConflictException"] {
		t.Errorf("not all kinds of errors came about: %v", codes)
	}
}

// TestTheServiceRefusesWhatLacks: what an SDK client does not even send is a mistake
// to the service.
func TestTheServiceRefusesWhatLacks(t *testing.T) {
	for i, a := range session(t, "direct", "", append(tableCases(), lackingCases()...)).answers[len(tableCases()):] {
		if a.Error.Code != "ValidationException" {
			t.Errorf("request %d, %s: %s, want a ValidationException", i, show(lackingCases()[i]), inFull(a))
		}
	}
}

// TestLateAnswerIsLost: who has gone when the service answers gets nothing,
// though the service acted, over either transport.
func TestLateAnswerIsLost(t *testing.T) {
	for transport, client := range transports {
		_, err := task.Run(t.Context(), task.VirtualConfig{}, func(ctx context.Context) error {
			b, err := backend.Open(ctx, timed(t))
			if err != nil {
				return err
			}
			m := newMeter(t, b)
			c := client(t, b, m, nil)
			if _, err := c.CreateTable(ctx, tableCases()[1].(*dynamodb.CreateTableInput)); err != nil {
				return err
			}
			short, cancel := task.WithTimeout(meter.InPhase(ctx, meter.PhaseSteady), time.Microsecond)
			defer cancel()
			_, err = c.PutItem(short, &dynamodb.PutItemInput{TableName: lakeTable, Item: keyOf("1", "a")})
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: got %v, want the deadline's error", transport, err)
			}
			out, err := c.GetItem(ctx, &dynamodb.GetItemInput{TableName: lakeTable, Key: keyOf("1", "a")})
			if err == nil && out.Item == nil {
				t.Errorf("%s: the service did not act", transport)
			}
			rows := m.Ledger(meter.PhaseSteady).Rows
			if len(rows) != 1 || rows[0].Attempts != 1 || rows[0].Served != 1 || rows[0].Outcomes[meter.Timeout] != 1 || rows[0].WRU != 1 {
				t.Errorf("%s: the ledger has %s, want one attempt, served, of 1 WRU, with a timeout", transport, inFull(rows))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// inFull shows a value with all that it points to.
func inFull(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func show(input any) string {
	return strings.TrimPrefix(fmt.Sprintf("%T", input), "*dynamodb.")
}

func texts(s string) types.AttributeValue  { return &types.AttributeValueMemberS{Value: s} }
func number(s string) types.AttributeValue { return &types.AttributeValueMemberN{Value: s} }

type attributes = map[string]types.AttributeValue

// everyType is an item with an attribute of each type, nested and odd ones too.
func everyType(bucket, key string) attributes {
	return attributes{
		"bucket": number(bucket), "key": texts(key),
		"s": texts("ünï\x00\"\\\xff\xfe text"), "empty": texts(""), "n": number("+01.50e2"),
		"b": &types.AttributeValueMemberB{Value: []byte{0, 0xff, 7}}, "nob": &types.AttributeValueMemberB{Value: []byte{}},
		"t": &types.AttributeValueMemberBOOL{Value: true}, "f": &types.AttributeValueMemberBOOL{},
		"null": &types.AttributeValueMemberNULL{Value: true},
		"l":    &types.AttributeValueMemberL{Value: []types.AttributeValue{texts("x"), number("-1"), &types.AttributeValueMemberL{Value: []types.AttributeValue{}}}},
		"m":    &types.AttributeValueMemberM{Value: attributes{"z": number("3"), "a": &types.AttributeValueMemberM{Value: attributes{}}}},
		"ss":   &types.AttributeValueMemberSS{Value: []string{"b", "a", "\xff"}},
		"ns":   &types.AttributeValueMemberNS{Value: []string{"2.0", "-1", "10"}},
		"bs":   &types.AttributeValueMemberBS{Value: [][]byte{{2}, {1}}},
	}
}

// nested is a value in so many lists.
func nested(depth int) types.AttributeValue {
	v := texts("deep")
	for range depth {
		v = &types.AttributeValueMemberL{Value: []types.AttributeValue{v}}
	}
	return v
}
