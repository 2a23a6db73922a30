package results

import (
	"errors"
	"fmt"
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/lakebench/lakebench/internal/cause"
)

// Derive sets the metrics that follow from the ledgers and latency histograms of
// s, beside those that a workload has put there. Requests under cause.Setup are
// in none of them.
//
// "Per operation" is per operation of any outcome: a failed one has cost its
// requests too. A series without operations gets no metrics per operation, and
// one without samples no times: a zero would be a lie.
func (s *Series) Derive(metrics Metrics) error {
	times, err := mergeTimes(s)
	if err != nil {
		return fmt.Errorf("series %s: %w", s.key(), err)
	}
	s.derive(metrics, times)
	return nil
}

// Record sets the latency of s to what was recorded, by operation name, and then
// does what Derive does, which would have to decode what is encoded here. The
// histograms of recorded are the series' to change.
func (s *Series) Record(metrics Metrics, recorded map[string]Recorded) error {
	s.Latency = map[string]Latency{}
	var sum times
	for _, name := range sortedKeys(recorded) {
		r := recorded[name]
		service, err1 := EncodeHistogram(r.Service.HDR, r.Service.Clamped)
		response, err2 := EncodeHistogram(r.Response.HDR, r.Response.Clamped)
		s.Latency[name] = Latency{Service: service, Response: response}
		err := errors.Join(err1, err2, merge(&sum.service, r.Service.HDR), merge(&sum.response, r.Response.HDR))
		if err != nil {
			return fmt.Errorf("series %s: latency of %s: %w", s.key(), name, err)
		}
	}
	s.derive(metrics, sum)
	return nil
}

func (s *Series) derive(metrics Metrics, times times) {
	if s.Metrics == nil {
		s.Metrics = make(map[string]float64)
	}
	operations := float64(s.OperationCount())
	for _, m := range metrics {
		if v, ok := s.quantity(m.From.Quantity); ok && operations > 0 {
			s.Metrics[m.Name] = v / operations
		}
		if v, ok := times.value(m.From); ok {
			s.Metrics[m.Name] = v
		}
	}
}

// quantity returns what the series counted; ok is false for a quantity that it
// does not count.
func (s *Series) quantity(q Quantity) (v float64, ok bool) {
	switch q {
	case QuantityRequests:
		return float64(s.Requests()), true
	case QuantityRetries:
		return float64(s.Retries), true
	case QuantityBytes:
		return float64(s.BytesSent + s.BytesReceived), true
	case QuantityUSD:
		return s.CostUSD, true
	default: // a count of the services
		return s.Value(string(q))
	}
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

// samplesFor is how many samples a percentile needs. Above the median one of them has
// to lie beyond it, else it is the longest time under another name: 100 samples for
// p99, 1,000 for p99.9 (docs/spec/results.md §2).
func samplesFor(percentile float64) int64 {
	if percentile <= 50 {
		return 1
	}
	return int64(math.Round(100 / (100 - percentile)))
}

// value reads a percentile; false for other sources, or with too few samples.
func (t times) value(src Source) (ns float64, ok bool) {
	h := t.response
	if src.Time == ServiceTime {
		h = t.service
	}
	switch {
	case src.Time == "" || h == nil || h.TotalCount() == 0:
		return 0, false
	case src.Percentile == 100:
		return float64(h.Max()), true
	case h.TotalCount() < samplesFor(src.Percentile):
		return 0, false
	}
	return float64(h.ValueAtPercentile(src.Percentile)), true
}

// margin is how far a percentile may be from that of all possible samples: the ranks
// around it, by the normal approximation of how many samples are below. Where a rank is
// beyond all samples, which a maximum's always is, nothing is known: the margin is the
// value. It is never below the width of a bucket.
func (t times) margin(src Source, value float64) float64 {
	const bucket = 0.005 // of the value
	h := t.response
	if src.Time == ServiceTime {
		h = t.service
	}
	if h == nil || h.TotalCount() == 0 {
		return value
	}
	part := src.Percentile / 100
	ranks := 100 * timeDeviations * math.Sqrt(part*(1-part)/float64(h.TotalCount()))
	low, high := src.Percentile-ranks, src.Percentile+ranks
	if low < 0 || high >= 100 {
		return value
	}
	return max(bucket*value, value-float64(h.ValueAtPercentile(low)), float64(h.ValueAtPercentile(high))-value)
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

// addHistogram adds h to *sum, as merge does.
func addHistogram(sum **hdrhistogram.Histogram, h Histogram) error {
	d, err := h.Decode()
	if err != nil {
		return err
	}
	return merge(sum, d)
}

// merge adds d to *sum, which is d itself if it was nil. It refuses a histogram
// of another range or precision: its buckets do not add up to the sum's.
func merge(sum **hdrhistogram.Histogram, d *hdrhistogram.Histogram) error {
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

// ErrUnmergeable reports that there are two histograms whose buckets do not add up.
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
