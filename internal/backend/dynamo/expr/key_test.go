package expr_test

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"github.com/lakebench/lakebench/internal/attr"
	"github.com/lakebench/lakebench/internal/backend/dynamo/expr"
)

// keys draws a range key of a type.
func keys(kind attr.Kind) *rapid.Generator[attr.Value] {
	// Few distinct bytes, 0xff among them, so that keys are often near each other.
	text := rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 'a', 0xfe, 0xff}), 1, 4), func(b []byte) string { return string(b) })
	switch kind {
	case attr.S:
		return rapid.Map(rapid.StringOfN(rapid.SampledFrom([]rune{0, 'a', 'b', 'é', '😀', '\U0010ffff'}), 1, 4, -1), attr.String)
	case attr.N:
		return rapid.Map(rapid.Int64Range(-12, 12), attr.Int)
	default:
		return rapid.Map(text, attr.Binary)
	}
}

var rangeOperators = []string{"sk = :a", "sk < :a", "sk <= :a", "sk > :a", "sk >= :a", "sk BETWEEN :a AND :b", "begins_with(sk, :a)"}

// selects says, without looking at expr, whether a range key meets a condition.
func selects(t rapid.TB, operator int, key, a, b attr.Value) bool {
	order := func(v attr.Value) int {
		o, ok := key.Compare(v)
		if !ok {
			t.Fatalf("%s and %s have no order", key, v)
		}
		return o
	}
	switch operator {
	case 0:
		return order(a) == 0
	case 1:
		return order(a) < 0
	case 2:
		return order(a) <= 0
	case 3:
		return order(a) > 0
	case 4:
		return order(a) >= 0
	case 5:
		return order(a) >= 0 && order(b) <= 0
	default:
		return bytes.HasPrefix([]byte(key.Text()), []byte(a.Text()))
	}
}

// A key condition selects the same keys by value and by ordered bytes, and they
// are the ones it should.
func TestKeyRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]attr.Kind{attr.S, attr.N, attr.B}).Draw(t, "kind")
		operators := len(rangeOperators)
		if kind == attr.N {
			operators-- // numbers begin with nothing
		}
		operator := rapid.IntRange(0, operators-1).Draw(t, "operator")
		key, a, b := keys(kind).Draw(t, "key"), keys(kind).Draw(t, "a"), keys(kind).Draw(t, "b")
		if order, _ := a.Compare(b); order > 0 {
			a, b = b, a
		}
		values := attr.Item{{Name: ":a", Value: a}, {Name: ":b", Value: b}, {Name: ":h", Value: attr.Int(7)}}
		subs, err := expr.NewSubstitutions(nil, values)
		if err != nil {
			t.Fatal(err)
		}
		text := rangeOperators[operator] + " AND pk = :h"
		where, err := expr.ParseKeyCondition(text, subs)
		if err != nil {
			t.Fatal(err)
		}
		r, err := where.Resolve(expr.Schema{Hash: "pk", HashKind: attr.N, Range: "sk", RangeKind: kind})
		if err != nil {
			t.Fatal(err)
		}
		want := selects(t, operator, key, a, b)
		if got := r.Contains(key); got != want || !r.Hash.Equal(attr.Int(7)) {
			t.Fatalf("%s with %s and %s contains %s: %v, want %v; hash %s", text, a, b, key, got, want, r.Hash)
		}
		from, to := r.Interval()
		bytesOf := key.AppendOrdered(nil)
		got := bytes.Compare(from, bytesOf) <= 0 && (to == nil || bytes.Compare(bytesOf, to) < 0)
		if got != want {
			t.Fatalf("%s with %s and %s: %x in [%x, %x): %v, want %v", text, a, b, bytesOf, from, to, got, want)
		}
	})
}

// Without a condition on the range key all of a partition is selected.
func TestKeyRangeOfPartition(t *testing.T) {
	subs, err := expr.NewSubstitutions(nil, attr.Item{{Name: ":h", Value: attr.String("x")}})
	if err != nil {
		t.Fatal(err)
	}
	where, err := expr.ParseKeyCondition("pk = :h", subs)
	if err != nil {
		t.Fatal(err)
	}
	r, err := where.Resolve(expr.Schema{Hash: "pk", HashKind: attr.S})
	if err != nil {
		t.Fatal(err)
	}
	from, to := r.Interval()
	if len(from) != 0 || to != nil || !r.Contains(attr.String("anything")) || !r.Contains(attr.Value{}) {
		t.Errorf("range [%x, %x), contains a key: %v", from, to, r.Contains(attr.String("anything")))
	}
}

// A prefix of 0xff bytes has no key after it.
func TestPrefixWithoutEnd(t *testing.T) {
	for prefix, want := range map[string]string{"a": "b", "a\xff": "b", "a\xfe\xff\xff": "a\xff", "\x00": "\x01"} {
		if _, to := (expr.KeyRange{Prefix: attr.Binary(prefix)}).Interval(); string(to) != want {
			t.Errorf("prefix %q ends before %q, want %q", prefix, to, want)
		}
	}
	if _, to := (expr.KeyRange{Prefix: attr.Binary("\xff\xff")}).Interval(); to != nil {
		t.Errorf("prefix ffff ends before %x", to)
	}
}

// A key of another type is outside every range.
func TestKeyRangeOfOtherType(t *testing.T) {
	one := attr.Int(1)
	for _, r := range []expr.KeyRange{
		{Prefix: attr.String("a")}, {Lower: expr.Bound{Value: one}}, {Upper: expr.Bound{Value: one}},
	} {
		if r.Contains(attr.Binary("a")) {
			t.Errorf("%v contains a binary", r)
		}
	}
}

func TestResolveErrors(t *testing.T) {
	const (
		hashOnly = iota
		both
	)
	schemas := []expr.Schema{
		hashOnly: {Hash: "pk", HashKind: attr.B},
		both:     {Hash: "pk", HashKind: attr.S, Range: "sk", RangeKind: attr.B},
	}
	values := attr.Item{
		{Name: ":b", Value: attr.Binary("x")}, {Name: ":eb", Value: attr.Binary("")},
		{Name: ":es", Value: attr.String("")}, {Name: ":s", Value: attr.String("x")},
	}
	const empty = "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty "
	for _, c := range []struct {
		schema     int
		text, want string
	}{
		{hashOnly, "pk = :b AND sk = :b", "Query key condition not supported"},
		{hashOnly, "sk = :b", "Query condition missed key schema element: pk"},
		{hashOnly, "pk = :s", "One or more parameter values were invalid: Condition parameter type does not match schema type"},
		{hashOnly, "pk = :eb", empty + "binary value. Key: pk"},
		{both, "pk = :es", empty + "string value. Key: pk"},
		{both, "pk = :s AND begins_with(sk, :eb)", empty + "binary value. Key: sk"},
		{both, "pk = :s AND sk BETWEEN :eb AND :b", empty + "binary value. Key: sk"},
		{both, "pk = :s AND a = :b", "Query condition missed key schema element: sk"},
		{both, "pk = :s AND sk = :b AND a = :b", "Conditions can be of length 1 or 2 only"},
		{both, "begins_with(pk, :s)", "Query key condition not supported"},
		{both, "pk >= :s", "Query key condition not supported"},
	} {
		subs, err := expr.NewSubstitutions(nil, values)
		if err != nil {
			t.Fatal(err)
		}
		where, err := expr.ParseKeyCondition(c.text, subs)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if r, err := where.Resolve(schemas[c.schema]); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, %v; want %s", c.text, r, err, c.want)
		}
	}
}
