package attr_test

import (
	"strconv"
	"strings"

	"pgregory.net/rapid"

	"github.com/lakebench/lakebench/internal/attr"
)

// numberText draws the spelling of a number that is valid: up to 38 digits,
// perhaps with a point, zeros around and an exponent.
func numberText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		digits := rapid.StringMatching(`[0-9]{1,38}`).Draw(t, "digits")
		point := rapid.IntRange(0, len(digits)).Draw(t, "point")
		text := rapid.SampledFrom([]string{"", "-", "+"}).Draw(t, "sign") +
			strings.Repeat("0", rapid.IntRange(0, 3).Draw(t, "zeros")) + digits[:point]
		if point < len(digits) {
			text += "." + digits[point:]
		}
		if rapid.Bool().Draw(t, "exponent") {
			// Whatever the point, a first digit up to 10^37 and a last one from
			// 10^-38 on stay in range.
			text += rapid.SampledFrom([]string{"e", "E", "e+"}).Draw(t, "e")
			text += strconv.Itoa(rapid.IntRange(0, 88).Draw(t, "power"))
		}
		return text
	})
}

func number() *rapid.Generator[attr.Value] {
	return rapid.Custom(func(t *rapid.T) attr.Value {
		return mustNumber(t, numberText().Draw(t, "number"))
	})
}

func mustNumber(t rapid.TB, text string) attr.Value {
	t.Helper()
	v, err := attr.Number(text)
	if err != nil {
		t.Fatalf("Number(%q): %v", text, err)
	}
	return v
}

func mustSet(t rapid.TB, kind attr.Kind, members ...string) attr.Value {
	t.Helper()
	v, err := attr.Set(kind, members)
	if err != nil {
		t.Fatalf("Set(%v, %q): %v", kind, members, err)
	}
	return v
}

func mustItem(t rapid.TB, fields ...attr.Field) attr.Item {
	t.Helper()
	it, err := attr.NewItem(fields...)
	if err != nil {
		t.Fatal(err)
	}
	return it
}

// raw draws bytes that need not be text.
func raw() *rapid.Generator[string] {
	return rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 20), func(b []byte) string { return string(b) })
}

func set() *rapid.Generator[attr.Value] {
	return rapid.Custom(func(t *rapid.T) attr.Value {
		switch kind := rapid.SampledFrom([]attr.Kind{attr.SS, attr.NS, attr.BS}).Draw(t, "set kind"); kind {
		case attr.SS:
			return mustSet(t, kind, rapid.SliceOfNDistinct(rapid.String(), 1, 5, rapid.ID[string]).Draw(t, "members")...)
		case attr.BS:
			return mustSet(t, kind, rapid.SliceOfNDistinct(raw(), 1, 5, rapid.ID[string]).Draw(t, "members")...)
		default:
			numbers := rapid.SliceOfNDistinct(number(), 1, 5, attr.Value.Text).Draw(t, "members")
			members := make([]string, len(numbers))
			for i, n := range numbers {
				members[i] = n.Text()
			}
			return mustSet(t, kind, members...)
		}
	})
}

// value draws a value with at most depth lists and maps in each other.
func value(depth int) *rapid.Generator[attr.Value] {
	scalars := []*rapid.Generator[attr.Value]{
		rapid.Map(rapid.String(), attr.String), number(), rapid.Map(raw(), attr.Binary),
		rapid.Map(rapid.Bool(), attr.Bool), rapid.Just(attr.Null()), set(),
	}
	if depth == 0 {
		return rapid.OneOf(scalars...)
	}
	return rapid.OneOf(append(scalars,
		rapid.Map(rapid.SliceOfN(rapid.Deferred(func() *rapid.Generator[attr.Value] { return value(depth - 1) }), 0, 4),
			func(e []attr.Value) attr.Value { return attr.List(e...) }),
		rapid.Map(item(depth-1, 4), attr.Map),
	)...)
}

// item draws an item of up to n attributes, with at most depth lists and maps in
// each other.
func item(depth, n int) *rapid.Generator[attr.Item] {
	return rapid.Custom(func(t *rapid.T) attr.Item {
		names := rapid.SliceOfNDistinct(rapid.StringN(1, 8, -1), 0, n, rapid.ID[string]).Draw(t, "names")
		fields := make([]attr.Field, len(names))
		for i, name := range names {
			fields[i] = attr.Field{Name: name, Value: value(depth).Draw(t, "value")}
		}
		return mustItem(t, fields...)
	})
}
