package run

import (
	"context"
	"fmt"

	"github.com/lakebench/lakebench/internal/sim/checker"
	"github.com/lakebench/lakebench/results"
)

// LinearizableCheck is the name of the check of every recorded history.
const LinearizableCheck = "the recorded operations are linearizable"

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

// Record begins the recording of what is asked of the stores that it is given to,
// which hold initial now.
func (r *Recorder) Record(ctx context.Context, initial []checker.Entry) *checker.Recorder {
	r.History = checker.NewRecorder(ctx, initial...)
	return r.History
}

// judge gives what was recorded in a repeat to the checker. Outcomes that no caller
// knows are left open, and a search that gives up is no pass.
func (r *run) judge(ctx context.Context, rec *Recorder) error {
	if rec.History == nil {
		return nil
	}
	h := rec.History.History()
	res, err := checker.Check(ctx, h, checker.DefaultLimits())
	if err != nil {
		return err
	}
	r.checks.linearizable(rec, res)
	if r.cfg.Recorded == nil {
		return nil
	}
	point, err := results.NewPoint(rec.Point)
	if err != nil {
		return err
	}
	return r.cfg.Recorded(Recording{Variant: rec.Variant, Point: point, Repeat: rec.Repeat, History: h, Result: res})
}

// linearizable books a verdict. That of the run adds up what was checked.
func (l *CheckList) linearizable(rec *Recorder, res checker.Result) {
	c := results.Check{Name: LinearizableCheck, Status: results.Status(res.Verdict)}
	if res.Verdict == checker.Passed {
		l.operations += int64(rec.History.Len())
		l.histories++
		c.Detail = fmt.Sprintf("%d operations in %d histories, unknown outcomes left open", l.operations, l.histories)
	} else {
		c.Detail = fmt.Sprintf("%s at %s, repeat %d: %s", rec.Variant, PointText(rec.Point), rec.Repeat, res.Detail)
	}
	l.Add(c)
}
