package expr

import "github.com/lakebench/lakebench/internal/attr"

// comparator is one of the six comparison operators.
type comparator uint8

const (
	equal comparator = iota
	notEqual
	less
	lessOrEqual
	greater
	greaterOrEqual
)

var comparatorNames = [...]string{"=", "<>", "<", "<=", ">", ">="}

func (c comparator) String() string { return comparatorNames[c] }

// mirrored returns the comparator that holds with the operands exchanged.
func (c comparator) mirrored() comparator {
	switch c {
	case less:
		return greater
	case lessOrEqual:
		return greaterOrEqual
	case greater:
		return less
	case greaterOrEqual:
		return lessOrEqual
	default:
		return c
	}
}

// accepts reports whether one of the four comparators of order holds for
// operands in this order, as cmp.Compare gives it.
func (c comparator) accepts(order int) bool {
	switch c {
	case less:
		return order < 0
	case lessOrEqual:
		return order <= 0
	case greater:
		return order > 0
	default:
		return order >= 0
	}
}

// atComparator reports whether the current token makes what precedes it an
// operand.
func (p *parser) atComparator() bool {
	switch p.current.kind {
	case tokenSymbol:
		_, ok := comparatorOf(p.textOf(p.current))
		return ok
	case tokenWord:
		return p.atKeyword("BETWEEN") || p.atKeyword("IN")
	default:
		return false
	}
}

func comparatorOf(symbol string) (comparator, bool) {
	for i, name := range comparatorNames {
		if name == symbol {
			return comparator(i), true
		}
	}
	return 0, false
}

// comparison parses what follows its left operand.
func (p *parser) comparison(left operand) (node, *Error) {
	if !p.atComparator() {
		return nil, p.syntaxError()
	}
	p.operators++
	var n node
	var err *Error
	switch {
	case p.acceptKeyword("BETWEEN"):
		n, err = p.between(left)
	case p.acceptKeyword("IN"):
		n, err = p.in(left)
	default:
		n, err = p.compare(left)
	}
	if err != nil {
		return nil, err
	}
	p.endLeaf()
	return n, nil
}

func (p *parser) compare(left operand) (node, *Error) {
	c, _ := comparatorOf(p.textOf(p.current))
	p.advance()
	right, err := p.operand()
	if err != nil {
		return nil, err
	}
	n := &compareNode{comparator: c, sides: [2]operand{left, right}}
	p.distinct(c.String(), n.sides[:])
	if c != equal && c != notEqual {
		p.ordered(c.String(), n.sides[:])
	}
	return n, nil
}

// ordered notes a fault if an operand's type is known to have no order.
func (p *parser) ordered(operator string, operands []operand) {
	for i := range operands {
		switch k := operands[i].staticKind(); k {
		case attr.Invalid, attr.S, attr.N, attr.B:
		default:
			p.wrongType(leafUnordered, operator, k.String())
			return
		}
	}
}

// between parses the bounds and checks those that are values.
func (p *parser) between(of operand) (node, *Error) {
	low, err := p.operand()
	if err != nil {
		return nil, err
	}
	if !p.acceptKeyword("AND") {
		return nil, p.syntaxError()
	}
	high, err := p.operand()
	if err != nil {
		return nil, err
	}
	n := &betweenNode{[3]operand{of, low, high}}
	p.distinct("BETWEEN", n.of[:])
	p.ordered("BETWEEN", n.of[:])
	if low.kind == operandValue && high.kind == operandValue {
		p.bounds(low.value, high.value)
	}
	return n, nil
}

func (p *parser) bounds(low, high attr.Value) {
	order, ok := low.Compare(high)
	problem := "same data type for lower and upper bounds"
	if ok {
		if order <= 0 {
			return
		}
		problem = "upper bound to be greater than or equal to lower bound"
	}
	p.leafFault(leafType, "The BETWEEN operator requires %s; lower bound operand: %s, upper bound operand: %s", problem, describe(low), describe(high))
}

// in parses the list.
func (p *parser) in(of operand) (node, *Error) {
	if err := p.expect("("); err != nil {
		return nil, err
	}
	n := &inNode{of: []operand{of}}
	for {
		o, err := p.operand()
		if err != nil {
			return nil, err
		}
		n.of = append(n.of, o)
		if !p.accept(",") {
			break
		}
	}
	if err := p.expect(")"); err != nil {
		return nil, err
	}
	if listed := len(n.of) - 1; listed > MaxInOperands {
		p.leafFault(leafOperands, "The IN operator is provided with too many operands; number of operands: %d", listed)
	}
	p.distinct("IN", n.of)
	return n, nil
}
