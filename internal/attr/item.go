package attr

import (
	"slices"
	"strings"

	"github.com/lakebench/lakebench/internal/units"
)

// Field is a named value: an attribute of an item or a pair of a map.
type Field struct {
	Name  string
	Value Value
}

// Item is a set of fields, sorted by name in UTF-8 byte order, each name once.
// It serves as an item, as the contents of an M, and as the expression
// attribute values of a request. Make one with NewItem, or with Set from nil.
type Item []Field

// NewItem sorts fields and takes them over. The error is a *ValueError if a
// name occurs twice.
func NewItem(fields ...Field) (Item, error) {
	it := Item(fields)
	if !slices.IsSortedFunc(it, compareFields) {
		slices.SortStableFunc(it, compareFields)
	}
	for i := 1; i < len(it); i++ {
		if it[i-1].Name == it[i].Name {
			return nil, &ValueError{Rule: DuplicateName, Message: "attribute name " + it[i].Name + " occurs twice"}
		}
	}
	return it, nil
}

func compareFields(a, b Field) int { return strings.Compare(a.Name, b.Name) }

// linearSearchMax is up to how many fields looking at each in turn is quicker
// than bisecting.
const linearSearchMax = 8

// Index returns where name is and true, or where it would have to be inserted
// and false.
func (it Item) Index(name string) (int, bool) {
	if len(it) <= linearSearchMax {
		for i := range it {
			if it[i].Name >= name {
				return i, it[i].Name == name
			}
		}
		return len(it), false
	}
	return slices.BinarySearchFunc(it, name, func(f Field, n string) int { return strings.Compare(f.Name, n) })
}

// Attribute returns the value called name; ok is false if there is none.
func (it Item) Attribute(name string) (v Value, ok bool) {
	i, ok := it.Index(name)
	if !ok {
		return Value{}, false
	}
	return it[i].Value, true
}

// With returns a copy of the item in which name has the value v.
func (it Item) With(name string, v Value) Item {
	i, found := it.Index(name)
	if found {
		out := slices.Clone(it)
		out[i].Value = v
		return out
	}
	out := make(Item, 0, len(it)+1)
	out = append(out, it[:i]...)
	out = append(out, Field{Name: name, Value: v})
	return append(out, it[i:]...)
}

// Size returns the bytes of the item by DynamoDB's sizing rules: names and
// values, without the overhead that only storage billing adds.
func (it Item) Size() int {
	n := 0
	for i := range it {
		n += units.StringSize(it[i].Name) + it[i].Value.Size()
	}
	return n
}

// Equal reports whether both items have the same names with equal values.
func (it Item) Equal(other Item) bool {
	return slices.EqualFunc(it, other, func(a, b Field) bool {
		return a.Name == b.Name && a.Value.Equal(b.Value)
	})
}
