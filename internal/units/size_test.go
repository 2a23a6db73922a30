package units_test

import (
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lakebench/lakebench/internal/units"
)

// Sizes measured to the byte on the 400 KB limit of items: on AWS (eu-west-2,
// August 2026), or where marked on DynamoDB Local 1.25.1, which agrees with all
// of the former.
var numberSizes = []struct {
	text string
	want int
}{
	{"0", 1}, {"-0", 1}, {"1", 2}, {"12", 2}, {"123", 3}, {"1234", 3}, {"5", 2}, {"-5", 3}, {"10", 2},
	{"12345678901234567890123456789012345678", 20},
	{"0042", 2}, {"100", 2}, {"1010", 3}, {"0.0000001", 2}, {"1E125", 2}, {"1E-100", 2},
	{"1.5", 3}, {"15", 2}, {"1.2", 3}, {"1.200", 3}, {"1.234", 4}, {"3.14159", 5}, {"123456", 4},
	{"100.5", 4}, {"0.15", 2}, {"-42", 3},
	// DynamoDB Local: digits are paired from the point, not from the first digit.
	{"120", 3}, {"1200", 2}, {"12000", 3}, {"0.015", 3}, {"0.0015", 2}, {"12E124", 2}, {"-120", 4}, {"10.01", 3}, {"0.001", 2},
}

func TestNumberSize(t *testing.T) {
	for _, c := range numberSizes {
		got, err := units.NumberSize(c.text)
		if err != nil || got != c.want {
			t.Errorf("NumberSize(%q) = %d, %v; want %d", c.text, got, err, c.want)
		}
	}
}

func TestNumberSizeSpellings(t *testing.T) {
	for _, same := range [][]string{
		{"1500", "1.5e3", "1.5E+3", "+1500", "0001500.000", "15e2", ".15e4", "1500."},
		{"-0.0125", "-1.25e-2", "-125E-4", "-.0125"},
		{"0", "-0", "0.000", "0e999", ".0", "0."},
	} {
		want, err := units.NumberSize(same[0])
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range same[1:] {
			if got, err := units.NumberSize(text); err != nil || got != want {
				t.Errorf("NumberSize(%q) = %d, %v; want %d as for %q", text, got, err, want, same[0])
			}
		}
	}
}

func TestNumberSizeErrors(t *testing.T) {
	for _, text := range []string{"", "-", "+", ".", "-.", "e5", "1e", "1e+", "1e1.5", "1.2.3", "1e5E3", "1E5e3", "1.5.", "..", "1x", " 1", "1 ", "0x10", "NaN", "Infinity", "1_000", "--1", "١", "1e99999999999999999999"} {
		if got, err := units.NumberSize(text); err == nil {
			t.Errorf("NumberSize(%q) = %d, want an error", text, got)
		} else if !strings.Contains(err.Error(), text) {
			t.Errorf("NumberSize(%q): the error does not name the text: %v", text, err)
		}
	}
}

// sizeByPairs computes a number's size another way: as an integer in base 100
// with the point between two digits of that base.
func sizeByPairs(coefficient *big.Int, exponent int) int {
	size := 1
	n := new(big.Int).Abs(coefficient)
	if n.Sign() == 0 {
		return size
	}
	if coefficient.Sign() < 0 {
		size++
	}
	if exponent%2 != 0 {
		n.Mul(n, big.NewInt(10))
	}
	hundred, pair := big.NewInt(100), new(big.Int)
	significant := false
	for n.Sign() > 0 {
		n.QuoRem(n, hundred, pair)
		if pair.Sign() != 0 {
			significant = true
		}
		if significant {
			size++
		}
	}
	return size
}

func TestNumberSizeByPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		coefficient, _ := new(big.Int).SetString(rapid.StringMatching(`-?[0-9]{1,38}`).Draw(t, "coefficient"), 10)
		exponent := rapid.IntRange(-130, 125).Draw(t, "exponent")
		text := coefficient.String() + "e" + big.NewInt(int64(exponent)).String()
		want := sizeByPairs(coefficient, exponent)
		if got, err := units.NumberSize(text); err != nil || got != want {
			t.Fatalf("NumberSize(%q) = %d, %v; want %d", text, got, err, want)
		}
	})
}

// Whatever the text, there is a size if math/big can read it and an error if not.
func TestNumberSizeOfAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("012.eE+-")), 0, 8, -1).Draw(t, "text")
		size, err := units.NumberSize(text)
		if _, ok := new(big.Float).SetString(text); ok != (err == nil) {
			t.Fatalf("NumberSize(%q) = %d, %v; math/big can read it: %v", text, size, err, ok)
		}
		if err == nil && (size < 1 || size > len(text)+2) {
			t.Fatalf("NumberSize(%q) = %d", text, size)
		}
	})
}

func TestStringAndBinarySize(t *testing.T) {
	for s, want := range map[string]int{"": 0, "abc": 3, "é": 2, "日本": 6, "😀": 4} {
		if got := units.StringSize(s); got != want {
			t.Errorf("StringSize(%q) = %d, want %d", s, got, want)
		}
		if got := units.BinarySize([]byte(s)); got != want {
			t.Errorf("BinarySize(%q) = %d, want %d", s, got, want)
		}
	}
}
