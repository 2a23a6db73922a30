package fault

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
	"github.com/lakebench/lakebench/internal/backend/retry"
	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/sim/task"
)

// bench is the real SDK client over the embedded service, with faults between
// them.
type bench struct {
	*dynamodb.Client
	plain    *dynamodb.Client // past the injector
	in       *Injector
	attempts atomic.Int64 // seen above the injector
	served   atomic.Int64 // by the service, without setting up
}

const (
	table    = "lake"
	attempts = 3
)

func newBench(ctx context.Context, t *testing.T, rules string) *bench {
	t.Helper()
	engine, err := dynamo.New(dynamo.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{}
	observed := engine.Client(func(context.Context, dynamo.Served) { b.served.Add(1) })
	b.in = New(ctx, mustParse(t, rules), DefaultConfig())
	faulty := b.in.HTTPClient(observed)
	cfg := retry.DefaultConfig()
	cfg.MaxAttempts = attempts
	policy, err := retry.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	b.Client = client(counted{&b.attempts, faulty}, policy, policy)
	b.plain = client(engine.Client(nil), aws.NopRetryer{}, policy)
	_, err = b.plain.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName:            aws.String(table),
		BillingMode:          types.BillingModePayPerRequest,
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash}},
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("pk"), AttributeType: types.ScalarAttributeTypeS}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func client(c aws.HTTPClient, r aws.Retryer, policy *retry.Policy) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region:       "us-east-1",
		BaseEndpoint: aws.String("http://dynamodb.local"),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "id", SecretAccessKey: "secret"}, nil
		}),
		HTTPClient: c,
		Retryer:    r,
		APIOptions: policy.APIOptions(),
	})
}

type counted struct {
	n     *atomic.Int64
	inner aws.HTTPClient
}

func (c counted) Do(req *http.Request) (*http.Response, error) {
	c.n.Add(1)
	return c.inner.Do(req)
}

func item(key string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{
		"pk":    &types.AttributeValueMemberS{Value: key},
		"value": &types.AttributeValueMemberB{Value: []byte("value of " + key)},
	}
}

func key(key string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: key}}
}

func (b *bench) put(ctx context.Context, k string) error {
	_, err := b.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String(table), Item: item(k)})
	return err
}

func (b *bench) create(ctx context.Context, k string) error {
	_, err := b.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String(table), Item: item(k),
		ConditionExpression: aws.String("attribute_not_exists(pk)")})
	return err
}

func (b *bench) get(ctx context.Context, k string) error {
	out, err := b.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String(table), Key: key(k), ConsistentRead: aws.Bool(true)})
	if err == nil && out.Item == nil {
		return errAbsent
	}
	return err
}

var errAbsent = errors.New("absent")

func (b *bench) transact(ctx context.Context, keys ...string) error {
	in := &dynamodb.TransactWriteItemsInput{}
	for _, k := range keys {
		in.TransactItems = append(in.TransactItems, types.TransactWriteItem{Put: &types.Put{TableName: aws.String(table), Item: item(k)}})
	}
	_, err := b.TransactWriteItems(ctx, in)
	return err
}

func (b *bench) transactGet(ctx context.Context, keys ...string) error {
	in := &dynamodb.TransactGetItemsInput{}
	for _, k := range keys {
		in.TransactItems = append(in.TransactItems, types.TransactGetItem{Get: &types.Get{TableName: aws.String(table), Key: key(k)}})
	}
	_, err := b.TransactGetItems(ctx, in)
	return err
}

// virtually runs fn on virtual time.
func virtually(t *testing.T, fn func(ctx context.Context)) time.Duration {
	t.Helper()
	trace, err := task.Run(t.Context(), task.VirtualConfig{}, func(ctx context.Context) error {
		fn(ctx)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return trace.Elapsed
}

func typed[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

func code(want string) func(error) bool {
	return func(err error) bool {
		var e smithy.APIError
		return errors.As(err, &e) && e.ErrorCode() == want
	}
}

func status(want int, also func(error) bool) func(error) bool {
	return func(err error) bool {
		var e *smithyhttp.ResponseError
		return errors.As(err, &e) && e.HTTPStatusCode() == want && also(err)
	}
}

func is(target error) func(error) bool { return func(err error) bool { return errors.Is(err, target) } }

func none(err error) bool { return err == nil }

func timedOut(err error) bool {
	var e interface{ Timeout() bool }
	return errors.As(err, &e) && e.Timeout()
}

// What the SDK's caller sees, how many attempts the SDK makes, and how many of
// them the service serves: every effect, through the real client.
func TestEffectsThroughTheSDK(t *testing.T) {
	put := func(ctx context.Context, b *bench) error { return b.put(ctx, "a") }
	create := func(ctx context.Context, b *bench) error { return b.create(ctx, "a") }
	get := func(ctx context.Context, b *bench) error { return b.get(ctx, "a") }
	transact := func(ctx context.Context, b *bench) error { return b.transact(ctx, "a", "b", "c") }
	for _, c := range []struct {
		rule     string
		call     func(context.Context, *bench) error
		want     func(error) bool
		attempts int64
		served   int64
		stored   bool // is "a" there afterwards?
	}{
		{`on dynamodb PutItem : error-before`, put, status(500, typed[*types.InternalServerError]), 3, 0, false},
		{`on dynamodb PutItem : error-before 503`, put, status(503, code("ServiceUnavailable")), 3, 0, false},
		{`on dynamodb PutItem : error-before reset`, put, is(syscall.ECONNRESET), 3, 0, false},
		{`on dynamodb PutItem nth 1 : error-before`, put, none, 2, 1, true},
		{`on dynamodb PutItem nth 1..2 : error-before`, put, none, 3, 1, true},

		{`on dynamodb PutItem : error-after`, put, status(500, typed[*types.InternalServerError]), 3, 3, true},
		{`on dynamodb PutItem : error-after 503`, put, status(503, code("ServiceUnavailable")), 3, 3, true},
		{`on dynamodb PutItem : error-after reset`, put, is(syscall.ECONNRESET), 3, 3, true},
		{`on dynamodb PutItem nth 1 : error-after`, put, none, 2, 2, true},
		// Metadata hazard 5: the SDK's second attempt finds what the first one wrote.
		{`on dynamodb PutItem nth 1 : error-after`, create, status(400, typed[*types.ConditionalCheckFailedException]), 2, 2, true},
		{`on dynamodb TransactWriteItems nth 1 : error-after`, transact, none, 2, 2, true},

		{`on dynamodb : timeout 1s`, put, timedOut, 3, 0, false},
		{`on dynamodb PutItem nth 1 : timeout 1s`, put, none, 2, 1, true},
		{`on dynamodb PutItem : timeout 1s lands 5s`, put, timedOut, 3, 3, true},

		{`on dynamodb : throttle`, put, status(400, typed[*types.ProvisionedThroughputExceededException]), 3, 0, false},
		{`on dynamodb : throttle provisioned`, get, status(400, typed[*types.ProvisionedThroughputExceededException]), 3, 0, false},
		{`on dynamodb : throttle on-demand`, put, status(400, typed[*types.ThrottlingException]), 3, 0, false},
		{`on dynamodb : throttle account`, put, status(400, typed[*types.RequestLimitExceeded]), 3, 0, false},
		{`on any : throttle`, put, status(400, typed[*types.ProvisionedThroughputExceededException]), 3, 0, false},

		{`on dynamodb : conflict`, put, status(400, typed[*types.TransactionConflictException]), 1, 0, false},
		{`on dynamodb : conflict`, transact, status(400, typed[*types.TransactionCanceledException]), 1, 0, false},
		{`on dynamodb : conflict`, get, is(errAbsent), 1, 1, false},
		{`on dynamodb : throttle action`, transact, status(400, typed[*types.TransactionCanceledException]), 1, 0, false},
		{`on dynamodb : throttle action`, put, none, 1, 1, true},

		{`on dynamodb : delay 3s`, put, none, 1, 1, true},
		{`on dynamodb PutItem : cut`, put, is(io.ErrUnexpectedEOF), 3, 3, true},
		{`on dynamodb GetItem nth 1 : cut 1`, get, is(errAbsent), 2, 2, false},
	} {
		t.Run(c.rule, func(t *testing.T) {
			virtually(t, func(ctx context.Context) {
				b := newBench(ctx, t, c.rule)
				if err := c.call(ctx, b); !c.want(err) {
					t.Errorf("%v", err)
				}
				if err := b.in.Wait(); err != nil {
					t.Error(err)
				}
				b.reconcile(t, c.attempts, c.served)
				if got := b.has(ctx, t, "a"); got != c.stored {
					t.Errorf("stored: %v, want %v", got, c.stored)
				}
			})
		})
	}
}

// has looks past the injector.
func (b *bench) has(ctx context.Context, t *testing.T, k string) bool {
	t.Helper()
	out, err := b.plain.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String(table), Key: key(k), ConsistentRead: aws.Bool(true)})
	if err != nil {
		t.Fatal(err)
	}
	return out.Item != nil
}

// reconcile checks that what was attempted is what was served or stopped.
func (b *bench) reconcile(t *testing.T, attempts, served int64) {
	t.Helper()
	counts := b.in.Counts()
	if got := b.attempts.Load(); got != attempts || counts.Forwarded+counts.Stopped != got {
		t.Errorf("%d attempts, %+v, want %d", got, counts, attempts)
	}
	if got := b.served.Load(); got != served || counts.Forwarded != got {
		t.Errorf("%d served, %+v, want %d", got, counts, served)
	}
}

func TestCancellationNamesTheAction(t *testing.T) {
	for effect, code := range map[string]string{"conflict": "TransactionConflict", "throttle action": "ThrottlingError"} {
		t.Run(effect, func(t *testing.T) { testCancellation(t, effect, code) })
	}
}

func testCancellation(t *testing.T, effect, code string) {
	virtually(t, func(ctx context.Context) {
		b := newBench(ctx, t, `on dynamodb key "b" : `+effect)
		for name, call := range map[string]func(context.Context, ...string) error{"write": b.transact, "get": b.transactGet} {
			var canceled *types.TransactionCanceledException
			if err := call(ctx, "a", "b", "c"); !errors.As(err, &canceled) {
				t.Fatalf("%s: %v", name, err)
			}
			var codes []string
			for _, r := range canceled.CancellationReasons {
				codes = append(codes, aws.ToString(r.Code))
			}
			if want := []string{"None", code, "None"}; !slices.Equal(codes, want) {
				t.Errorf("%s: %v, want %v", name, codes, want)
			}
			want := "Transaction cancelled, please refer cancellation reasons for specific reasons [None, " + code + ", None]"
			if canceled.ErrorMessage() != want {
				t.Errorf("%s: %s", name, canceled.ErrorMessage())
			}
			if err := call(ctx, "a", "c"); err != nil {
				t.Errorf("%s of other keys: %v", name, err)
			}
		}
	})
}

func TestTimeoutThatLandsLater(t *testing.T) {
	elapsed := virtually(t, func(ctx context.Context) {
		b := newBench(ctx, t, `on dynamodb PutItem nth 1 : timeout 1s lands 5s`)
		start := task.Now(ctx)
		called, cancel := task.WithCancel(cause.With(ctx, cause.Mutate))
		if _, err := b.PutItem(called, &dynamodb.PutItemInput{TableName: aws.String(table), Item: item("a")}, once); !timedOut(err) {
			t.Errorf("%v, want a timeout", err)
		}
		cancel(errors.New("the caller goes away"))
		if d := task.Since(ctx, start); d != time.Second {
			t.Errorf("the timeout came after %v, want 1s", d)
		}
		for _, c := range []struct {
			at   time.Duration
			want bool
		}{{4999 * time.Millisecond, false}, {5001 * time.Millisecond, true}} {
			if err := task.Sleep(ctx, c.at-task.Since(ctx, start)); err != nil {
				t.Fatal(err)
			}
			if got := b.has(ctx, t, "a"); got != c.want {
				t.Errorf("after %v stored: %v, want %v", c.at, got, c.want)
			}
		}
		if err := b.in.Wait(); err != nil {
			t.Error(err)
		}
		b.reconcile(t, 1, 1)
	})
	if elapsed != 5001*time.Millisecond {
		t.Errorf("%v passed, want 5.001s", elapsed)
	}
}

// once is a call without retries.
func once(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} }

func TestWaitWaitsForWhatLands(t *testing.T) {
	elapsed := virtually(t, func(ctx context.Context) {
		b := newBench(ctx, t, `on dynamodb : timeout 1s lands 1h`)
		for _, k := range []string{"a", "b"} {
			if _, err := b.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String(table), Item: item(k)}, once); !timedOut(err) {
				t.Errorf("%v, want a timeout", err)
			}
		}
		if err := b.in.Wait(); err != nil {
			t.Error(err)
		}
		b.reconcile(t, 2, 2)
		if !b.has(ctx, t, "a") || !b.has(ctx, t, "b") {
			t.Error("not stored after Wait")
		}
	})
	if want := time.Hour + time.Second; elapsed != want {
		t.Errorf("%v passed, want %v", elapsed, want)
	}
}

func TestDelaysAddUpAndEnd(t *testing.T) {
	virtually(t, func(ctx context.Context) {
		b := newBench(ctx, t, "on any : delay 2s\non dynamodb PutItem : delay 3s\non any : error-before\non any : throttle")
		start := task.Now(ctx)
		_, err := b.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String(table), Item: item("a")}, once)
		if !typed[*types.InternalServerError](err) || task.Since(ctx, start) != 5*time.Second {
			t.Errorf("%v after %v, want both delays and the first of the errors", err, task.Since(ctx, start))
		}
		short, cancel := task.WithTimeout(ctx, time.Second)
		defer cancel()
		if err := b.put(short, "a"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v, want the end of the caller's patience", err)
		}
		b.reconcile(t, 2, 0)
	})
}

func TestUnprocessedEntriesOfABatch(t *testing.T) {
	virtually(t, func(ctx context.Context) {
		b := newBench(ctx, t, `on dynamodb nth 1..2 : unprocessed 2`)
		var writes []types.WriteRequest
		var keys []map[string]types.AttributeValue
		for _, k := range []string{"a", "b", "c"} {
			writes = append(writes, types.WriteRequest{PutRequest: &types.PutRequest{Item: item(k)}})
			keys = append(keys, key(k))
		}
		wrote, err := b.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{table: writes}})
		if err != nil {
			t.Fatal(err)
		}
		var left []string
		for _, w := range wrote.UnprocessedItems[table] {
			left = append(left, w.PutRequest.Item["pk"].(*types.AttributeValueMemberS).Value)
		}
		if want := []string{"b", "c"}; !slices.Equal(left, want) {
			t.Errorf("unprocessed %v, want %v", left, want)
		}
		if !b.has(ctx, t, "a") || b.has(ctx, t, "b") || b.has(ctx, t, "c") {
			t.Error("stored other than just a")
		}

		if err := b.put(ctx, "c"); err != nil {
			t.Fatal(err)
		}
		got, err := b.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
			table: {Keys: keys, ConsistentRead: aws.Bool(true)}}})
		if err != nil {
			t.Fatal(err)
		}
		rest := got.UnprocessedKeys[table]
		if len(got.Responses[table]) != 1 || len(rest.Keys) != 2 || !aws.ToBool(rest.ConsistentRead) {
			t.Errorf("%d items, unprocessed %+v, want a, and b and c with their options", len(got.Responses[table]), rest)
		}
		got, err = b.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: got.UnprocessedKeys})
		if err != nil || len(got.Responses[table]) != 1 || len(got.UnprocessedKeys) != 0 {
			t.Errorf("%+v, %v, want c", got, err)
		}
		b.reconcile(t, 4, 4)
	})
}

func TestUnprocessedWholeBatchIsThrottled(t *testing.T) {
	virtually(t, func(ctx context.Context) {
		b := newBench(ctx, t, `on dynamodb : unprocessed 1`)
		_, err := b.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{
			table: {{PutRequest: &types.PutRequest{Item: item("a")}}}}})
		if !typed[*types.ProvisionedThroughputExceededException](err) {
			t.Errorf("%v, want what the service says when it processed nothing", err)
		}
		b.reconcile(t, attempts, 0)
	})
}

func TestCutAnswer(t *testing.T) {
	virtually(t, func(ctx context.Context) {
		b := newBench(ctx, t, `on dynamodb GetItem : cut 20`)
		if err := b.put(ctx, "a"); err != nil {
			t.Fatal(err)
		}
		if err := b.get(ctx, "a"); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%v, want an unexpected end", err)
		}
		b.reconcile(t, 1+attempts, 1+attempts)
	})
}
