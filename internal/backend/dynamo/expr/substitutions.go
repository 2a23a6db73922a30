package expr

import (
	"slices"
	"strings"

	"github.com/lakebench/lakebench/internal/attr"
	"github.com/lakebench/lakebench/internal/units"
)

// Name is one of a request's ExpressionAttributeNames: #placeholder and the
// attribute name it stands for.
type Name struct {
	Placeholder, Attribute string
}

// Substitutions are what the placeholders in the expressions of one request
// stand for. They note which ones are used: when all expressions of the request
// are parsed, Unused reports the rest. A nil *Substitutions has none.
type Substitutions struct {
	names      []Name
	values     attr.Item
	usedNames  []bool
	usedValues []bool
}

// NewSubstitutions takes over a request's ExpressionAttributeNames and
// ExpressionAttributeValues and checks that the placeholders are well-formed.
// Of two names with the same placeholder the last one counts. The error is an
// *Error.
func NewSubstitutions(names []Name, values attr.Item) (*Substitutions, error) {
	namesSize, err := checkNames(names)
	if err == nil {
		err = checkValues(values)
	}
	switch valuesSize := values.Size(); {
	case err != nil:
		return nil, err
	case namesSize > MaxSubstitutions:
		return nil, errorf("ExpressionAttributeNames exceeds max size")
	case valuesSize > MaxSubstitutions:
		return nil, errorf("ExpressionAttributeValues exceeds max size")
	case namesSize+valuesSize > MaxSubstitutions:
		return nil, errorf("Combined size of ExpressionAttributeNames and ExpressionAttributeValues exceeds max size")
	}
	used := make([]bool, len(names)+len(values))
	return &Substitutions{
		names: names, values: values,
		usedNames: used[:len(names)], usedValues: used[len(names):],
	}, nil
}

// checkNames checks the names one by one and returns their size.
func checkNames(names []Name) (size int, err *Error) {
	const invalid = "ExpressionAttributeNames contains invalid "
	for _, n := range names {
		switch {
		case len(n.Placeholder) > MaxPlaceholder:
			return 0, errorf(invalid+"key: The expression attribute map contains a key that is too long; size of key: %d", len(n.Placeholder))
		case !isPlaceholder(n.Placeholder, '#'):
			return 0, errorf(invalid+"key: Syntax error; key: %q", n.Placeholder)
		case n.Attribute == "":
			return 0, errorf(invalid+"value: Empty attribute name for key %s", n.Placeholder)
		case len(n.Attribute) > units.MaxAttributeNameBytes:
			return 0, errorf(invalid+"value: Attribute name is too large, must be less than %d bytes for key %s", units.MaxAttributeNameBytes+1, n.Placeholder)
		}
		size += len(n.Placeholder) + len(n.Attribute)
	}
	return size, nil
}

// checkValues checks the placeholders of values.
func checkValues(values attr.Item) *Error {
	const invalid = "ExpressionAttributeValues contains invalid key: "
	for _, v := range values {
		switch {
		case len(v.Name) > MaxPlaceholder:
			return errorf(invalid+"The expression attribute map contains a key that is too long; size of key: %d", len(v.Name))
		case !isPlaceholder(v.Name, ':'):
			return errorf(invalid+"Syntax error; key: %q", v.Name)
		}
	}
	return nil
}

func isPlaceholder(s string, sign byte) bool {
	if len(s) < 2 || s[0] != sign {
		return false
	}
	for i := 1; i < len(s); i++ {
		if !isWordPart(s[i]) {
			return false
		}
	}
	return true
}

// Unused returns an *Error that lists placeholders which no expression parsed
// so far has used, nil if there are none.
func (s *Substitutions) Unused() error {
	if s == nil {
		return nil
	}
	if err := unused("Names", s.usedNames, func(i int) string { return s.names[i].Placeholder }); err != nil {
		return err
	}
	return unused("Values", s.usedValues, func(i int) string { return s.values[i].Name })
}

func unused(what string, used []bool, placeholder func(int) string) error {
	var keys []string
	for i, u := range used {
		if !u {
			keys = append(keys, placeholder(i))
		}
	}
	if keys == nil {
		return nil
	}
	slices.Sort(keys)
	return errorf("Value provided in ExpressionAttribute%s unused in expressions: keys: {%s}", what, strings.Join(keys, ", "))
}

// name returns what a #placeholder stands for.
func (s *Substitutions) name(placeholder string) (string, bool) {
	if s == nil {
		return "", false
	}
	found := -1
	for i := range s.names {
		if s.names[i].Placeholder == placeholder {
			s.usedNames[i] = true
			found = i
		}
	}
	if found < 0 {
		return "", false
	}
	return s.names[found].Attribute, true
}

// value returns what a :placeholder stands for.
func (s *Substitutions) value(placeholder string) (attr.Value, bool) {
	if s == nil {
		return attr.Value{}, false
	}
	i, ok := s.values.Index(placeholder)
	if !ok {
		return attr.Value{}, false
	}
	s.usedValues[i] = true
	return s.values[i].Value, true
}
