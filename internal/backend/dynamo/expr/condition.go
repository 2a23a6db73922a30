package expr

// Condition is a parsed ConditionExpression or FilterExpression. It is
// immutable; several goroutines may evaluate it at the same time.
type Condition struct {
	root node
}

// ParseCondition parses a ConditionExpression or FilterExpression; kind only
// matters for the texts of errors. The error is an *Error.
func ParseCondition(kind Kind, text string, subs *Substitutions) (*Condition, error) {
	var p parser
	root, err := p.condition(kind, text, subs)
	if err != nil {
		return nil, err
	}
	return &Condition{root: root}, nil
}

// Holds reports whether the condition is true of an item. A comparison with an
// attribute that is missing, or of types that do not compare, is false; only <>
// is true of everything that is not equal.
func (c *Condition) Holds(src Source) bool { return c.root.holds(src) }

// Paths calls visit for each document path in the condition with the attribute
// it starts at; nested reports whether it leads inside that attribute. The service
// refuses nested paths into key attributes everywhere and any path to a key
// attribute in the filter of a Query.
func (c *Condition) Paths(visit func(attribute string, nested bool)) {
	c.root.operands(func(o *operand) {
		if o.kind == operandPath || o.kind == operandSize {
			visit(o.path.root, len(o.path.steps) > 0)
		}
	})
}

// condition parses a whole text.
func (p *parser) condition(kind Kind, text string, subs *Substitutions) (node, *Error) {
	if err := p.start(kind, text, subs); err != nil {
		return nil, err
	}
	root, err := p.or()
	if err != nil {
		return nil, err
	}
	return root, p.end()
}

// or parses: and {"OR" and}.
func (p *parser) or() (node, *Error) {
	left, err := p.and()
	if err != nil {
		return nil, err
	}
	return p.moreOr(left)
}

func (p *parser) moreOr(left node) (node, *Error) {
	for p.acceptKeyword("OR") {
		p.operators++
		right, err := p.and()
		if err != nil {
			return nil, err
		}
		left = &orNode{left, right}
	}
	return left, nil
}

// and parses: not {"AND" not}.
func (p *parser) and() (node, *Error) {
	left, err := p.not()
	if err != nil {
		return nil, err
	}
	return p.moreAnd(left)
}

func (p *parser) moreAnd(left node) (node, *Error) {
	for p.acceptKeyword("AND") {
		p.operators++
		right, err := p.not()
		if err != nil {
			return nil, err
		}
		left = &andNode{left, right}
	}
	return left, nil
}

// not parses: "NOT" not | term.
func (p *parser) not() (node, *Error) {
	if !p.acceptKeyword("NOT") {
		t, err := p.term()
		if err != nil {
			return nil, err
		}
		return p.complete(t)
	}
	p.operators++
	of, err := p.not()
	if err != nil {
		return nil, err
	}
	return &notNode{of}, nil
}

// term is what may stand in parentheses: a condition, or an operand or function
// call of which only what follows tells whether it is a condition.
type term struct {
	condition node      // if it is a condition already
	function  *function // if it is a function call
	operand   operand   // otherwise
}

// term parses: "(" group ")" | function | operand.
func (p *parser) term() (term, *Error) {
	if p.accept("(") {
		if p.at("(") {
			return p.nestedGroup()
		}
		return p.group()
	}
	if p.atFunction() {
		f, err := p.function()
		return term{function: &f}, err
	}
	o, err := p.bareOperand()
	return term{operand: o}, err
}

// nestedGroup parses what follows "(" if that is another "(". The parentheses
// are redundant if nothing but the inner ones is between the outer ones.
func (p *parser) nestedGroup() (term, *Error) {
	t, err := p.term()
	if err != nil {
		return term{}, err
	}
	if p.at(")") {
		p.redundantParentheses()
	}
	return p.restOfGroup(t)
}

// group parses what stands in parentheses, and the closing one.
func (p *parser) group() (term, *Error) {
	if p.atKeyword("NOT") {
		c, err := p.or()
		if err != nil {
			return term{}, err
		}
		return term{condition: c}, p.expect(")")
	}
	t, err := p.term()
	if err != nil {
		return term{}, err
	}
	return p.restOfGroup(t)
}

// restOfGroup parses a group of which t is the beginning.
func (p *parser) restOfGroup(t term) (term, *Error) {
	if !p.at(")") {
		c, err := p.complete(t)
		if err == nil {
			c, err = p.moreAnd(c)
		}
		if err == nil {
			c, err = p.moreOr(c)
		}
		if err != nil {
			return term{}, err
		}
		t = term{condition: c}
	}
	return t, p.expect(")")
}

// complete makes a condition of a term, with what follows it.
func (p *parser) complete(t term) (node, *Error) {
	switch {
	case t.condition != nil:
		return t.condition, nil
	case t.function == nil:
		return p.comparison(t.operand)
	case p.atComparator():
		return p.comparison(p.functionOperand(*t.function))
	default:
		n := p.functionNode(*t.function)
		p.endLeaf()
		return n, nil
	}
}
