package retry

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"
)

// answers is a service that gives one answer after the other, the last one again
// and again.
type answers struct {
	list []answer
	sent []time.Time
}

type answer struct {
	status int
	body   string
	header http.Header
}

func (a *answers) Do(req *http.Request) (*http.Response, error) {
	next := a.list[min(len(a.sent), len(a.list)-1)]
	a.sent = append(a.sent, time.Now())
	header := next.header.Clone()
	if header == nil {
		header = http.Header{}
	}
	return &http.Response{StatusCode: next.status, Header: header, Body: io.NopCloser(strings.NewReader(next.body)), Request: req}, nil
}

func (a *answers) gaps() []time.Duration {
	var gaps []time.Duration
	for i := 1; i < len(a.sent); i++ {
		gaps = append(gaps, a.sent[i].Sub(a.sent[i-1]))
	}
	return gaps
}

func client(p *Policy, service *answers) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region:       "us-east-1",
		Credentials:  credentials.NewStaticCredentialsProvider("a", "b", ""),
		BaseEndpoint: aws.String("http://dynamodb.invalid"),
		HTTPClient:   service,
		Retryer:      p,
		APIOptions:   p.APIOptions(),
	})
}

func get(ctx context.Context, c *dynamodb.Client) error {
	_, err := c.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: aws.String("t"),
		Key:       map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "k"}},
	})
	return err
}

var (
	fault    = answer{status: 500, body: `{"__type":"InternalServerError"}`}
	throttle = answer{status: 400, body: `{"__type":"ThrottlingException"}`}
	success  = answer{status: 200, body: `{}`}
)

// A call waits as long as the policy says, and no longer, on the clock of its
// context; attempts are counted for each call on its own.
func TestSDKWaitsAsThePolicySays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := DynamoDBConfig()
		cfg.Seed = 7
		asked := policy(t, cfg)
		used := policy(t, cfg)
		for call := range 2 {
			service := &answers{list: []answer{fault, throttle, fault, success}}
			if err := get(t.Context(), client(used, service)); err != nil {
				t.Fatal(err)
			}
			var want []time.Duration
			for attempt, err := range []error{&types.InternalServerError{}, code("ThrottlingException"), &types.InternalServerError{}} {
				want = append(want, asked.delay(attempt+1, err))
			}
			got := service.gaps()
			if len(got) != len(want) {
				t.Fatalf("call %d: %d attempts", call, len(service.sent))
			}
			for i := range want {
				if got[i] != want[i] {
					t.Errorf("call %d: waits %v, expected %v", call, got, want)
					break
				}
			}
		}
	})
}

func TestSDKStopsAtMaxAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// No quota: the SDK's own retryer makes one attempt from the 18th
		// failing call on.
		p := policy(t, DynamoDBConfig())
		for call := range 40 {
			service := &answers{list: []answer{fault}}
			if err := get(t.Context(), client(p, service)); err == nil {
				t.Fatal("no error")
			}
			if len(service.sent) != 4 {
				t.Fatalf("call %d: %d attempts, expected 4", call, len(service.sent))
			}
		}
	})
}

func TestSDKDoesNotRepeatATransaction(t *testing.T) {
	for _, body := range []string{
		`{"__type":"TransactionCanceledException","CancellationReasons":[{"Code":"ThrottlingError"}]}`,
		`{"__type":"TransactionConflictException"}`,
	} {
		service := &answers{list: []answer{{status: 400, body: body}}}
		if err := get(t.Context(), client(policy(t, DynamoDBConfig()), service)); err == nil || len(service.sent) != 1 {
			t.Errorf("%s: %v after %d attempts", body, err, len(service.sent))
		}
	}
}

// The service may ask for a longer wait, up to 5 s beyond the policy's. The SDK
// would wait for it once more, by itself, if it saw the header.
func TestRetryAfterIsHonouredOnce(t *testing.T) {
	for ms, want := range map[string]func(policy time.Duration) time.Duration{
		"3000":                  func(time.Duration) time.Duration { return 3 * time.Second },
		"0":                     func(d time.Duration) time.Duration { return d },
		"60000":                 func(d time.Duration) time.Duration { return d + 5*time.Second },
		"-1":                    func(d time.Duration) time.Duration { return d },
		"1e3":                   func(d time.Duration) time.Duration { return d },
		"soon":                  func(d time.Duration) time.Duration { return d },
		"999999999999999999999": func(d time.Duration) time.Duration { return d },
	} {
		synctest.Test(t, func(t *testing.T) {
			asked := policy(t, DynamoDBConfig()).delay(1, &types.InternalServerError{})
			slow := fault
			slow.header = http.Header{"X-Amz-Retry-After": {ms}}
			service := &answers{list: []answer{slow, success}}
			if err := get(t.Context(), client(policy(t, DynamoDBConfig()), service)); err != nil {
				t.Fatal(err)
			}
			if got := service.gaps(); len(got) != 1 || got[0] != want(asked) {
				t.Errorf("%s ms: waits %v, expected %v", ms, got, want(asked))
			}
		})
	}
}

// Cancelled while it waits, a call ends at once, with the cause and the error of
// its last attempt.
func TestCancelledWait(t *testing.T) {
	why := errors.New("interrupted")
	for range 50 { // the SDK's own wait would choose between two errors at random
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			cfg := DynamoDBConfig()
			cfg.BaseDelay = time.Hour
			cfg.MaxDelay = time.Hour
			service := &answers{list: []answer{fault}}
			time.AfterFunc(time.Millisecond, func() { cancel(why) })
			began := time.Now()
			err := get(ctx, client(policy(t, cfg), service))
			if !errors.Is(err, why) {
				t.Errorf("got %v, expected the cause in it", err)
			}
			if internal := new(types.InternalServerError); !errors.As(err, &internal) {
				t.Errorf("got %v, expected the last attempt's error in it", err)
			}
			if len(service.sent) != 1 || time.Since(began) != time.Millisecond {
				t.Errorf("%d attempts, %v", len(service.sent), time.Since(began))
			}
		})
	}
}

// A client that lacks the policy's middleware would wait as after a first
// attempt for ever; it must not retry at all.
func TestWithoutAPIOptions(t *testing.T) {
	service := &answers{list: []answer{fault}}
	c := client(policy(t, DynamoDBConfig()), service)
	_, err := c.GetItem(t.Context(), &dynamodb.GetItemInput{
		TableName: aws.String("t"),
		Key:       map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "k"}},
	}, func(o *dynamodb.Options) { o.APIOptions = []func(*middleware.Stack) error{} })
	if !errors.Is(err, errNoCount) || len(service.sent) != 1 {
		t.Errorf("%v after %d attempts", err, len(service.sent))
	}
}
