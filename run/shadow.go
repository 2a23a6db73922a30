package run

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/meter"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/run/load"
)

// A Shadow is a run of a deterministic workload on the embedded services, beside
// one on an endpoint. What the rules say a run costs is known from it before the
// endpoint has seen a request; afterwards both are compared (docs/spec/results.md §1).
type Shadow struct {
	Document *results.Document
	// USD is what the whole run costs by the rules, setting up included.
	USD float64
	// exact are the points at which counts depend on nothing but the seed: where
	// several work at a time, two runs differ, wherever they run.
	exact map[string]bool
	// deviations are what servers are known to count otherwise, by series.
	deviations map[seriesKey]deviation
	// silent are the units of requests that were refused, by series and metric: an
	// error says nothing of what it cost (docs/facts/dynamodb.md §3.2, 17 and 23).
	silent map[seriesKey]map[string]float64
	// Free are metrics that the workload lets a server decide.
	Free []string
}

// seriesKey names the steady series of a variant at a point.
type seriesKey struct{ variant, point string }

// MeasureShadow runs cfg's workload; cfg.Open must open embedded services.
func MeasureShadow(ctx context.Context, cfg Config) (*Shadow, error) {
	s := &Shadow{exact: map[string]bool{}, deviations: map[seriesKey]deviation{}, silent: map[seriesKey]map[string]float64{}}
	for p := range load.Points(cfg.Workload.Axes(cfg.Params)) {
		s.exact[PointText(p)] = cfg.Workload.Deterministic(p)
	}
	var mu sync.Mutex // never held over a yield
	cfg.Trace, cfg.Recorded = nil, nil
	cfg.observe = func(k seriesKey, t meter.TraceRecord) {
		if t.Phase != meter.PhaseSteady || t.Cause == cause.Setup {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		s.note(k, t)
	}
	r := &run{cfg: cfg}
	doc, err := r.execute(ctx)
	if err != nil {
		return nil, fmt.Errorf("counting on the embedded service: %w", err)
	}
	s.Document, s.USD, s.Free = doc, r.usd, cfg.Workload.Free
	return s, nil
}

// note keeps what an endpoint does not report of a request.
func (s *Shadow) note(k seriesKey, t meter.TraceRecord) {
	if t.Outcome == meter.OK.String() || t.Outcome == meter.Absent.String() {
		d := s.deviations[k]
		switch {
		case t.Evaluated == 0 && (t.API == "Query" || t.API == "Scan"):
			d.emptyPages += t.RRU
		case t.API == "TransactWriteItems":
			d.transactions += t.WRU
			d.distinct += distinctAmounts(t.Targets)
		}
		s.deviations[k] = d
		return
	}
	if s.silent[k] == nil {
		s.silent[k] = map[string]float64{}
	}
	s.silent[k]["rru/op"] += t.RRU
	s.silent[k]["wru/op"] += t.WRU
}

// A Difference is a count in which an endpoint disagrees with the rules.
type Difference struct {
	Variant, Point, Metric string
	// Reported is what the endpoint said, Computed what the rules give.
	Reported, Computed float64
	// Known says why the difference is expected of this server; empty if no entry
	// knows why.
	Known string
}

func (d Difference) String() string {
	why := d.Known
	if why == "" {
		why = "UNEXPLAINED"
	}
	return fmt.Sprintf("%s at %s: %s reported %g, computed %g: %s", d.Variant, d.Point, d.Metric, d.Reported, d.Computed, why)
}

// comparedMetrics are the counts that an endpoint and the rules must agree on;
// requests are compared net of the counted retries, since no rule says when a
// server fails to answer.
var comparedMetrics = []string{"requests/op", "evaluated/op", "returned/op", "rru/op", "wru/op", "bytes/op"}

// CheckReported is the name of the check that Compare adds.
const CheckReported = "the endpoint reports what the rules compute"

// Compare holds the document of a run on an endpoint against the shadow, and
// adds the check CheckReported, and a warning for each difference, to it.
func (s *Shadow) Compare(doc *results.Document) ([]Difference, error) {
	known, err := knownDifferences(doc.Environment.Backend.Settings["server"])
	if err != nil {
		return nil, err
	}
	differences := s.differences(doc, known)
	check := results.Check{Name: CheckReported, Status: results.Passed, Detail: "counts and units of every point are equal"}
	exact, all := 0, len(s.exact)
	for _, is := range s.exact {
		if is {
			exact++
		}
	}
	if exact < all {
		check.Detail = fmt.Sprintf("counts and units are equal at the %d of %d points without concurrent clients", exact, all)
	}
	unexplained := 0
	for _, d := range differences {
		doc.Warnings = append(doc.Warnings, d.String())
		if d.Known == "" {
			unexplained++
		}
	}
	switch {
	case exact == 0:
		check.Status, check.Detail = results.Skipped, "at every point several work at the same time, so counts differ from one run to the next"
	case unexplained > 0:
		check.Status = results.Failed
		check.Detail = fmt.Sprintf("%d differences without an explanation, see the warnings", unexplained)
	case len(differences) > 0:
		check.Detail = fmt.Sprintf("equal but for %d differences that are known of this server, see the warnings", len(differences))
	}
	doc.Checks = append(doc.Checks, check)
	return differences, nil
}

func (s *Shadow) differences(doc *results.Document, known []knownDifference) []Difference {
	computed, reported := metricsOf(s.Document), metricsOf(doc)
	operations := map[seriesKey]float64{}
	for i := range doc.Series {
		if x := &doc.Series[i]; x.Phase == results.Steady {
			operations[seriesKey{x.Variant, x.Point.String()}] += float64(x.OperationCount())
		}
	}
	var out []Difference
	for _, m := range doc.Summary.Metrics {
		k := seriesKey{m.Variant, m.Point.String()}
		want, ok := computed[k][m.Metric]
		got := m.Value
		if m.Metric == "requests/op" {
			want -= computed[k]["retries/op"]
			got -= reported[k]["retries/op"]
		}
		want -= s.silent[k][m.Metric] / operations[k]
		if !ok || !s.compares(m) || near(got, want) {
			continue
		}
		d := Difference{Variant: m.Variant, Point: k.point, Metric: m.Metric, Reported: got, Computed: want}
		for _, rule := range known {
			if rule.Metric == m.Metric && near(got, rule.adjust(want, s.deviations[k].per(operations[k]))) {
				d.Known = rule.Why
			}
		}
		out = append(out, d)
	}
	return out
}

// compares reports whether an endpoint must agree with the rules on a metric.
func (s *Shadow) compares(m results.MetricSummary) bool {
	return s.exact[m.Point.String()] && slices.Contains(comparedMetrics, m.Metric) && !slices.Contains(s.Free, m.Metric)
}

// metricsOf returns the metrics of a document by series and name.
func metricsOf(doc *results.Document) map[seriesKey]map[string]float64 {
	out := map[seriesKey]map[string]float64{}
	for _, m := range doc.Summary.Metrics {
		k := seriesKey{m.Variant, m.Point.String()}
		if out[k] == nil {
			out[k] = map[string]float64{}
		}
		out[k][m.Metric] = m.Value
	}
	return out
}
