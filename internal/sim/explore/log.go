package explore

import (
	"context"
	"time"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/sim/task"
)

// A Log is what happened in one run: operations, and under each of them the
// requests and faults that belong to it. A nil Log takes nothing. Only tasks of
// that run write to it, one at a time.
type Log struct {
	start  time.Time
	events []event
}

// An event is one line of a timeline.
type event struct {
	at        time.Duration
	actor     string
	operation int  // outside is none
	inner     bool // within the operation
	text      string
}

// outside is the operation of what belongs to none.
const outside = -1

func newLog(ctx context.Context) *Log { return &Log{start: task.Now(ctx)} }

type operationKey struct{}

// Operation notes the beginning of an operation and returns the context for what
// belongs to it. Its number is the caller's: Check.Operations refers to it.
func (l *Log) Operation(ctx context.Context, number int, text string) context.Context {
	if l == nil {
		return ctx
	}
	ctx = context.WithValue(ctx, operationKey{}, number)
	l.add(ctx, false, text)
	return ctx
}

// End notes what became of the operation of ctx.
func (l *Log) End(ctx context.Context, text string) {
	if l != nil {
		l.add(ctx, false, text)
	}
}

// Note notes something within the operation of ctx: a request, an answer, a
// fault.
func (l *Log) Note(ctx context.Context, text string) {
	if l != nil {
		l.add(ctx, true, text)
	}
}

// Replace is Note in the place of the last line, if that is what Note of old would
// add now: when more is known about what it says.
func (l *Log) Replace(ctx context.Context, old, text string) {
	if l == nil {
		return
	}
	if last := len(l.events) - 1; last >= 0 && l.events[last] == l.event(ctx, true, old) {
		l.events = l.events[:last]
	}
	l.add(ctx, true, text)
}

// Wanted reports whether anything is taken: who would have to make up a text need
// not.
func (l *Log) Wanted() bool { return l != nil }

func (l *Log) add(ctx context.Context, inner bool, text string) {
	l.events = append(l.events, l.event(ctx, inner, text))
}

func (l *Log) event(ctx context.Context, inner bool, text string) event {
	number, ok := ctx.Value(operationKey{}).(int)
	if !ok {
		number = outside
	}
	return event{task.Since(ctx, l.start), cause.Actor(ctx), number, inner, text}
}
