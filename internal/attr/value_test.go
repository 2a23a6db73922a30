package attr_test

import (
	"errors"
	"testing"

	"github.com/lakebench/lakebench/internal/attr"
)

// Sizes from docs/facts/dynamodb.md §3.1, measured on DynamoDB Local.
func TestSize(t *testing.T) {
	ab, cd := attr.String("ab"), attr.String("cd")
	for _, c := range []struct {
		v    attr.Value
		want int
	}{
		{attr.String(""), 0},
		{attr.String("héé"), 5},
		{attr.Binary("\x00\xff"), 2},
		{attr.Bool(true), 1},
		{attr.Null(), 1},
		{attr.Int(5), 2},
		{attr.Int(-5), 3},
		{attr.Int(123), 3},
		{attr.List(), 3},
		{attr.List(ab), 6},
		{attr.List(ab, cd), 9},
		{attr.Map(nil), 3},
		{attr.Map(mustItem(t, attr.Field{Name: "k", Value: ab})), 7},
		{mustSet(t, attr.SS, "ab", "cd"), 4},
		{mustSet(t, attr.BS, "ab", "cd"), 4},
		{mustSet(t, attr.NS, "1", "123"), 5},
		// 3 + 1 + (3 + 1 + 2) + 1 + (3 + 1 + 1 + 2)
		{attr.List(attr.List(ab), attr.Map(mustItem(t, attr.Field{Name: "k", Value: cd}))), 18},
		{attr.Value{}, 0},
	} {
		if got := c.v.Size(); got != c.want {
			t.Errorf("%s has %d bytes, want %d", c.v, got, c.want)
		}
	}
	// The example of page ServiceQuotas, "Item size": 23 bytes.
	shirt := mustItem(t,
		attr.Field{Name: "shirt-color", Value: attr.String("R")},
		attr.Field{Name: "shirt-size", Value: attr.String("M")})
	if got := shirt.Size(); got != 23 {
		t.Errorf("the guide's shirt has %d bytes, want 23", got)
	}
}

func TestEqual(t *testing.T) {
	k := func(v attr.Value) attr.Item { return mustItem(t, attr.Field{Name: "k", Value: v}) }
	distinct := []attr.Value{
		{}, attr.String(""), attr.String("a"), attr.String("1"), attr.Binary("a"), attr.Int(1), attr.Int(-1), attr.Int(0),
		attr.Bool(true), attr.Bool(false), attr.Null(),
		attr.List(), attr.List(attr.Int(1)), attr.List(attr.Int(1), attr.Int(2)), attr.List(attr.Int(2), attr.Int(1)),
		attr.Map(nil), attr.Map(k(attr.Int(1))), attr.Map(k(attr.Int(2))), attr.Map(mustItem(t, attr.Field{Name: "l", Value: attr.Int(1)})),
		mustSet(t, attr.SS, "1"), mustSet(t, attr.BS, "1"), mustSet(t, attr.NS, "1"), mustSet(t, attr.SS, "1", "2"),
	}
	for i, a := range distinct {
		for j, b := range distinct {
			if a.Equal(b) != (i == j) {
				t.Errorf("%s equals %s: %v", a, b, a.Equal(b))
			}
		}
	}
	for _, pair := range [][2]attr.Value{
		{mustNumber(t, "1.50"), mustNumber(t, "15e-1")},
		{mustSet(t, attr.SS, "b", "a"), mustSet(t, attr.SS, "a", "b")},
		{mustSet(t, attr.NS, "10", "9"), mustSet(t, attr.NS, "9.0", "1e1")},
		{mustSet(t, attr.BS, "\xff", "\x00"), mustSet(t, attr.BS, "\x00", "\xff")},
		{attr.Map(mustItem(t, attr.Field{Name: "b", Value: attr.Null()}, attr.Field{Name: "a", Value: attr.Null()})),
			attr.Map(mustItem(t, attr.Field{Name: "a", Value: attr.Null()}, attr.Field{Name: "b", Value: attr.Null()}))},
	} {
		if !pair[0].Equal(pair[1]) {
			t.Errorf("%s does not equal %s", pair[0], pair[1])
		}
	}
}

func TestSetErrors(t *testing.T) {
	for _, c := range []struct {
		kind    attr.Kind
		members []string
		want    attr.Rule
		message string
	}{
		{attr.SS, nil, attr.EmptySet, "One or more parameter values were invalid: An string set  may not be empty"},
		{attr.NS, nil, attr.EmptySet, "One or more parameter values were invalid: An number set  may not be empty"},
		{attr.BS, nil, attr.EmptySet, "One or more parameter values were invalid: Binary sets should not be empty"},
		{attr.SS, []string{"b", "a", "b"}, attr.DuplicateMember, "One or more parameter values were invalid: Input collection [b, a, b] contains duplicates."},
		{attr.NS, []string{"1", "2", "1.0"}, attr.DuplicateMember, "Input collection contains duplicates"},
		{attr.BS, []string{"", ""}, attr.DuplicateMember, "One or more parameter values were invalid: Input collection of type BS contains duplicates."},
		{attr.NS, []string{"1", "x"}, attr.NotANumber, "The parameter cannot be converted to a numeric value: x"},
		{attr.L, []string{"a"}, attr.NotASetKind, "type L is not a set"},
	} {
		_, err := attr.Set(c.kind, c.members)
		var e *attr.ValueError
		if !errors.As(err, &e) || e.Rule != c.want || e.Message != c.message {
			t.Errorf("Set(%v, %q): %v; want %q of rule %q", c.kind, c.members, err, c.message, c.want)
		}
	}
}

func TestSetMembersAreSorted(t *testing.T) {
	for _, c := range []struct {
		v    attr.Value
		want string
	}{
		{mustSet(t, attr.SS, "b", "", "a"), `{"SS":["","a","b"]}`},
		{mustSet(t, attr.NS, "10", "9", "-1", "1e-3"), `{"NS":["-1","0.001","9","10"]}`},
		{mustSet(t, attr.BS, "b", "a"), `{"BS":["YQ==","Yg=="]}`},
	} {
		if got := c.v.String(); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

func TestAccessorsOfOtherKinds(t *testing.T) {
	for _, v := range []attr.Value{{}, attr.String("a"), attr.Null(), attr.Bool(true), attr.Int(1)} {
		if v.Elements() != nil || v.Fields() != nil || v.Members() != nil || v.Len() != 0 {
			t.Errorf("%s has parts", v)
		}
	}
	list, fields, set := attr.List(attr.Null()), attr.Map(mustItem(t, attr.Field{Name: "k"})), mustSet(t, attr.SS, "a")
	if len(list.Elements()) != 1 || list.Fields() != nil || list.Members() != nil || list.Len() != 1 {
		t.Errorf("parts of a list")
	}
	if len(fields.Fields()) != 1 || fields.Elements() != nil || fields.Members() != nil || fields.Len() != 1 {
		t.Errorf("parts of a map")
	}
	if len(set.Members()) != 1 || set.Elements() != nil || set.Fields() != nil || set.Len() != 1 {
		t.Errorf("parts of a set")
	}
}

func TestKinds(t *testing.T) {
	for k := attr.S; k <= attr.BS; k++ {
		if attr.KindOf(k.String()) != k {
			t.Errorf("KindOf(%q) = %v", k.String(), attr.KindOf(k.String()))
		}
		if k.IsSet() != (k.Member() != attr.Invalid) {
			t.Errorf("%v: set %v, members of type %v", k, k.IsSet(), k.Member())
		}
	}
	for _, name := range []string{"", "s", "invalid", "STRING", "SSS"} {
		if attr.KindOf(name) != attr.Invalid {
			t.Errorf("KindOf(%q) = %v, want none", name, attr.KindOf(name))
		}
	}
	if attr.Kind(200).String() != "invalid" {
		t.Errorf("Kind(200) is called %q", attr.Kind(200).String())
	}
}
