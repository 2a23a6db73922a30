package workloads

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/meter"
	"github.com/lakebench/lakebench/internal/sim/checker"
	"github.com/lakebench/lakebench/run/load"
)

// A site is a point of the sweep while it is measured: its services, and what a
// workload sets up there.
type site struct {
	run         *run
	backend     *backend.Backend
	number      int // of the point, from 1
	coordinates load.Point
	variants    []Variant // that are measured here
	// setup counts what setting up and looking at the site costs. It is in no
	// metric, but its ledgers must agree as well.
	setup *meter.Meter
}

// setupContext labels what is done under it as set-up.
func (s *site) setupContext(ctx context.Context) context.Context {
	return cause.With(ctx, cause.Setup)
}

// setupClient returns the client to set up with.
func (s *site) setupClient() *dynamodb.Client { return s.backend.DynamoDB(s.setup) }

// int returns a swept Integer parameter's value at this point.
func (s *site) int(name string) int64 { return s.coordinates[name].(int64) }

// flag is int for a Switch.
func (s *site) flag(name string) bool { return s.coordinates[name].(bool) }

func (s *site) progress(stage string, done, total int64) {
	if f := s.run.cfg.Progress; f != nil {
		f(Progress{Point: s.number, Points: load.Count(s.run.axes), Stage: stage, Done: done, Total: total})
	}
}

// measures says whether a variant is among those to measure.
func (s *site) measures(variants ...string) bool {
	return slices.ContainsFunc(s.variants, func(v Variant) bool { return slices.Contains(variants, v.Name) })
}

func pointText(p load.Point) string { return strings.Join(sortedPoint(p), " ") }

// sortedPoint writes the coordinates of a point by name.
func sortedPoint[V any](p map[string]V) []string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(p)) {
		parts = append(parts, fmt.Sprintf("%s=%v", name, p[name]))
	}
	return parts
}

// A recorder measures one repeat of one variant at a site.
type recorder struct {
	*site
	variant string
	repeat  int
	meter   *meter.Meter
	shards  int // made so far
	// metrics are the workload's own; those of the ledgers come by themselves.
	metrics map[string]float64
	// history is what was asked and told, for the checker; nil if nobody recorded
	// it.
	history *checker.Recorder
	// watch, if not nil, hears of each request as it ends, if the workload traces.
	// It is called one at a time and must not wait.
	watch func(meter.TraceRecord)
}

// name names the repeat among all that is done at the site.
func (r *recorder) name() string { return fmt.Sprintf("%s %d", r.variant, r.repeat) }

// opRefresh is what a reader does to bring its catalog up to date.
const opRefresh = "refresh"

// An operation is a logical operation of a workload.
type operation struct {
	name string
	do   func(context.Context) error
	// after, if not nil, looks at what the operation left, outside of its time. It
	// is not called after one that failed.
	after func(context.Context) error
	// tolerates, if not nil, says of an error whether it is counted and no reason
	// to end the run.
	tolerates func(error) bool
}

// client returns a client whose requests are counted for this repeat.
func (r *recorder) client() *dynamodb.Client {
	return r.backend.DynamoDBUnder(r.meter, r.run.faults)
}

// loop runs one phase: the driver's operations, as next names them.
func (r *recorder) loop(ctx context.Context, phase string, driver load.Closed, next func(load.Start) operation) error {
	ctx = meter.InPhase(ctx, phase)
	driver = r.run.cfg.divides(driver)
	return driver.Run(ctx, func(ctx context.Context, s load.Start) error {
		op := next(s)
		ctx = cause.WithActor(ctx, fmt.Sprintf("%s-%d", r.variant, s.Client))
		err := r.meter.Operation(ctx, op.name, s.Scheduled, op.do)
		tolerated := r.run.faults != nil || op.tolerates != nil && op.tolerates(err)
		if err != nil && tolerated && ctx.Err() == nil {
			return nil // counted as failed
		}
		if err != nil {
			return err
		}
		r.progress(fmt.Sprintf("measuring %s, %s", r.variant, phase), int64(s.Index+1), int64(driver.Operations))
		if op.after == nil {
			return nil
		}
		return op.after(ctx)
	})
}
