package fault

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/lakebench/lakebench/internal/sim/task"
)

func TestCrash(t *testing.T) {
	for _, c := range []struct {
		rule   string
		served int64
	}{
		{`on dynamodb PutItem actor "node-1" nth 2 : crash-before`, 1},
		{`on dynamodb PutItem actor "node-1" nth 2 : crash-after`, 2},
	} {
		t.Run(c.rule, func(t *testing.T) {
			virtually(t, func(ctx context.Context) {
				b := newBench(ctx, t, c.rule)
				one, end := Node(ctx, "node-1")
				defer end()
				two, end := Node(ctx, "node-2")
				defer end()
				if err := b.put(one, "a"); err != nil {
					t.Fatal(err)
				}
				below, cancel := context.WithCancel(one) // as the SDK and others derive
				defer cancel()
				if err := b.put(below, "b"); !errors.Is(err, context.Canceled) || !errors.Is(context.Cause(one), ErrCrashed) {
					t.Errorf("%v, cause %v, want a crash", err, context.Cause(one))
				}
				var crash *CrashError
				if !errors.As(context.Cause(below), &crash) || crash.Node != "node-1" {
					t.Errorf("%v, want the crash of node-1", context.Cause(below))
				}
				b.reconcile(t, 2, c.served)
				if got := b.has(ctx, t, "b"); got != (c.served == 2) {
					t.Errorf("b stored: %v", got)
				}
				// Whatever it tries now, it is dead; the other one is not.
				if err := b.put(one, "c"); err == nil {
					t.Error("a crashed node wrote")
				}
				if err := b.put(context.WithoutCancel(one), "c"); !errors.Is(err, ErrCrashed) {
					t.Errorf("%v: a crashed node wrote under a detached context", err)
				}
				if err := b.put(two, "d"); err != nil {
					t.Error(err)
				}
				if b.has(ctx, t, "c") || !b.has(ctx, t, "d") {
					t.Error("stored other than d")
				}
			})
		})
	}
}

// An answer on its way to a node that crashes meanwhile does not arrive.
func TestCrashedNodeHearsNothing(t *testing.T) {
	virtually(t, func(ctx context.Context) {
		b := newBench(ctx, t, `on dynamodb DeleteItem : crash-before`)
		ctx, end := Node(ctx, "node-1")
		defer end()
		g := task.NewGroup(ctx, 0)
		slow := slowClient{b.in.HTTPClient(slowClient{okClient{}, time.Second}), 0}
		g.Go("asks", func(ctx context.Context) error {
			req, err := http.NewRequestWithContext(context.WithoutCancel(ctx), http.MethodGet, "http://s3.local/bucket/key", nil)
			if err != nil {
				return err
			}
			resp, err := slow.Do(req)
			if err == nil {
				_ = resp.Body.Close()
			}
			if !errors.Is(err, ErrCrashed) {
				t.Errorf("%v, want a crash", err)
			}
			return nil
		})
		g.Go("crashes", func(ctx context.Context) error {
			_, err := b.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: aws.String(table), Key: key("a")})
			if err == nil {
				t.Error("no crash")
			}
			return nil
		})
		if err := g.Wait(); err != nil {
			t.Error(err)
		}
	})
}

// okClient answers 200 to everything.
type okClient struct{}

func (okClient) Do(req *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Header: http.Header{}, Request: req}, nil
}

type slowClient struct {
	inner aws.HTTPClient
	wait  time.Duration
}

func (c slowClient) Do(req *http.Request) (*http.Response, error) {
	resp, err := c.inner.Do(req)
	if err := task.Sleep(context.WithoutCancel(req.Context()), c.wait); err != nil {
		return nil, err
	}
	return resp, err
}
