package task_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/task"
)

// service answers every request after a while of its context's time, and counts
// what it sees inside of Do.
type service struct {
	delay time.Duration

	inFlight, most int
	goroutines     int // most
	polled         int // contexts that are not known to end with a virtual one, most
}

func (s *service) Do(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	s.inFlight++
	s.most = max(s.most, s.inFlight)
	s.goroutines = max(s.goroutines, runtime.NumGoroutine())
	defer func() { s.inFlight-- }()
	task.Yield(ctx)
	s.polled = max(s.polled, task.Polled(ctx))
	if err := task.Sleep(ctx, s.delay); err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: http.StatusOK,
		Header:     http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body:       io.NopCloser(strings.NewReader(`{"Item":{"k":{"S":"v"}}}`)),
		Request:    req,
	}, nil
}

func (s *service) client() *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region:       "us-east-1",
		Credentials:  credentials.NewStaticCredentialsProvider("id", "secret", ""),
		BaseEndpoint: aws.String("http://embedded"),
		HTTPClient:   s,
		Retryer:      aws.NopRetryer{},
	})
}

func get(ctx context.Context, client *dynamodb.Client) error {
	_, err := client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: aws.String("t"),
		Key:       map[string]types.AttributeValue{"k": &types.AttributeValueMemberS{Value: "v"}},
	})
	return err
}

// The SDK runs on virtual tasks as it is: the request's context is that of the
// caller, and the SDK starts no goroutine of its own.
func TestSDKOnVirtualTime(t *testing.T) {
	const tasks, calls = 8, 3
	for _, cfg := range policies()[:10] {
		s := &service{delay: time.Second}
		client := s.client()
		before := runtime.NumGoroutine()
		trace := virtually(t, cfg, func(ctx context.Context) error {
			return times(ctx, tasks, func(ctx context.Context, _ int) error {
				for range calls {
					if err := get(ctx, client); err != nil {
						return err
					}
				}
				return nil
			})
		})
		if trace.Elapsed != calls*time.Second || s.most != tasks {
			t.Errorf("policy %v, seed %d: %v for %d calls in a row, %d requests at once; want %ds and %d",
				cfg.Policy, cfg.Seed, trace.Elapsed, calls, s.most, calls, tasks)
		}
		if s.polled != 0 {
			t.Errorf("%d requests had a context that the SDK gave an end of its own", s.polled)
		}
		if most := before + 1 + tasks; s.goroutines > most {
			t.Errorf("%d goroutines inside of Do, want at most the %d of the test and its tasks", s.goroutines, most)
		}
	}
}

func TestSDKCallEndsAtItsVirtualDeadline(t *testing.T) {
	client := (&service{delay: time.Second}).client()
	virtually(t, task.VirtualConfig{}, func(ctx context.Context) error {
		short, cancel := task.WithTimeout(ctx, 300*time.Millisecond)
		defer cancel()
		err := want("call", get(short, client), context.DeadlineExceeded)
		return errors.Join(err, wantEqual("time", task.Since(ctx, task.DefaultStart()), 300*time.Millisecond))
	})
	virtually(t, task.VirtualConfig{}, func(ctx context.Context) error {
		mine, cancel := task.WithCancel(ctx)
		return inGroup(ctx,
			func(context.Context) error { return want("call", get(mine, client), context.Canceled) },
			func(ctx context.Context) error {
				err := task.Sleep(ctx, 300*time.Millisecond)
				cancel(errBoom)
				return err
			})
	})
}

// BenchmarkSDK compares calls made by tasks with calls made without any.
func BenchmarkSDK(b *testing.B) {
	b.Run("no tasks", func(b *testing.B) {
		client := (&service{}).client()
		for b.Loop() {
			if err := get(b.Context(), client); err != nil {
				b.Fatal(err)
			}
		}
	})
	client := (&service{delay: time.Microsecond}).client()
	for _, tasks := range []int{1, 8} {
		b.Run(fmt.Sprint("tasks=", tasks), func(b *testing.B) {
			benchmarkTasks(b, task.VirtualConfig{}, tasks, func(ctx context.Context) { _ = get(ctx, client) })
		})
	}
}
