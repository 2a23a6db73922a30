package results

import (
	"math"

	"github.com/lakebench/lakebench/internal/cost"
	"github.com/lakebench/lakebench/internal/units"
)

// Floor returns the least that a metric can be at a point, whatever the layout:
// what reading the items costs that an operation returned, and nothing else, at
// the run's own prices (cost.LeastRead). ok is false where there is none: for
// workloads that do anything but read items of DynamoDB.
func Floor(doc Document, p Point, metric Metric) (least float64, ok bool) {
	r, ok := leastRead(doc.Series, p)
	if !ok {
		return 0, false
	}
	consistency, known := consistencyOf(doc.Workload.Params)
	c := cost.LeastRead(r.items, r.bytes, consistency)
	switch metric.From.Quantity {
	case QuantityRequests:
		return c.Requests, true
	case QuantityEvaluated:
		return c.Evaluated, true
	case QuantityRRU:
		return c.RRU, known
	case QuantityUSD:
		return c.RRU * r.usdPerRRU, known && r.usdPerRRU > 0
	default:
		return 0, false
	}
}

// consistencyOf is the consistency that a workload was asked for.
func consistencyOf(params Params) (units.Consistency, bool) {
	switch params["consistency"] {
	case units.Strong.String():
		return units.Strong, true
	case units.Eventual.String():
		return units.Eventual, true
	}
	return units.Strong, false
}

// handedOver is what an operation returned.
type handedOver struct {
	items, bytes float64
	usdPerRRU    float64
}

// leastRead is the smallest answer of all variants at a point: layouts differ in
// the size of an item. ok is false if a variant did anything but read items.
func leastRead(series []Series, p Point) (least handedOver, ok bool) {
	least.items, least.bytes = math.Inf(1), math.Inf(1)
	for i := range series {
		s := &series[i]
		n := float64(s.OperationCount())
		if s.Phase != Steady || s.Point.String() != p.String() {
			continue
		}
		if n == 0 || s.Returned == 0 || s.WRU+float64(s.S3ClassA+s.S3ClassB) > 0 {
			return handedOver{}, false
		}
		least.items = min(least.items, float64(s.Returned)/n)
		least.bytes = min(least.bytes, float64(s.BytesReceived)/n)
		if s.RRU > 0 {
			least.usdPerRRU = s.CostUSD / s.RRU
		}
		ok = true
	}
	return least, ok
}
