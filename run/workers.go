package run

import (
	"errors"
	"fmt"

	"github.com/lakebench/lakebench/run/load"
)

// MaxWorkers bounds the workers of a run.
const MaxWorkers = 1000

// A Worker is one of several processes that divide a run. Their results are put
// together by results.Merge.
//
// Where what an operation costs does not depend on those before it, every worker
// measures its part of the operations, at every point, in every repeat and phase.
// All other workloads are dealt out by series: a variant at a point, with all of
// its repeats, is one worker's, and nothing that others do is in it. Either way
// the parts put together are what one worker measures.
type Worker struct {
	// Index is its number, from 1, and Of how many there are; 0 is a run that is
	// whole.
	Index, Of int
	// Meet reports whether they work on one endpoint, and start together (Config.Meet).
	// Without it each has services of its own.
	Meet bool
}

// A Division is how workers divide a workload.
type Division string

// The divisions.
const (
	ByOperation Division = "operations" // every worker has its part of each series
	BySeries    Division = "series"     // every series is one worker's
)

// Division returns how workers divide the workload.
func (w *Workload) Division() Division {
	if w.Divisible {
		return ByOperation
	}
	return BySeries
}

// String returns "2/4".
func (w Worker) String() string { return fmt.Sprintf("%d/%d", w.Index, w.Of) }

// ParseWorker reads what String returns.
func ParseWorker(text string) (Worker, error) {
	var w Worker
	if n, err := fmt.Sscanf(text, "%d/%d", &w.Index, &w.Of); n != 2 || err != nil || w.String() != text || w.validate() != nil {
		return Worker{}, fmt.Errorf("worker %q: expected its number and how many there are, such as 2/4", text)
	}
	return w, nil
}

func (w Worker) validate() error {
	if w.Index == 0 && w.Of == 0 && !w.Meet {
		return nil
	}
	if w.Index < 1 || w.Index > w.Of || w.Of > MaxWorkers {
		return fmt.Errorf("worker is %v, expected 1 to %d of as many", w, MaxWorkers)
	}
	return nil
}

// checkWorker refuses workers for whom there is nothing to do, or nowhere to meet.
func (c Config) checkWorker() error {
	if err := c.Worker.validate(); err != nil {
		return fmt.Errorf("workload %s: %w", c.Workload.Name, err)
	}
	if c.Worker.Meet && c.Meet == nil {
		return errors.New("workloads: workers that meet, and no place for it")
	}
	series := load.Count(c.Workload.Axes(c.Params)) * len(c.Variants)
	if c.Workload.Division() == BySeries && c.Worker.Of > series {
		return fmt.Errorf("workload %s: this workload can only be split by series; it has %d series, too few for %d workers",
			c.Workload.Name, series, c.Worker.Of)
	}
	return nil
}

// sharesServices reports whether all workers measure what one of them sets up.
func (c Config) sharesServices() bool { return c.Worker.Meet && c.Workload.Division() == ByOperation }

// SetUpElsewhere reports whether another worker sets up what this one measures.
func (c Config) SetUpElsewhere() bool { return c.sharesServices() && c.Worker.Index > 1 }

// variantsAt returns the variants that this worker measures at the n-th point, from 1:
// series are assigned in turn.
func (c Config) variantsAt(n int) []Variant {
	if c.Worker.Of == 0 || c.Workload.Division() == ByOperation {
		return c.Variants
	}
	var mine []Variant
	for i, v := range c.Variants {
		if ((n-1)*len(c.Variants)+i)%c.Worker.Of == c.Worker.Index-1 {
			mine = append(mine, v)
		}
	}
	return mine
}

// divides has a driver run this worker's part of its operations.
func (c Config) divides(d load.Closed) load.Closed {
	if c.Worker.Of > 0 && c.Workload.Division() == ByOperation {
		d.Worker, d.Workers = c.Worker.Index-1, c.Worker.Of
	}
	return d
}
