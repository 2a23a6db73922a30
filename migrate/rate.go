package migrate

import (
	"context"
	"time"

	"github.com/lakebench/lakebench/internal/sim/task"
)

// A pacer holds work back so that it is done at a rate.
type pacer struct {
	perSecond float64 // 0: no bound
	begun     time.Time
	done      float64
}

func newPacer(ctx context.Context, perSecond float64) *pacer {
	return &pacer{perSecond: perSecond, begun: task.Now(ctx)}
}

// wait waits until what came before is due, and books n. It is for one task.
func (p *pacer) wait(ctx context.Context, n int) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if p.perSecond == 0 {
		return nil
	}
	due := p.begun.Add(time.Duration(p.done / p.perSecond * float64(time.Second)))
	p.done += float64(n)
	if ahead := due.Sub(task.Now(ctx)); ahead > 0 {
		return task.Sleep(ctx, ahead)
	}
	return nil
}
