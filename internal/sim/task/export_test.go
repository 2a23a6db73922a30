package task

import "context"

// Waiter and NewWaiter let tests build locks and queues that are wrong.
type Waiter interface {
	Wait(ctx context.Context) error
	Wake()
}

type exported struct{ waiter }

func (e exported) Wait(ctx context.Context) error { return e.wait(ctx) }
func (e exported) Wake()                          { e.wake() }

func NewWaiter(ctx context.Context, what string, on any) Waiter {
	return exported{from(ctx).waiter(ctx, what, on)}
}

// Polled is the number of contexts that a virtual run looks at in every step; 0
// on real time.
func Polled(ctx context.Context) int {
	if r, ok := from(ctx).(*virtual); ok {
		return r.polled.len()
	}
	return 0
}
