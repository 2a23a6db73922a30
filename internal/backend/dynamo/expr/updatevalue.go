package expr

import "github.com/lakebench/lakebench/internal/attr"

// updateValue is what stands at the right of a SET, or the operand of an ADD or
// DELETE.
type updateValue interface {
	// of returns the value for an item as it was before the update.
	of(src Source) (attr.Value, *Error)
	// paths calls visit for each path that is looked at.
	paths(visit func(*path))
}

// plainValue is a path or a placeholder.
type plainValue struct{ operand }

func (v *plainValue) of(src Source) (attr.Value, *Error) {
	found, ok := v.valueFor(src)
	if !ok {
		return attr.Value{}, errNoAttribute
	}
	return found, nil
}

func (v *plainValue) paths(visit func(*path)) {
	if v.kind == operandPath {
		visit(&v.path)
	}
}

// ifNotExists is the function: what the path leads to, otherwise something else.
type ifNotExists struct {
	path path
	or   updateValue
}

// of also insists on the other operand where it is not needed, as DynamoDB Local
// does.
func (v *ifNotExists) of(src Source) (attr.Value, *Error) {
	or, err := v.or.of(src)
	if err != nil {
		return attr.Value{}, err
	}
	if found, ok := v.path.find(src); ok {
		return found, nil
	}
	return or, nil
}

func (v *ifNotExists) paths(visit func(*path)) {
	visit(&v.path)
	v.or.paths(visit)
}

// listAppend is the function: two lists, one behind the other.
type listAppend struct{ first, second updateValue }

func (v *listAppend) of(src Source) (attr.Value, *Error) {
	first, err := v.first.of(src)
	if err != nil {
		return attr.Value{}, err
	}
	second, err := v.second.of(src)
	if err != nil {
		return attr.Value{}, err
	}
	if first.Kind() != attr.L || second.Kind() != attr.L {
		return attr.Value{}, errOperandType
	}
	elements := make([]attr.Value, 0, first.Len()+second.Len())
	elements = append(elements, first.Elements()...)
	return attr.List(append(elements, second.Elements()...)...), nil
}

func (v *listAppend) paths(visit func(*path)) {
	v.first.paths(visit)
	v.second.paths(visit)
}

// arithmetic is a sum or a difference.
type arithmetic struct {
	left, right updateValue
	minus       bool
}

func (v *arithmetic) of(src Source) (attr.Value, *Error) {
	left, err := v.left.of(src)
	if err != nil {
		return attr.Value{}, err
	}
	right, err := v.right.of(src)
	if err != nil {
		return attr.Value{}, err
	}
	switch {
	case left.Kind() != attr.N || right.Kind() != attr.N:
		return attr.Value{}, errOperandType
	case v.minus:
		return number(attr.Subtract(left, right))
	default:
		return number(attr.Add(left, right))
	}
}

func (v *arithmetic) paths(visit func(*path)) {
	v.left.paths(visit)
	v.right.paths(visit)
}

// noValue stands where there is a fault, which is noted elsewhere.
type noValue struct{}

func (noValue) of(Source) (attr.Value, *Error) { return attr.Value{}, errNoAttribute }

func (noValue) paths(func(*path)) {}
