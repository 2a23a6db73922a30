package simulated_test

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

	"github.com/lakebench/lakebench/internal/sim/task"
)

// delayed answers every request after a while of its context's time, and counts
// what it sees inside of Do.
type delayed struct {
	delay time.Duration

	inFlight, most int
	goroutines     int // most
	otherEnds      int // requests whose context ends apart from the caller's
}

func (s *delayed) Do(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	s.inFlight++
	s.most = max(s.most, s.inFlight)
	s.goroutines = max(s.goroutines, runtime.NumGoroutine())
	defer func() { s.inFlight-- }()
	task.Yield(ctx)
	if caller, ok := ctx.Value(callerKey{}).(context.Context); ok && caller.Done() != ctx.Done() {
		s.otherEnds++
	}
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

func (s *delayed) client() *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region:       "us-east-1",
		Credentials:  credentials.NewStaticCredentialsProvider("id", "secret", ""),
		BaseEndpoint: aws.String("http://embedded"),
		HTTPClient:   s,
		Retryer:      aws.NopRetryer{},
	})
}

// callerKey is the key of the caller's context in that of the request.
type callerKey struct{}

func getItem(ctx context.Context, client *dynamodb.Client) error {
	ctx = context.WithValue(ctx, callerKey{}, ctx)
	_, err := client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: aws.String("t"),
		Key:       map[string]types.AttributeValue{"k": &types.AttributeValueMemberS{Value: "v"}},
	})
	return err
}

// schedules are the ways in which the tests run.
func schedules() []task.VirtualConfig {
	return []task.VirtualConfig{
		{},
		{Policy: task.Random{}, Seed: 1},
		{Policy: task.Random{}, Seed: 2},
		{Policy: task.PCT{Depth: 3, Choices: 100}, Seed: 3},
	}
}

// The SDK runs on virtual tasks as it is: the request's context is that of the
// caller, and the SDK starts no goroutine of its own.
func TestSDKRunsOnTasks(t *testing.T) {
	const tasks, calls = 8, 3
	for _, cfg := range schedules() {
		s := &delayed{delay: time.Second}
		client := s.client()
		before := runtime.NumGoroutine()
		trace, err := task.Run(t.Context(), cfg, func(ctx context.Context) error {
			g := task.NewGroup(ctx, 0)
			for range tasks {
				g.Go("caller", func(ctx context.Context) error {
					for range calls {
						if err := getItem(ctx, client); err != nil {
							return err
						}
					}
					return nil
				})
			}
			return g.Wait()
		})
		if err != nil {
			t.Errorf("policy %v, seed %d: %v", cfg.Policy, cfg.Seed, err)
		}
		if trace.Elapsed != calls*time.Second || s.most != tasks {
			t.Errorf("policy %v, seed %d: %v for %d calls in a row, %d requests at once; want %ds and %d",
				cfg.Policy, cfg.Seed, trace.Elapsed, calls, s.most, calls, tasks)
		}
		if s.otherEnds != 0 {
			t.Errorf("%d requests had a context that the SDK gave an end of its own", s.otherEnds)
		}
		if most := before + 1 + tasks; s.goroutines > most {
			t.Errorf("%d goroutines inside of Do, want at most the %d of the test and its tasks", s.goroutines, most)
		}
	}
}

func TestDeadlineEndsASDKCall(t *testing.T) {
	client := (&delayed{delay: time.Second}).client()
	trace, err := task.Run(t.Context(), task.VirtualConfig{}, func(ctx context.Context) error {
		ctx, cancel := task.WithTimeout(ctx, 300*time.Millisecond)
		defer cancel()
		return getItem(ctx, client)
	})
	if !errors.Is(err, context.DeadlineExceeded) || trace.Elapsed != 300*time.Millisecond {
		t.Errorf("error %v after %v, want the deadline at 300ms", err, trace.Elapsed)
	}
}

func TestCancellationEndsASDKCall(t *testing.T) {
	client := (&delayed{delay: time.Second}).client()
	trace, err := task.Run(t.Context(), task.VirtualConfig{}, func(ctx context.Context) error {
		mine, cancel := task.WithCancel(ctx)
		g := task.NewGroup(ctx, 0)
		g.Go("caller", func(context.Context) error { return getItem(mine, client) })
		if err := task.Sleep(ctx, 300*time.Millisecond); err != nil {
			return err
		}
		cancel(nil)
		return g.Wait()
	})
	if !errors.Is(err, context.Canceled) || trace.Elapsed != 300*time.Millisecond {
		t.Errorf("error %v after %v, want the cancellation at 300ms", err, trace.Elapsed)
	}
}

// BenchmarkSDKCall compares a call made by a task with one made without any.
func BenchmarkSDKCall(b *testing.B) {
	b.Run("no tasks", func(b *testing.B) {
		client := (&delayed{}).client()
		for b.Loop() {
			if err := getItem(b.Context(), client); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, tasks := range []int{1, 8} {
		b.Run(fmt.Sprint("tasks=", tasks), func(b *testing.B) {
			client := (&delayed{delay: time.Microsecond}).client()
			_, err := task.Run(b.Context(), task.VirtualConfig{}, func(ctx context.Context) error {
				left := b.N
				g := task.NewGroup(ctx, 0)
				for range tasks {
					g.Go("caller", func(ctx context.Context) error {
						for ; left > 0; left-- {
							if err := getItem(ctx, client); err != nil {
								return err
							}
						}
						return nil
					})
				}
				return g.Wait()
			})
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}
