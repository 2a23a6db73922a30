package expr_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lakebench/lakebench/internal/attr"
	"github.com/lakebench/lakebench/internal/backend/dynamo/expr"
)

// condition parses with values :s "a" and :n 5 and the name #n.
func condition(text string) (*expr.Condition, error) {
	return expr.ParseCondition(expr.ConditionExpression, text, someSubstitutions())
}

func someSubstitutions() *expr.Substitutions {
	s, err := expr.NewSubstitutions(
		[]expr.Name{{Placeholder: "#n", Attribute: "name"}},
		attr.Item{{Name: ":n", Value: attr.Int(5)}, {Name: ":s", Value: attr.String("a")}})
	if err != nil {
		panic(err)
	}
	return s
}

// Limits of page ServiceQuotas; the texts are DynamoDB Local's.
func TestLimits(t *testing.T) {
	const invalid = "Invalid ConditionExpression: "
	many := func(n int, part, between string) string {
		return strings.Join(slices.Repeat([]string{part}, n), between)
	}
	for _, c := range []struct {
		what, text, want string
	}{
		{"4,096 bytes", "pk = :s" + strings.Repeat(" ", 4096-7), ""},
		{"4,097 bytes", "pk = :s" + strings.Repeat(" ", 4097-7), "Expression size has exceeded the maximum allowed size; expression size: 4097"},
		{"299 operators", many(150, "a=:s", " OR "), ""},
		{"300 operators", "NOT " + many(150, "a=:s", " AND "), ""},
		{"301 operators", many(151, "a=:s", " OR "), "The expression contains too many operators; operator count: 301"},
		{"319 operators", many(160, "a=:s", " OR "), "The expression contains too many operators; operator count: 301"},
		{"300 times NOT", strings.Repeat("NOT ", 299) + "a=:s", ""},
		{"301 times NOT", strings.Repeat("NOT ", 300) + "a=:s", "The expression contains too many operators; operator count: 301"},
		{"301 with functions", many(151, "attribute_exists(a)", " OR "), "The expression contains too many operators; operator count: 301"},
		{"299 with size", many(100, "size(a)=:s", " OR "), ""},
		{"302 with size", many(101, "size(a)=:s", " OR "), "The expression contains too many operators; operator count: 301"},
		{"301 with IN", many(151, "a IN (:s)", " OR "), "The expression contains too many operators; operator count: 301"},
		{"301 with BETWEEN", many(151, "a BETWEEN :s AND :s", " OR "), "The expression contains too many operators; operator count: 301"},
		{"parentheses are no operators", many(150, "(a=:s)", " OR "), ""},
		{"other faults first", many(151, "a=:zz", " OR "), "An expression attribute value used in expression is not defined; attribute value: :zz"},
		{"100 operands of IN", "a IN (" + many(100, ":s", ",") + ")", ""},
		{"101 operands of IN", "a IN (" + many(101, ":s", ",") + ")", "The IN operator is provided with too many operands; number of operands: 101"},
		{"32 levels", many(32, "a", ".") + " = :s", ""},
		{"33 levels", many(33, "a", ".") + " = :s", "The document path has too many nesting levels; nesting levels: 33"},
		{"33 levels with indexes", "a" + strings.Repeat("[0]", 32) + " = :s", "The document path has too many nesting levels; nesting levels: 33"},
		{"a long name", strings.Repeat("a", 300) + " = :s", ""},
	} {
		_, err := condition(c.text)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.what, err)
		case c.want != "" && (err == nil || err.Error() != invalid+c.want):
			t.Errorf("%s: %v, want %s", c.what, err, c.want)
		}
	}
}

// The kind of expression is named in errors.
func TestKindInErrors(t *testing.T) {
	for _, kind := range []expr.Kind{expr.ConditionExpression, expr.FilterExpression} {
		_, err := expr.ParseCondition(kind, "", nil)
		if want := "Invalid " + string(kind) + ": The expression can not be empty;"; err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// tree is a condition whose truth is known without parsing it.
type tree struct {
	op   string // AND, OR, NOT, or empty for a leaf
	of   []tree
	leaf bool
}

func trees(depth int) *rapid.Generator[tree] {
	return rapid.Custom(func(t *rapid.T) tree {
		ops := []string{"", "AND", "OR", "NOT"}
		if depth == 0 {
			ops = ops[:1]
		}
		switch op := rapid.SampledFrom(ops).Draw(t, "operator"); op {
		case "":
			return tree{leaf: rapid.Bool().Draw(t, "leaf")}
		case "NOT":
			return tree{op: op, of: []tree{trees(depth-1).Draw(t, "of")}}
		default:
			return tree{op: op, of: []tree{trees(depth-1).Draw(t, "left"), trees(depth-1).Draw(t, "right")}}
		}
	})
}

func (c tree) holds() bool {
	switch c.op {
	case "AND":
		return c.of[0].holds() && c.of[1].holds()
	case "OR":
		return c.of[0].holds() || c.of[1].holds()
	case "NOT":
		return !c.of[0].holds()
	default:
		return c.leaf
	}
}

// precedence: what binds tighter has the higher one.
var precedence = map[string]int{"OR": 1, "AND": 2, "NOT": 3, "": 4}

// String writes the condition with no more parentheses than it needs.
func (c tree) String() string {
	var parts []string
	for _, of := range c.of {
		part := of.String()
		if precedence[of.op] < precedence[c.op] {
			part = "(" + part + ")"
		}
		parts = append(parts, part)
	}
	switch {
	case c.op == "NOT":
		return "not " + parts[0]
	case c.op != "":
		return parts[0] + " " + c.op + " " + parts[1]
	case c.leaf:
		return "a = :n"
	default:
		return "attribute_exists(b)"
	}
}

func TestPrecedence(t *testing.T) {
	item := attr.Item{{Name: "a", Value: attr.Int(5)}}
	rapid.Check(t, func(t *rapid.T) {
		want := trees(5).Draw(t, "condition")
		text := want.String()
		c, err := condition(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got := c.Holds(item); got != want.holds() {
			t.Fatalf("%s is %v, want %v", text, got, want.holds())
		}
	})
}

// Every comparator on smaller, equal and greater values of every type that has an
// order, and of one that has none.
func TestComparators(t *testing.T) {
	scalars := [][3]attr.Value{
		{attr.Int(-1), attr.Int(0), attr.Int(9)},
		{attr.String("A"), attr.String("a"), attr.String("aa")},
		{attr.Binary("\x00"), attr.Binary("\x7f"), attr.Binary("\xff")},
	}
	for _, values := range scalars {
		for i, left := range values {
			for j, right := range values {
				for operator, want := range map[string]bool{"=": i == j, "<>": i != j, "<": i < j, "<=": i <= j, ">": i > j, ">=": i >= j} {
					checkComparison(t, left, operator, right, want)
				}
				checkComparison(t, left, "BETWEEN a AND", right, i <= j)
				checkComparison(t, left, "BETWEEN b AND", right, i == j)
			}
		}
		for operator, want := range map[string]bool{"=": false, "<>": true, "<": false, "<=": false, ">": false, ">=": false, "BETWEEN a AND": false} {
			checkComparison(t, values[0], operator, attr.Bool(true), want)
			checkComparison(t, attr.Bool(true), operator, values[0], want)
		}
	}
}

// checkComparison evaluates "a operator b".
func checkComparison(t *testing.T, left attr.Value, operator string, right attr.Value, want bool) {
	t.Helper()
	// Under another name c, so that no operand occurs twice.
	text := "c " + operator + " b"
	if strings.HasSuffix(operator, "b AND") {
		text = "c " + operator + " d"
	}
	c, err := condition(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	item := attr.Item{{Name: "a", Value: left}, {Name: "b", Value: right}, {Name: "c", Value: left}, {Name: "d", Value: right}}
	if got := c.Holds(item); got != want {
		t.Errorf("%s with %s and %s is %v, want %v", text, left, right, got, want)
	}
}

// An item that does not exist has no attributes.
func TestMissingItem(t *testing.T) {
	for text, want := range map[string]bool{
		"attribute_not_exists(pk)":       true,
		"attribute_exists(pk)":           false,
		"pk = :s":                        false,
		"pk <> :s":                       true,
		"NOT pk = :s":                    true,
		"size(pk) = :n":                  false,
		"attribute_not_exists(a.b[1])":   true,
		"pk BETWEEN :s AND :s":           false,
		":s BETWEEN pk AND :s":           false,
		"pk IN (:s)":                     false,
		"contains(pk, :s)":               false,
		"begins_with(:s, pk)":            false,
		"pk > :s OR pk < :s OR pk >= :s": false,
	} {
		c, err := condition(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		for _, none := range []expr.Source{attr.Item(nil), attr.Item(nil).Encode()} {
			if got := c.Holds(none); got != want {
				t.Errorf("%s is %v of %T, want %v", text, got, none, want)
			}
		}
	}
}

func TestPaths(t *testing.T) {
	c, err := condition("a = :s AND NOT (size(b.x) > :n OR #n[1] IN (c, :s)) AND d BETWEEN e AND f.g AND begins_with(h, :s) AND contains(i, j) AND attribute_exists(k) AND size(:s) = :n")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	c.Paths(func(attribute string, nested bool) { got = append(got, fmt.Sprint(attribute, " ", nested)) })
	want := []string{
		"a false", "b true", "name true", "c false", "d false", "e false", "f true", "h false", "i false", "j false", "k false",
	}
	if !slices.Equal(got, want) {
		t.Errorf("paths %q, want %q", got, want)
	}
}

func TestSubstitutions(t *testing.T) {
	name := func(placeholder, attribute string) []expr.Name {
		return []expr.Name{{Placeholder: placeholder, Attribute: attribute}}
	}
	for _, c := range []struct {
		names  []expr.Name
		values []string
		want   string
	}{
		{name("#a", "x"), []string{":a", ":1", ":_"}, ""},
		{name("s", "x"), nil, `ExpressionAttributeNames contains invalid key: Syntax error; key: "s"`},
		{name("#", "x"), nil, `ExpressionAttributeNames contains invalid key: Syntax error; key: "#"`},
		{name("", "x"), nil, `ExpressionAttributeNames contains invalid key: Syntax error; key: ""`},
		{name(":a", "x"), nil, `ExpressionAttributeNames contains invalid key: Syntax error; key: ":a"`},
		{name("#a-b", "x"), nil, `ExpressionAttributeNames contains invalid key: Syntax error; key: "#a-b"`},
		{name("##a", "x"), nil, `ExpressionAttributeNames contains invalid key: Syntax error; key: "##a"`},
		{name("#a", ""), nil, `ExpressionAttributeNames contains invalid value: Empty attribute name for key #a`},
		{nil, []string{"v"}, `ExpressionAttributeValues contains invalid key: Syntax error; key: "v"`},
		{nil, []string{":"}, `ExpressionAttributeValues contains invalid key: Syntax error; key: ":"`},
		{nil, []string{"#v"}, `ExpressionAttributeValues contains invalid key: Syntax error; key: "#v"`},
		{name("#"+strings.Repeat("a", 254), strings.Repeat("x", 65_535)), []string{":" + strings.Repeat("a", 254)}, ""},
		{name("#"+strings.Repeat("a", 255), "x"), nil, `ExpressionAttributeNames contains invalid key: The expression attribute map contains a key that is too long; size of key: 256`},
		{nil, []string{":" + strings.Repeat("a", 255)}, `ExpressionAttributeValues contains invalid key: The expression attribute map contains a key that is too long; size of key: 256`},
		{name("#a", strings.Repeat("x", 65_536)), nil, `ExpressionAttributeNames contains invalid value: Attribute name is too large, must be less than 65536 bytes for key #a`},
		{nil, []string{":é"}, `ExpressionAttributeValues contains invalid key: Syntax error; key: ":é"`},
	} {
		var values attr.Item
		for _, v := range c.values {
			values = values.With(v, attr.Null())
		}
		_, err := expr.NewSubstitutions(c.names, values)
		if got := fmt.Sprint(err); got != c.want && (err != nil || c.want != "") {
			t.Errorf("%v, %v: %v, want %q", c.names, c.values, err, c.want)
		}
	}
}

// 2 MB for names and values together (page ServiceQuotas).
func TestSubstitutionsSize(t *testing.T) {
	const limit = 2_097_152
	names := func(n int) []expr.Name { // of n bytes in all, 60,000 each but the last
		var out []expr.Name
		for i := 0; n > 0; i++ {
			placeholder := fmt.Sprintf("#%03d", i)
			size := min(n, 60_000)
			out = append(out, expr.Name{Placeholder: placeholder, Attribute: strings.Repeat("x", size-len(placeholder))})
			n -= size
		}
		return out
	}
	for _, c := range []struct {
		names, value int // bytes of all names, of the only value and its placeholder
		want         string
	}{
		{0, limit, ""},
		{limit - 100_000, 100_000, ""},
		{100_000, limit - 100_000 + 1, "Combined size of ExpressionAttributeNames and ExpressionAttributeValues exceeds max size"},
		{0, limit + 1, "ExpressionAttributeValues exceeds max size"},
		{limit + 1, 2, "ExpressionAttributeNames exceeds max size"},
	} {
		_, err := expr.NewSubstitutions(names(c.names), attr.Item{{Name: ":v", Value: attr.String(strings.Repeat("x", c.value-2))}})
		if got := fmt.Sprint(err); got != c.want && (err != nil || c.want != "") {
			t.Errorf("names of %d bytes, value of %d: %.200s, want %q", c.names, c.value, got, c.want)
		}
	}
}

// What no expression of the request uses is an error; names come first.
func TestUnused(t *testing.T) {
	names := []expr.Name{{Placeholder: "#b", Attribute: "x"}, {Placeholder: "#a", Attribute: "y"}, {Placeholder: "#c", Attribute: "z"}}
	values := attr.Item{{Name: ":d", Value: attr.Int(1)}, {Name: ":e", Value: attr.Int(2)}}
	subs, err := expr.NewSubstitutions(names, values)
	if err != nil {
		t.Fatal(err)
	}
	const unused = "Value provided in ExpressionAttribute"
	for _, step := range []struct{ text, want string }{
		{"", unused + "Names unused in expressions: keys: {#a, #b, #c}"},
		{"#a = :d", unused + "Names unused in expressions: keys: {#b, #c}"},
		{"#b.#c = :d", unused + "Values unused in expressions: keys: {:e}"},
		{"q IN (:d, :e)", "<nil>"},
	} {
		if step.text != "" {
			if _, err := expr.ParseCondition(expr.FilterExpression, step.text, subs); err != nil {
				t.Fatal(err)
			}
		}
		if got := fmt.Sprint(subs.Unused()); got != step.want {
			t.Errorf("after %q: %s, want %s", step.text, got, step.want)
		}
	}
	if err := (*expr.Substitutions)(nil).Unused(); err != nil {
		t.Errorf("no substitutions: %v", err)
	}
}

// Of two names with one placeholder the last counts, as for the members of any
// JSON object that the service reads.
func TestPlaceholderTwice(t *testing.T) {
	subs, err := expr.NewSubstitutions([]expr.Name{{Placeholder: "#a", Attribute: "x"}, {Placeholder: "#a", Attribute: "y"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := expr.ParseCondition(expr.FilterExpression, "attribute_exists(#a)", subs)
	if err != nil {
		t.Fatal(err)
	}
	if !c.Holds(attr.Item{{Name: "y", Value: attr.Null()}}) || subs.Unused() != nil {
		t.Errorf("the last name does not count; unused: %v", subs.Unused())
	}
}
