// Package cost holds the rules of what an operation costs: requests, items
// evaluated and returned, request units of DynamoDB, requests of S3 by class.
//
// Each rule is written once, in the file of its name, with the section of the
// specification or of the facts that it comes from. Plans, floors, dry runs and
// the checks of workloads all ask here. The package knows no store and no
// client: what a mode or a policy does is asked of the mode or policy itself.
package cost

import "github.com/lakebench/lakebench/internal/units"

// A Cost is what one operation costs. Counts may be means, and so not whole.
type Cost struct {
	Requests  float64 `json:"requests"`
	Evaluated float64 `json:"evaluated"`
	Returned  float64 `json:"returned"`
	RRU       float64 `json:"rru"`
	WRU       float64 `json:"wru"`
	ClassA    float64 `json:"s3_class_a"`
	ClassB    float64 `json:"s3_class_b"`
	// Misses are the requests among Requests that found nothing; they are billed
	// as any other.
	Misses float64 `json:"misses"`
}

// Plus returns c and n times o.
func (c Cost) Plus(o Cost, n float64) Cost {
	return Cost{
		Requests: c.Requests + n*o.Requests, Evaluated: c.Evaluated + n*o.Evaluated, Returned: c.Returned + n*o.Returned,
		RRU: c.RRU + n*o.RRU, WRU: c.WRU + n*o.WRU,
		ClassA: c.ClassA + n*o.ClassA, ClassB: c.ClassB + n*o.ClassB, Misses: c.Misses + n*o.Misses,
	}
}

// Times returns n times c.
func (c Cost) Times(n float64) Cost { return Cost{}.Plus(c, n) }

// sum adds costs up.
func sum(costs ...Cost) Cost {
	var c Cost
	for _, o := range costs {
		c = c.Plus(o, 1)
	}
	return c
}

// read is a strongly consistent read of one item of n bytes, 0 if there is
// none.
func read(itemBytes int64) Cost { return Cost{Requests: 1, RRU: units.Read(itemBytes, units.Strong)} }
