package workloads

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/lakebench/lakebench/meter"
	"github.com/lakebench/lakebench/results"
)

// A Shadow is a run of a deterministic workload on the embedded services, beside
// one on an endpoint. What the rules say a run costs is known from it before the
// endpoint has seen a request; afterwards both are compared (spec/results.md §1).
type Shadow struct {
	Document *results.Document
	// USD is what the whole run costs by the rules, setting up included.
	USD float64
	// emptyPages are the read units of pages that evaluated nothing, by series.
	emptyPages map[seriesKey]float64
}

// seriesKey names the steady series of a variant at a point.
type seriesKey struct{ variant, point string }

// RunShadow runs cfg's workload; cfg.Open must open embedded services.
func RunShadow(ctx context.Context, cfg Config) (*Shadow, error) {
	s := &Shadow{emptyPages: map[seriesKey]float64{}}
	var mu sync.Mutex // never held over a yield
	cfg.Trace = nil
	cfg.observe = func(k seriesKey, t meter.TraceRecord) {
		if t.Phase != meter.PhaseSteady || t.Evaluated != 0 || (t.API != "Query" && t.API != "Scan") {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		s.emptyPages[k] += t.RRU
	}
	r, doc, err := execute(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("counting on the embedded service: %w", err)
	}
	s.Document, s.USD = doc, r.usd
	return s, nil
}

// A Difference is a count in which an endpoint disagrees with the rules.
type Difference struct {
	Variant, Point, Metric string
	// Reported is what the endpoint said, Computed what the rules give.
	Reported, Computed float64
	// Known says why the difference is expected of this server; empty if nobody
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
	unexplained := 0
	for _, d := range differences {
		doc.Warnings = append(doc.Warnings, d.String())
		if d.Known == "" {
			unexplained++
		}
	}
	switch {
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
		if !ok || !slices.Contains(comparedMetrics, m.Metric) || near(got, want) {
			continue
		}
		d := Difference{Variant: m.Variant, Point: k.point, Metric: m.Metric, Reported: got, Computed: want}
		for _, rule := range known {
			if rule.Metric == m.Metric && near(got, rule.adjust(want, s.emptyPages[k]/operations[k])) {
				d.Known = rule.Why
			}
		}
		out = append(out, d)
	}
	return out
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
