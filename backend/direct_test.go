package backend

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/lakebench/lakebench/backend/latency"
	"github.com/lakebench/lakebench/cause"
	"github.com/lakebench/lakebench/meter"
	"github.com/lakebench/lakebench/store/storetest"
	"github.com/lakebench/lakebench/task"
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
	_ operations = (*DirectClient)(nil)
)

// transports are the ways to the embedded DynamoDB.
var transports = map[string]func(*testing.T, *Backend, *meter.Meter) operations{
	"sdk":    func(_ *testing.T, b *Backend, m *meter.Meter) operations { return b.DynamoDB(m) },
	"direct": func(t *testing.T, b *Backend, m *meter.Meter) operations { return direct(t, b, m) },
}

func direct(t testing.TB, b *Backend, m *meter.Meter) *DirectClient {
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
	Unsent                   bool // refused before it was sent
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
		params    smithy.InvalidParamsError
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
	f.Unsent = errors.As(err, &params)
	return answer{Error: f}
}

// ledger is what a meter counted.
func ledger(t *testing.T, m *meter.Meter) map[string]meter.Ledger {
	t.Helper()
	if err := m.Reconcile(); err != nil {
		t.Errorf("%v", err)
	}
	all := map[string]meter.Ledger{}
	for _, phase := range m.Phases() {
		all[phase] = m.Ledger(phase)
	}
	return all
}

// session makes requests one after the other, on a new backend, and returns the
// answers and the ledgers.
func session(t *testing.T, transport string, inputs []any) ([]answer, map[string]meter.Ledger) {
	t.Helper()
	var answers []answer
	var m *meter.Meter
	_, err := task.Run(t.Context(), task.VirtualConfig{}, func(ctx context.Context) error {
		cfg := DefaultConfig()
		times, err := latency.Default()
		if err != nil {
			return err
		}
		cfg.ServiceTimes = &times
		b, err := Open(ctx, cfg)
		if err != nil {
			return err
		}
		m = newMeter(t, b)
		c := transports[transport](t, b, m)
		for i, input := range inputs {
			labels := []cause.Label{cause.Point, cause.List, cause.Mutate}
			ctx := meter.InPhase(cause.With(ctx, labels[i%len(labels)]), meter.PhaseSteady)
			began := task.Now(ctx)
			answers = append(answers, answered(invoke(ctx, c, input)))
			if len(answers) < 3 && task.Since(ctx, began) == 0 {
				t.Error("a request took no time")
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return answers, ledger(t, m)
}

// TestTransportsAgree: request by request, both transports give the same answers,
// errors and ledgers.
func TestTransportsAgree(t *testing.T) {
	inputs := agreeing()
	sdk, sdkLedger := session(t, "sdk", inputs)
	direct, directLedger := session(t, "direct", inputs)
	for i := range inputs {
		if !reflect.DeepEqual(sdk[i], direct[i]) {
			t.Errorf("request %d, %s: the answers differ:\nsdk:    %s\ndirect: %s", i, show(inputs[i]), inFull(sdk[i]), inFull(direct[i]))
		}
	}
	if !reflect.DeepEqual(sdkLedger, directLedger) {
		t.Errorf("the ledgers differ:\nsdk:    %s\ndirect: %s", inFull(sdkLedger), inFull(directLedger))
	}
	outcomes := map[string]bool{}
	for _, a := range direct {
		outcomes[a.Error.Code] = true
	}
	for _, code := range []string{"", "ConditionalCheckFailedException", "TransactionCanceledException", "ResourceNotFoundException",
		"ResourceInUseException", "ValidationException", "IdempotentParameterMismatchException"} {
		if !outcomes[code] {
			t.Errorf("no request ended with error code %q", code)
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
