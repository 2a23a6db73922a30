package run

import (
	"context"
	"fmt"

	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/internal/spelling"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/run/load"
	"github.com/lakebench/lakebench/run/metric"
)

// A Workload is something to measure, in several variants.
type Workload struct {
	Name string
	// Summary says in a line what is measured.
	Summary string
	// Version changes whenever what a seed generates changes, or what is counted:
	// results of different versions are not comparable.
	Version  int
	Variants []Variant
	Params   []Param
	// Metrics are those that only this workload has.
	Metrics results.Metrics
	// Imports reports whether a history file or an existing table can stand in for what
	// is generated.
	Imports bool
	// Focus is what reports show first.
	Focus results.Focus
	// Headline says in at most two sentences what a document of the workload found.
	Headline func(*results.Document) string
	// Published are the published figures that it measures.
	Published []Figure
	// Divisible reports whether what an operation costs does not depend on those before
	// it, so that several workers may divide them.
	Divisible bool
	// OnS3 reports whether it works on S3, and not on DynamoDB.
	OnS3 bool
	// Deterministic reports whether on the embedded services the counts of a point
	// depend on nothing but version, parameters and seed: no clients run
	// concurrently (docs/spec/results.md §2).
	Deterministic func(load.Point) bool
	// Free are common metrics in which servers may differ although all of them
	// keep to the rules.
	Free []string
	// Traces reports whether subjects watch the requests of what they measure.
	Traces bool
	// Check refuses what no single parameter's range can: combinations of
	// parameters and input. It may be nil.
	Check func(Config) error
	// Held returns how many bytes the embedded services keep in memory at a point, at
	// least; nil if that is little.
	Held func(Config, load.Point) float64
	// Prepare sets up the site of a point for the variants that are measured.
	Prepare func(ctx context.Context, s *Site) (Subject, error)
}

// Uses says which services the workload needs.
func (w *Workload) Uses() backend.Uses { return backend.Uses{DynamoDB: !w.OnS3, S3: w.OnS3} }

// A Variant is one of the things that a workload compares.
type Variant = results.Variant

// A Subject is what prepare has set up at a point.
type Subject interface {
	// Measure runs one repeat of one variant: warm-up and what follows it.
	Measure(ctx context.Context, r *Recorder) error
	// Checks says what held of all that was measured at the point. What it has to
	// look at for that is set-up, and in no metric.
	Checks(ctx context.Context) ([]results.Check, error)
}

// Always is the deterministic of workloads with one client.
func Always(load.Point) bool { return true }

// An UnknownError is a name that no workload or variant has.
type UnknownError struct{ msg string }

func (e *UnknownError) Error() string { return e.msg }

// Find returns the workload of that name among all.
func Find(all []*Workload, name string) (*Workload, error) {
	var names []string
	for _, w := range all {
		if w.Name == name {
			return w, nil
		}
		names = append(names, w.Name)
	}
	return nil, &UnknownError{spelling.Unknown("workload", name, names)}
}

// ResolveFor returns the parameters for what a source holds, where p are those of
// set: the parameters that describe a generated lake get the values found in the
// source. They are p itself if the lake is generated.
func (w *Workload) ResolveFor(ctx context.Context, set map[string]string, p Params, src Source) (Params, error) {
	if !src.Given() {
		return p, nil
	}
	if !w.Imports {
		return nil, fmt.Errorf("workload %s generates what it measures; a history file or an existing table cannot stand in for it", w.Name)
	}
	fixed, err := src.fix(ctx, w, set, p.Word("prefix"))
	if err != nil {
		return nil, err
	}
	return w.Resolve(fixed)
}

// PickVariants returns the workload's variants of those names in the workload's
// own order; all of them if there are no names.
func (w *Workload) PickVariants(names []string) ([]Variant, error) {
	if len(names) == 0 {
		return w.Variants, nil
	}
	var known []string
	for _, v := range w.Variants {
		known = append(known, v.Name)
	}
	wanted := map[string]bool{}
	for _, n := range names {
		wanted[n] = true
	}
	var out []Variant
	for _, v := range w.Variants {
		if wanted[v.Name] {
			out = append(out, v)
			delete(wanted, v.Name)
		}
	}
	for _, n := range names {
		if wanted[n] {
			return nil, &UnknownError{spelling.Unknown("variant", n, known)}
		}
	}
	return out, nil
}

// AllMetrics returns the metrics that documents of the workload declare.
func (w *Workload) AllMetrics() results.Metrics { return metric.Common().Union(w.Metrics) }
