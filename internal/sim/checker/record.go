package checker

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/lakebench/lakebench/internal/sim/task"
)

// A Recorder writes down operations as they happen. Any number of tasks may use
// one.
//
// It knows neither the store nor its errors: whoever wraps a store calls Begin
// before each operation and End with what became of it (the package's example
// shows the classification of store's errors).
type Recorder struct {
	mu      sync.Mutex // never held over a yield
	start   time.Time
	seq     int64
	initial []Entry
	ops     []*Pending
}

// NewRecorder returns a recorder of a history that begins now, with the store
// holding initial.
func NewRecorder(ctx context.Context, initial ...Entry) *Recorder {
	return &Recorder{start: task.Now(ctx), initial: initial}
}

// Pending is an operation that was called and has not ended.
type Pending struct {
	recorder *Recorder
	op       Operation
}

// Begin records that actor calls an operation. It must come before any part of
// the operation's work.
func (r *Recorder) Begin(ctx context.Context, actor string, c Call) *Pending {
	p := &Pending{recorder: r, op: Operation{Actor: actor, Call: c, Answer: Answer{Outcome: unanswered(c.Kind)}}}
	r.mu.Lock()
	defer r.mu.Unlock()
	p.op.Invoked = r.moment(ctx)
	r.ops = append(r.ops, p)
	return p
}

// unanswered is the outcome of an operation as long as it has not ended, which
// is for ever if its actor crashes.
func unanswered(k Kind) Outcome {
	if k == Get {
		return Refused
	}
	return Unknown
}

// End records the answer. It must come after all of the operation's work, and
// once.
func (p *Pending) End(ctx context.Context, a Answer) {
	p.recorder.mu.Lock()
	defer p.recorder.mu.Unlock()
	if p.op.Returned != (Moment{}) {
		panic("checker: operation ended twice: " + p.op.String())
	}
	p.op.Answer = a
	p.op.Returned = p.recorder.moment(ctx)
}

// moment reads the clock under the lock, so that time follows Seq.
func (r *Recorder) moment(ctx context.Context) Moment {
	r.seq++
	return Moment{Seq: r.seq, At: task.Since(ctx, r.start)}
}

// Len returns how many operations were called so far.
func (r *Recorder) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.ops)
}

// History returns what was recorded so far.
func (r *Recorder) History() History {
	r.mu.Lock()
	defer r.mu.Unlock()
	h := History{Initial: slices.Clone(r.initial), Operations: make([]Operation, len(r.ops))}
	for i, p := range r.ops {
		h.Operations[i] = p.op
	}
	return h
}
