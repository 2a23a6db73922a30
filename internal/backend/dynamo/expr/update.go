package expr

import (
	"github.com/lakebench/lakebench/internal/attr"
)

// Update is a parsed UpdateExpression. It is immutable; several goroutines may
// apply it at the same time.
type Update struct {
	tree branch
	// touched are all paths of the update, set those that it does not remove.
	touched, set *Projection
}

// action is what one clause does to what its path leads to.
type action struct {
	path  path
	verb  verb
	value updateValue // nil for REMOVE
}

// verb is the section that an action stands in.
type verb string

const (
	verbSet    verb = "SET"
	verbRemove verb = "REMOVE"
	verbAdd    verb = "ADD"
	verbDelete verb = "DELETE"
)

// ParseUpdate parses an UpdateExpression (page Expressions.UpdateExpressions). The
// error is an *Error.
func ParseUpdate(text string, subs *Substitutions) (*Update, error) {
	p := updateParser{}
	u, err := p.update(text, subs)
	if err != nil {
		return nil, err
	}
	return u, nil
}

// Paths calls visit for each path that the update changes or looks at, with the
// attribute it starts at. changed reports whether it changes what is there, nested that
// the path leads inside the attribute.
func (u *Update) Paths(visit func(attribute string, changed, nested bool)) {
	u.tree.actions(func(a *action) {
		visit(a.path.root, true, len(a.path.steps) > 0)
		if a.value != nil {
			a.value.paths(func(p *path) { visit(p.root, false, len(p.steps) > 0) })
		}
	})
}

// Apply returns what becomes of an item. Operands are looked up in src, the item as
// it was before: no action sees what another does. base is what the update starts
// from, the same item, or the key of one that does not exist. The error is an
// *Error.
func (u *Update) Apply(base attr.Item, src Source) (attr.Item, error) {
	out, err := u.tree.changeFields(base, src)
	if err != nil {
		return nil, err
	}
	return out, nil
}

// Touched returns the part of an item that the update's paths lead to: what
// ReturnValues calls the updated attributes, as they were before.
func (u *Update) Touched(src Source) attr.Item { return u.touched.Apply(src) }

// Set returns the part of the item after the update that it gave a value. The
// service returns the values at the very paths, not the attributes they are in, and
// nothing for what was removed (captured on it: ExtendDB#98 and #105, dynoxide#36;
// DynamoDB Local returns whole attributes).
func (u *Update) Set(src Source) attr.Item { return u.set.Apply(src) }

// actions calls visit for every action at or below the branch.
func (b *branch) actions(visit func(*action)) {
	if b.action != nil {
		visit(b.action)
	}
	for i := range b.children {
		b.children[i].actions(visit)
	}
}

// Errors that only show on an item, in the service's words (API reference,
// CancellationReasons of TransactWriteItems).
var (
	errInvalidPath = &Error{Message: "The document path provided in the update expression is invalid for update"}
	errNoAttribute = &Error{Message: "The provided expression refers to an attribute that does not exist in the item"}
	errOperandType = &Error{Message: "An operand in the update expression has an incorrect data type"}
)

// change returns what becomes of v, which is invalid if there is nothing; the
// result is invalid if nothing is to be there.
func (b *branch) change(v attr.Value, src Source) (attr.Value, *Error) {
	switch {
	case b.action != nil:
		return b.action.change(v, src)
	case b.children[0].step.key != "" && v.Kind() == attr.M:
		fields, err := b.changeFields(v.Fields(), src)
		return attr.Map(fields), err
	case b.children[0].step.key == "" && v.Kind() == attr.L:
		return b.changeElements(v.Elements(), src)
	default:
		return attr.Value{}, errInvalidPath
	}
}

// changeFields makes a copy of fields with the children's changes. Both are in
// order of their names.
func (b *branch) changeFields(fields attr.Item, src Source) (attr.Item, *Error) {
	out := make(attr.Item, 0, len(fields)+len(b.children))
	for i := range b.children {
		c := &b.children[i]
		at, found := fields.Index(c.step.key)
		out = append(out, fields[:at]...)
		fields = fields[at:]
		var old attr.Value
		if found {
			old = fields[0].Value
			fields = fields[1:]
		}
		v, err := c.change(old, src)
		if err != nil {
			return nil, err
		}
		if v.IsValid() {
			out = append(out, attr.Field{Name: c.step.key, Value: v})
		}
	}
	return append(out, fields...), nil
}

// changeElements makes a list of elements with the children's changes. All indexes
// are those of before; behind the list's end values are appended in order of their
// indexes, without gaps.
func (b *branch) changeElements(elements []attr.Value, src Source) (attr.Value, *Error) {
	out := make([]attr.Value, 0, len(elements)+len(b.children))
	next := 0 // of elements
	for i := range b.children {
		c := &b.children[i]
		at := min(c.step.index, len(elements))
		out = append(out, elements[next:at]...)
		next = at
		var old attr.Value
		if at < len(elements) {
			old = elements[at]
			next++
		}
		v, err := c.change(old, src)
		if err != nil {
			return attr.Value{}, err
		}
		if v.IsValid() {
			out = append(out, v)
		}
	}
	return attr.List(append(out, elements[next:]...)...), nil
}

// change returns what the action makes of v, which is invalid if there is nothing.
func (a *action) change(v attr.Value, src Source) (attr.Value, *Error) {
	if a.verb == verbRemove {
		return attr.Value{}, nil
	}
	operand, err := a.value.of(src)
	if err != nil {
		return attr.Value{}, err
	}
	switch a.verb {
	case verbAdd:
		return add(v, operand)
	case verbDelete:
		return without(v, operand)
	default:
		if len(a.path.steps)+operand.Depth() > attr.MaxDepth {
			return attr.Value{}, valueError(attr.NestedTooDeep())
		}
		return operand, nil
	}
}

// add is ADD: a sum of numbers, a union of sets, the operand if there is nothing.
func add(v, operand attr.Value) (attr.Value, *Error) {
	switch {
	case !v.IsValid():
		return operand, nil
	case v.Kind() != operand.Kind():
		return attr.Value{}, errOperandType
	case v.Kind() == attr.N:
		return number(attr.Add(v, operand))
	default:
		return attr.Union(v, operand), nil
	}
}

// without is DELETE: a difference of sets.
func without(v, operand attr.Value) (attr.Value, *Error) {
	switch {
	case !v.IsValid():
		return v, nil
	case v.Kind() != operand.Kind():
		return attr.Value{}, errOperandType
	}
	left, ok := attr.Difference(v, operand)
	if !ok {
		return attr.Value{}, nil
	}
	return left, nil
}

func number(v attr.Value, err error) (attr.Value, *Error) {
	if err != nil {
		return attr.Value{}, valueError(err)
	}
	return v, nil
}

// valueError is the error of a value that an update would make and that an item
// cannot have.
func valueError(err error) *Error { return &Error{Message: err.Error()} }
