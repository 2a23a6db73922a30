package workloads

import (
	"context"
	"fmt"

	"github.com/lakebench/lakebench/internal/sim/checker"
	"github.com/lakebench/lakebench/results"
)

// checkLinearizable is made of every history that was recorded.
const checkLinearizable = "the recorded operations are linearizable"

// A Recording is what the clients of one repeat of one variant asked and were
// told, and what the checker makes of it.
type Recording struct {
	Variant string
	Point   results.Point
	Repeat  int
	History checker.History
	Result  checker.Result
}

// Name names the recording among all of its run, in a form that a file can have.
func (r Recording) Name() string {
	name := r.Variant
	for _, coordinate := range sortedPoint(r.Point) {
		name += "-" + coordinate
	}
	return fmt.Sprintf("%s-repeat=%d", name, r.Repeat)
}

// record begins the recording of what is asked of the stores that it is given to,
// which hold initial now.
func (r *recorder) record(ctx context.Context, initial []checker.Entry) *checker.Recorder {
	r.history = checker.NewRecorder(ctx, initial...)
	return r.history
}

// judge gives what was recorded in a repeat to the checker. Outcomes that nobody
// knows are left open, and a search that gives up is no pass.
func (r *run) judge(ctx context.Context, rec *recorder) error {
	if rec.history == nil {
		return nil
	}
	h := rec.history.History()
	res, err := checker.Check(ctx, h, checker.DefaultLimits())
	if err != nil {
		return err
	}
	r.checks.linearizable(rec, res)
	if r.cfg.Recorded == nil {
		return nil
	}
	point, err := results.NewPoint(rec.coordinates)
	if err != nil {
		return err
	}
	return r.cfg.Recorded(Recording{Variant: rec.variant, Point: point, Repeat: rec.repeat, History: h, Result: res})
}

// linearizable books a verdict. That of the run adds up what was checked.
func (l *checkList) linearizable(rec *recorder, res checker.Result) {
	c := results.Check{Name: checkLinearizable, Status: results.Status(res.Verdict)}
	if res.Verdict == checker.Passed {
		l.operations += int64(rec.history.Len())
		l.histories++
		c.Detail = fmt.Sprintf("%d operations in %d histories, unknown outcomes left open", l.operations, l.histories)
	} else {
		c.Detail = fmt.Sprintf("%s at %s, repeat %d: %s", rec.variant, pointText(rec.coordinates), rec.repeat, res.Detail)
	}
	l.add(c)
}
