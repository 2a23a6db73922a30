package results

import (
	"math"

	"github.com/lakebench/lakebench/internal/units"
)

// Floor returns the least that a metric can be at a point, whatever the layout:
// what the service's rules ask for handing over the items that an operation
// returned, and nothing else. There is one for workloads that only read items of
// DynamoDB: one request for each started page of 1 MB, the returned items
// evaluated, one read unit (half of one for eventual consistency) for each
// started block of 4 KB (docs/facts/dynamodb.md §3), at the run's own prices. ok is
// false where there is none.
func Floor(doc Document, p Point, metric Metric) (least float64, ok bool) {
	r, ok := leastRead(doc.Series, p)
	if !ok {
		return 0, false
	}
	switch metric.From.Quantity {
	case QuantityRequests:
		return max(1, math.Ceil(r.bytes/units.MaxPageBytes)), true
	case QuantityEvaluated:
		return r.items, true
	case QuantityRRU:
		return readUnits(doc.Workload.Params, r.bytes)
	case QuantityUSD:
		rru, ok := readUnits(doc.Workload.Params, r.bytes)
		return rru * r.usdPerRRU, ok && r.usdPerRRU > 0
	}
	return 0, false
}

// readUnits is the price of n bytes in one sum at the consistency that the
// workload was asked for.
func readUnits(params Params, bytes float64) (float64, bool) {
	n := int64(math.Ceil(bytes))
	switch params["consistency"] {
	case units.Strong.String():
		return units.Read(n, units.Strong), true
	case units.Eventual.String():
		return units.Read(n, units.Eventual), true
	}
	return 0, false
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
		if n == 0 || s.Returned == 0 || s.Units.WRU+float64(s.Units.S3ClassA+s.Units.S3ClassB) > 0 {
			return handedOver{}, false
		}
		least.items = min(least.items, float64(s.Returned)/n)
		least.bytes = min(least.bytes, float64(s.BytesReceived)/n)
		if s.Units.RRU > 0 {
			least.usdPerRRU = s.CostUSD / s.Units.RRU
		}
		ok = true
	}
	return least, ok
}
