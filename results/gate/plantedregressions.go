package gate

import (
	"fmt"
	"maps"
	"slices"

	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/results/growth"
)

// addRequests changes one request of the first series that has one, and what is
// computed from it.
func addRequests(d *results.Document, n int64) bool {
	for i := range d.Series {
		s := &d.Series[i]
		if len(s.Attempts) == 0 || s.OperationCount() == 0 {
			continue
		}
		s.Attempts[0].Count += n
		for _, m := range d.Metrics {
			if m.From.Quantity == results.QuantityRequests {
				s.Metrics[m.Name] += float64(n) / float64(s.OperationCount())
			}
		}
		return true
	}
	return false
}

// removeMetric takes a metric from the first series that has any.
func removeMetric(d *results.Document) bool {
	for i := range d.Series {
		if m := d.Series[i].Metrics; len(m) > 0 {
			delete(m, slices.Min(slices.Collect(maps.Keys(m))))
			return true
		}
	}
	return false
}

// otherRequests gives the requests of one series another cause: their number
// stays.
func otherRequests(d *results.Document) bool {
	for i := range d.Series {
		if a := d.Series[i].Attempts; len(a) > 0 {
			a[0].Cause += "-of-another-kind"
			return true
		}
	}
	return false
}

// otherWorkload makes the document one of other parameters.
func otherWorkload(d *results.Document) bool {
	params := results.Params{"planted": true}
	for name, v := range d.Workload.Params {
		params[name] = v
	}
	hash, err := results.HashWorkload(d.Workload.Name, d.Workload.Version, params)
	d.Workload.Params, d.Workload.Hash = params, hash
	return err == nil
}

// setCheck changes the status of the first check that passed.
func setCheck(d *results.Document, status results.Status) bool {
	for i := range d.Checks {
		if d.Checks[i].Status == results.Passed {
			d.Checks[i].Status, d.Checks[i].Detail = status, "planted"
			return true
		}
	}
	return false
}

func removeCheck(d *results.Document) bool {
	for i := range d.Checks {
		if d.Checks[i].Status == results.Passed {
			d.Checks = append(d.Checks[:i:i], d.Checks[i+1:]...)
			return true
		}
	}
	return false
}

func clampSamples(d *results.Document) bool {
	for i := range d.Series {
		for name, l := range d.Series[i].Latency {
			l.Response.Clamped++
			d.Series[i].Latency[name] = l
			return true
		}
	}
	return false
}

// otherGrowth changes the first class of a count that is determined.
func otherGrowth(d *results.Document) bool {
	for i := range d.Summary.Growth {
		g := &d.Summary.Growth[i]
		if d.Metrics.Lookup(g.Metric).IsTime() || !g.Class.Determined() {
			continue
		}
		if g.Class == growth.Superlinear {
			g.Class = growth.Linear
		} else {
			g.Class = growth.Superlinear
		}
		return true
	}
	return false
}

// medianTime names the time that is planted; "" if there is none.
func medianTime(metrics results.Metrics) string {
	m, _ := metrics.From(results.Source{Time: results.ResponseTime, Percentile: 50})
	return m.Name
}

// gateMedianTimes gates the medians, and no other times: the fewer rows, the
// clearer each can be.
func gateMedianTimes(p *Policy, metrics results.Metrics) {
	p.Times = Ignore
	p.Rules = append(p.Rules, Rule{Metrics: []string{medianTime(metrics)}, Phases: []results.Phase{results.Steady}, Action: Enforce})
}

// eightRepeats makes eight repeats of every series, with times of their own that
// differ by a per cent or so, as measured ones do.
func eightRepeats(d *results.Document) {
	const repeats = 8
	var series []results.Series
	for _, s := range d.Series {
		if s.Repeat > 0 {
			continue
		}
		for repeat := range repeats {
			c := s
			c.Repeat, c.Metrics = repeat, map[string]float64{}
			for name, v := range s.Metrics {
				if d.Metrics.Lookup(name).IsTime() {
					v *= 1 + 0.002*float64((repeat*5+3)%repeats)
				}
				c.Metrics[name] = v
			}
			series = append(series, c)
		}
	}
	d.Series, d.Repeats, d.Clock = series, repeats, results.RealClock
}

// slower multiplies the times of one place.
func slower(d *results.Document, factor float64) bool {
	place := ""
	for i := range d.Series {
		s := &d.Series[i]
		here := fmt.Sprint(s.Variant, s.Point, s.Phase)
		if s.Metrics[medianTime(d.Metrics)] == 0 || s.Phase != results.Steady || place != "" && here != place {
			continue
		}
		place = here
		for name := range s.Metrics {
			if d.Metrics.Lookup(name).IsTime() {
				s.Metrics[name] *= factor
			}
		}
	}
	return place != ""
}
