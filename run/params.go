package run

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lakebench/lakebench/internal/quantity"
	"github.com/lakebench/lakebench/internal/spelling"
)

// Kind is what a parameter's values are.
type Kind int

// The kinds of parameter.
const (
	// Integer values lie in [Min, Max].
	Integer Kind = iota
	// Decimal values lie in [Least, Most].
	Decimal
	// Switch values are false or true.
	Switch
	// Choice values are one of Choices.
	Choice
	// Text values are what check accepts.
	Text
)

// A Param is a parameter of a workload, as users set it with --set name=value.
type Param struct {
	Name string
	// Span, if not empty, is the name under which the Integer is set as a length of
	// time, such as retention=7d; it counts Units of it, as documents do by its Name.
	Span string
	Unit time.Duration
	// Doc says in a line what the parameter means, its unit, and what a special
	// value stands for.
	Doc  string
	Kind Kind
	// Min and Max bound an Integer, inclusively.
	Min, Max int64
	// Least and Most bound a Decimal, inclusively.
	Least, Most float64
	// Choices are the words a Choice can be.
	Choices []string
	// Check refuses a Text.
	Check func(string) error
	// Default is written as a user would write it: a list where Swept.
	Default string
	// Swept reports whether a list of values may be given, each of which becomes a
	// coordinate of the points that are measured (docs/spec/results.md §2).
	Swept bool
}

// maxListValues bounds how many values a swept parameter may be given: the
// points of a sweep multiply, and a range a..b written by mistake should be
// refused rather than run.
const maxListValues = 64

// Params are the values of a workload's parameters: for each parameter one
// value, or one or more where it is swept; int64, float64, bool or string.
type Params map[string][]any

// A ParamError is a parameter that cannot be used.
type ParamError struct {
	Workload string
	// Name is the parameter as the user wrote it, Value what it was set to.
	Name, Value string
	// Problem says what is wrong and what is allowed.
	Problem string
}

func (e *ParamError) Error() string {
	if e.Value == "" {
		return fmt.Sprintf("workload %s: parameter %q: %s", e.Workload, e.Name, e.Problem)
	}
	return fmt.Sprintf("workload %s: parameter %s=%s: %s", e.Workload, e.Name, e.Value, e.Problem)
}

// Resolve returns the workload's parameters with the values of set in place of
// the defaults. A value is written as on the command line: "10", "a,b,c" or
// "a..b" where the parameter is swept.
func (w *Workload) Resolve(set map[string]string) (Params, error) {
	byName := make(map[string]Param, len(w.Params))
	names := make([]string, 0, len(w.Params))
	for _, p := range w.Params {
		counted := p
		counted.Span = ""
		byName[p.Name], byName[p.Written()] = counted, p
		names = append(names, p.Written())
	}
	out := make(Params, len(w.Params))
	for _, name := range slices.Sorted(maps.Keys(set)) {
		text := set[name]
		p, ok := byName[name]
		switch {
		case !ok:
			return nil, &ParamError{w.Name, name, "", spelling.Unknown("parameter", name, names)}
		case out[p.Name] != nil:
			return nil, &ParamError{w.Name, name, text, "is given as " + p.Name + " too"}
		}
		values, err := p.parse(text)
		if err != nil {
			return nil, &ParamError{w.Name, name, text, err.Error()}
		}
		out[p.Name] = values
	}
	for _, p := range w.Params {
		if _, ok := out[p.Name]; ok {
			continue
		}
		values, err := byName[p.Name].parse(p.Default)
		if err != nil {
			return nil, fmt.Errorf("workload %s: default of %s: %w", w.Name, p.Name, err)
		}
		out[p.Name] = values
	}
	return out, nil
}

// Written is the name under which users set the parameter.
func (p Param) Written() string { return cmp.Or(p.Span, p.Name) }

// WrittenDefault is the default as users write it.
func (p Param) WrittenDefault() string {
	if p.Span == "" {
		return p.Default
	}
	var values []string
	for _, v := range strings.Split(p.Default, ",") {
		n, _ := strconv.ParseInt(v, 10, 64) // a default is held to be one by tests
		values = append(values, p.span(n))
	}
	return strings.Join(values, ",")
}

func (p Param) span(n int64) string { return quantity.FormatDuration(time.Duration(n) * p.Unit) }

// Int returns the only value of an Integer parameter.
func (p Params) Int(name string) int64 { return p[name][0].(int64) }

// Decimal returns the only value of a Decimal parameter.
func (p Params) Decimal(name string) float64 { return p[name][0].(float64) }

// Word returns the only value of a Choice or Text parameter.
func (p Params) Word(name string) string { return p[name][0].(string) }

// document returns the values as they stand in a result file: a list where the
// parameter is swept, one value otherwise.
func (w *Workload) document(p Params) map[string]any {
	out := make(map[string]any, len(w.Params))
	for _, param := range w.Params {
		if param.Swept {
			out[param.Name] = p[param.Name]
		} else {
			out[param.Name] = p[param.Name][0]
		}
	}
	return out
}

func (p Param) parse(text string) ([]any, error) {
	items := strings.Split(text, ",")
	if len(items) > 1 && !p.Swept {
		return nil, fmt.Errorf("takes one value, not a list (a thousand is written 1000, 1_000 or 1e3)")
	}
	var values []any
	for _, item := range items {
		item = strings.TrimSpace(item)
		vs, err := p.parseItem(item)
		if err != nil {
			return nil, err
		}
		values = append(values, vs...)
	}
	if len(values) > maxListValues {
		return nil, fmt.Errorf("gives %d values, at most %d are allowed", len(values), maxListValues)
	}
	for i, v := range values {
		if slices.Contains(values[:i], v) {
			return nil, fmt.Errorf("gives the value %v twice", v)
		}
	}
	return values, nil
}

func (p Param) parseItem(item string) ([]any, error) {
	if p.Kind == Choice {
		if !slices.Contains(p.Choices, item) {
			return nil, fmt.Errorf("%s", spelling.Unknown("value", item, p.Choices))
		}
		return []any{item}, nil
	}
	if p.Kind == Text {
		if err := p.Check(item); err != nil {
			return nil, err
		}
		return []any{item}, nil
	}
	if p.Kind == Switch {
		if item != "false" && item != "true" {
			return nil, fmt.Errorf("%q is neither; allowed is %s", item, p.Allowed())
		}
		return []any{item == "true"}, nil
	}
	if p.Kind == Decimal {
		return parseNumber(item, p.Swept, p.decimal)
	}
	return parseNumber(item, p.Swept, p.integer)
}

// parseNumber reads a number, or a range where those are allowed.
func parseNumber[N int64 | float64](item string, swept bool, number func(string) (N, error)) ([]any, error) {
	from, to, isRange := strings.Cut(item, "..")
	if !isRange {
		v, err := number(item)
		if err != nil {
			return nil, err
		}
		return []any{v}, nil
	}
	if !swept {
		return nil, fmt.Errorf("takes one value, not a range")
	}
	a, err := number(from)
	if err != nil {
		return nil, err
	}
	b, err := number(to)
	if err != nil {
		return nil, err
	}
	if a > b {
		return nil, fmt.Errorf("the range ends below its start")
	}
	return doubling(a, b), nil
}

// doubling returns the values of the range a..b: a, then the powers of two
// between a and b, and b (docs/spec/results.md §2: "a (0 included, if given), then
// 1, 2, 4, … and always b").
func doubling[N int64 | float64](a, b N) []any {
	values := []any{a}
	for v := N(1); v < b && v > 0; v *= 2 {
		if v > a {
			values = append(values, v)
		}
	}
	if b > a {
		values = append(values, b)
	}
	return values
}

func (p Param) integer(text string) (int64, error) {
	v, err := p.count(text)
	if err != nil {
		return 0, fmt.Errorf("%w; allowed is %s", err, p.Allowed())
	}
	if v < p.Min || v > p.Max {
		return 0, fmt.Errorf("%s is out of range; allowed is %s", text, p.Allowed())
	}
	return v, nil
}

// count reads a whole number, or a length of time of whole units.
func (p Param) count(text string) (int64, error) {
	if p.Span == "" {
		return quantity.Int(text)
	}
	d, err := quantity.Duration(text)
	if err == nil && d%p.Unit != 0 {
		err = fmt.Errorf("%s is no multiple of %s", text, quantity.FormatDuration(p.Unit))
	}
	return int64(d / p.Unit), err
}

func (p Param) decimal(text string) (float64, error) {
	v, err := quantity.Float(text)
	if err != nil {
		return 0, fmt.Errorf("%w; allowed is %s", err, p.Allowed())
	}
	if v < p.Least || v > p.Most {
		return 0, fmt.Errorf("%s is out of range; allowed is %s", text, p.Allowed())
	}
	return v, nil
}

// Allowed says in words which values the parameter takes.
func (p Param) Allowed() string {
	switch p.Kind {
	case Choice:
		return strings.Join(p.Choices, " | ")
	case Text:
		return "text"
	case Switch:
		return "false | true"
	case Decimal:
		return fmt.Sprintf("%v to %v", p.Least, p.Most)
	case Integer:
	}
	if p.Span != "" {
		return p.span(p.Min) + " to " + p.span(p.Max)
	}
	if p.Max == math.MaxInt64 {
		return fmt.Sprintf("%d or more", p.Min)
	}
	return fmt.Sprintf("%d to %d", p.Min, p.Max)
}
