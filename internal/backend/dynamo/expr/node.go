package expr

import (
	"slices"
	"strings"

	"github.com/lakebench/lakebench/internal/attr"
)

// node is a condition in a parsed expression.
type node interface {
	// holds reports whether the condition is true of an item.
	holds(Source) bool
	// operands calls visit for each operand.
	operands(visit func(*operand))
}

type orNode struct{ left, right node }

func (n *orNode) holds(src Source) bool { return n.left.holds(src) || n.right.holds(src) }

func (n *orNode) operands(visit func(*operand)) {
	n.left.operands(visit)
	n.right.operands(visit)
}

type andNode struct{ left, right node }

func (n *andNode) holds(src Source) bool { return n.left.holds(src) && n.right.holds(src) }

func (n *andNode) operands(visit func(*operand)) {
	n.left.operands(visit)
	n.right.operands(visit)
}

type notNode struct{ of node }

func (n *notNode) holds(src Source) bool { return !n.of.holds(src) }

func (n *notNode) operands(visit func(*operand)) { n.of.operands(visit) }

// never stands for a function call that cannot be a condition; the fault is
// noted elsewhere.
type never struct{}

func (never) holds(Source) bool { return false }

func (never) operands(func(*operand)) {}

type compareNode struct {
	comparator comparator
	sides      [2]operand
}

func (n *compareNode) operands(visit func(*operand)) { visitAll(n.sides[:], visit) }

func (n *compareNode) holds(src Source) bool {
	left, okLeft := n.sides[0].valueFor(src)
	right, okRight := n.sides[1].valueFor(src)
	switch n.comparator {
	case equal:
		return okLeft && okRight && left.Equal(right)
	case notEqual:
		return !okLeft || !okRight || !left.Equal(right)
	default:
		if !okLeft || !okRight {
			return false
		}
		order, ok := left.Compare(right)
		return ok && n.comparator.accepts(order)
	}
}

// betweenNode has the operand and its lower and upper bound.
type betweenNode struct{ of [3]operand }

func (n *betweenNode) operands(visit func(*operand)) { visitAll(n.of[:], visit) }

func (n *betweenNode) holds(src Source) bool {
	v, ok := n.of[0].valueFor(src)
	if !ok {
		return false
	}
	low, okLow := n.of[1].valueFor(src)
	high, okHigh := n.of[2].valueFor(src)
	if !okLow || !okHigh {
		return false
	}
	fromLow, okLow := v.Compare(low)
	toHigh, okHigh := v.Compare(high)
	return okLow && okHigh && fromLow >= 0 && toHigh <= 0
}

// inNode has the operand, then the list.
type inNode struct{ of []operand }

func (n *inNode) operands(visit func(*operand)) { visitAll(n.of, visit) }

func (n *inNode) holds(src Source) bool {
	v, ok := n.of[0].valueFor(src)
	if !ok {
		return false
	}
	for i := 1; i < len(n.of); i++ {
		if w, ok := n.of[i].valueFor(src); ok && v.Equal(w) {
			return true
		}
	}
	return false
}

type existsNode struct {
	of     operand
	exists bool
}

func (n *existsNode) operands(visit func(*operand)) { visit(&n.of) }

func (n *existsNode) holds(src Source) bool {
	_, ok := n.of.valueFor(src)
	return ok == n.exists
}

type typeNode struct {
	of   operand
	kind attr.Kind
}

func (n *typeNode) operands(visit func(*operand)) { visit(&n.of) }

func (n *typeNode) holds(src Source) bool {
	v, ok := n.of.valueFor(src)
	return ok && v.Kind() == n.kind
}

// prefixNode is begins_with.
type prefixNode struct{ of [2]operand }

func (n *prefixNode) operands(visit func(*operand)) { visitAll(n.of[:], visit) }

func (n *prefixNode) holds(src Source) bool {
	v, ok := n.of[0].valueFor(src)
	prefix, okPrefix := n.of[1].valueFor(src)
	if !ok || !okPrefix || v.Kind() != prefix.Kind() || v.Kind() != attr.S && v.Kind() != attr.B {
		return false
	}
	return strings.HasPrefix(v.Text(), prefix.Text())
}

type containsNode struct{ of [2]operand }

func (n *containsNode) operands(visit func(*operand)) { visitAll(n.of[:], visit) }

func (n *containsNode) holds(src Source) bool {
	v, ok := n.of[0].valueFor(src)
	sought, okSought := n.of[1].valueFor(src)
	return ok && okSought && contains(v, sought)
}

// contains reports whether a string or binary has a part, a set a member or a
// list an element (page Expressions.OperatorsAndFunctions).
func contains(v, sought attr.Value) bool {
	switch v.Kind() {
	case attr.S, attr.B:
		return sought.Kind() == v.Kind() && strings.Contains(v.Text(), sought.Text())
	case attr.SS, attr.NS, attr.BS:
		return sought.Kind() == v.Kind().Member() && slices.Contains(v.Members(), sought.Text())
	case attr.L:
		return slices.ContainsFunc(v.Elements(), sought.Equal)
	default:
		return false
	}
}

func visitAll(operands []operand, visit func(*operand)) {
	for i := range operands {
		visit(&operands[i])
	}
}
