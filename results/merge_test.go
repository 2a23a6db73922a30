package results_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"pgregory.net/rapid"

	"github.com/lakebench/lakebench/internal/resultstest"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/run/metric"
)

// ledger is what a worker counted in one series, before it is derived from.
type ledger struct {
	ok, failed, conflicts, retries int64
	attempts                       map[results.Attempt]int64
	evaluated, bytes, a            int64
	halfUnits                      int64
	samples                        []int64
}

func (l *ledger) operations() int64 { return l.ok + l.failed }

// declared are the metrics of the documents: one is the workload's own.
var declared = append(metric.Common(), results.Metric{
	Name: "conflicts/op", Noun: "conflicts", Per: results.PerOperation, Assume: results.Exact, Better: results.LowerIsBetter,
})

// series derives what a run derives.
func (l *ledger) series(t *rapid.T, at place) results.Series {
	h := hdrhistogram.New(1, time.Minute.Nanoseconds(), 2)
	for _, ns := range l.samples {
		if err := h.RecordValue(ns); err != nil {
			t.Fatal(err)
		}
	}
	times, err := results.EncodeHistogram(h, l.failed)
	if err != nil {
		t.Fatal(err)
	}
	s := results.Series{
		Variant: at.variant, Phase: results.Steady, Repeat: at.repeat, Point: results.Point{"history_records": results.Number(at.history)},
		Operations: map[string]results.Operations{"commit": {Count: l.ok + l.failed, OK: l.ok, Failed: l.failed}},
		Attempts:   []results.Attempt{},
		Retries:    l.retries,
		Usage:      results.Usage{Work: results.Work{Evaluated: l.evaluated, Returned: l.evaluated, BytesSent: l.bytes, BytesReceived: 2 * l.bytes}, Units: results.Units{RRU: float64(l.halfUnits) / 2, WRU: float64(l.halfUnits), S3ClassA: l.a, S3ClassB: 2 * l.a, Source: results.Computed}},
		// A power of two, so that sums of it are exact in any order.
		CostUSD: float64(l.halfUnits) / (1 << 20),
		Latency: map[string]results.Latency{"commit": {Service: times, Response: times}},
	}
	for a, n := range l.attempts {
		if n > 0 {
			a.Count = n
			s.Attempts = append(s.Attempts, a)
		}
	}
	slices.SortFunc(s.Attempts, func(a, b results.Attempt) int { return strings.Compare(a.API+a.Outcome, b.API+b.Outcome) })
	if err := s.Derive(declared); err != nil {
		t.Fatal(err)
	}
	if n := l.operations(); n > 0 {
		s.Metrics["conflicts/op"] = float64(l.conflicts) / float64(n)
	}
	return s
}

// kinds of attempts that a worker may have made.
var kinds = []results.Attempt{
	{Service: "dynamodb", API: "GetItem", Outcome: "absent", Cause: "point"},
	{Service: "dynamodb", API: "GetItem", Outcome: "ok", Cause: "point"},
	{Service: "dynamodb", API: "TransactWriteItems", Outcome: "conflict", Cause: "mutate"},
}

func drawLedger(t *rapid.T, label string) *ledger {
	count := func(what string) int64 { return rapid.Int64Range(0, 1000).Draw(t, label+" "+what) }
	l := &ledger{ok: 1 + count("ok"), failed: count("failed"), conflicts: count("conflicts"), retries: count("retries"),
		evaluated: count("evaluated"), bytes: count("bytes"), a: count("class a"), halfUnits: count("half units"), attempts: map[results.Attempt]int64{}}
	for _, k := range kinds {
		l.attempts[k] = count(k.API + k.Outcome)
	}
	l.samples = rapid.SliceOfN(rapid.Int64Range(1, int64(time.Minute)), 0, 20).Draw(t, label+" samples")
	return l
}

// split deals what a ledger counted out to n workers.
func (l *ledger) split(t *rapid.T, n int, label string) []*ledger {
	parts := make([]*ledger, n)
	for i := range parts {
		parts[i] = &ledger{attempts: map[results.Attempt]int64{}}
	}
	deal := func(what string, total int64, to func(*ledger) *int64) {
		for i, p := range parts {
			share := total
			if i < n-1 {
				share = rapid.Int64Range(0, total).Draw(t, fmt.Sprintf("%s %s of part %d", label, what, i))
			}
			*to(p) = share
			total -= share
		}
	}
	deal("ok", l.ok, func(p *ledger) *int64 { return &p.ok })
	deal("failed", l.failed, func(p *ledger) *int64 { return &p.failed })
	deal("retries", l.retries, func(p *ledger) *int64 { return &p.retries })
	deal("evaluated", l.evaluated, func(p *ledger) *int64 { return &p.evaluated })
	deal("bytes", l.bytes, func(p *ledger) *int64 { return &p.bytes })
	deal("class a", l.a, func(p *ledger) *int64 { return &p.a })
	deal("half units", l.halfUnits, func(p *ledger) *int64 { return &p.halfUnits })
	for _, k := range kinds {
		var shares []int64
		deal(k.API+k.Outcome, l.attempts[k], func(*ledger) *int64 { shares = append(shares, 0); return &shares[len(shares)-1] })
		for i, p := range parts {
			p.attempts[k] = shares[i]
		}
	}
	for i, ns := range l.samples {
		p := parts[rapid.IntRange(0, n-1).Draw(t, fmt.Sprintf("%s owner of sample %d", label, i))]
		p.samples = append(p.samples, ns)
	}
	// What is only kept per operation needs one to be kept with.
	for _, p := range parts {
		if p.operations() > 0 {
			p.conflicts = l.conflicts
			break
		}
	}
	return parts
}

// A place is where a series was measured.
type place struct {
	variant string
	history int64
	repeat  int
}

// drawPlaces draws a few places of a run, in the order in which they are measured:
// each costs time, and a hundred runs have all of them together often enough.
func drawPlaces(t *rapid.T) []place {
	var all []place
	for _, variant := range []string{"v1", "v2"} {
		for _, history := range []int64{0, 100, 10_000} {
			for repeat := range 2 {
				all = append(all, place{variant, history, repeat})
			}
		}
	}
	drawn := rapid.SliceOfNDistinct(rapid.IntRange(0, len(all)-1), 1, 3, rapid.ID[int]).Draw(t, "places")
	slices.Sort(drawn)
	var places []place
	for _, i := range drawn {
		places = append(places, all[i])
	}
	return places
}

// Merging the parts of a run gives the run, to the byte, whatever the parts: that
// is what makes many workers one measurement (docs/spec/results.md §6).
func TestMergeOfSplitIsTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "parts")
		whole := resultstest.CatalogRefresh(2, 0)
		whole.Metrics, whole.Series = declared, nil
		parts := make([]results.Named, n)
		for i := range parts {
			parts[i] = results.Named{Name: fmt.Sprint("part ", i), Document: whole}
			parts[i].Document.RunID = fmt.Sprint("part-", i)
			parts[i].Document.Environment.Backend.Settings = map[string]string{results.WorkerSetting: fmt.Sprintf("%d/%d", i+1, n)}
		}
		for _, at := range drawPlaces(t) {
			label := fmt.Sprint(at)
			l := drawLedger(t, label)
			whole.Series = append(whole.Series, l.series(t, at))
			for i, p := range l.split(t, n, label) {
				if i > 0 && p.operations() == 0 && len(p.samples) == 0 && rapid.Bool().Draw(t, label+" left out") && empty(p) {
					continue // a worker without an operation may have no series at all
				}
				parts[i].Document.Series = append(parts[i].Document.Series, p.series(t, at))
			}
		}
		var err error
		if whole.Summary, err = results.Summarize(&whole); err != nil {
			t.Fatal(err)
		}
		merged, err := results.Merge(whole.RunID, parts...)
		if err != nil {
			t.Fatal(err)
		}
		merged.Headline = whole.Headline // the workload writes it
		want, err := results.Encode(whole)
		if err != nil {
			t.Fatal(err)
		}
		got, err := results.Encode(merged)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("merged:\n%s\nwant:\n%s", got, want)
		}
	})
}

func empty(p *ledger) bool {
	return p.retries+p.evaluated+p.bytes+p.a+p.halfUnits+p.attempts[kinds[0]]+p.attempts[kinds[1]]+p.attempts[kinds[2]] == 0
}

// parts returns two runs that can be merged.
func parts() (a, b results.Named) {
	a = results.Named{Name: "a.json", Document: resultstest.CatalogRefresh(1, 0, 1000)}
	b = results.Named{Name: "b.json", Document: resultstest.CatalogRefresh(1, 0, 1000)}
	b.Document.RunID += "-2"
	return a, b
}

func TestMergeRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		change func(d *results.Document)
		says   string
	}{
		"another hash":     {func(d *results.Document) { d.Workload.Hash = strings.Repeat("0", 64) }, "workload hash"},
		"another workload": {func(d *results.Document) { d.Workload.Name = "migration" }, "workload catalog-refresh"},
		"another seed":     {func(d *results.Document) { d.Seed = 2 }, "a.json has seed 1, b.json has 2"},
		"another clock":    {func(d *results.Document) { d.Clock = results.VirtualClock }, "clock"},
		"other metrics":    {func(d *results.Document) { d.Metrics = d.Metrics[1:] }, "a.json and b.json declare different metrics"},
		"the same run":     {func(d *results.Document) { d.RunID = strings.TrimSuffix(d.RunID, "-2") }, "counted twice"},
	} {
		a, b := parts()
		c.change(&b.Document)
		_, err := results.Merge("m", a, b)
		var refused *results.MergeError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want a MergeError that says %q", name, err, c.says)
		}
	}
	if _, err := results.Merge("m"); err == nil {
		t.Error("nothing was merged")
	}
	// A worker that was run again, under another run id.
	a, b := parts()
	for _, d := range []*results.Document{&a.Document, &b.Document} {
		d.Environment.Backend.Settings = map[string]string{results.WorkerSetting: "2/3"}
	}
	if _, err := results.Merge("m", a, b); err == nil || !strings.Contains(err.Error(), "both the part of worker 2/3") {
		t.Errorf("the same worker twice: %v", err)
	}
}

// Percentiles come from the merged histograms: of 20 fast and 20 slow operations
// the median is a fast one, not the mean of two medians.
func TestMergeDoesNotAverage(t *testing.T) {
	a, b := parts()
	h := hdrhistogram.New(1, time.Minute.Nanoseconds(), 2)
	if err := h.RecordValues(int64(time.Second), resultstest.Refreshes); err != nil {
		t.Fatal(err)
	}
	slow, err := results.EncodeHistogram(h, 3)
	if err != nil {
		t.Fatal(err)
	}
	b.Document.Series[0].Latency = map[string]results.Latency{"refresh": {Service: slow, Response: slow}}
	if err := b.Document.Series[0].Derive(b.Document.Metrics); err != nil {
		t.Fatal(err)
	}
	fast := a.Document.Series[0].Metrics["p50-ns"]
	m, err := results.Merge("m", a, b)
	if err != nil {
		t.Fatal(err)
	}
	s := m.Series[0]
	if got := s.Metrics["p50-ns"]; got > 2.1*fast { // one in twenty takes twice as long
		t.Errorf("p50 is %v, want a fast operation's: about %v", got, fast)
	}
	if got := s.Metrics["p99-ns"]; math.Abs(got-float64(time.Second)) > 0.02*float64(time.Second) {
		t.Errorf("p99 is %v, want a second", got)
	}
	if s.Operations["refresh"].Count != 2*resultstest.Refreshes || s.Latency["refresh"].Response.Clamped != 3 {
		t.Errorf("operations %v, clamped %d", s.Operations, s.Latency["refresh"].Response.Clamped)
	}
}

// What one worker has not shown is not shown, and a missing worker makes the whole
// partial.
func TestMergeOfWhatIsNotWhole(t *testing.T) {
	a, b := parts()
	a.Document.Environment.Backend.Settings = map[string]string{results.WorkerSetting: "1/3"}
	b.Document.Environment.Backend.Settings = map[string]string{results.WorkerSetting: "3/3"}
	b.Document.Environment.CPUs = 64
	b.Document.Checks[1].Status, b.Document.Checks[1].Detail = results.Failed, "v2 lacks a table"
	m, err := results.Merge("m", a, b)
	if err != nil {
		t.Fatal(err)
	}
	if !m.Partial || !slices.ContainsFunc(m.Warnings, func(w string) bool { return strings.Contains(w, "missing: 2/3") }) {
		t.Errorf("partial %v, warnings %q: want worker 2 missed", m.Partial, m.Warnings)
	}
	if !slices.ContainsFunc(m.Warnings, func(w string) bool { return strings.Contains(w, "environment") }) {
		t.Errorf("warnings %q: want the environment's difference", m.Warnings)
	}
	if c := m.Checks[1]; c.Status != results.Failed || c.Detail != "v2 lacks a table" {
		t.Errorf("check %+v: want the failure", c)
	}
	if _, there := m.Environment.Backend.Settings[results.WorkerSetting]; there {
		t.Error("the merged document is called a worker's")
	}
}

// A metric that is no sum must be the same in all parts.
func TestMergeRefusesMetricsThatDoNotFollow(t *testing.T) {
	for _, other := range []float64{5, 6} {
		a, b := parts()
		a.Document.Series[0].Metrics["pause-requests"], b.Document.Series[0].Metrics["pause-requests"] = 5, other
		m, err := results.Merge("m", a, b)
		if other == 5 && (err != nil || m.Series[0].Metrics["pause-requests"] != 5) {
			t.Errorf("equal parts: %v", err)
		}
		if other != 5 && !errors.Is(err, results.ErrUnmergeable) {
			t.Errorf("5 and %v: %v, want ErrUnmergeable", other, err)
		}
	}
}
