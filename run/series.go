package run

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"time"

	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/meter"
	"github.com/lakebench/lakebench/internal/price"
	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/run/load"
)

// series turns the ledgers of a repeat into the series of the result document,
// one for each phase but setting up.
func (r *Recorder) series(metrics results.Metrics, prices price.Table) ([]results.Series, error) {
	point, err := results.NewPoint(r.Point)
	if err != nil {
		return nil, err
	}
	var out []results.Series
	for _, phase := range r.Meter.Phases() {
		if phase == meter.PhaseSetup {
			continue
		}
		s, err := seriesOf(r.Meter.Ledger(phase).Without(cause.Setup), metrics, prices)
		if err != nil {
			return nil, fmt.Errorf("%s at %s, %s: %w", r.Variant, PointText(r.Point), phase, err)
		}
		s.Variant, s.Point, s.Repeat = r.Variant, point, r.Repeat
		s.Interleaved = !r.Config.Workload.Deterministic(r.Point)
		if phase == meter.PhaseSteady {
			maps.Copy(s.Metrics, r.Metrics)
		}
		out = append(out, s)
	}
	return out, nil
}

func seriesOf(l meter.Ledger, metrics results.Metrics, prices price.Table) (results.Series, error) {
	total := l.Total()
	s := results.Series{
		Phase:      results.Phase(l.Phase),
		Operations: map[string]results.Operations{},
		Attempts:   []results.Attempt{},
		Retries:    total.Retries,
		Usage:      total.Usage,
		CostUSD:    prices.Units(total.Units),
	}
	s.Source = l.Source
	times := map[string]results.Recorded{}
	for _, a := range l.Attempts() {
		s.Attempts = append(s.Attempts, results.Attempt{
			Service: a.Service, API: a.API, Outcome: a.Outcome.String(), Cause: string(a.Cause), Count: a.Count,
		})
	}
	for _, o := range l.Operations {
		s.Operations[o.Name] = results.Operations{Count: o.Count(), OK: o.OK, Failed: o.Failed, Unknown: o.Unknown}
		times[o.Name] = results.Recorded{Service: results.Samples(o.Service), Response: results.Samples(o.Response)}
	}
	return s, s.Record(metrics, times)
}

// document puts together what was measured.
func (r *run) document(ctx context.Context, started time.Time, partial bool) (*results.Document, error) {
	cfg := r.cfg
	params := cfg.Workload.document(cfg.Params)
	if d := cfg.Source.digest; d != "" {
		params["history"] = d
	}
	if r.faults != nil {
		r.warnings = append(r.warnings, r.faults.Warnings()...)
		r.backend.Settings = withSetting(r.backend.Settings, results.FaultsSetting, cfg.Faults.String())
	}
	if cfg.Worker.Of > 0 {
		r.backend.Settings = withSetting(r.backend.Settings, results.WorkerSetting, cfg.Worker.String())
	}
	hash, err := results.HashWorkload(cfg.Workload.Name, cfg.Workload.Version, params)
	if err != nil {
		return nil, err
	}
	if r.backend.Kind == backend.Endpoint.String() {
		r.checks.Add(replies(r.attempts, r.lost))
	}
	doc := &results.Document{
		Schema: results.SchemaName, SchemaVersion: results.SchemaVersion,
		RunID: cfg.RunID, Started: started.UTC(), Ended: task.Now(ctx).UTC(),
		Lakebench: cfg.Lakebench,
		Environment: results.Environment{
			Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(), Backend: r.backend,
		},
		Workload: results.Workload{Name: cfg.Workload.Name, Version: cfg.Workload.Version, Params: params, Hash: hash},
		Seed:     cfg.Seed, Repeats: cfg.Repeats, Clock: cfg.clock(),
		Deterministic: cfg.Virtual || r.backend.Kind == backend.Embedded.String() && cfg.deterministic(),
		Partial:       partial,
		Metrics:       cfg.Workload.AllMetrics(),
		Series:        r.series, Checks: r.checks.All(), Warnings: r.warnings,
	}
	r.sortSeries(doc.Series)
	if doc.Summary, err = results.Summarize(doc); err != nil {
		return nil, err
	}
	cfg.Workload.Describe(doc)
	return doc, nil
}

// sortSeries orders by variant, point, repeat and phase, each in the order in
// which it was measured: within a point that is repeat before variant.
func (r *run) sortSeries(series []results.Series) {
	place := map[string]int{}
	for i, v := range r.cfg.Variants {
		place[v.Name] = i
	}
	slices.SortStableFunc(series, func(a, b results.Series) int { return cmp.Compare(place[a.Variant], place[b.Variant]) })
}

func (c Config) clock() results.Clock {
	if c.Virtual {
		return results.VirtualClock
	}
	return results.RealClock
}

// deterministic reports whether the counts of all points are (docs/spec/results.md §2).
func (c Config) deterministic() bool {
	for p := range load.Points(c.Workload.Axes(c.Params)) {
		if !c.Workload.Deterministic(p) {
			return false
		}
	}
	return true
}

// withSetting returns the settings with one more.
func withSetting(settings map[string]string, name, value string) map[string]string {
	all := map[string]string{name: value}
	for n, v := range settings {
		if n != name {
			all[n] = v
		}
	}
	return all
}
