package expr_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/internal/attr"
	"github.com/lakebench/lakebench/internal/backend/dynamo/expr"
)

func TestProjectionPaths(t *testing.T) {
	p, err := expr.ParseProjection("c, a.x, b[1].y, a.w", nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	p.Paths(func(attribute string, nested bool) { got = append(got, fmt.Sprint(attribute, " ", nested)) })
	if want := []string{"a true", "b true", "c false"}; !slices.Equal(got, want) {
		t.Errorf("paths %q, want %q", got, want)
	}
}

// Elements of a list come closed up and in the list's order, whatever the order
// of the paths.
func TestProjectionOfLists(t *testing.T) {
	it := mustItem(t, `{"l":{"L":[{"N":"0"},{"M":{"x":{"N":"1"},"y":{"N":"2"}}},{"N":"3"},{"L":[{"N":"4"},{"N":"5"}]}]}}`)
	for text, want := range map[string]string{
		"l[2], l[0]":                 `{"l":{"L":[{"N":"0"},{"N":"3"}]}}`,
		"l[3][1], l[1].y, l[9]":      `{"l":{"L":[{"M":{"y":{"N":"2"}}},{"L":[{"N":"5"}]}]}}`,
		"l[1].z, l[0].x, l[3][2]":    `{}`,
		"l[10], l[2], l[1], l[3][0]": `{"l":{"L":[{"M":{"x":{"N":"1"},"y":{"N":"2"}}},{"N":"3"},{"L":[{"N":"4"}]}]}}`,
	} {
		p, err := expr.ParseProjection(text, nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := p.Apply(it).String(); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

// A projection of as many paths as the longest expression holds takes no time
// worth mentioning, and every attribute is found.
func TestProjectionOfManyPaths(t *testing.T) {
	var names []string
	var it attr.Item
	for i := 0; len(strings.Join(names, ",")) < expr.MaxLength-5; i++ {
		names = append(names, "a"+attr.Int(int64(i)).Text())
		it = it.With(names[i], attr.Int(int64(i)))
	}
	slices.Reverse(names)
	p, err := expr.ParseProjection(strings.Join(names, ","), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Apply(it.With("b", attr.Null())); !got.Equal(it) {
		t.Errorf("%d attributes of %d", len(got), len(it))
	}
}
