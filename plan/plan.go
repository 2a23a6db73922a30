package plan

import (
	"math"

	"github.com/lakebench/lakebench/internal/cost"
	"github.com/lakebench/lakebench/internal/price"
	"github.com/lakebench/lakebench/manifest"
	"github.com/lakebench/lakebench/store/control"
)

// A Plan is what a lake of some scale costs and needs. All dollars are of a month
// of 730 hours at mean rates, unless they say otherwise.
type Plan struct {
	Scale  Scale  `json:"scale"`
	Prices Prices `json:"prices"`
	// Metadata are the patterns of the metadata store, their columns the modes;
	// WAL those of the WAL, their columns the policies.
	Metadata    []Pattern     `json:"metadata"`
	WAL         []Pattern     `json:"wal"`
	Totals      []Total       `json:"totals"`
	Waste       []Waste       `json:"waste"`
	Growth      []Growth      `json:"growth"`
	Crossover   []Crossover   `json:"crossover"`
	Headroom    []Headroom    `json:"headroom"`
	Advice      []Advice      `json:"advice"`
	Migration   Migration     `json:"migration"`
	Billing     []Billing     `json:"billing"`
	Sensitivity []Sensitivity `json:"sensitivity"`
	Assumptions []string      `json:"assumptions"`
	NotModelled []string      `json:"not_modelled"`

	table price.Table // that it is priced with
}

// Prices identify the price table of a plan.
type Prices struct {
	Date   string `json:"date"`
	Region string `json:"region"`
	Hash   string `json:"hash"`
}

// A Total is a column's cost over all patterns of its part of the lake.
type Total struct {
	Column string  `json:"column"`
	USD    float64 `json:"usd_month"`
	// Units or requests a second, on average.
	RRU    float64 `json:"rru_per_second"`
	WRU    float64 `json:"wru_per_second"`
	ClassA float64 `json:"s3_class_a_per_second"`
	ClassB float64 `json:"s3_class_b_per_second"`
}

// Make makes the plan of a scale. Patterns of measured, if there are any, take
// the place of those that the rules give, by name.
func Make(s Scale, prices price.Table, measured ...Pattern) (Plan, error) {
	if err := s.Validate(); err != nil {
		return Plan{}, err
	}
	p := Plan{
		Scale:    s,
		table:    prices,
		Prices:   Prices{prices.Date, prices.Region, prices.Hash()},
		Metadata: replace(s.metadata(), measured),
		WAL:      replace(s.wal(), measured),
	}
	b := bill{p.table}
	for _, m := range control.Modes() {
		p.Totals = append(p.Totals, b.total(m.String(), p.Metadata))
	}
	for _, policy := range manifest.Kinds() {
		p.Totals = append(p.Totals, b.total(policy.String(), p.WAL))
	}
	p.Waste = b.waste(s, p)
	p.Growth = b.growth(s)
	p.Crossover = b.crossovers(s)
	p.Headroom = headroom(s, p)
	p.Advice = advice(s)
	p.Migration = b.migration(s, p, measured)
	p.Billing = b.billing(s, p)
	p.Sensitivity = b.sensitivity(s)
	p.Assumptions, p.NotModelled = assumptions(s, p), notModelled()
	return p, nil
}

// replace puts measured patterns in the place of those of the same name. A
// column that was not measured keeps what the rules say.
func replace(patterns, measured []Pattern) []Pattern {
	for _, m := range measured {
		for i := range patterns {
			if patterns[i].Name != m.Name {
				continue
			}
			for column, c := range m.Costs {
				patterns[i].Costs[column] = c
				delete(patterns[i].Spread, column)
			}
			patterns[i].Source = m.Source
		}
	}
	return patterns
}

// bill prices patterns.
type bill struct{ prices price.Table }

// usd is the price of a cost, which may be a part of a request.
func (b bill) usd(c cost.Cost) float64 {
	return b.prices.DynamoDB(c.RRU, c.WRU) +
		(c.ClassA*b.prices.Standard.ClassAPerThousand+c.ClassB*b.prices.Standard.ClassBPerThousand)/1e3
}

// month is the price of a rate of a cost, per second, for a month.
func (b bill) month(c cost.Cost, perSecond float64) float64 {
	return b.usd(c) * perSecond * secondsPerMonth
}

func (b bill) total(column string, patterns []Pattern) Total {
	var sum cost.Cost
	for _, p := range patterns {
		sum = sum.Plus(p.Costs[column], p.PerSecond)
	}
	return Total{
		Column: column, USD: b.month(sum, 1),
		RRU: sum.RRU, WRU: sum.WRU, ClassA: sum.ClassA, ClassB: sum.ClassB,
	}
}

// find returns the pattern of a name.
func find(patterns []Pattern, name string) Pattern {
	for _, p := range patterns {
		if p.Name == name {
			return p
		}
	}
	return Pattern{}
}

// usdOf returns the monthly total of a column.
func (p Plan) usdOf(column string) float64 {
	for _, t := range p.Totals {
		if t.Column == column {
			return t.USD
		}
	}
	return math.NaN()
}
