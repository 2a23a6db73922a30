package plan

import (
	"math"
	"sort"
	"time"

	"github.com/lakebench/lakebench/internal/cost"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/keyspace"
)

// Growth is a lake with a history of some multiple of the scale's: as many times
// the commits, with all else as it is.
type Growth struct {
	Factor  float64 `json:"factor"`
	History int64   `json:"history_records"`
	// Refresh is the cost of one catalog refresh, by layout.
	Refresh map[string]cost.Cost `json:"refresh"`
	// RefreshTime is how long it takes, one page after the other.
	RefreshTime map[string]Span `json:"refresh_time"`
	// USD is the metadata store's month by mode.
	USD map[string]float64 `json:"usd_month"`
}

func (b bill) growth(s Scale) []Growth {
	var out []Growth
	for _, factor := range []float64{1, 10, 100} {
		t := s
		t.CommitsPerSecond *= factor
		g := Growth{Factor: factor, History: t.History(), Refresh: map[string]cost.Cost{}, RefreshTime: map[string]Span{}, USD: map[string]float64{}}
		patterns := t.metadata()
		for _, m := range []control.Mode{control.ModeV1, control.ModeV2Only} {
			c := find(patterns, patternRefresh).Costs[m.String()]
			g.Refresh[m.String()] = c
			g.RefreshTime[m.String()] = t.refreshTime(c)
		}
		for _, m := range control.Modes() {
			g.USD[m.String()] = b.total(m.String(), patterns).USD
		}
		out = append(out, g)
	}
	return out
}

// refreshTime is how long a drain takes whose pages come one after the other.
func (s Scale) refreshTime(c cost.Cost) Span {
	return Span(c.Requests * float64(time.Duration(s.RequestTime)))
}

// A Crossover says from how many retained records on v2 costs less than v1 of
// one thing; From is -1 if it never does.
type Crossover struct {
	Metric string `json:"metric"`
	From   int64  `json:"from_history_records"`
}

// never is the From of what does not cross over.
const never = -1

func (b bill) crossovers(s Scale) []Crossover {
	of := func(metric string, measure func(cost.Cost) float64) Crossover {
		v2 := measure(cost.RefreshV2(s.Tables, keyspace.Tables, int(s.TableShards), s.ItemBytes, s.PageLimit).Even)
		return Crossover{metric, from(func(history int64) bool {
			return measure(cost.RefreshV1(s.Tables, history, s.ItemBytes, s.PageLimit)) > v2
		})}
	}
	return []Crossover{
		of("requests of a refresh", func(c cost.Cost) float64 { return c.Requests }),
		of("read units of a refresh", func(c cost.Cost) float64 { return c.RRU }),
		of("items evaluated by a refresh", func(c cost.Cost) float64 { return c.Evaluated }),
		{"dollars a month of the whole store", from(func(history int64) bool {
			t := s
			t.CommitsPerSecond = float64(history) / (s.Retention.Seconds() * (2 + s.TombstoneShare))
			patterns := t.metadata()
			return b.total(control.ModeV1.String(), patterns).USD > b.total(control.ModeV2Only.String(), patterns).USD
		})},
	}
}

// from is the smallest number of records at which a rising cost exceeds a steady
// one.
func from(exceeds func(history int64) bool) int64 {
	const largest = 1 << 40
	if !exceeds(largest) {
		return never
	}
	n := sort.Search(largest, func(i int) bool { return exceeds(int64(i)) })
	return int64(n)
}

// A Sensitivity is how the plan changes with one number of the scale.
type Sensitivity struct {
	Change string `json:"change"`
	// USD is the month by mode, RefreshRequests what a refresh on v2 makes.
	USD             map[string]float64 `json:"usd_month"`
	RefreshRequests float64            `json:"v2_refresh_requests"`
	// HottestShare is the busiest bucket's load over what a partition serves.
	HottestShare float64 `json:"hottest_share"`
}

func (b bill) sensitivity(s Scale) []Sensitivity {
	changes := []struct {
		name string
		do   func(*Scale)
	}{
		{"as planned", func(*Scale) {}},
		{"items half as large", func(t *Scale) { t.ItemBytes = max(1, t.ItemBytes/2) }},
		{"items twice as large", func(t *Scale) { t.ItemBytes *= 2 }},
		{"items of 2 KB", func(t *Scale) { t.ItemBytes = 2048 }},
		{"half the retention", func(t *Scale) { t.Retention /= 2 }},
		{"twice the retention", func(t *Scale) { t.Retention *= 2 }},
		{"refreshing half as often", func(t *Scale) { t.RefreshInterval *= 2 }},
		{"twice the peak factor", func(t *Scale) { t.PeakFactor *= 2 }},
		{"every family in 8 shards", func(t *Scale) { t.TableShards, t.AppendShards, t.ManifestShards = 8, 8, 8 }},
		{"every family in 64 shards", func(t *Scale) { t.TableShards, t.AppendShards, t.ManifestShards = 64, 64, 64 }},
	}
	var out []Sensitivity
	for _, c := range changes {
		t := s
		c.do(&t)
		patterns := t.metadata()
		x := Sensitivity{Change: c.name, USD: map[string]float64{}, RefreshRequests: find(patterns, patternRefresh).Costs[control.ModeV2Only.String()].Requests}
		for _, m := range control.Modes() {
			x.USD[m.String()] = b.total(m.String(), patterns).USD
		}
		for _, h := range t.buckets(patterns) {
			x.HottestShare = math.Max(x.HottestShare, h.share())
		}
		out = append(out, x)
	}
	return out
}
