package units_test

import (
	"testing"

	"github.com/lakebench/lakebench/internal/units"
)

// The golden rows of docs/facts/dynamodb.md §3.2 that are arithmetic on bytes.
func TestGoldenUnits(t *testing.T) {
	const KB = units.KB
	for _, c := range []struct {
		row  string
		got  float64
		want float64
	}{
		{"1 GetItem 304 B eventual", units.Read(304, units.Eventual), 0.5},
		{"1 GetItem 304 B strong", units.Read(304, units.Strong), 1},
		{"2 GetItem 4,101 B eventual", units.Read(4101, units.Eventual), 1},
		{"2 GetItem 4,101 B strong", units.Read(4101, units.Strong), 2},
		{"3 missing key eventual", units.Read(0, units.Eventual), 0.5},
		{"3 missing key strong", units.Read(0, units.Strong), 1},
		{"4 Query 100 items of 300 B eventual", units.Read(100*300, units.Eventual), 4},
		{"4 Query 100 items of 300 B strong", units.Read(100*300, units.Strong), 8},
		{"6 Query Limit 10 of 300 B", units.Read(10*300, units.Strong), 1},
		{"9 a full scan page of 300 B items", units.Read(3496*300, units.Strong), 257},
		{"9 the last scan page", units.Read((100_000-28*3496)*300, units.Strong), 155},
		{"10 BatchGet, item by item", units.Read(1500, units.Strong) + units.Read(6500, units.Strong) + units.Read(0, units.Strong), 4},
		{"11 Put of 300 B over 2,500 B", units.Write(max(300, 2500)), 3},
		{"13 Delete of 2,500 B", units.Write(2500), 3},
		{"13 Delete of a missing key", units.Write(0), 1},
		{"14 BatchWrite 500 B and 3.5 KB", units.Write(500) + units.Write(3584), 5},
		{"15 failed condition, 300 KB stored, 310 KB offered", units.Write(max(300*KB, 310*KB)), 310},
		{"18 two puts in a transaction", units.TransactWrite(1000) + units.TransactWrite(KB), 4},
		{"19 Put of 2.5 KB in a transaction", units.TransactWrite(2560), 6},
		{"20 Delete of 3 KB in a transaction", units.TransactWrite(3 * KB), 6},
		{"20 Delete of a missing key in a transaction", units.TransactWrite(0), 2},
		{"21 ConditionCheck", units.TransactWrite(300), 2},
		{"24 replay of a 1.5 KB item, first", units.TransactWrite(1536), 4},
		{"24 replay of a 1.5 KB item, replay", units.Read(1536, units.Transactional), 2},
		{"25 TransactGet 2 items and a missing one", 2*units.Read(4*KB, units.Transactional) + units.Read(0, units.Transactional), 6},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v units, want %v", c.row, c.got, c.want)
		}
	}
}

// A block that is full costs one unit, one byte more costs two.
func TestBlockEdges(t *testing.T) {
	for _, c := range []struct {
		name string
		cost func(int64) float64
		n    int64
		want float64
	}{
		{"Write", units.Write, 1, 1},
		{"Write", units.Write, 1024, 1},
		{"Write", units.Write, 1025, 2},
		{"Write", units.Write, units.MaxItemBytes, 400},
		{"TransactWrite", units.TransactWrite, 1025, 4},
		{"Read", func(n int64) float64 { return units.Read(n, units.Strong) }, 1, 1},
		{"Read", func(n int64) float64 { return units.Read(n, units.Strong) }, 4096, 1},
		{"Read", func(n int64) float64 { return units.Read(n, units.Strong) }, 4097, 2},
		{"Read", func(n int64) float64 { return units.Read(n, units.Eventual) }, 4097, 1},
		{"Read", func(n int64) float64 { return units.Read(n, units.Eventual) }, 8193, 1.5},
		{"Read", func(n int64) float64 { return units.Read(n, units.Transactional) }, 4097, 4},
	} {
		if got := c.cost(c.n); got != c.want {
			t.Errorf("%s(%d) = %v, want %v", c.name, c.n, got, c.want)
		}
	}
}

func TestConsistencyNames(t *testing.T) {
	for c, want := range map[units.Consistency]string{
		units.Eventual: "eventual", units.Strong: "strong", units.Transactional: "transactional",
		units.Consistency(9): "Consistency(9)",
	} {
		if got := c.String(); got != want {
			t.Errorf("Consistency(%d) is called %q, want %q", int(c), got, want)
		}
	}
}
