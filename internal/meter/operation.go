package meter

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/lakebench/lakebench/internal/sim/task"
)

// OperationOutcome is how a logical operation ended.
type OperationOutcome uint8

// The outcomes of logical operations.
const (
	OperationOK OperationOutcome = iota
	OperationFailed
	// OperationUnknown is an operation that may or may not have had its effect.
	OperationUnknown
)

// ClassifyOperation knows nothing of what the operation's errors mean: no error
// is OK, one of a context that ended is unknown, any other failed.
func ClassifyOperation(err error) OperationOutcome {
	switch {
	case err == nil:
		return OperationOK
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return OperationUnknown
	default:
		return OperationFailed
	}
}

// maxLatency is the longest time that a histogram tells from longer ones.
const maxLatency = time.Hour

type operationKey struct{ phase, name string }

// operation holds the counts and times of one kind of logical operation.
type operation struct {
	mu                sync.Mutex // never held over a yield
	outcomes          [3]int64   // by OperationOutcome
	service, response Histogram
}

// Histogram is a distribution of times in nanoseconds, from 0 to an hour.
type Histogram struct {
	HDR *hdrhistogram.Histogram
	// Clamped counts the times that were out of range. They are recorded at the
	// end of the range that they are beyond, so none is lost.
	Clamped int64
}

func newHistogram(significantDigits int) Histogram {
	return Histogram{HDR: hdrhistogram.New(1, int64(maxLatency), significantDigits)}
}

func (h *Histogram) record(d time.Duration) {
	in := min(max(d, 0), maxLatency)
	if in != d {
		h.Clamped++
	}
	if err := h.HDR.RecordValue(int64(in)); err != nil {
		// The range is the histogram's own; Reconcile would miss this time.
		h.Clamped++
	}
}

// Operation runs fn as one logical operation and counts it by its outcome. It
// keeps two times: service time, since fn began, and response time, since the
// operation was scheduled: the two differ when it began late because the one
// before took long, and then response time is what a user would have seen. Both
// are kept whatever the outcome. A zero scheduled means now.
func (m *Meter) Operation(ctx context.Context, name string, scheduled time.Time, fn func(context.Context) error) error {
	began := task.Now(ctx)
	if scheduled.IsZero() {
		scheduled = began
	}
	err := fn(ctx)
	ended := task.Now(ctx)
	o := lookUp(m, m.operations, operationKey{phaseOf(ctx), name}, func() *operation {
		return &operation{service: newHistogram(m.cfg.SignificantDigits), response: newHistogram(m.cfg.SignificantDigits)}
	})
	o.mu.Lock()
	defer o.mu.Unlock()
	o.outcomes[m.cfg.Classify(err)]++
	o.service.record(ended.Sub(began))
	o.response.record(ended.Sub(scheduled))
	return err
}
