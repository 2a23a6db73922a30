package meter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

func canceled(reasons ...string) fakeAnswer {
	body := `{"__type":"TransactionCanceledException","Message":"m","CancellationReasons":[`
	for i, r := range reasons {
		if i > 0 {
			body += ","
		}
		body += `{"Code":"` + r + `"}`
	}
	return fakeAnswer{status: 400, body: body + "]}"}
}

type timeoutError struct{ error }

func (timeoutError) Timeout() bool { return true }

// What DynamoDB answers on the wire, through the SDK (docs/facts/dynamodb.md §3.5,
// §3.6), and the class that docs/spec/results.md §1 has for it.
func TestOutcomesOfDynamoDB(t *testing.T) {
	for name, c := range map[string]struct {
		answer fakeAnswer
		want   Outcome
	}{
		"item":                  {answerItem, OK},
		"empty item":            {fakeAnswer{status: 200, body: `{"Item":{}}`}, OK},
		"no item":               {answerEmpty, Absent},
		"condition":             {refusal("ConditionalCheckFailedException"), ConditionFailed},
		"conflict":              {refusal("TransactionConflictException"), Conflict},
		"in progress":           {refusal("TransactionInProgressException"), Conflict},
		"cancelled: condition":  {canceled("None", "ConditionalCheckFailed"), ConditionFailed},
		"cancelled: conflict":   {canceled("TransactionConflict", "None"), Conflict},
		"cancelled: throughput": {canceled("ProvisionedThroughputExceeded"), Throttled},
		"cancelled: throttling": {canceled("ThrottlingError"), Throttled},
		"cancelled: both":       {canceled("TransactionConflict", "ThrottlingError", "ConditionalCheckFailed"), ConditionFailed},
		"cancelled: two":        {canceled("ThrottlingError", "TransactionConflict"), Conflict},
		"cancelled: both, too":  {canceled("ConditionalCheckFailed", "TransactionConflict"), ConditionFailed},
		"cancelled: two, too":   {canceled("TransactionConflict", "ThrottlingError"), Conflict},
		"cancelled: validation": {canceled("ValidationError"), Other},
		"cancelled: size":       {canceled("ItemCollectionSizeLimitExceeded"), Other},
		"cancelled: nothing":    {canceled(), Other},
		"throughput":            {refusal("ProvisionedThroughputExceededException"), Throttled},
		"throttling":            {refusal("ThrottlingException"), Throttled},
		"account limit":         {refusal("RequestLimitExceeded"), Throttled},
		"internal":              {answerFault, ServerError},
		"unavailable":           {fakeAnswer{status: 503, body: "<html>"}, ServerError},
		"validation":            {refusal("ValidationException"), Other},
		"no table":              {refusal("ResourceNotFoundException"), Other},
		"token":                 {refusal("IdempotentParameterMismatchException"), Other},
		"access":                {refusal("AccessDeniedException"), Other},
		"reset":                 {fakeAnswer{after: io.ErrUnexpectedEOF}, Other},
		"timeout":               {fakeAnswer{after: timeoutError{errors.New("slow")}}, Timeout},
		"slow body":             {fakeAnswer{status: 200, body: "{", cut: timeoutError{errors.New("slow")}}, Timeout},
		"no JSON":               {fakeAnswer{status: 200, body: "{"}, Other},
	} {
		m := newMeter(t)
		s := &fakeService{served: m.Served, answers: []fakeAnswer{c.answer}}
		o := options(m, s)
		o.RetryMaxAttempts = 1
		err := get(t.Context(), dynamodb.New(o))
		if got, want := m.Ledger(PhaseSetup).Total().Outcomes, one(c.want); got != want {
			t.Errorf("%s: got %v, want %v (%v)", name, got, c.want, err)
		}
		if err := m.Reconcile(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func one(o Outcome) (os Outcomes) {
	os[o] = 1
	return os
}

// A call whose context ends while the service is at work was sent and served.
func TestOutcomeWhenTheContextEndsOnTheWire(t *testing.T) {
	for want, cause := range map[Outcome]error{Other: context.Canceled, Timeout: context.DeadlineExceeded} {
		m := newMeter(t)
		ctx := &endingContext{Context: t.Context(), done: make(chan struct{})}
		s := &fakeService{answers: []fakeAnswer{{after: cause}}}
		s.served = func(c context.Context, served Served) {
			m.Served(c, served)
			ctx.end(cause)
		}
		if err := get(ctx, dynamodb.New(options(m, s))); !errors.Is(err, cause) {
			t.Errorf("%v: %v", want, err)
		}
		if got := m.Ledger(PhaseSetup).Total(); got.Outcomes != one(want) || got.Served != 1 {
			t.Errorf("got %+v, want one %v", got, want)
		}
		if err := m.Reconcile(); err != nil {
			t.Error(err)
		}
	}
}

// endingContext ends when it is told to, with the error that it is told.
type endingContext struct {
	context.Context
	done chan struct{}
	err  error
}

func (c *endingContext) end(err error) { c.err = err; close(c.done) }

func (c *endingContext) Done() <-chan struct{} { return c.done }

func (c *endingContext) Err() error {
	select {
	case <-c.done:
		return c.err
	default:
		return nil
	}
}

func s3Error(status int, code string) error {
	return &smithyhttp.ResponseError{
		Response: &smithyhttp.Response{Response: &http.Response{StatusCode: status}},
		Err:      &smithy.GenericAPIError{Code: code},
	}
}

// S3's errors as the SDK makes them (docs/facts/s3.md §3.1, §3.2, §3.5).
func TestOutcomesOfS3(t *testing.T) {
	for _, c := range []struct {
		err  error
		want Outcome
	}{
		{s3Error(404, "NoSuchKey"), Absent},
		{s3Error(404, "NotFound"), Absent},
		{s3Error(404, "NoSuchBucket"), Other},
		{s3Error(403, "Forbidden"), Other},
		{s3Error(412, "PreconditionFailed"), ConditionFailed},
		{s3Error(500, "PreconditionFailed"), ConditionFailed}, // a 200 with an error body
		{s3Error(409, "ConditionalRequestConflict"), Conflict},
		{s3Error(409, "Conflict"), Conflict},
		{s3Error(503, "SlowDown"), Throttled},
		{s3Error(429, "UnknownError"), Throttled},
		{s3Error(503, "ServiceUnavailable"), ServerError},
		{s3Error(500, "InternalError"), ServerError},
		{s3Error(400, "RequestTimeout"), Timeout},
		{s3Error(501, "NotImplemented"), ServerError},
		{fmt.Errorf("dial: %w", context.DeadlineExceeded), Timeout},
		{&smithy.CanceledError{Err: context.Canceled}, Other},
		{errors.New("broken pipe"), Other},
	} {
		if got := classify(c.err); got != c.want {
			t.Errorf("%v: got %v, want %v", c.err, got, c.want)
		}
	}
}

// A transport without HTTP has no status; the model says whose fault it was.
func TestOutcomeWithoutHTTP(t *testing.T) {
	if got := classify(&types.InternalServerError{}); got != ServerError {
		t.Errorf("got %v", got)
	}
	if got := classify(&types.ResourceNotFoundException{}); got != Other {
		t.Errorf("got %v", got)
	}
}

func TestOutcomeNames(t *testing.T) {
	// docs/spec/results.md §1, in its order.
	want := []string{"ok", "absent", "condition-failed", "conflict", "throttled", "server-error", "timeout", "reply-lost", "other"}
	for o := range numOutcomes {
		if o.String() != want[o] {
			t.Errorf("%d is %q, want %q", o, o, want[o])
		}
	}
}
