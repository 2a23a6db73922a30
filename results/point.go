package results

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
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
	if f, ok := v.v.(float64); ok && (math.IsNaN(f) || math.IsInf(f, 0)) || v.v == nil {
		return nil, fmt.Errorf("coordinate %v of a point: want a finite number, a truth value or a word", v.v)
	}
	return json.Marshal(v.v)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (v *Value) UnmarshalJSON(data []byte) error {
	var x any
	if err := json.Unmarshal(data, &x); err != nil {
		return err
	}
	switch x.(type) {
	case float64, bool, string:
		v.v = x
		return nil
	}
	return fmt.Errorf("coordinate %s of a point: want a number, a truth value or a word", data)
}

// Point is a place in the space of swept parameters, by parameter name.
type Point map[string]Value

// String returns the coordinates by name, "a=1 b=2"; equal points have equal
// strings.
func (p Point) String() string {
	var b strings.Builder
	for i, name := range slices.Sorted(maps.Keys(p)) {
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
	q := maps.Clone(p)
	delete(q, name)
	return q
}

// Params are a workload's parameters: JSON values, lists for swept ones.
type Params map[string]any

// UnmarshalJSON keeps whole numbers whole (int64), so that what is read hashes
// as what was written.
func (p *Params) UnmarshalJSON(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var m map[string]any
	if err := dec.Decode(&m); err != nil {
		return err
	}
	for name, v := range m {
		w, err := plainNumbers(v)
		if err != nil {
			return fmt.Errorf("parameter %s: %w", name, err)
		}
		m[name] = w
	}
	*p = m
	return nil
}

// plainNumbers replaces json.Number in v by int64 or float64.
func plainNumbers(v any) (any, error) {
	var err error
	switch x := v.(type) {
	case json.Number:
		if n, err := x.Int64(); err == nil {
			return n, nil
		}
		return x.Float64()
	case []any:
		for i := range x {
			if x[i], err = plainNumbers(x[i]); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for name := range x {
			if x[name], err = plainNumbers(x[name]); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

// formatFloat writes f as JSON does: the shortest text that reads back the same.
func formatFloat(f float64) string {
	b, err := json.Marshal(f)
	if err != nil {
		return strconv.FormatFloat(f, 'g', -1, 64) // NaN, infinities
	}
	return string(b)
}
