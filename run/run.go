package run

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/internal/backend/fault"
	"github.com/lakebench/lakebench/internal/meter"
	"github.com/lakebench/lakebench/internal/price"
	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/run/load"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/wal"
)

// maxRepeats bounds the repeats of a run.
const maxRepeats = 1000

// A Config says what to run, and on what.
type Config struct {
	Workload *Workload
	Params   Params
	// Variants are those of the workload to measure, at least one.
	Variants []Variant
	// Seed is what the operations are made from, with the workload's name,
	// version and parameters.
	Seed uint64
	// Repeats is how often each variant is measured at each point, 1 to
	// maxRepeats.
	Repeats int
	// Prices turn units into dollars.
	Prices price.Table
	// Open opens the services that a point is measured on. On the embedded ones
	// every point gets services of its own.
	Open func(context.Context) (*backend.Backend, error)
	// Virtual runs on the virtual clock: time passes as Open's services say, every
	// workload is deterministic, and Seed decides the order of tasks as well.
	Virtual bool
	// Faults are injected into what is measured; setting up is spared. An
	// operation that fails because of them is counted as failed, and the run goes
	// on.
	Faults fault.Rules
	// Source is the input that is not generated; the zero Source generates.
	Source Source
	// Worker says which part of the run this process measures; the zero Worker
	// measures all.
	Worker Worker
	// Meet opens the services on which workers meet, under a name that all of them
	// have and no run before them. Where they share what they measure, Open does so
	// under the same name, else each under one of its own.
	Meet func(context.Context) (*backend.Backend, error)
	// Lakebench and RunID go into the document as they are.
	Lakebench results.Lakebench
	RunID     string
	// Tokens is where request tokens come from on an endpoint, whose account takes
	// one that it has seen within ten minutes for a repetition, whoever sends it
	// (see write.Config): crypto/rand, in a form that several tasks may use. The
	// embedded services start empty; there the seed decides.
	Tokens rand.Source
	// Progress, if not nil, hears of what goes on. It must be quick.
	Progress func(Progress)
	// Trace, if not nil, gets every request in the order in which they end. It
	// must be quick, and may be called from several tasks at once.
	Trace func(meter.TraceRecord)
	// Recorded, if not nil, gets the operations of each repeat that were recorded
	// for the checker. An error ends the run.
	Recorded func(Recording) error
	// observe gets the requests of each series as Trace does.
	observe func(seriesKey, meter.TraceRecord)
}

// Progress is how far a run has come.
type Progress struct {
	// Point and Points count the points of the sweep; Point starts at 1.
	Point, Points int
	// Stage says what is being done now, such as "loading v1".
	Stage string
	// Done of Total parts of the stage are done; Total is 0 if unknown.
	Done, Total int64
}

// An InconclusiveError reports which checks came to no verdict: the run is neither
// proved valid nor invalid.
type InconclusiveError struct{ Problems []string }

func (e *InconclusiveError) Error() string {
	return "the run is inconclusive: " + strings.Join(e.Problems, "; ")
}

// An InvalidError says why a run proves nothing: a check failed, ledgers
// disagree, or nothing was measured.
type InvalidError struct{ Problems []string }

func (e *InvalidError) Error() string {
	return "the run is invalid: " + strings.Join(e.Problems, "; ")
}

// Validate reports the first thing that is wrong with the configuration.
func (c Config) Validate() error {
	switch {
	case c.Workload == nil:
		return errors.New("workloads: no workload given")
	case len(c.Variants) == 0:
		return fmt.Errorf("workload %s: no variant given", c.Workload.Name)
	case c.Repeats < 1 || c.Repeats > maxRepeats:
		return fmt.Errorf("workload %s: repeats is %d; allowed is 1 to %d", c.Workload.Name, c.Repeats, maxRepeats)
	case c.Open == nil:
		return errors.New("workloads: no backend given")
	case c.Source.Given() && !c.Workload.Imports:
		return fmt.Errorf("workload %s: it generates what it measures", c.Workload.Name)
	}
	if err := c.checkWorker(); err != nil {
		return err
	}
	if c.Workload.Check != nil {
		return c.Workload.Check(c)
	}
	return nil
}

// Run measures and returns the result document.
//
// If ctx ends, what was measured so far comes back as a partial document beside
// the context's cause. If the run turns out to prove nothing the document comes
// back beside an *InvalidError, so that it can be looked at.
func Run(ctx context.Context, cfg Config) (doc *results.Document, err error) {
	r := &run{cfg: cfg}
	if !cfg.Virtual {
		return r.execute(ctx)
	}
	_, runErr := task.Run(ctx, task.VirtualConfig{Seed: cfg.Seed}, func(ctx context.Context) error {
		doc, err = r.execute(ctx)
		return nil
	})
	return doc, errors.Join(err, runErr)
}

// execute is Run on ctx's clock.
func (r *run) execute(ctx context.Context) (*results.Document, error) {
	if err := r.cfg.Validate(); err != nil {
		return nil, err
	}
	r.axes = r.cfg.Workload.Axes(r.cfg.Params)
	if len(r.cfg.Faults) > 0 {
		r.faults = fault.New(ctx, r.cfg.Faults, fault.Config{Seed: r.cfg.Seed})
	}
	started := task.Now(ctx)
	err := r.points(ctx)
	interrupted := ctx.Err() != nil
	if err != nil && !interrupted {
		return nil, err
	}
	doc, docErr := r.document(ctx, started, interrupted)
	if docErr != nil {
		return nil, docErr
	}
	if interrupted {
		return doc, fmt.Errorf("interrupted after %d of %d points: %w", r.finished, load.Count(r.axes), context.Cause(ctx))
	}
	return doc, Validity(doc)
}

// Validity returns nil if doc holds measurements all of whose checks passed or
// were skipped with a reason, an *InconclusiveError if some of them came to no
// verdict, else an *InvalidError.
func Validity(doc *results.Document) error {
	var problems, open []string
	if len(doc.Series) == 0 {
		problems = append(problems, "nothing was measured")
	}
	for _, c := range doc.Checks {
		switch c.Status {
		case results.Failed:
			problems = append(problems, fmt.Sprintf("check %q failed: %s", c.Name, c.Detail))
		case results.Inconclusive:
			open = append(open, fmt.Sprintf("check %q came to no verdict: %s", c.Name, c.Detail))
		case results.Passed, results.Skipped:
		}
	}
	switch {
	case len(problems) > 0:
		return &InvalidError{problems}
	case len(open) > 0:
		return &InconclusiveError{open}
	}
	return nil
}

// Axes returns the swept parameters in the workload's order.
func (w *Workload) Axes(p Params) []load.Axis {
	var axes []load.Axis
	for _, param := range w.Params {
		if param.Swept {
			axes = append(axes, load.Axis{Name: param.Name, Values: p[param.Name]})
		}
	}
	return axes
}

// run is the state of Run.
type run struct {
	cfg      Config
	axes     []load.Axis
	finished int             // points
	usd      float64         // what all requests cost, those of setting up included
	attempts int64           // likewise
	lost     int64           // attempts whose reply was lost, but not by a fault
	faults   *fault.Injector // nil: none
	meeting  *meeting        // nil: no meeting
	backend  results.Backend
	series   []results.Series
	checks   CheckList
	warnings []string
}

func (r *run) points(ctx context.Context) (err error) {
	if r.meeting, err = r.meet(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.meeting.end(ctx, err == nil)) }()
	n := 0
	for p := range load.Points(r.axes) {
		n++
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if variants := r.cfg.variantsAt(n); len(variants) > 0 {
			if err := r.point(ctx, n, p, variants); err != nil {
				return err
			}
		}
		r.finished++
	}
	return nil
}

// point sets up a point, measures variants in it, and takes it down again, also
// when something failed or ctx ended.
func (r *run) point(ctx context.Context, n int, p load.Point, variants []Variant) (err error) {
	b, err := r.cfg.Open(ctx)
	if err != nil {
		return err
	}
	defer func() {
		// A fresh context: what was made is removed after an interrupt as well.
		err = errors.Join(b.Classify(err), b.Close(context.WithoutCancel(ctx)))
	}()
	if b.Kind() == backend.Endpoint && r.cfg.Tokens == nil {
		return errors.New("workloads: no source of request tokens for an endpoint")
	}
	r.backend = results.Backend(b.Describe())
	setup, err := newMeter(b, r.cfg.Trace)
	if err != nil {
		return err
	}
	s := &Site{run: r, Config: r.cfg, Faults: r.faults, Backend: b, Number: n, Point: p, Variants: variants, setup: setup}
	if err := r.meeting.loaded(s.Setup(ctx), n); err != nil {
		return err
	}
	sub, err := r.cfg.Workload.Prepare(s.Setup(ctx), s)
	if err != nil {
		return err
	}
	if err := r.meeting.start(s.Setup(ctx)); err != nil {
		return err
	}
	// Variants alternate within a repeat, so that a machine that slows down slows
	// all of them.
	for repeat := range r.cfg.Repeats {
		for _, v := range s.Variants {
			s.Progress(fmt.Sprintf("measuring %s", v.Name), int64(repeat), int64(r.cfg.Repeats))
			if err := r.measure(ctx, s, sub, v.Name, repeat); err != nil {
				return err
			}
		}
	}
	checks, err := sub.Checks(s.Setup(ctx))
	if err != nil {
		return err
	}
	r.checks.Add(checks...)
	if err := r.meeting.leave(s.Setup(ctx)); err != nil {
		return err
	}
	r.settle("setting up", p, s.setup)
	return nil
}

// tracer returns what is to hear of the requests of a repeat; nil if nothing listens.
func (r *run) tracer(rec *Recorder) (func(meter.TraceRecord), error) {
	point, err := results.NewPoint(rec.Point)
	if err != nil {
		return nil, err
	}
	listeners := []func(meter.TraceRecord){}
	if r.cfg.Trace != nil {
		listeners = append(listeners, r.cfg.Trace)
	}
	if r.cfg.observe != nil {
		k := seriesKey{rec.Variant, point.String()}
		listeners = append(listeners, func(t meter.TraceRecord) { r.cfg.observe(k, t) })
	}
	if r.cfg.Workload.Traces {
		listeners = append(listeners, func(t meter.TraceRecord) {
			if rec.Watch != nil {
				rec.Watch(t)
			}
		})
	}
	if len(listeners) == 0 {
		return nil, nil
	}
	return func(t meter.TraceRecord) {
		for _, hear := range listeners {
			hear(t)
		}
	}, nil
}

// newMeter returns a meter for a backend's clients that knows the outcomes of a
// store's operations.
func newMeter(b *backend.Backend, trace func(meter.TraceRecord)) (*meter.Meter, error) {
	cfg := b.MeterConfig(trace)
	cfg.Classify = func(err error) meter.OperationOutcome {
		if errors.Is(err, store.ErrUnknown) || errors.Is(err, wal.ErrUnknown) {
			return meter.OperationUnknown
		}
		return meter.ClassifyOperation(err)
	}
	return meter.New(cfg)
}

// settle closes the books of a meter: its ledgers must agree, and what it
// counted has its price.
func (r *run) settle(what string, p load.Point, m *meter.Meter) {
	r.checks.ledgers(what, p, m.Reconcile())
	for _, phase := range m.Phases() {
		t := m.Ledger(phase).Total()
		r.attempts += t.Attempts
		r.lost += t.Lost
		r.usd += r.cfg.Prices.Units(t.Units)
	}
}

func (r *run) measure(ctx context.Context, s *Site, sub Subject, variant string, repeat int) error {
	rec := &Recorder{Site: s, Variant: variant, Repeat: repeat, Metrics: map[string]float64{}}
	trace, err := r.tracer(rec)
	if err != nil {
		return err
	}
	if rec.Meter, err = newMeter(s.Backend, trace); err != nil {
		return err
	}
	err = sub.Measure(ctx, rec)
	if r.faults != nil {
		// Requests that land late belong to this repeat.
		err = errors.Join(err, r.faults.Wait())
	}
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("%s at %v: %w", variant, s.Point, err)
	}
	if err != nil {
		return err // interrupted: half a repeat is no measurement
	}
	series, err := rec.series(r.cfg.Workload.AllMetrics(), r.cfg.Prices)
	if err != nil {
		return err
	}
	r.series = append(r.series, series...)
	r.settle(variant, s.Point, rec.Meter)
	return r.judge(ctx, rec)
}
