// Package attr holds the values that DynamoDB stores: the ten attribute types,
// items made of them, their rules (validity, equality, order, size) and their
// two encodings, DynamoDB JSON on the wire and a compact binary form at rest.
//
// A value is immutable and cheap to copy, an item is a sorted
// slice, and what a table stores is the compact form, from which a response is
// written without building values. Numbers are decimal text in one canonical
// spelling and are never turned into binary floating point.
//
// Page names in comments are those of the Amazon DynamoDB Developer Guide.
package attr

import (
	"slices"
	"strings"

	"github.com/lakebench/lakebench/internal/units"
)

// Kind is the type of a Value.
type Kind uint8

// The ten attribute types (page HowItWorks.NamingRulesDataTypes). The zero
// Kind is that of the zero Value, which is no attribute value at all.
const (
	Invalid Kind = iota
	S
	N
	B
	BOOL
	NULL
	L
	M
	SS
	NS
	BS
)

var kindNames = [...]string{"invalid", "S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"}

// String returns the type's name in DynamoDB JSON.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "invalid"
}

// KindOf returns the type that DynamoDB JSON calls name, Invalid if there is
// none.
func KindOf(name string) Kind {
	switch name {
	case "S":
		return S
	case "N":
		return N
	case "B":
		return B
	case "BOOL":
		return BOOL
	case "NULL":
		return NULL
	case "L":
		return L
	case "M":
		return M
	case "SS":
		return SS
	case "NS":
		return NS
	case "BS":
		return BS
	}
	return Invalid
}

// IsKey reports whether a key attribute can be of type k.
func (k Kind) IsKey() bool { return k == S || k == N || k == B }

// IsSet reports whether k is one of the three set types.
func (k Kind) IsSet() bool { return k == SS || k == NS || k == BS }

// Member returns the type of the members of a set type, Invalid for others.
func (k Kind) Member() Kind {
	switch k {
	case SS:
		return S
	case NS:
		return N
	case BS:
		return B
	default:
		return Invalid
	}
}

// Value is one attribute value. It is immutable; copies share contents. The
// zero Value has kind Invalid and stands for "no value".
type Value struct {
	kind Kind
	// truth is the value of a BOOL.
	truth bool
	// text is the contents of S, of B (raw bytes), and of N (canonical).
	text string
	// parts is the contents of L, M and the sets.
	parts *parts
}

// parts is what a Value with more than one part points to, so that Value
// itself stays small.
type parts struct {
	list   []Value
	fields Item
	set    []string
}

// String returns an S. The text must be valid UTF-8, which the JSON reader has
// checked for values from the wire.
func String(s string) Value { return Value{kind: S, text: s} }

// Binary returns a B of the bytes of b.
func Binary(b string) Value { return Value{kind: B, text: b} }

// Bool returns a BOOL.
func Bool(b bool) Value { return Value{kind: BOOL, truth: b} }

// Null returns the NULL.
func Null() Value { return Value{kind: NULL} }

// Number returns an N of the decimal number that text spells. The error is a
// *ValueError.
func Number(text string) (Value, error) {
	canonical, err := canonicalNumber(text)
	if err != nil {
		return Value{}, err
	}
	return Value{kind: N, text: canonical}, nil
}

// Int returns an N.
func Int(i int64) Value { return Value{kind: N, text: formatInt(i)} }

// List returns an L that takes over elements.
func List(elements ...Value) Value { return Value{kind: L, parts: &parts{list: elements}} }

// Map returns an M that takes over fields.
func Map(fields Item) Value { return Value{kind: M, parts: &parts{fields: fields}} }

// Set returns a set of kind SS, NS or BS that takes over members and sorts
// them; members of an NS are decimal numbers. The error is a *ValueError: a set
// may be neither empty nor hold a member twice (page
// HowItWorks.NamingRulesDataTypes).
func Set(kind Kind, members []string) (Value, error) {
	if err := validateSet(kind, members); err != nil {
		return Value{}, err
	}
	return Value{kind: kind, parts: &parts{set: members}}, nil
}

// Kind returns the value's type.
func (v Value) Kind() Kind { return v.kind }

// IsValid reports whether v is a value at all.
func (v Value) IsValid() bool { return v.kind != Invalid }

// Text returns the contents of an S, the raw bytes of a B, or the canonical
// text of an N: plain decimal notation, no exponent, no needless zeros.
func (v Value) Text() string { return v.text }

// Bool returns the contents of a BOOL.
func (v Value) Bool() bool { return v.truth }

// Elements returns the elements of an L. The caller must not change them.
func (v Value) Elements() []Value {
	if v.kind != L {
		return nil
	}
	return v.parts.list
}

// Fields returns the contents of an M. The caller must not change them.
func (v Value) Fields() Item {
	if v.kind != M {
		return nil
	}
	return v.parts.fields
}

// Members returns the members of a set: raw bytes for a BS, canonical numbers
// for an NS, sorted as those sort. The caller must not change them.
func (v Value) Members() []string {
	if !v.kind.IsSet() {
		return nil
	}
	return v.parts.set
}

// Len returns the number of elements, fields or members, 0 for a scalar.
func (v Value) Len() int {
	if v.parts == nil {
		return 0
	}
	return len(v.parts.list) + len(v.parts.fields) + len(v.parts.set)
}

// Depth returns how many lists and maps are nested in each other in v, itself
// included.
func (v Value) Depth() int {
	if v.kind != L && v.kind != M {
		return 0
	}
	inner := 0
	for _, e := range v.parts.list {
		inner = max(inner, e.Depth())
	}
	for i := range v.parts.fields {
		inner = max(inner, v.parts.fields[i].Value.Depth())
	}
	return 1 + inner
}

// Size returns the bytes of v by DynamoDB's sizing rules (package units).
func (v Value) Size() int {
	switch v.kind {
	case S, B:
		return units.StringSize(v.text)
	case N:
		return numberSize(v.text)
	case BOOL, NULL:
		return units.ScalarSize
	case L:
		n := units.ListOverhead
		for _, e := range v.parts.list {
			n += units.ElementOverhead + e.Size()
		}
		return n
	case M:
		return units.MapOverhead + units.ElementOverhead*len(v.parts.fields) + v.parts.fields.Size()
	case SS, BS:
		n := 0
		for _, m := range v.parts.set {
			n += units.StringSize(m)
		}
		return n
	case NS:
		n := 0
		for _, m := range v.parts.set {
			n += numberSize(m)
		}
		return n
	default:
		return 0
	}
}

// Equal reports whether two values are of the same type and equal: sets
// without regard to order, numbers by value.
func (v Value) Equal(w Value) bool {
	if v.kind != w.kind {
		return false
	}
	switch v.kind {
	case S, N, B:
		return v.text == w.text
	case BOOL:
		return v.truth == w.truth
	case L:
		return slices.EqualFunc(v.parts.list, w.parts.list, Value.Equal)
	case M:
		return v.parts.fields.Equal(w.parts.fields)
	case SS, NS, BS:
		return slices.Equal(v.parts.set, w.parts.set)
	default:
		return true
	}
}

// Compare orders two values of the same scalar type S, N or B: strings by
// their UTF-8 bytes, numbers by value, binary by unsigned bytes (page
// HowItWorks.CoreComponents, sort keys). ok is false if the types differ or
// have no order.
func (v Value) Compare(w Value) (order int, ok bool) {
	if v.kind != w.kind {
		return 0, false
	}
	switch v.kind {
	case S, B:
		return strings.Compare(v.text, w.text), true
	case N:
		return compareNumbers(v.text, w.text), true
	default:
		return 0, false
	}
}
