package fault

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/aws/smithy-go"

	"github.com/lakebench/lakebench/internal/backend/retry"
	"github.com/lakebench/lakebench/internal/sim/task"
)

// direct is an exchange without a wire, as a client without HTTP has it: its
// answer is a number of entries.
type direct struct {
	sent, dropped *atomic.Int64
	entries       int64
}

func (d direct) Send(context.Context) (string, error) {
	d.sent.Add(1)
	return strconv.FormatInt(d.entries, 10), nil
}

func (d direct) SendPart(ctx context.Context, leave int64) (string, error) {
	if leave >= d.entries {
		return "", ErrWholeBatch
	}
	d.entries -= leave
	return d.Send(ctx)
}

func (d direct) Refuse(r Refusal) (string, error)               { return "", r.Err() }
func (d direct) Cut(_ string, _ int64, l error) (string, error) { return "", l }
func (d direct) Drop(string)                                    { d.dropped.Add(1) }
func (d direct) Detach() error                                  { return nil }

// The same rules on a transport without a wire: the same errors by type and
// code, the same counts, and the retry policy reads them alike.
func TestEffectsWithoutAWire(t *testing.T) {
	for _, c := range []struct {
		rule          string
		operation     string
		code          string // of the service's error
		cause         error  // of any other
		retryable     bool
		sent, dropped int64
		answer        string
	}{
		{`on dynamodb nth 2 : error-before`, "PutItem", "", nil, false, 1, 0, "3"},
		{`on dynamodb : error-before`, "PutItem", "InternalServerError", nil, true, 0, 0, ""},
		{`on dynamodb : error-before 503`, "PutItem", "ServiceUnavailable", nil, true, 0, 0, ""},
		{`on dynamodb : error-before reset`, "PutItem", "", syscall.ECONNRESET, true, 0, 0, ""},
		{`on dynamodb : error-after`, "PutItem", "InternalServerError", nil, true, 1, 1, ""},
		{`on dynamodb : error-after reset`, "PutItem", "", syscall.ECONNRESET, true, 1, 1, ""},
		{`on dynamodb : timeout 1s`, "PutItem", "", os.ErrDeadlineExceeded, true, 0, 0, ""},
		{`on dynamodb : timeout 1s lands 2s`, "PutItem", "", os.ErrDeadlineExceeded, true, 1, 1, ""},
		{`on dynamodb : throttle`, "GetItem", "ProvisionedThroughputExceededException", nil, true, 0, 0, ""},
		{`on dynamodb : throttle on-demand`, "GetItem", "ThrottlingException", nil, true, 0, 0, ""},
		{`on dynamodb : throttle account`, "GetItem", "RequestLimitExceeded", nil, true, 0, 0, ""},
		{`on dynamodb : conflict`, "PutItem", "TransactionConflictException", nil, false, 0, 0, ""},
		{`on dynamodb : conflict`, "TransactWriteItems", "TransactionCanceledException", nil, false, 0, 0, ""},
		{`on dynamodb : unprocessed 1`, "BatchWriteItem", "", nil, false, 1, 0, "2"},
		{`on dynamodb : unprocessed 3`, "BatchWriteItem", "ProvisionedThroughputExceededException", nil, true, 0, 0, ""},
		{`on dynamodb : cut`, "GetItem", "", io.ErrUnexpectedEOF, true, 1, 0, ""},
		{`on dynamodb : delay 1s`, "GetItem", "", nil, false, 1, 0, "3"},
		{`on dynamodb : crash-before`, "GetItem", "", ErrCrashed, false, 0, 0, ""},
		{`on dynamodb : crash-after`, "GetItem", "", ErrCrashed, false, 1, 1, ""},
		{`on s3 : error-before 409`, "PutObject", "ConditionalRequestConflict", nil, false, 0, 0, ""},
		{`on s3 : throttle`, "PutObject", "SlowDown", nil, true, 0, 0, ""},
	} {
		t.Run(c.rule, func(t *testing.T) {
			virtually(t, func(ctx context.Context) {
				ctx, end := Node(ctx, "node")
				defer end()
				rules := mustParse(t, c.rule)
				in := New(ctx, rules, DefaultConfig())
				d := direct{new(atomic.Int64), new(atomic.Int64), 3}
				answer, err := Run(ctx, in, Request{rules[0].Service, c.operation, nil}, d)
				var api smithy.APIError
				switch {
				case c.code != "" && (!errors.As(err, &api) || api.ErrorCode() != c.code):
					t.Errorf("%v, want %s", err, c.code)
				case c.cause != nil && !errors.Is(err, c.cause):
					t.Errorf("%v, want %v", err, c.cause)
				case c.code == "" && c.cause == nil && err != nil:
					t.Error(err)
				}
				if answer != c.answer {
					t.Errorf("answer %q, want %q", answer, c.answer)
				}
				if got := err != nil && retry.Retryable(err); got != c.retryable {
					t.Errorf("retryable: %v", got)
				}
				if err := in.Wait(); err != nil {
					t.Error(err)
				}
				if d.sent.Load() != c.sent || d.dropped.Load() != c.dropped {
					t.Errorf("%d sent, %d dropped, want %d and %d", d.sent.Load(), d.dropped.Load(), c.sent, c.dropped)
				}
				if got, want := in.Counts(), (Counts{c.sent, 1 - c.sent}); got != want {
					t.Errorf("%+v, want %+v", got, want)
				}
			})
		})
	}
}

func TestRequestUnderAnEndedContextIsStopped(t *testing.T) {
	why := errors.New("over")
	ctx, cancel := task.WithCancel(t.Context())
	cancel(why)
	in := New(t.Context(), nil, DefaultConfig())
	d := direct{new(atomic.Int64), new(atomic.Int64), 1}
	if _, err := Run(ctx, in, Request{Service: S3}, d); !errors.Is(err, why) || d.sent.Load() != 0 {
		t.Errorf("%v, %d sent", err, d.sent.Load())
	}
	if got, want := in.Counts(), (Counts{Stopped: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// Many tasks on real time: counts must add up, and the race detector must have
// nothing to say.
func TestManyTasksOnRealTime(t *testing.T) {
	const tasks, requests = 8, 100
	in := New(t.Context(), mustParse(t, "on s3 every 3 : error-before\non s3 every 5 : timeout 1ms lands 2ms"), DefaultConfig())
	c := in.HTTPClient(okClient{})
	g := task.NewGroup(t.Context(), 0)
	for range tasks {
		g.Go("client", func(ctx context.Context) error {
			for range requests {
				req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://s3.local/bucket/key", nil)
				if err != nil {
					return err
				}
				if resp, err := c.Do(req); err == nil {
					_ = resp.Body.Close()
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	if err := in.Wait(); err != nil {
		t.Fatal(err)
	}
	// Every third of 800 is stopped; every fifth lands late unless it is a third.
	if got, want := in.Counts(), (Counts{Forwarded: 534, Stopped: 266}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
