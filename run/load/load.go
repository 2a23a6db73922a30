// Package load drives operations against a store: how many at once, how many in
// all, what is warm-up and what is measured, and over which points of a sweep.
//
// A driver only decides when an operation starts. What it does, and how it is
// counted, is the caller's.
package load

import (
	"context"
	"fmt"
	"time"

	"github.com/lakebench/lakebench/internal/sim/task"
)

// Closed is a closed-loop driver: every client starts its next operation when
// its last one has returned. So the number in flight is bounded and the rate is
// whatever the service allows; a slow answer delays what follows it, which is
// why its response time starts when the operation does.
type Closed struct {
	// Clients is the number of operations in flight at once, at least 1.
	Clients int
	// Operations is the number of operations over all clients and workers, at least
	// 1.
	Operations int
	// Worker, from 0, is the driver's number among Workers in as many processes,
	// which divide the operations among them; 0 Workers is one. A worker may be left
	// without any.
	Worker, Workers int
}

// Validate reports the first field that is out of range.
func (c Closed) Validate() error {
	if c.Clients < 1 {
		return fmt.Errorf("load: clients is %d, expected at least 1", c.Clients)
	}
	if c.Operations < 1 {
		return fmt.Errorf("load: operations is %d, expected at least 1", c.Operations)
	}
	if c.Workers < 0 || c.Worker < 0 || c.Worker >= max(c.Workers, 1) {
		return fmt.Errorf("load: worker is %d of %d, expected 0 to one below", c.Worker, c.Workers)
	}
	return nil
}

// Start is what a driver tells an operation about itself.
type Start struct {
	// Client is the number of the client, from 0.
	Client int
	// Index is the number of the operation over all clients and workers, from 0.
	// Client c of n runs the indices c, c+n, c+2n, …, so which client runs which
	// operation does not depend on time. Worker w of m runs what is w, w+m, … of
	// these lines of n, so that m workers run what one does.
	Index int
	// Scheduled is when the operation was due. In a closed loop that is when it
	// starts.
	Scheduled time.Time
}

// Run runs the operations and returns the first error; the others are cancelled
// then.
func (c Closed) Run(ctx context.Context, op func(ctx context.Context, s Start) error) error {
	if err := c.Validate(); err != nil {
		return err
	}
	if c.Clients == 1 {
		return c.client(ctx, 0, op)
	}
	g := task.NewGroup(ctx, 0)
	for client := range min(c.Clients, c.Operations) {
		g.Go(fmt.Sprintf("client-%d", client), func(ctx context.Context) error {
			return c.client(ctx, client, op)
		})
	}
	return g.Wait()
}

func (c Closed) client(ctx context.Context, client int, op func(context.Context, Start) error) error {
	workers := max(c.Workers, 1)
	for i := client + c.Worker*c.Clients; i < c.Operations; i += c.Clients * workers {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := op(ctx, Start{Client: client, Index: i, Scheduled: task.Now(ctx)}); err != nil {
			return err
		}
	}
	return nil
}
