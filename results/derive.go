package results

import (
	"errors"
	"fmt"
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/lakebench/lakebench/internal/cause"
)

// SetMetrics derives the common metrics of docs/spec/results.md §2 from the ledgers
// and latency histograms of s and stores them in s.Metrics, beside those that a
// workload has put there. Requests under cause.Setup are in none of them.
//
// retries is the number of requests that the SDK sent again; it is known to the
// meter and kept in no ledger but as "retries/op". "Per operation" is per
// operation of any outcome: a failed one has cost its requests too. A series
// without operations gets no metrics per operation, and one without samples no
// times: a zero would be a lie.
func (s *Series) SetMetrics(retries int64) error {
	if s.Metrics == nil {
		s.Metrics = make(map[string]float64)
	}
	if n := float64(s.OperationCount()); n > 0 {
		s.Metrics["requests/op"] = float64(s.Requests()) / n
		s.Metrics["retries/op"] = float64(retries) / n
		s.Metrics["evaluated/op"] = float64(s.Evaluated) / n
		s.Metrics["returned/op"] = float64(s.Returned) / n
		s.Metrics["bytes/op"] = float64(s.BytesSent+s.BytesReceived) / n
		s.Metrics["rru/op"] = s.Units.RRU / n
		s.Metrics["wru/op"] = s.Units.WRU / n
		s.Metrics["s3-class-a/op"] = float64(s.Units.S3ClassA) / n
		s.Metrics["s3-class-b/op"] = float64(s.Units.S3ClassB) / n
		s.Metrics["usd/op"] = s.CostUSD / n
	}
	times, err := mergeTimes(s)
	if err != nil {
		return fmt.Errorf("series %s: %w", s.key(), err)
	}
	for _, m := range registry {
		if v, ok := times.value(m); ok {
			s.Metrics[m.Name] = v
		}
	}
	return nil
}

// OperationCount is the number of logical operations of any outcome.
func (s *Series) OperationCount() int64 {
	var n int64
	for _, o := range s.Operations {
		n += o.Count
	}
	return n
}

// Requests is the number of attempts, those under cause.Setup left out.
func (s *Series) Requests() int64 {
	var n int64
	for _, a := range s.Attempts {
		if a.Cause != string(cause.Setup) {
			n += a.Count
		}
	}
	return n
}

// times are the merged latency histograms of one or more series; nil without
// samples.
type times struct {
	response, service *hdrhistogram.Histogram
}

// value reads a time metric; false for other metrics, or without samples.
func (t times) value(m Metric) (ns float64, ok bool) {
	h := t.response
	if m.service {
		h = t.service
	}
	switch {
	case m.Assume != Time || h == nil || h.TotalCount() == 0:
		return 0, false
	case m.percentile == 100:
		return float64(h.Max()), true
	}
	return float64(h.ValueAtPercentile(m.percentile)), true
}

// mergeTimes adds up the histograms of all operations of all series, bucket by
// bucket.
func mergeTimes(series ...*Series) (times, error) {
	var t times
	for _, s := range series {
		for _, name := range sortedKeys(s.Latency) {
			l := s.Latency[name]
			if err := addHistogram(&t.response, l.Response); err != nil {
				return times{}, fmt.Errorf("response time of %s: %w", name, err)
			}
			if err := addHistogram(&t.service, l.Service); err != nil {
				return times{}, fmt.Errorf("service time of %s: %w", name, err)
			}
		}
	}
	return t, nil
}

// addHistogram adds h to *sum. It refuses a histogram of another range or
// precision: its buckets do not add up to the sum's.
func addHistogram(sum **hdrhistogram.Histogram, h Histogram) error {
	d, err := h.Decode()
	if err != nil {
		return err
	}
	if *sum == nil {
		*sum = d
		return nil
	}
	if a, b := geometry(*sum), geometry(d); a != b {
		return fmt.Errorf("%w: lowest, highest, digits are %v and %v", ErrUnmergeable, a, b)
	}
	if dropped := (*sum).Merge(d); dropped > 0 {
		return fmt.Errorf("%w: %d samples overflow", ErrUnmergeable, dropped)
	}
	return nil
}

// ErrUnmergeable says that there are two histograms whose buckets do not add up.
var ErrUnmergeable = errors.New("histograms cannot be merged")

// geometry is what two histograms must share for their buckets to be the same.
func geometry(h *hdrhistogram.Histogram) [3]int64 {
	return [3]int64{h.LowestTrackableValue(), h.HighestTrackableValue(), h.SignificantFigures()}
}

// median of sorted values; NaN without values.
func median(sorted []float64) float64 {
	n := len(sorted)
	if n == 0 {
		return math.NaN()
	}
	if n%2 == 1 {
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}
