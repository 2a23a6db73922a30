package fault

import (
	"context"
	"sync/atomic"
)

// A Delivery is the way of one attempt through an injector's rules. The ledgers
// have to know whether it reached the service: a request that a rule stops is an
// attempt that no service counts.
type Delivery struct {
	state   atomic.Int32
	stopped func(n int64)
}

// The states of a delivery. It leaves pending once: for delivered when the service
// gets the request, for stopped when its caller gets an answer before that.
const (
	pending int32 = iota
	delivered
	stopped
)

type deliveryKey struct{}

// Track begins the delivery of an attempt that is made under the context returned.
// stopped is called with 1 if the request does not reach the service before its
// caller has an answer, and with -1 if it reaches the service after that (effect
// "timeout").
func Track(ctx context.Context, stopped func(n int64)) (context.Context, *Delivery) {
	d := &Delivery{stopped: stopped}
	return context.WithValue(ctx, deliveryKey{}, d), d
}

// Answered ends a delivery: the caller has an answer or an error.
func (d *Delivery) Answered() {
	if d.state.CompareAndSwap(pending, stopped) {
		d.stopped(1)
	}
}

// Delivered tells the delivery of ctx, if there is one, that the service has got
// the request.
func Delivered(ctx context.Context) {
	d, ok := ctx.Value(deliveryKey{}).(*Delivery)
	if ok && !d.state.CompareAndSwap(pending, delivered) {
		d.stopped(-1)
	}
}
