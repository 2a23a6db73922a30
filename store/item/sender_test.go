package item_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/internal/storetest"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/item"
	"github.com/lakebench/lakebench/store/keyspace"
)

// agreeable is a service that does whatever it is asked.
type agreeable struct{}

func (agreeable) Do(req *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("{}")), Request: req}, nil
}

func newSender(t *testing.T, client item.Writer) *item.Sender {
	t.Helper()
	s, err := item.NewSender(item.SenderConfig{Client: client, Random: rand.NewPCG(1, 2), Backoff: item.DefaultBackoff()})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func target(name string) item.Record {
	return item.Record{Table: "lake", Name: name, Key: map[string]types.AttributeValue{
		keyspace.AttrKey: &types.AttributeValueMemberS{Value: name},
	}}
}

// two are the actions of some transaction.
func two() []types.TransactWriteItem {
	return []types.TransactWriteItem{target("a").Check(store.Absent()), target("b").Put(store.Absent(), nil)}
}

const api = "TransactWriteItems"

// TestExpiredToken: a token is good for 10 minutes and a request may travel for 5
// (docs/spec/metadata-store.md §1, hazard 14), so a retry is sent within the
// first minutes or never.
func TestExpiredToken(t *testing.T) {
	pass := func(d time.Duration) func() {
		return func() { _ = task.Sleep(context.Background(), d) }
	}
	conflict := storetest.Cancelled("None", "TransactionConflict")
	for _, c := range []struct {
		name string
		next []storetest.Fault
		want error
		sent int
	}{
		{"3 minutes", []storetest.Fault{storetest.After(storetest.LostReply, pass(3*time.Minute))}, nil, 2},
		{"5 minutes", []storetest.Fault{storetest.After(storetest.LostReply, pass(5*time.Minute))}, store.ErrUnknown, 1},
		{"11 minutes", []storetest.Fault{storetest.After(storetest.LostReply, pass(11*time.Minute))}, store.ErrUnknown, 1},
		{"twice 3 minutes", []storetest.Fault{
			storetest.After(storetest.LostReply, pass(3*time.Minute)), storetest.After(storetest.NeverArrives, pass(3*time.Minute)),
		}, store.ErrUnknown, 2},
		{"contention after 5 minutes", []storetest.Fault{
			storetest.LostReply, storetest.After(conflict, pass(5*time.Minute)),
		}, store.ErrUnknown, 2},
		// Nothing is lost here, so the third request has a token of its own.
		{"11 minutes of contention", []storetest.Fault{
			storetest.After(conflict, pass(11*time.Minute)), storetest.After(conflict, pass(11*time.Minute)),
		}, nil, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				faults := storetest.NewFaults(agreeable{})
				faults.Next(api, c.next...)
				err := newSender(t, storetest.Client(faults)).Transact(context.Background(), two())
				if !errors.Is(err, c.want) {
					t.Errorf("error %v, want %v", err, c.want)
				}
				if sent := len(faults.Sent(api)); sent != c.sent {
					t.Errorf("%d requests sent, want %d", sent, c.sent)
				}
			})
		})
	}
}

// waiting is a retryer that waits on the task clock before it lets a retry go.
type waiting struct {
	aws.RetryerV2
	wait time.Duration
}

func (w waiting) GetRetryToken(ctx context.Context, err error) (func(error) error, error) {
	if err := task.Sleep(ctx, w.wait); err != nil {
		return nil, err
	}
	return w.RetryerV2.GetRetryToken(ctx, err)
}

// TestExpiredTokenAfterWait: the time is looked at after the retryer has waited.
func TestExpiredTokenAfterWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		faults := storetest.NewFaults(agreeable{})
		client := dynamodb.New(storetest.Client(faults).Options(), func(o *dynamodb.Options) {
			o.Retryer = waiting{RetryerV2: retry.NewStandard(), wait: 6 * time.Minute}
		})
		faults.Next(api, storetest.LostReply)
		err := newSender(t, client).Transact(context.Background(), two())
		if !errors.Is(err, store.ErrUnknown) || len(faults.Sent(api)) != 1 {
			t.Errorf("error %v after %d requests, want ErrUnknown after 1", err, len(faults.Sent(api)))
		}
	})
}

// TestEndedWhileWaiting: a context that ends between tries leaves nothing unknown
// if all attempts were answered.
func TestEndedWhileWaiting(t *testing.T) {
	for what, c := range map[string]struct {
		first storetest.Fault
		want  error
	}{
		"answered":   {storetest.Cancelled("TransactionConflict", "None"), context.DeadlineExceeded},
		"unanswered": {storetest.LostReply, store.ErrUnknown},
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				faults := storetest.NewFaults(agreeable{})
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				defer cancel()
				conflict := storetest.After(storetest.Cancelled("TransactionConflict", "None"), func() { time.Sleep(time.Hour) })
				faults.Next(api, c.first, conflict)
				err := newSender(t, storetest.Client(faults)).Transact(ctx, two())
				if !errors.Is(err, c.want) {
					t.Errorf("error %v, want %v", err, c.want)
				}
				if unknown := errors.Is(err, store.ErrUnknown); unknown != errors.Is(c.want, store.ErrUnknown) {
					t.Errorf("error %v is unknown: %v", err, unknown)
				}
			})
		})
	}
}

// deaf is a transport that never asks the retryer: it answers each call with the
// next of its errors.
type deaf struct {
	errs   []error
	calls  int
	tokens []string
}

func (d *deaf) next() error {
	d.calls++
	if len(d.errs) == 0 {
		return nil
	}
	err := d.errs[0]
	d.errs = d.errs[1:]
	return err
}

func (d *deaf) PutItem(context.Context, *dynamodb.PutItemInput, ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	return &dynamodb.PutItemOutput{}, d.next()
}

func (d *deaf) DeleteItem(context.Context, *dynamodb.DeleteItemInput, ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error) {
	return &dynamodb.DeleteItemOutput{}, d.next()
}

func (d *deaf) TransactWriteItems(_ context.Context, in *dynamodb.TransactWriteItemsInput, _ ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	d.tokens = append(d.tokens, aws.ToString(in.ClientRequestToken))
	return &dynamodb.TransactWriteItemsOutput{}, d.next()
}

// TestDeafTransport: what a transport does not tell is taken for the worse.
func TestDeafTransport(t *testing.T) {
	conflict := &types.TransactionCanceledException{CancellationReasons: []types.CancellationReason{
		{Code: aws.String("None")}, {Code: aws.String("TransactionConflict")},
	}}
	refused := &types.TransactionCanceledException{CancellationReasons: []types.CancellationReason{
		{Code: aws.String("None")}, {Code: aws.String("ConditionalCheckFailed")},
	}}
	for what, c := range map[string]struct {
		errs  []error
		want  error
		calls int
	}{
		"lost":                    {[]error{io.ErrUnexpectedEOF}, store.ErrUnknown, 1},
		"lost after conflict":     {[]error{conflict, io.ErrUnexpectedEOF}, store.ErrUnknown, 2},
		"conflict":                {[]error{conflict}, nil, 2},
		"conflict, then refused":  {[]error{conflict, refused}, &item.RefusedError{Action: 1}, 2},
		"internal error":          {[]error{&types.InternalServerError{}}, store.ErrUnknown, 1},
		"an error without a name": {[]error{errors.New("?")}, store.ErrUnknown, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			d := &deaf{errs: c.errs}
			err := newSender(t, d).Transact(context.Background(), two())
			var refusal, wanted *item.RefusedError
			if errors.As(c.want, &wanted) {
				if !errors.As(err, &refusal) || refusal.Action != wanted.Action {
					t.Errorf("%s: error %v, want %v", what, err, c.want)
				}
			} else if !errors.Is(err, c.want) {
				t.Errorf("%s: error %v, want %v", what, err, c.want)
			}
			if d.calls != c.calls {
				t.Errorf("%s: %d calls, want %d", what, d.calls, c.calls)
			}
		})
	}
	d := &deaf{errs: []error{io.ErrUnexpectedEOF}}
	if err := newSender(t, d).Put(context.Background(), target("a"), store.Absent(), nil); !errors.Is(err, store.ErrUnknown) || d.calls != 1 {
		t.Errorf("put: error %v after %d calls, want ErrUnknown after 1", err, d.calls)
	}
}

// TestUnanswered: what is an answer (docs/spec/metadata-store.md §1), and what is none.
func TestUnanswered(t *testing.T) {
	status := func(code int, err error) error {
		return &smithy.OperationError{Err: &smithyhttp.ResponseError{Response: &smithyhttp.Response{Response: &http.Response{StatusCode: code}}, Err: err}}
	}
	named := &smithy.GenericAPIError{Code: "SomethingException"}
	cut := &smithy.DeserializationError{Err: io.ErrUnexpectedEOF}
	for _, c := range []struct {
		what string
		err  error
		want bool
	}{
		{"success", nil, false},
		{"refused", status(400, named), false},
		{"throttled", status(400, &types.ThrottlingException{}), false},
		{"failed condition", status(400, &types.ConditionalCheckFailedException{}), false},
		{"cancelled transaction", status(400, &types.TransactionCanceledException{}), false},
		{"still running", status(400, &types.TransactionInProgressException{}), true},
		{"internal error", status(500, &types.InternalServerError{}), true},
		{"unavailable, with a name", status(503, named), true},
		{"refused, but cut", status(400, cut), true},
		{"done, but cut", status(200, cut), true},
		{"bad gateway", status(502, cut), true},
		{"connection", &smithyhttp.RequestSendError{Err: io.ErrUnexpectedEOF}, true},
		{"ended context", &smithy.CanceledError{Err: context.Canceled}, true},
		{"no HTTP, the client's fault", &types.ConditionalCheckFailedException{}, false},
		{"no HTTP, the service's fault", &types.InternalServerError{}, true},
		{"no HTTP, nobody's fault", named, true},
		{"anything else", errors.New("?"), true},
	} {
		if got := item.Unanswered(c.err); got != c.want {
			t.Errorf("%s: unanswered %v, want %v", c.what, got, c.want)
		}
	}
}

// oldStyle is a retryer from before attempt tokens.
type oldStyle struct{ aws.Retryer }

// TestOldRetryer: the restriction holds whatever kind of retryer the client has.
func TestOldRetryer(t *testing.T) {
	for what, r := range map[string]aws.Retryer{"old": oldStyle{retry.NewStandard()}, "none": aws.NopRetryer{}} {
		synctest.Test(t, func(t *testing.T) {
			faults := storetest.NewFaults(agreeable{})
			client := dynamodb.New(storetest.Client(faults).Options(), func(o *dynamodb.Options) { o.Retryer = r })
			faults.Next("PutItem", storetest.Refused("ThrottlingException"), storetest.LostReply)
			err := newSender(t, client).Put(context.Background(), target("a"), store.Absent(), nil)
			want, sent := store.ErrUnknown, 2
			if what == "none" {
				want, sent = store.ErrContention, 1
			}
			if !errors.Is(err, want) || len(faults.Sent("PutItem")) != sent {
				t.Errorf("%s retryer: error %v after %d requests, want %v after %d", what, err, len(faults.Sent("PutItem")), want, sent)
			}
		})
	}
}

// TestStats: what stood in the way is counted.
func TestStats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		faults := storetest.NewFaults(agreeable{})
		s := newSender(t, storetest.Client(faults))
		conflict := storetest.Cancelled("None", "TransactionConflict")
		faults.Next(api, conflict, conflict)
		if err := s.Transact(context.Background(), two()); err != nil {
			t.Error(err)
		}
		faults.Next(api, conflict, conflict, conflict, conflict, conflict, conflict, conflict, conflict, conflict, conflict)
		if err := s.Transact(context.Background(), two()); !errors.Is(err, store.ErrContention) {
			t.Errorf("error %v, want ErrContention", err)
		}
		faults.Next("DeleteItem", storetest.NeverArrives)
		if err := s.Delete(context.Background(), target("a"), nil); !errors.Is(err, store.ErrUnknown) {
			t.Errorf("error %v, want ErrUnknown", err)
		}
		if got, want := s.Stats(), (item.Stats{Contended: 12, Exhausted: 1, Unknown: 1}); got != want {
			t.Errorf("counted %+v, want %+v", got, want)
		}
	})
}

// TestFirstFault: of many actions the first with a fault decides.
func TestFirstFault(t *testing.T) {
	actions := []types.TransactWriteItem{}
	for i := range 5 {
		actions = append(actions, target(fmt.Sprint(i)).Put(store.Absent(), nil))
	}
	faults := storetest.NewFaults(agreeable{})
	faults.Next(api, storetest.Cancelled("None", "None", "None", "ConditionalCheckFailed", "TransactionConflict"))
	var refusal *item.RefusedError
	if err := newSender(t, storetest.Client(faults)).Transact(context.Background(), actions); !errors.As(err, &refusal) || refusal.Action != 3 {
		t.Errorf("error %v, want the refusal of action 3", err)
	}
}

// TestFailures: a refusal names all actions whose conditions failed, and no other.
func TestFailures(t *testing.T) {
	faults := storetest.NewFaults(agreeable{})
	faults.Next(api, storetest.Cancelled("None", "ConditionalCheckFailed", "TransactionConflict", "ConditionalCheckFailed"))
	err := newSender(t, storetest.Client(faults)).Transact(context.Background(), two())
	var refusal *item.RefusedError
	if !errors.As(err, &refusal) {
		t.Fatalf("error %v, want a refusal", err)
	}
	var failed []int
	for _, f := range refusal.Failed {
		failed = append(failed, f.Action)
	}
	if refusal.Action != 1 || !slices.Equal(failed, []int{1, 3}) {
		t.Errorf("action %d, failed %v; want 1, [1 3]", refusal.Action, failed)
	}
}

// TestSeededTokens: one seed, one sequence of tokens; another, others.
func TestSeededTokens(t *testing.T) {
	tokens := func(seed uint64) []string {
		d := &deaf{}
		s, err := item.NewSender(item.SenderConfig{Client: d, Random: rand.NewPCG(seed, 0), Backoff: item.DefaultBackoff()})
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if err := s.Transact(context.Background(), two()); err != nil {
				t.Fatal(err)
			}
		}
		return d.tokens
	}
	first, again, other := tokens(1), tokens(1), tokens(2)
	if !slices.Equal(first, again) {
		t.Errorf("seed 1 gave tokens %q, and then %q", first, again)
	}
	seen := make(map[string]bool)
	for _, token := range append(first, other...) {
		if seen[token] || len(token) != 32 {
			t.Errorf("token %q came twice, or has not 32 characters", token)
		}
		seen[token] = true
	}
}

func TestConfig(t *testing.T) {
	good := item.SenderConfig{Client: &deaf{}, Random: rand.NewPCG(1, 2), Backoff: item.DefaultBackoff()}
	noClient, noRandom, noTries := good, good, good
	noClient.Client, noRandom.Random, noTries.Backoff.Tries = nil, nil, 0
	for _, cfg := range []item.SenderConfig{noClient, noRandom, noTries} {
		if _, err := item.NewSender(cfg); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("NewSender(%+v): %v, want ErrInvalid", cfg, err)
		}
	}
}
