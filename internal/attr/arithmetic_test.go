package attr_test

import (
	"errors"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/internal/attr"
)

func numberOf(t testing.TB, text string) attr.Value {
	t.Helper()
	v, err := attr.Number(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestArithmetic(t *testing.T) {
	nines := strings.Repeat("9", 38)
	for _, c := range []struct {
		a, b, sum, difference string
		sumRule, differRule   attr.Rule
	}{
		{a: "5", b: "2", sum: "7", difference: "3"},
		{a: "-1.5", b: "0.25", sum: "-1.25", difference: "-1.75"},
		{a: "0", b: "0", sum: "0", difference: "0"},
		{a: "1.5", b: "-1.5", sum: "0", difference: "3"},
		{a: "999999999999999999", b: "1", sum: "1000000000000000000", difference: "999999999999999998"},
		{a: "9223372036854775807", b: "1", sum: "9223372036854775808", difference: "9223372036854775806"},
		{a: nines, b: "1", sum: "1" + strings.Repeat("0", 38), difference: nines[:37] + "8"},
		{a: nines, b: "0.1", sumRule: attr.Precision, differRule: attr.Precision},
		{a: nines, b: nines, sumRule: attr.Precision, difference: "0"}, // 1.99…98E38 has 39 digits
		{a: "1E125", b: "9E125", sumRule: attr.Overflow, difference: "-8" + strings.Repeat("0", 125)},
		{a: "1E125", b: "1E-130", sumRule: attr.Precision, differRule: attr.Precision},
		{a: "1.1E-130", b: "1E-130", sumRule: "", sum: "0." + strings.Repeat("0", 129) + "21", differRule: attr.Underflow},
	} {
		for _, op := range []struct {
			name string
			of   func(a, b attr.Value) (attr.Value, error)
			want string
			rule attr.Rule
		}{{"+", attr.Add, c.sum, c.sumRule}, {"-", attr.Subtract, c.difference, c.differRule}} {
			got, err := op.of(numberOf(t, c.a), numberOf(t, c.b))
			broken := new(attr.ValueError)
			switch {
			case op.rule != "" && (!errors.As(err, &broken) || broken.Rule != op.rule):
				t.Errorf("%s %s %s: %v, %v, want the rule %s broken", c.a, op.name, c.b, got, err, op.rule)
			case op.rule == "" && (err != nil || got.Text() != op.want):
				t.Errorf("%s %s %s = %s, %v, want %s", c.a, op.name, c.b, got.Text(), err, op.want)
			}
		}
	}
}

// Sums agree with those of package big.
func TestArithmeticExact(t *testing.T) {
	const seed = 3
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	random := func() string {
		var b strings.Builder
		if rng.IntN(2) == 0 {
			b.WriteByte('-')
		}
		for i := range 1 + rng.IntN(16) {
			if i > 0 && rng.IntN(8) == 0 && !strings.Contains(b.String(), ".") {
				b.WriteByte('.')
			}
			b.WriteByte(byte('0' + rng.IntN(10)))
		}
		return strings.TrimSuffix(b.String(), ".")
	}
	exact := func(text string) *big.Rat {
		r, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Fatalf("no number: %q", text)
		}
		return r
	}
	for range 2000 {
		a, b := random(), random()
		sum, err := attr.Add(numberOf(t, a), numberOf(t, b))
		if want := new(big.Rat).Add(exact(a), exact(b)); err != nil || exact(sum.Text()).Cmp(want) != 0 {
			t.Fatalf("%s + %s = %v, %v, want %v", a, b, sum.Text(), err, want)
		}
		difference, err := attr.Subtract(numberOf(t, a), numberOf(t, b))
		if want := new(big.Rat).Sub(exact(a), exact(b)); err != nil || exact(difference.Text()).Cmp(want) != 0 {
			t.Fatalf("%s - %s = %v, %v, want %v", a, b, difference.Text(), err, want)
		}
	}
}
