package results

import (
	"slices"
	"testing"
)

func TestWords(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{thousands(0, 0), "0"}, {thousands(999, 0), "999"}, {thousands(1000, 0), "1,000"}, {thousands(-1234567.5, 2), "-1,234,567.50"},
		{thousands(100000, 0), "100,000"},
		{significant(0), "0"}, {significant(7475), "7,475"}, {significant(0.00925), "0.00925"}, {significant(12.75), "12.8"},
		{significant(2), "2"}, {significant(1.5e-9), "1.5e-09"}, {significant(-0.5), "-0.5"},
		{duration(0), "0 ns"}, {duration(1.234e-10), "1.23e-10 ns"}, {duration(0.5), "0.5 ns"}, {duration(999), "999 ns"}, {duration(999.7), "1 µs"}, {duration(1610751), "1.61 ms"}, {duration(999_499_999), "999 ms"},
		{duration(999_600_000), "1 s"}, {duration(132e6), "132 ms"}, {duration(2.6e9), "2.6 s"}, {duration(12_345e9), "12300 s"},
		{aOrAn("refresh"), "a refresh"}, {aOrAn("append"), "an append"},
		{list([]string{"a"}), "a"}, {list([]string{"a", "b", "c"}), "a, b and c"},
		{plural(1, "request", "requests"), "1 request"}, {plural(1200, "request", "requests"), "1,200 requests"},
		{wrap("  one two three", 9, "    "), "  one two\n    three"}, {wrap("", 9, ""), ""}, {wrap("longerthanwide x", 5, " "), "longerthanwide\n x"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
	for want, values := range map[int][]float64{0: {1, 7475}, 1: {7475.5, 2}, 2: {0.25}, 3: {0.123456}} {
		if got := decimals(values); got != want {
			t.Errorf("decimals of %v: %d, want %d", values, got, want)
		}
	}
}

// On a narrow terminal what says the same in every row goes first, since a
// sentence can say it, then what is worth least.
func TestFitColumns(t *testing.T) {
	wide := func(name string, worth int, cells ...string) *column {
		return &column{name: name, worth: worth, cells: cells}
	}
	columns := []*column{
		wide("variant", 0, "v1......", "v1......"), wide("requests", 9, "10......", "20......"),
		wide("returned", 8, "1000....", "1000...."), wide("p99", 1, "1 ms....", "2 ms...."),
	}
	for width, want := range map[int][]string{38: {}, 37: {"returned"}, 27: {"returned", "p99"}, 1: {"returned", "p99", "requests"}} {
		_, left := fitColumns(columns, width)
		var names []string
		for _, c := range left {
			names = append(names, c.name)
		}
		if !slices.Equal(names, want) {
			t.Errorf("width %d: left out %v, want %v", width, names, want)
		}
	}
}
