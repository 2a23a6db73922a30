package results

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A MergeError says why documents cannot be put together.
type MergeError struct{ Problem string }

func (e *MergeError) Error() string { return "the results cannot be merged: " + e.Problem }

// WorkerSetting is the key of Backend.Settings under which a worker's document
// says which part it is, as "2/4".
const WorkerSetting = "worker"

// Merge puts together what several workers measured of one run, under a new run
// id: counters are summed and histograms added bucket by bucket, for each
// variant, point, phase and repeat; metrics and the summary are derived from
// those anew, so percentiles are never averaged (docs/spec/results.md §6).
//
// It refuses documents of different workload hashes, seeds or clocks, the same
// document or the part of a worker twice, and metrics that do not follow from the
// sums: with a *MergeError or ErrUnmergeable. Headline and published figures are
// the workload's to write (workloads.Merge). If a worker's part is missing the
// merged document is partial.
func Merge(runID string, docs ...Named) (Document, error) {
	if len(docs) == 0 {
		return Document{}, &MergeError{"there are none"}
	}
	if err := mergeable(docs); err != nil {
		return Document{}, err
	}
	out := docs[0].Document
	out.RunID = runID
	out.Checks, out.Warnings = nil, nil
	out.Headline, out.Published = fmt.Sprintf("%s, merged from %d results.", out.Workload.Name, len(docs)), []PublishedFigure{}
	series := seriesMerger{metrics: out.Metrics}
	for _, d := range docs {
		doc := d.Document
		if doc.Started.Before(out.Started) {
			out.Started = doc.Started
		}
		if doc.Ended.After(out.Ended) {
			out.Ended = doc.Ended
		}
		out.Repeats = max(out.Repeats, doc.Repeats)
		out.Deterministic = out.Deterministic && doc.Deterministic
		out.Partial = out.Partial || doc.Partial
		out.Checks = mergeChecks(out.Checks, doc.Checks)
		for _, w := range doc.Warnings {
			if !slices.Contains(out.Warnings, w) {
				out.Warnings = append(out.Warnings, w)
			}
		}
		series.add(doc.Series)
	}
	var err error
	if out.Series, err = series.merged(); err != nil {
		return Document{}, err
	}
	settleWorkers(&out, docs)
	out.Summary, err = Summarize(&out)
	return out, err
}

// mergeable says why documents are not parts of one run.
func mergeable(docs []Named) error {
	first := docs[0]
	ids, parts := map[string]string{}, map[string]string{}
	for _, d := range docs {
		refuse := func(what string, a, b any) error {
			return &MergeError{fmt.Sprintf("%s has %s %v, %s has %v", first.Name, what, a, d.Name, b)}
		}
		a, b := first.Document, d.Document
		part := b.Environment.Backend.Settings[WorkerSetting]
		switch {
		case a.Workload.Name != b.Workload.Name:
			return refuse("workload", a.Workload.Name, b.Workload.Name)
		case a.Workload.Hash != b.Workload.Hash:
			return refuse("workload hash", a.Workload.Hash, b.Workload.Hash)
		case a.Seed != b.Seed:
			return refuse("seed", a.Seed, b.Seed)
		case a.Clock != b.Clock:
			return refuse("clock", a.Clock, b.Clock)
		case !slices.Equal(a.Metrics, b.Metrics):
			return &MergeError{fmt.Sprintf("%s and %s declare different metrics: they were measured by different builds of lakebench", first.Name, d.Name)}
		case ids[b.RunID] != "":
			return &MergeError{fmt.Sprintf("%s and %s are the same run, %s: it would be counted twice", ids[b.RunID], d.Name, b.RunID)}
		case part != "" && parts[part] != "":
			return &MergeError{fmt.Sprintf("%s and %s are both the part of worker %s: it would be counted twice", parts[part], d.Name, part)}
		}
		ids[b.RunID], parts[part] = d.Name, d.Name
	}
	return nil
}

// worst orders statuses: what one worker has not shown is not shown.
var worst = []Status{Passed, Skipped, Inconclusive, Failed}

// mergeChecks adds the checks of a part: of each name the worst outcome stays,
// with what was said of it.
func mergeChecks(all, part []Check) []Check {
	for _, c := range part {
		i := slices.IndexFunc(all, func(a Check) bool { return a.Name == c.Name })
		switch {
		case i < 0:
			all = append(all, c)
		case slices.Index(worst, c.Status) > slices.Index(worst, all[i].Status):
			all[i] = c
		}
	}
	return all
}

// settleWorkers says which workers' parts are there: without one of them the
// whole is partial. Environments that differ are a warning.
func settleWorkers(out *Document, docs []Named) {
	first := withoutWorker(docs[0].Document.Environment)
	out.Environment = first
	for _, d := range docs {
		if e := withoutWorker(d.Document.Environment); fmt.Sprint(e) != fmt.Sprint(first) {
			out.Warnings = append(out.Warnings, fmt.Sprintf("the environment of %s is another than that of %s", d.Document.RunID, docs[0].Document.RunID))
		}
		if b := d.Document.Lakebench; b != docs[0].Document.Lakebench {
			out.Warnings = append(out.Warnings, fmt.Sprintf("%s was measured by another build of lakebench (%s, %s)", d.Document.RunID, b.Version, b.Commit))
		}
	}
	if missing := MissingWorkers(docs...); len(missing) > 0 {
		out.Partial = true
		out.Warnings = append(out.Warnings, "the parts of these workers are missing: "+strings.Join(missing, ", "))
	}
}

// MissingWorkers returns the workers whose part is not among docs, as "2/4"; none if
// docs are no parts.
func MissingWorkers(docs ...Named) []string {
	present := map[int]bool{}
	of := 0
	for _, d := range docs {
		if i, n, ok := worker(d.Document); ok {
			present[i] = true
			of = max(of, n)
		}
	}
	var missing []string
	for i := 1; i <= of; i++ {
		if !present[i] {
			missing = append(missing, fmt.Sprintf("%d/%d", i, of))
		}
	}
	return missing
}

// worker reads which part of how many a document is.
func worker(doc Document) (i, n int, ok bool) {
	text, of, ok := strings.Cut(doc.Environment.Backend.Settings[WorkerSetting], "/")
	i, err := strconv.Atoi(text)
	n, err2 := strconv.Atoi(of)
	return i, n, ok && err == nil && err2 == nil
}

func withoutWorker(e Environment) Environment {
	settings := map[string]string{}
	for name, v := range e.Backend.Settings {
		if name != WorkerSetting {
			settings[name] = v
		}
	}
	if len(settings) == 0 {
		settings = nil
	}
	e.Backend.Settings = settings
	return e
}

// seriesMerger collects the parts of series. Series are in the order of the
// documents: a series that only a later one has stands behind what precedes it
// there.
type seriesMerger struct {
	metrics Metrics
	order   []string
	parts   map[string][]*Series
}

func (m *seriesMerger) add(series []Series) {
	if m.parts == nil {
		m.parts = make(map[string][]*Series)
	}
	fresh := make(map[string][]string) // new keys by the one before them
	last := ""
	for i := range series {
		key := series[i].key()
		if m.parts[key] == nil {
			fresh[last] = append(fresh[last], key)
		} else {
			last = key
		}
		m.parts[key] = append(m.parts[key], &series[i])
	}
	if len(fresh) == 0 {
		return
	}
	order := slices.Clone(fresh[""])
	for _, key := range m.order {
		order = append(append(order, key), fresh[key]...)
	}
	m.order = order
}

func (m *seriesMerger) merged() ([]Series, error) {
	var all []Series
	for _, key := range m.order {
		s, err := mergeSeries(m.metrics, m.parts[key])
		if err != nil {
			return nil, fmt.Errorf("merge series %s: %w", key, err)
		}
		all = append(all, s)
	}
	return all, nil
}

// mergeSeries adds up the parts of a series.
func mergeSeries(metrics Metrics, parts []*Series) (Series, error) {
	if len(parts) == 1 {
		return *parts[0], nil
	}
	out := Series{Variant: parts[0].Variant, Point: parts[0].Point, Phase: parts[0].Phase, Repeat: parts[0].Repeat, Interleaved: parts[0].Interleaved}
	out.Operations = map[string]Operations{}
	attempts := map[Attempt]int64{}
	for _, p := range parts {
		out.add(p)
		for _, a := range p.Attempts {
			n := a.Count
			a.Count = 0
			attempts[a] += n
		}
	}
	out.Attempts = sortedAttempts(attempts)
	latency, err := mergeLatency(parts)
	if err != nil {
		return Series{}, err
	}
	if err := out.Record(metrics, latency); err != nil {
		return Series{}, err
	}
	return out, out.mergeOwnMetrics(metrics, parts)
}

// add adds the counters of a part that need nothing but a sum.
func (s *Series) add(p *Series) {
	for name, o := range p.Operations {
		sum := s.Operations[name]
		s.Operations[name] = Operations{sum.Count + o.Count, sum.OK + o.OK, sum.Failed + o.Failed, sum.Unknown + o.Unknown}
	}
	s.Retries += p.Retries
	s.Add(p.Usage)
	s.CostUSD += p.CostUSD
}

func sortedAttempts(counts map[Attempt]int64) []Attempt {
	all := make([]Attempt, 0, len(counts))
	for a, n := range counts {
		a.Count = n
		all = append(all, a)
	}
	slices.SortFunc(all, func(a, b Attempt) int {
		return slices.Compare([]string{a.Service, a.API, a.Outcome, a.Cause}, []string{b.Service, b.API, b.Outcome, b.Cause})
	})
	return all
}

// mergeLatency adds the histograms of each operation.
func mergeLatency(parts []*Series) (map[string]Recorded, error) {
	sums := map[string]Recorded{}
	for _, p := range parts {
		for name, l := range p.Latency {
			sum := sums[name]
			if err := errors.Join(sum.Service.add(l.Service), sum.Response.add(l.Response)); err != nil {
				return nil, fmt.Errorf("latency of %s: %w", name, err)
			}
			sums[name] = sum
		}
	}
	return sums, nil
}

func (s *Samples) add(h Histogram) error {
	s.Clamped += h.Clamped
	return addHistogram(&s.HDR, h)
}

// mergeOwnMetrics merges the metrics that cannot be derived: those per operation
// by their sums, others only if all parts agree.
func (s *Series) mergeOwnMetrics(metrics Metrics, parts []*Series) error {
	own := map[string]bool{}
	for _, p := range parts {
		for name := range p.Metrics {
			if _, derived := s.Metrics[name]; !derived {
				own[name] = true
			}
		}
	}
	for _, name := range sortedKeys(own) {
		perOperation := metrics.Lookup(name).Per == PerOperation
		var sum float64
		for _, p := range parts {
			v, ok := p.Metrics[name]
			switch {
			case !ok && p.OperationCount() > 0, !perOperation && v != parts[0].Metrics[name]:
				return fmt.Errorf("%w: %s does not follow from the parts", ErrUnmergeable, name)
			}
			sum += v * float64(p.OperationCount())
		}
		s.Metrics[name] = parts[0].Metrics[name]
		if perOperation {
			s.Metrics[name] = wholeIfNear(sum) / float64(s.OperationCount())
		}
	}
	return nil
}

// wholeIfNear undoes the rounding of a count that was divided and multiplied.
func wholeIfNear(v float64) float64 {
	if r := math.Round(v); math.Abs(v-r) <= 1e-12*math.Abs(v)+1e-9 {
		return r
	}
	return v
}
