package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/meter"
	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/run/load"
)

// Workers look for each other this often and this long: whoever is not there by
// then has probably failed.
const (
	meetEvery = 200 * time.Millisecond
	meetLimit = 10 * time.Minute
)

// The stages at which workers meet.
const (
	stageOpen   = "there"  // the first one has made the place to meet
	stageLoaded = "loaded" // the first one has set up a point for all
	stageReady  = "ready"  // to measure
	stageDone   = "done"   // what was set up may go
)

// ErrStarted reports that workers have met under the same name before.
var ErrStarted = errors.New("workers have started under this name before; choose another")

// meeting is where the workers of a run meet: in a table or a bucket beside what
// is under test, on the same service, so that nothing of it is in what is
// measured.
type meeting struct {
	run     *run
	backend *backend.Backend
	meter   *meter.Meter
	place   place
	point   int // at which this worker is; 0 before the first
}

// A place holds notes, each under a name of its own.
type place interface {
	// open makes the place; ErrStarted reports that it exists already.
	open(ctx context.Context) error
	// join names the place that another worker makes.
	join()
	// leave leaves a note.
	leave(ctx context.Context, name string) error
	// has reports whether a note is there; without the place there is none.
	has(ctx context.Context, name string) (bool, error)
}

// meet makes the place to meet, or waits until it is made; nil if the worker meets
// no others.
func (r *run) meet(ctx context.Context) (*meeting, error) {
	if !r.cfg.Worker.Meet {
		return nil, nil
	}
	b, err := r.cfg.Meet(ctx)
	if err != nil {
		return nil, err
	}
	m := &meeting{run: r, backend: b}
	if m.meter, err = newMeter(b, r.cfg.Trace); err == nil {
		err = m.begin(cause.With(ctx, cause.Setup))
	}
	if err != nil {
		return nil, errors.Join(b.Classify(err), b.Close(context.WithoutCancel(ctx)))
	}
	return m, nil
}

// begin opens the place. Workers that set up each its own start together once.
func (m *meeting) begin(ctx context.Context) error {
	if m.run.cfg.Workload.OnS3 {
		m.place = &bucketPlace{backend: m.backend, client: m.backend.S3(m.meter)}
	} else {
		m.place = &tablePlace{backend: m.backend, client: m.backend.DynamoDB(m.meter)}
	}
	if err := m.enter(ctx); err != nil || m.run.cfg.sharesServices() {
		return err
	}
	return m.together(ctx, stageReady)
}

// enter opens the place, or waits until the first worker has.
func (m *meeting) enter(ctx context.Context) error {
	if m.run.cfg.Worker.Index > 1 {
		m.place.join()
		return m.wait(ctx, stageOpen, 1)
	}
	if err := m.place.open(ctx); err != nil {
		return err
	}
	return m.arrive(ctx, stageOpen)
}

// end books what meeting took, and leaves; the first worker, which removes the
// place, when all have measured.
func (m *meeting) end(ctx context.Context, measured bool) error {
	if m == nil {
		return nil
	}
	var err error
	if measured && ctx.Err() == nil {
		m.point = 0
		err = m.finish(cause.With(ctx, cause.Setup))
	}
	m.run.settle("meeting", nil, m.meter)
	return errors.Join(m.backend.Classify(err), m.backend.Close(context.WithoutCancel(ctx)))
}

// loaded waits, at a point that workers share, for the first one to set it up.
func (m *meeting) loaded(ctx context.Context, point int) error {
	if m == nil || !m.run.cfg.sharesServices() {
		return nil
	}
	m.point = point
	if !m.run.cfg.SetUpElsewhere() {
		return nil
	}
	return m.wait(ctx, stageLoaded, 1)
}

// start says that this worker has set up what it needs at a shared point, and
// waits for the others.
func (m *meeting) start(ctx context.Context) error {
	if m == nil || !m.run.cfg.sharesServices() {
		return nil
	}
	if !m.run.cfg.SetUpElsewhere() {
		if err := m.arrive(ctx, stageLoaded); err != nil {
			return err
		}
	}
	return m.together(ctx, stageReady)
}

// leave says that this worker has measured a shared point.
func (m *meeting) leave(ctx context.Context) error {
	if m == nil || !m.run.cfg.sharesServices() {
		return nil
	}
	return m.finish(ctx)
}

// finish says that this worker has measured; the first one, which is going to
// remove what all of them used, waits for all.
func (m *meeting) finish(ctx context.Context) error {
	if m.run.cfg.Worker.Index > 1 {
		return m.arrive(ctx, stageDone)
	}
	return m.together(ctx, stageDone)
}

// arrive says that this worker is at a stage.
func (m *meeting) arrive(ctx context.Context, stage string) error {
	if err := m.place.leave(ctx, m.note(stage, m.run.cfg.Worker.Index)); err != nil {
		return fmt.Errorf("worker %v, %s: %w", m.run.cfg.Worker, stage, err)
	}
	return nil
}

func (m *meeting) note(stage string, worker int) string {
	return fmt.Sprintf("worker/%d/%s/%d", m.point, stage, worker)
}

// together arrives at a stage and waits for all workers.
func (m *meeting) together(ctx context.Context, stage string) error {
	if err := m.arrive(ctx, stage); err != nil {
		return err
	}
	return m.wait(ctx, stage, m.run.cfg.Worker.Of)
}

// wait waits until the first n workers are at a stage.
func (m *meeting) wait(ctx context.Context, stage string, workers int) error {
	began := task.Now(ctx)
	here := 0 // workers seen, from the first
	for {
		missing, err := m.missing(ctx, stage, here+1, workers)
		if err != nil || len(missing) == 0 {
			return err
		}
		here = missing[0] - 1
		m.progress(fmt.Sprintf("waiting for %d workers to be %s", len(missing), stage), workers-len(missing), workers)
		if task.Now(ctx).Sub(began) > meetLimit {
			return fmt.Errorf("worker %v waited %v for these to be %s: %s", m.run.cfg.Worker, meetLimit, stage, strings.Trim(fmt.Sprint(missing), "[]"))
		}
		if err := task.Sleep(ctx, meetEvery); err != nil {
			return err
		}
	}
}

// missing names the workers that are not at a stage yet.
func (m *meeting) missing(ctx context.Context, stage string, first, last int) ([]int, error) {
	var missing []int
	for i := first; i <= last; i++ {
		there, err := m.place.has(ctx, m.note(stage, i))
		if err != nil {
			return nil, fmt.Errorf("worker %v looks for others: %w", m.run.cfg.Worker, err)
		}
		if !there {
			missing = append(missing, i)
		}
	}
	return missing, nil
}

func (m *meeting) progress(stage string, done, total int) {
	if f := m.run.cfg.Progress; f != nil {
		f(Progress{Point: max(m.point, 1), Points: load.Count(m.run.axes), Stage: stage, Done: int64(done), Total: int64(total)})
	}
}
