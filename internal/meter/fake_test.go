package meter

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/counts"
)

// fakeService is a DynamoDB that gives the answers it is told to, one after the
// other, the last one again and again. Like the embedded service it reports each
// request that it answers.
type fakeService struct {
	served func(context.Context, Served)
	usage  counts.Usage

	mu      sync.Mutex
	answers []fakeAnswer
	bodies  []string // of the requests
}

type fakeAnswer struct {
	status int
	body   string
	// before and after, if not nil, are returned instead of an answer: before
	// or after the service did its work.
	before, after error
	// cut, if not nil, is what reading the body ends with.
	cut error
}

var (
	answerEmpty = fakeAnswer{status: 200, body: `{}`}
	answerItem  = fakeAnswer{status: 200, body: `{"Item":{"pk":{"S":"k"}}}`}
	answerFault = fakeAnswer{status: 500, body: `{"__type":"InternalServerError"}`}
)

func refusal(code string) fakeAnswer {
	return fakeAnswer{status: 400, body: `{"__type":"com.amazonaws.dynamodb.v20120810#` + code + `","message":"m"}`}
}

func (s *fakeService) Do(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	answer := answerEmpty
	if n := len(s.answers); n > 0 {
		answer = s.answers[min(len(s.bodies), n-1)]
	}
	s.bodies = append(s.bodies, string(body))
	s.mu.Unlock()
	if answer.before != nil {
		return nil, answer.before
	}
	if s.served != nil {
		_, api, _ := strings.Cut(req.Header.Get("X-Amz-Target"), ".")
		s.served(req.Context(), Served{Service: "dynamodb", API: api, Usage: s.usage})
	}
	if answer.after != nil {
		return nil, answer.after
	}
	content := io.Reader(strings.NewReader(answer.body))
	if answer.cut != nil {
		content = io.MultiReader(content, iotest.ErrReader(answer.cut))
	}
	return &http.Response{StatusCode: answer.status, Header: http.Header{}, Body: io.NopCloser(content), Request: req}, nil
}

func newMeter(t testing.TB, change ...func(*Config)) *Meter {
	t.Helper()
	cfg := DefaultConfig()
	for _, f := range change {
		f(&cfg)
	}
	m, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func reportCapacity(c *Config) { c.ReportCapacity = true }

// options are those of a metered client of s that makes up to 3 attempts without
// waiting.
func options(m *Meter, s *fakeService) dynamodb.Options {
	return dynamodb.Options{
		Region:       "us-east-1",
		Credentials:  credentials.NewStaticCredentialsProvider("a", "b", ""),
		BaseEndpoint: aws.String("http://dynamodb.invalid"),
		Retryer: retry.NewStandard(func(o *retry.StandardOptions) {
			o.RateLimiter = ratelimit.None
			o.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
		}),
		HTTPClient: m.HTTPClient(s),
		APIOptions: m.APIOptions(),
	}
}

func newClient(m *Meter, answers ...fakeAnswer) (*dynamodb.Client, *fakeService) {
	s := &fakeService{served: m.Served, answers: answers}
	return dynamodb.New(options(m, s)), s
}

func str(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func item(key string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{"pk": str(key)}
}

func get(ctx context.Context, c *dynamodb.Client) error {
	_, err := c.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("t"), Key: item("k")})
	return err
}

func put(ctx context.Context, c *dynamodb.Client) error {
	_, err := c.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("t"), Item: item("k")})
	return err
}
