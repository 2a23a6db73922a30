package results

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/lakebench/lakebench/internal/counts"
	"github.com/lakebench/lakebench/results/growth"
)

// ErrInvalid is wrapped by every error of Validate.
var ErrInvalid = errors.New("invalid result")

// outcomes are the classes of docs/spec/results.md §1.
var outcomes = []string{"ok", "absent", "condition-failed", "conflict", "throttled", "server-error", "timeout", "reply-lost", "other"}

// Validate reports whether the document holds together: known words, counts that
// are there and not negative, finite numbers, one series for each variant,
// point, phase and repeat, and the workload's own hash. It does not judge what
// was measured: failed checks, partial runs and empty ones are valid.
func (d *Document) Validate() error {
	if err := d.problem(); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return nil
}

// problem returns the first reason why the document is not valid.
func (d *Document) problem() error {
	if err := d.validateHeader(); err != nil {
		return err
	}
	if err := d.Metrics.problem(); err != nil {
		return err
	}
	for _, f := range d.Published {
		if !stated(Point{}, []string{f.Figure, f.Variant, f.Explained}, f.Published, f.Measured) {
			return fmt.Errorf("published: part of %q of %s is missing or not finite", f.Figure, f.Variant)
		}
	}
	seen := make(map[string]bool, len(d.Series))
	for i := range d.Series {
		s := &d.Series[i]
		key := s.key()
		err := s.validate(d.Repeats)
		if err == nil && !sameParameters(s.Point, d.Series[0].Point) {
			err = fmt.Errorf("its point has other parameters than the first series' (%v)", d.Series[0].Point)
		}
		if err == nil && seen[key] {
			err = errors.New("appears twice")
		}
		if err != nil {
			return fmt.Errorf("series %d (%s): %w", i, key, err)
		}
		seen[key] = true
	}
	if err := d.Summary.problem(); err != nil {
		return fmt.Errorf("summary: %w", err)
	}
	for _, c := range d.Checks {
		if c.Name == "" || !slices.Contains([]Status{Passed, Failed, Inconclusive, Skipped}, c.Status) {
			return fmt.Errorf("check %q has status %q: expected passed, failed, inconclusive or skipped", c.Name, c.Status)
		}
	}
	return nil
}

func (d *Document) validateHeader() error {
	switch {
	case d.Schema != SchemaName || d.SchemaVersion != SchemaVersion:
		return fmt.Errorf("schema is %q, version %d: expected %q, %d", d.Schema, d.SchemaVersion, SchemaName, SchemaVersion)
	case d.RunID == "" || !filepath.IsLocal(d.RunID) || filepath.Base(d.RunID) != d.RunID || d.RunID == ".":
		return fmt.Errorf("run_id is %q: expected a name that can be a folder", d.RunID)
	case d.Repeats < 1:
		return fmt.Errorf("repeats is %d: expected 1 or more", d.Repeats)
	case d.Clock != RealClock && d.Clock != VirtualClock:
		return fmt.Errorf("clock is %q: expected %q or %q", d.Clock, RealClock, VirtualClock)
	case d.Workload.Name == "" || d.Workload.Version < 1:
		return fmt.Errorf("workload is %q, version %d: expected a name and a version from 1", d.Workload.Name, d.Workload.Version)
	}
	hash, err := HashWorkload(d.Workload.Name, d.Workload.Version, d.Workload.Params)
	if err != nil {
		return err
	}
	if d.Workload.Hash != hash {
		return fmt.Errorf("workload hash is %q, but its name, version and params hash to %q", d.Workload.Hash, hash)
	}
	return nil
}

// sameParameters reports whether two points have the same parameters, of any values.
func sameParameters(p, q Point) bool {
	if len(p) != len(q) {
		return false
	}
	for name := range p {
		if _, ok := q[name]; !ok {
			return false
		}
	}
	return true
}

// key names a series among those of its document.
func (s *Series) key() string {
	return s.Variant + ", " + s.Point.String() + ", " + string(s.Phase) + ", repeat " + strconv.Itoa(s.Repeat)
}

// least returns the first by name of those that are bad; false if none is.
func least[V any](m map[string]V, bad func(V) bool) (name string, found bool) {
	for n, v := range m {
		if bad(v) && (!found || n < name) {
			name, found = n, true
		}
	}
	return name, found
}

func (s *Series) validate(repeats int) error {
	switch {
	case s.Variant == "" || s.Point == nil:
		return errors.New("has no variant or no point")
	case !slices.Contains([]Phase{WarmUp, Steady, Pause, After}, s.Phase):
		return fmt.Errorf("phase is %q: expected warm-up, steady, pause or after", s.Phase)
	case s.Repeat < 0 || s.Repeat >= repeats:
		return fmt.Errorf("repeat is %d: expected 0 to %d", s.Repeat, repeats-1)
	case s.Source != Computed && s.Source != Reported:
		return fmt.Errorf("units.source is %q: expected %q or %q", s.Source, Computed, Reported)
	}
	if err := countProblem("retries", float64(s.Retries)); err != nil {
		return err
	}
	for _, f := range counts.Fields() {
		if err := countProblem(f.Path(), f.Of(&s.Usage)); err != nil {
			return err
		}
	}
	if err := countProblem("cost_usd", s.CostUSD); err != nil {
		return err
	}
	if name, found := least(s.Metrics, func(m float64) bool { return math.IsNaN(m) || math.IsInf(m, 0) }); found {
		return fmt.Errorf("metric %s is %v: expected a finite number", name, s.Metrics[name])
	}
	if err := s.validateOperations(); err != nil {
		return err
	}
	return s.validateAttempts()
}

// countProblem says what is wrong with a count.
func countProblem(name string, n float64) error {
	if !(n >= 0) || math.IsInf(n, 0) {
		return fmt.Errorf("%s is missing, negative or not finite", name)
	}
	return nil
}

func (s *Series) validateOperations() error {
	wrong := func(o Operations) bool {
		return o.OK < 0 || o.Failed < 0 || o.Unknown < 0 || o.Count != o.OK+o.Failed+o.Unknown
	}
	if name, found := least(s.Operations, wrong); found {
		o := s.Operations[name]
		return fmt.Errorf("operation %s: count %d is not ok %d + failed %d + unknown %d (-1: missing)", name, o.Count, o.OK, o.Failed, o.Unknown)
	}
	cut := func(l Latency) bool {
		return l.Service.Clamped < 0 || l.Response.Clamped < 0 || l.Service.HDR == "" || l.Response.HDR == ""
	}
	if name, found := least(s.Latency, cut); found {
		return fmt.Errorf("latency of %s: a histogram or its clamped count is missing", name)
	}
	return nil
}

func (s *Series) validateAttempts() error {
	seen := make(map[Attempt]bool, len(s.Attempts))
	for _, a := range s.Attempts {
		kind := a
		kind.Count = 0
		switch {
		case a.Service == "" || a.API == "" || a.Cause == "" || !slices.Contains(outcomes, a.Outcome):
			return fmt.Errorf("attempt %+v: expected service, API, a known outcome and cause", a)
		case a.Count < 1:
			return fmt.Errorf("attempt %+v: expected a count from 1", a)
		case seen[kind]:
			return fmt.Errorf("attempt %+v: appears twice", a)
		}
		seen[kind] = true
	}
	return nil
}

// problem returns the first entry of the summary that is no statement: without a
// name or a point, or with a number that is missing or not finite.
func (s *Summary) problem() error {
	for _, m := range s.Metrics {
		if !stated(m.Point, []string{m.Metric, m.Variant}, m.Value, m.Min, m.Max) || m.Repeats < 1 {
			return fmt.Errorf("metrics: part of %s of %s at %v is missing or not finite", m.Metric, m.Variant, m.Point)
		}
	}
	for _, g := range s.Growth {
		switch fit := cmp.Or(g.Fit, &growth.Curve{Form: growth.Power}); {
		case !slices.Contains(growth.Classes(), g.Class):
			return fmt.Errorf("growth: the class of %s of %s over %s is %q", g.Metric, g.Variant, g.X, g.Class)
		case !stated(g.Point, []string{g.Metric, g.Variant, g.X}, fit.A, fit.B, fit.K, fit.Residual, fit.Unit, fit.Offset),
			g.Class.Determined() != (g.Fit != nil), !slices.Contains(growth.Forms(), fit.Form):
			return fmt.Errorf("growth: part of %s of %s over %s is missing or not finite", g.Metric, g.Variant, g.X)
		}
	}
	for _, c := range s.Crossover {
		if !stated(c.Point, []string{c.Metric, c.X, c.Variants[0], c.Variants[1]}, c.Between[0], c.Between[1], c.At) || c.Changes < 1 {
			return fmt.Errorf("crossover: part of %s over %s is missing or not finite", c.Metric, c.X)
		}
	}
	for _, l := range s.Slopes {
		if !stated(l.Point, []string{l.Metric, l.Variant, l.X}, l.Slope, l.Fixed) {
			return fmt.Errorf("slopes: part of %s of %s over %s is missing or not finite", l.Metric, l.Variant, l.X)
		}
	}
	for _, d := range s.Disturbed {
		if what, found := least(d.Counts, func(n int64) bool { return n < 1 }); !stated(d.Point, []string{d.Variant}) || len(d.Counts) == 0 || found {
			return fmt.Errorf("disturbed: part of %s at %v is missing or not positive %s", d.Variant, d.Point, what)
		}
	}
	return nil
}

func stated(p Point, names []string, numbers ...float64) bool {
	return p != nil && !slices.Contains(names, "") &&
		!slices.ContainsFunc(numbers, func(n float64) bool { return math.IsNaN(n) || math.IsInf(n, 0) })
}
