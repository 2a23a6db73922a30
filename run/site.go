package run

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/internal/backend/fault"
	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/meter"
	"github.com/lakebench/lakebench/internal/sim/checker"
	"github.com/lakebench/lakebench/run/load"
)

// A Site is a point of the sweep while it is measured: its services, and what a
// workload sets up there.
type Site struct {
	run      *run
	Config   Config
	Faults   *fault.Injector // nil: none
	Backend  *backend.Backend
	Number   int // of the point, from 1
	Point    load.Point
	Variants []Variant // that are measured here
	// setup counts what setting up and looking at the site costs. It is in no
	// metric, but its ledgers must agree as well.
	setup *meter.Meter
}

// Setup returns a context whose requests are labelled as set-up.
func (s *Site) Setup(ctx context.Context) context.Context {
	return cause.With(ctx, cause.Setup)
}

// SetupClient returns the client for setting up.
func (s *Site) SetupClient() *dynamodb.Client { return s.Backend.DynamoDB(s.setup) }

// Int returns a swept Integer parameter's value at this point.
func (s *Site) Int(name string) int64 { return s.Point[name].(int64) }

// Bool returns a swept Switch parameter's value at this point.
func (s *Site) Bool(name string) bool { return s.Point[name].(bool) }

// Progress reports how much of a stage is done.
func (s *Site) Progress(stage string, done, total int64) {
	if f := s.Config.Progress; f != nil {
		f(Progress{Point: s.Number, Points: load.Count(s.run.axes), Stage: stage, Done: done, Total: total})
	}
}

// Measures reports whether any of the variants is measured.
func (s *Site) Measures(variants ...string) bool {
	return slices.ContainsFunc(s.Variants, func(v Variant) bool { return slices.Contains(variants, v.Name) })
}

// PointText writes the coordinates of a point, sorted by name.
func PointText(p load.Point) string { return strings.Join(sortedPoint(p), " ") }

// sortedPoint writes the coordinates of a point by name.
func sortedPoint[V any](p map[string]V) []string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(p)) {
		parts = append(parts, fmt.Sprintf("%s=%v", name, p[name]))
	}
	return parts
}

// A Recorder measures one repeat of one variant at a site.
type Recorder struct {
	*Site
	Variant string
	Repeat  int
	Meter   *meter.Meter
	made    int // see Next
	// Metrics are the workload's own; those of the ledgers come by themselves.
	Metrics map[string]float64
	// History is what was asked and told, for the checker; nil if nothing recorded
	// it.
	History *checker.Recorder
	// watch, if not nil, hears of each request as it ends, if the workload traces.
	// It is called one at a time and must not wait.
	Watch func(meter.TraceRecord)
}

// Next numbers what a repeat makes, from 1.
func (r *Recorder) Next() int {
	r.made++
	return r.made
}

// Name names the repeat among all that is done at the site.
func (r *Recorder) Name() string { return fmt.Sprintf("%s %d", r.Variant, r.Repeat) }

// An Operation is a logical operation of a workload.
type Operation struct {
	Name string
	Do   func(context.Context) error
	// after, if not nil, looks at what the operation left, outside of its time. It
	// is not called after one that failed.
	After func(context.Context) error
	// tolerates, if not nil, says of an error whether it is counted and no reason
	// to end the run.
	Tolerates func(error) bool
}

// Client returns a client whose requests are counted for this repeat.
func (r *Recorder) Client() *dynamodb.Client {
	return r.Backend.DynamoDBUnder(r.Meter, r.Faults)
}

// Loop runs one phase: the driver's operations, as next names them.
func (r *Recorder) Loop(ctx context.Context, phase string, driver load.Closed, next func(load.Start) Operation) error {
	ctx = meter.InPhase(ctx, phase)
	driver = r.Config.divides(driver)
	return driver.Run(ctx, func(ctx context.Context, s load.Start) error {
		op := next(s)
		ctx = cause.WithActor(ctx, fmt.Sprintf("%s-%d", r.Variant, s.Client))
		err := r.Meter.Operation(ctx, op.Name, s.Scheduled, op.Do)
		tolerated := r.Faults != nil || op.Tolerates != nil && op.Tolerates(err)
		if err != nil && tolerated && ctx.Err() == nil {
			return nil // counted as failed
		}
		if err != nil {
			return err
		}
		r.Progress(fmt.Sprintf("measuring %s, %s", r.Variant, phase), int64(s.Index+1), int64(driver.Operations))
		if op.After == nil {
			return nil
		}
		return op.After(ctx)
	})
}
