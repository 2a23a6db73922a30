package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/lakebench/lakebench/internal/render/format"
)

// Value is one coordinate of a point: a number, a truth value or a word. Values
// are comparable with ==.
type Value struct {
	v any // float64, bool or string
}

// Number makes the value of a number. A whole number of up to 2^53 is exact.
func Number[N ~int | ~int64 | ~float64](n N) Value { return Value{float64(n)} }

// Bool makes the value of a switch.
func Bool(b bool) Value { return Value{b} }

// Word makes the value of a parameter that is neither number nor switch.
func Word(s string) Value { return Value{s} }

// ValueOf makes a value of an int, int64, float64, bool or string.
func ValueOf(x any) (Value, error) {
	switch x := x.(type) {
	case int:
		return Number(x), nil
	case int64:
		return Number(x), nil
	case float64:
		return Number(x), nil
	case bool:
		return Bool(x), nil
	case string:
		return Word(x), nil
	}
	return Value{}, errors.New("a coordinate is a number, a truth value or a word")
}

// Float returns a number's value; ok is false for other values.
func (v Value) Float() (f float64, ok bool) {
	f, ok = v.v.(float64)
	return f, ok
}

// String returns the value as it is written in JSON, words without quotes.
func (v Value) String() string {
	switch x := v.v.(type) {
	case float64:
		return formatFloat(x)
	case bool:
		return strconv.FormatBool(x)
	case string:
		return x
	}
	return ""
}

// MarshalJSON writes a JSON number, truth value or string.
func (v Value) MarshalJSON() ([]byte, error) {
	f, isNumber := v.v.(float64)
	if v.v == nil || isNumber && (math.IsNaN(f) || math.IsInf(f, 0)) {
		return nil, errors.New("a coordinate is a finite number, a truth value or a word")
	}
	return json.Marshal(v.v)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (v *Value) UnmarshalJSON(data []byte) error {
	var x any
	if err := json.Unmarshal(data, &x); err != nil {
		return err
	}
	w, err := ValueOf(x)
	*v = w
	return err
}

// Point is a place in the space of swept parameters, by parameter name.
type Point map[string]Value

// NewPoint makes a point of plain values, as ValueOf takes them.
func NewPoint(coordinates map[string]any) (Point, error) {
	p := make(Point, len(coordinates))
	for name, x := range coordinates {
		v, err := ValueOf(x)
		if err != nil {
			return nil, fmt.Errorf("%s: %v is no coordinate: %w", name, x, err)
		}
		p[name] = v
	}
	return p, nil
}

// String returns the coordinates by name, "a=1 b=2"; equal points have equal
// strings.
func (p Point) String() string {
	var b strings.Builder
	for i, name := range sortedKeys(p) {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(name)
		b.WriteByte('=')
		b.WriteString(p[name].String())
	}
	return b.String()
}

// Without returns the point's other coordinates.
func (p Point) Without(name string) Point {
	q := make(Point, len(p))
	for n, v := range p {
		if n != name {
			q[n] = v
		}
	}
	return q
}

// formatFloat writes f as JSON does: the shortest text that reads back the same.
func formatFloat(f float64) string {
	if n := int64(f); float64(n) == f && n > 0 && n < 1<<53 {
		return strconv.FormatInt(n, 10) // most are, and there are many
	}
	b, err := json.Marshal(f)
	if err != nil {
		return strconv.FormatFloat(f, 'g', -1, 64) // NaN, infinities
	}
	return string(b)
}

// FormatCoordinate writes the value of a parameter for people.
func FormatCoordinate(v Value) string {
	if f, ok := v.Float(); ok {
		return format.Thousands(f, format.Decimals([]float64{f}))
	}
	return v.String()
}

// Names returns the names of the coordinates, sorted.
func (p Point) Names() []string { return sortedKeys(p) }
