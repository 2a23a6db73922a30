package attr_test

import (
	"bytes"
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lakebench/lakebench/internal/attr"
)

// What the service returns for a number it stored: AWS where dynamodb's
// conformance captures have it (eu-west-2, August 2026), otherwise DynamoDB
// Local 1.25.1.
func TestNumberCanonical(t *testing.T) {
	zeros := strings.Repeat("0", 130)
	for text, want := range map[string]string{
		"0": "0", "-0": "0", "-0.000": "0", "0E999": "0", "00": "0",
		"1": "1", "+1": "1", "00042": "42", "0042.1200": "42.12", "1.0": "1", "3.1400": "3.14",
		".5": "0.5", "5.": "5", "-.5": "-0.5", "1.5E2": "150", "1e+5": "100000", "12.5e-1": "1.25",
		"1E125": "1" + zeros[:125], "0.1E126": "1" + zeros[:125],
		"1E-130":   "0." + zeros[:129] + "1",
		"0.1E-129": "0." + zeros[:129] + "1",
		"11E-131":  "0." + zeros[:129] + "11",
		"123E-131": "0." + zeros[:128] + "123",
		"1.5E-130": "0." + zeros[:129] + "15",
		"9.9999999999999999999999999999999999999E+125": strings.Repeat("9", 38) + zeros[:88],
		"1234567890123456789012345678901234567800":     "1234567890123456789012345678901234567800",
		"12345678901234567890123456789012345678":       "12345678901234567890123456789012345678",
		"0.00000000000000000000000000000000000001":     "0.00000000000000000000000000000000000001",
		"-123456789.123456789":                         "-123456789.123456789",
		"100000000000000000000000000000000000000000e2": "1" + zeros[:43],
	} {
		v, err := attr.Number(text)
		if err != nil || v.Text() != want {
			t.Errorf("Number(%q) = %q, %v; want %q", text, v.Text(), err, want)
		}
	}
}

func TestNumberErrors(t *testing.T) {
	for text, want := range map[string]attr.Rule{
		"": attr.NotANumber, " 1": attr.NotANumber, "1 ": attr.NotANumber, ".": attr.NotANumber, "-": attr.NotANumber,
		"1e": attr.NotANumber, "e5": attr.NotANumber, "0x1": attr.NotANumber, "NaN": attr.NotANumber,
		"Infinity": attr.NotANumber, "1_0": attr.NotANumber, "--1": attr.NotANumber, "+-1": attr.NotANumber,
		"1e-+5": attr.NotANumber, "1e5e3": attr.NotANumber, "1E5e3": attr.NotANumber, "1.2.3": attr.NotANumber,
		"1e1.5": attr.NotANumber, "1,5": attr.NotANumber, "1e+": attr.NotANumber, "１": attr.NotANumber,
		"1E126": attr.Overflow, "-1E126": attr.Overflow, "10E125": attr.Overflow, "1e99999999999": attr.Overflow,
		"1" + strings.Repeat("0", 126): attr.Overflow,
		"1E-131":                       attr.Underflow, "-1E-131": attr.Underflow, "0.01E-129": attr.Underflow, "1e-99999999999": attr.Underflow,
		"123456789012345678901234567890123456789":       attr.Precision,
		"9.99999999999999999999999999999999999999E+125": attr.Precision,
		"1" + strings.Repeat("0", 37) + "1":             attr.Precision,
		"1." + strings.Repeat("0", 37) + "1":            attr.Precision,
	} {
		v, err := attr.Number(text)
		var e *attr.ValueError
		if !errors.As(err, &e) || e.Rule != want {
			t.Errorf("Number(%q) = %q, %v; want an error of rule %q", text, v.Text(), err, want)
		}
	}
}

// rat is the exact value of a number's text, by math/big.
func rat(t rapid.TB, text string) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("math/big cannot read %q", text)
	}
	return r
}

func TestNumberKeepsItsValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := numberText().Draw(t, "text")
		v := mustNumber(t, text)
		if rat(t, text).Cmp(rat(t, v.Text())) != 0 {
			t.Fatalf("Number(%q) became %q", text, v.Text())
		}
		again := mustNumber(t, v.Text())
		if again.Text() != v.Text() {
			t.Fatalf("canonical text %q of %q is not stable: %q", v.Text(), text, again.Text())
		}
	})
}

// closeNumbers draws two numbers that are often equal or nearly so.
func closeNumbers(t *rapid.T) (attr.Value, attr.Value) {
	a := number().Draw(t, "a")
	if rapid.Bool().Draw(t, "far") {
		return a, number().Draw(t, "b")
	}
	text := []byte(a.Text())
	at := rapid.IntRange(0, len(text)-1).Draw(t, "changed digit")
	if text[at] >= '0' && text[at] <= '9' {
		text[at] = byte('0' + rapid.IntRange(0, 9).Draw(t, "digit"))
	}
	b, err := attr.Number(string(text))
	if err != nil { // one digit too many
		return a, a
	}
	return a, b
}

func TestNumberOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := closeNumbers(t)
		want := rat(t, a.Text()).Cmp(rat(t, b.Text()))
		got, ok := a.Compare(b)
		if !ok || sign(got) != want {
			t.Fatalf("%s compared with %s: %d, %v; want %d", a, b, got, ok, want)
		}
		if keys := bytes.Compare(a.AppendOrdered(nil), b.AppendOrdered(nil)); keys != want {
			t.Fatalf("keys of %s and %s compare as %d, want %d", a, b, keys, want)
		}
		if a.Equal(b) != (want == 0) {
			t.Fatalf("%s equals %s: %v, want %v", a, b, a.Equal(b), want == 0)
		}
	})
}

func sign(i int) int {
	switch {
	case i < 0:
		return -1
	case i > 0:
		return 1
	}
	return 0
}

// Numbers in ascending order, the edges of the range among them.
func TestNumberOrderAtTheEdges(t *testing.T) {
	ascending := []string{
		"-9.9999999999999999999999999999999999999E125", "-1E125", "-10.5", "-10.25", "-10", "-9", "-1.01", "-1", "-0.5",
		"-1.1E-130", "-1E-130", "0", "1E-130", "1.1E-130", "0.05", "0.5", "0.51", "1", "1.01", "9", "10", "10.25", "10.5",
		"99", "100", "101", "1E38", "1E125", "9.9999999999999999999999999999999999999E125",
	}
	var last []byte
	for i, text := range ascending {
		v := mustNumber(t, text)
		for j, other := range ascending {
			if order, ok := v.Compare(mustNumber(t, other)); !ok || sign(order) != sign(i-j) {
				t.Errorf("%s compared with %s: %d, %v; want %d", text, other, order, ok, sign(i-j))
			}
		}
		key := v.AppendOrdered([]byte("x"))
		if bytes.Compare(last, key) >= 0 {
			t.Errorf("key of %s is not above the one of the number before it", text)
		}
		last = key
	}
}

// A number's key says where it ends, so keys may be put in front of others.
func TestNumberKeysAreNoPrefixes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := closeNumbers(t)
		ka, kb := a.AppendOrdered(nil), b.AppendOrdered(nil)
		if !bytes.Equal(ka, kb) && (bytes.HasPrefix(ka, kb) || bytes.HasPrefix(kb, ka)) {
			t.Fatalf("key of one of %s and %s begins with that of the other", a, b)
		}
	})
}

func TestOrderOfStringsAndBinary(t *testing.T) {
	// UTF-8 order differs from UTF-16 order beyond U+FFFF.
	texts := []string{"", "A", "B", "a", "ab", "b", "é", "日", "\uffee", "😀"}
	if !slices.IsSorted(texts) {
		t.Fatal("the list is not in UTF-8 order")
	}
	for i, a := range texts {
		for j, b := range texts {
			for _, of := range []func(string) attr.Value{attr.String, attr.Binary} {
				order, ok := of(a).Compare(of(b))
				if !ok || sign(order) != sign(i-j) {
					t.Errorf("%q compared with %q: %d, %v", a, b, order, ok)
				}
				if keys := bytes.Compare(of(a).AppendOrdered(nil), of(b).AppendOrdered(nil)); keys != sign(i-j) {
					t.Errorf("keys of %q and %q compare as %d", a, b, keys)
				}
			}
		}
	}
	if order, ok := attr.Binary("\xff").Compare(attr.Binary("\x00")); !ok || order <= 0 {
		t.Errorf("binary ff compared with 00: %d, %v; bytes are unsigned", order, ok)
	}
}

func TestCompareOfOtherTypes(t *testing.T) {
	for _, pair := range [][2]attr.Value{
		{attr.String("1"), attr.Int(1)},
		{attr.String("a"), attr.Binary("a")},
		{attr.Bool(true), attr.Bool(false)},
		{attr.Null(), attr.Null()},
		{attr.List(), attr.List()},
		{attr.Value{}, attr.Value{}},
	} {
		if order, ok := pair[0].Compare(pair[1]); ok {
			t.Errorf("%s compared with %s: %d, want no order", pair[0], pair[1], order)
		}
	}
}
