package meter

import (
	"context"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	attempts "github.com/lakebench/lakebench/internal/attempt"
	"github.com/lakebench/lakebench/internal/counts"
	"github.com/lakebench/lakebench/internal/sim/task"
)

// A call is one call of a client.
type call struct {
	m        *Meter
	cell     *cell
	service  service
	api      string
	input    any
	attempts int   // begun
	number   int64 // from 1, for a trace
	// first is the attempt that nearly every call ends with.
	first attempt
}

// begin counts the call and returns its input as the service shall get it.
func (c *call) begin(ctx context.Context, serviceID, api string, input any) any {
	c.service, c.api, c.input = serviceOf(serviceID), api, input
	c.cell = c.m.cell(ctx, c.service.name(), api)
	if c.m.cfg.ReportCapacity {
		c.input = c.service.ask(input)
	}
	if c.m.cfg.Trace != nil {
		c.number = c.m.calls.Add(1)
	}
	c.cell.mu.Lock()
	c.cell.Calls++
	c.cell.mu.Unlock()
	return c.input
}

// end tells the call's error. A call that failed before its first attempt, on a
// missing parameter for instance, was never sent.
func (c *call) end(err error) {
	if err != nil && c.attempts == 0 {
		c.unsent()
	}
}

func (c *call) unsent() {
	c.cell.mu.Lock()
	c.cell.Unsent++
	c.cell.mu.Unlock()
}

// attempt counts a pass through the retry loop; all but the first are retries.
func (c *call) attempt(ctx context.Context) *attempt {
	c.attempts++
	a := &c.first
	if c.attempts > 1 {
		a = &attempt{}
		c.cell.mu.Lock()
		c.cell.Retries++
		c.cell.mu.Unlock()
	}
	a.Context, a.call, a.number = ctx, c, c.attempts
	return a
}

// An attempt is one pass through the retry loop, and the context of what it does:
// a context value of its own would be one more allocation on every call.
type attempt struct {
	context.Context
	call   *call
	number int // from 1
	// sent reports whether the HTTP client was asked to send the request.
	sent bool
	// at is when it was, if there is a trace.
	at time.Time
	// connected reports whether net/http had a connection for the request, written how
	// often it wrote the request, and served holds what the service said of it. All
	// are told from outside the call's task, and maybe after its end.
	connected atomic.Bool
	written   atomic.Int64
	served    atomic.Pointer[counts.Usage]
}

type attemptKey struct{}

func (a *attempt) Value(key any) any {
	if key == (attemptKey{}) {
		return a
	}
	return a.Context.Value(key)
}

func attemptFrom(ctx context.Context) *attempt {
	a, _ := ctx.Value(attemptKey{}).(*attempt)
	return a
}

// send counts the attempt as sent.
func (a *attempt) send() {
	a.sent = true
	if a.call.m.cfg.Trace != nil {
		a.at = task.Now(a)
	}
	c := a.call.cell
	c.mu.Lock()
	c.Attempts++
	c.mu.Unlock()
}

// watch returns a context below ctx in which net/http tells when it has a
// connection for the request, and when it wrote the request.
func (a *attempt) watch(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { a.connected.Store(true) },
		WroteRequest: func(i httptrace.WroteRequestInfo) {
			if i.Err == nil {
				a.written.Add(1)
			}
		},
	})
}

// end books how the attempt ended. One that failed without having been sent, and
// without an answer, was never sent; one that did not fail must have been, or
// the client is not metered, which Reconcile then shows.
func (a *attempt) end(output any, err error) {
	if !a.sent {
		if err != nil && attempts.Status(err) == 0 {
			a.call.unsent()
		}
		return
	}
	c := a.call
	outcome := c.outcome(output, err)
	var u counts.Usage
	if c.m.cfg.ReportCapacity {
		u = c.service.usage(c.api, c.input, output, err, outcome)
	}
	c.cell.mu.Lock()
	c.cell.Outcomes[outcome]++
	if _, injected := replyLost(err); outcome == ReplyLost && !injected {
		c.cell.Lost++
	}
	c.cell.Add(u)
	if written := a.written.Load(); written > 1 {
		c.cell.Repeats += written - 1
	}
	c.cell.mu.Unlock()
	if c.m.cfg.Trace != nil {
		c.m.trace(a, outcome, err, u)
	}
}

func (c *call) outcome(output any, err error) Outcome {
	switch {
	case err != nil:
		return classify(err)
	case c.service.absent(output):
		return Absent
	default:
		return OK
	}
}
