package format

import "testing"

func TestWords(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Thousands(0, 0), "0"}, {Thousands(999, 0), "999"}, {Thousands(1000, 0), "1,000"}, {Thousands(-1234567.5, 2), "-1,234,567.50"},
		{Thousands(100000, 0), "100,000"},
		{Significant(0), "0"}, {Significant(7475), "7,475"}, {Significant(0.00925), "0.00925"}, {Significant(12.75), "12.8"},
		{Significant(2), "2"}, {Significant(1.5e-9), "1.5e-09"}, {Significant(-0.5), "-0.5"},
		{Duration(0), "0 ns"}, {Duration(1.234e-10), "1.23e-10 ns"}, {Duration(0.5), "0.5 ns"}, {Duration(999), "999 ns"}, {Duration(999.7), "1 µs"}, {Duration(1610751), "1.61 ms"}, {Duration(999_499_999), "999 ms"},
		{Duration(999_600_000), "1 s"}, {Duration(132e6), "132 ms"}, {Duration(2.6e9), "2.6 s"}, {Duration(12_345e9), "12300 s"},
		{AOrAn("refresh"), "a refresh"}, {AOrAn("append"), "an append"},
		{List([]string{"a"}), "a"}, {List([]string{"a", "b", "c"}), "a, b and c"},
		{Plural(1, "request", "requests"), "1 request"}, {Plural(1200, "request", "requests"), "1,200 requests"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
	for want, values := range map[int][]float64{0: {1, 7475}, 1: {7475.5, 2}, 2: {0.25}, 3: {0.123456}} {
		if got := Decimals(values); got != want {
			t.Errorf("decimals of %v: %d, want %d", values, got, want)
		}
	}
}
