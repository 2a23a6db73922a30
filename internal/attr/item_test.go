package attr_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/lakebench/lakebench/internal/attr"
)

func TestNewItem(t *testing.T) {
	it := mustItem(t,
		attr.Field{Name: "é", Value: attr.Int(3)}, attr.Field{Name: "a", Value: attr.Int(2)}, attr.Field{Name: "Z", Value: attr.Int(1)})
	if got, want := it.String(), `{"Z":{"N":"1"},"a":{"N":"2"},"é":{"N":"3"}}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	_, err := attr.NewItem(attr.Field{Name: "a"}, attr.Field{Name: "b"}, attr.Field{Name: "a"})
	var e *attr.ValueError
	if !errors.As(err, &e) || e.Rule != attr.DuplicateName {
		t.Errorf("two attributes of one name: %v, want an error of rule %q", err, attr.DuplicateName)
	}
}

// An item behaves as a map from names to values, whatever its size.
func TestItemIsAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		it, model := attr.Item(nil), map[string]int64{}
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			name := fmt.Sprint("k", rapid.IntRange(0, 20).Draw(t, "key"))
			before := it.String()
			var next attr.Item
			if rapid.Bool().Draw(t, "remove") {
				next = slices.DeleteFunc(slices.Clone(it), func(f attr.Field) bool { return f.Name == name })
				delete(model, name)
			} else {
				n := rapid.Int64().Draw(t, "value")
				next = it.With(name, attr.Int(n))
				model[name] = n
			}
			if it.String() != before {
				t.Fatalf("the item changed in place: %s, was %s", it, before)
			}
			it = next
		}
		if len(it) != len(model) {
			t.Fatalf("%d attributes, want %d", len(it), len(model))
		}
		for i, name := range slices.Sorted(maps.Keys(model)) {
			v, ok := it.Attribute(name)
			if !ok || v.Text() != fmt.Sprint(model[name]) || it[i].Name != name {
				t.Fatalf("attribute %s is %s, %v at %d; want %d", name, v, ok, i, model[name])
			}
		}
		if v, ok := it.Attribute("l"); ok {
			t.Fatalf("an attribute that was never set is %s", v)
		}
	})
}
