package expr

import (
	"github.com/lakebench/lakebench/internal/attr"
)

// updateParser parses an update: sections in any order, each at most once.
//
//	SET path = value, …
//	REMOVE path, …
//	ADD path :value, …
//	DELETE path :value, …
type updateParser struct {
	parser
	actions []parsedAction
}

// parsedAction is an action and what is wrong with it.
type parsedAction struct {
	action
	undefined *Error              // a placeholder in its path
	faults    [leafClasses]*Error // of its value
}

func (p *updateParser) update(text string, subs *Substitutions) (*Update, *Error) {
	if err := p.start(UpdateExpression, text, subs); err != nil {
		return nil, err
	}
	seen := map[verb]bool{}
	for first := true; first || p.current.kind != tokenEOF; first = false {
		v, ok := p.verb()
		if !ok {
			return nil, p.syntaxError()
		}
		if seen[v] {
			p.wordFault(p.current.start, "The %q section can only be used once in an update expression;", string(v))
		}
		seen[v] = true
		p.advance()
		if err := p.section(v); err != nil {
			return nil, err
		}
	}
	u := p.assemble()
	if err := p.end(); err != nil {
		return nil, err
	}
	return u, nil
}

// verb reads which section begins, if one does.
func (p *updateParser) verb() (verb, bool) {
	for _, v := range [...]verb{verbSet, verbRemove, verbAdd, verbDelete} {
		if p.atKeyword(string(v)) {
			return v, true
		}
	}
	return "", false
}

func (p *updateParser) section(v verb) *Error {
	for {
		if err := p.clause(v); err != nil {
			return err
		}
		if !p.accept(",") {
			return nil
		}
	}
}

func (p *updateParser) clause(v verb) *Error {
	target, err := p.path()
	if err != nil {
		return err
	}
	a := parsedAction{action: action{path: target, verb: v}, undefined: p.leaf[leafUndefined]}
	p.leaf = [leafClasses]*Error{}
	switch v {
	case verbSet:
		if err := p.expect("="); err != nil {
			return err
		}
		t, err := p.setValue()
		if err != nil {
			return err
		}
		a.value = t.value
	case verbAdd, verbDelete:
		if a.value, err = p.addend(v); err != nil {
			return err
		}
	case verbRemove:
	}
	a.faults, p.leaf = p.leaf, [leafClasses]*Error{}
	p.actions = append(p.actions, a)
	return nil
}

// assemble puts the actions together. The service looks for paths that overlap
// first, and then at the values, both from the last to the first, as the first
// fault that it reports shows.
func (p *updateParser) assemble() *Update {
	u := &Update{touched: &Projection{}, set: &Projection{}}
	for i := len(p.actions) - 1; i >= 0; i-- {
		a := &p.actions[i]
		p.leaf[leafUndefined] = a.undefined
		p.graft(&u.tree, &a.path)
		p.endLeaf()
		p.leaf = [leafClasses]*Error{}
	}
	for i := len(p.actions) - 1; i >= 0; i-- {
		p.leaf = p.actions[i].faults
		p.endLeaf()
	}
	if p.faults[faultLeaf] != nil {
		return u
	}
	for i := range p.actions {
		a := &p.actions[i]
		u.tree.leaf(&a.path).action = &a.action
		u.touched.tree.leaf(&a.path).path = &a.path
		if a.verb != verbRemove {
			u.set.tree.leaf(&a.path).path = &a.path
		}
	}
	return u
}

// leaf returns the branch that a path leads to and makes what is not there.
func (b *branch) leaf(to *path) *branch {
	at := b.child(step{key: to.root})
	for _, s := range to.steps {
		at = at.child(s)
	}
	return at
}

// setTerm is a value to be set, or a part of it.
type setTerm struct {
	value updateValue
	// kind is the value's type where it is known before any item is looked at.
	kind attr.Kind
	// path is set if the term is a path and nothing else.
	path *path
	// grouped reports whether it stands in parentheses, computed that it is a sum or a
	// difference, of which there may be one.
	grouped, computed bool
}

// setValue parses: operand [("+" | "-") operand], in parentheses or not.
func (p *updateParser) setValue() (setTerm, *Error) {
	left, err := p.inParentheses(p.setValue)
	if err != nil || left.computed || !p.at("+") && !p.at("-") {
		return left, err
	}
	operator := p.textOf(p.current)
	p.operators++
	p.advance()
	right, err := p.setOperand()
	if err != nil {
		return setTerm{}, err
	}
	for _, side := range [...]setTerm{left, right} {
		p.wantKind(operator, side.kind, attr.N)
		p.misusedAppend(side)
	}
	return setTerm{
		value: &arithmetic{left: left.value, right: right.value, minus: operator == "-"},
		kind:  attr.N, computed: true,
	}, nil
}

// setOperand parses an operand, in parentheses or not.
func (p *updateParser) setOperand() (setTerm, *Error) { return p.inParentheses(p.setOperand) }

// inParentheses parses what inside does in parentheses, or a bare operand.
func (p *updateParser) inParentheses(inside func() (setTerm, *Error)) (setTerm, *Error) {
	if !p.accept("(") {
		return p.bareValue()
	}
	t, err := inside()
	if err != nil {
		return setTerm{}, err
	}
	if t.grouped {
		p.redundantParentheses()
	}
	t.grouped = true
	return t, p.expect(")")
}

func (p *updateParser) bareValue() (setTerm, *Error) {
	switch {
	case p.current.kind == tokenValue:
		o := p.valueOperand()
		return setTerm{value: &plainValue{o}, kind: o.staticKind()}, nil
	case p.atFunction():
		return p.call()
	default:
		found, err := p.path()
		return setTerm{value: &plainValue{operand{kind: operandPath, path: found}}, path: &found}, err
	}
}

// call parses a function and checks its operands.
func (p *updateParser) call() (setTerm, *Error) {
	name, start := p.textOf(p.current), p.current.start
	p.operators++
	p.advance()
	p.advance()
	var operands []setTerm
	for {
		t, err := p.setOperand()
		if err != nil {
			return setTerm{}, err
		}
		operands = append(operands, t)
		if !p.accept(",") {
			break
		}
	}
	if err := p.expect(")"); err != nil {
		return setTerm{}, err
	}
	for _, t := range operands {
		p.misusedAppend(t)
	}
	return p.callTerm(name, start, operands), nil
}

func (p *updateParser) callTerm(name string, start int, operands []setTerm) setTerm {
	switch {
	case name != "if_not_exists" && name != "list_append":
		if operandsOf(name) > 0 {
			p.wordFault(start, "The function is not allowed in an update expression; function: %s", name)
		} else {
			p.wordFault(start, "Invalid function name; function: %s", name)
		}
	case len(operands) != 2:
		p.leafFault(leafOperands, "Incorrect number of operands for operator or function; operator or function: %s, number of operands: %d", name, len(operands))
	case name == "list_append":
		p.wantKind(name, operands[0].kind, attr.L)
		p.wantKind(name, operands[1].kind, attr.L)
		return setTerm{value: &appended{listAppend{operands[0].value, operands[1].value}, start}, kind: attr.L}
	case operands[0].path == nil:
		p.leafFault(leafType, "Operator or function requires a document path; operator or function: %s", name)
	case operands[1].path != nil && operands[0].path.equal(operands[1].path):
		p.leafFault(leafDistinct, notDistinct, name, operands[0].path)
	default:
		return setTerm{value: &ifNotExists{*operands[0].path, operands[1].value}}
	}
	return setTerm{value: noValue{}}
}

// appended is a list_append and where it stands, which must not be inside
// something else.
type appended struct {
	listAppend
	start int
}

func (p *updateParser) misusedAppend(t setTerm) {
	if a, ok := t.value.(*appended); ok {
		p.misused(function{name: "list_append", start: a.start})
	}
}

// wantKind notes a fault if a value is known to be of another type.
func (p *updateParser) wantKind(operator string, kind, want attr.Kind) {
	if kind != attr.Invalid && kind != want {
		p.wrongType(leafType, operator, kind.String())
	}
}

// addend parses the operand of an ADD or DELETE: a placeholder whose value has a
// type that the section works on.
func (p *updateParser) addend(v verb) (updateValue, *Error) {
	if p.current.kind != tokenValue {
		return nil, p.syntaxError()
	}
	o := p.valueOperand()
	if kind := o.staticKind(); kind != attr.Invalid && !kind.IsSet() && (v == verbDelete || kind != attr.N) {
		p.leafFault(leafType, "Incorrect operand type for operator or function; operator: %s, operand type: %s, typeSet: ALLOWED_FOR_%s_OPERAND", v, longName(kind), v)
	}
	return &plainValue{o}, nil
}

// longName is what some of the service's messages call a type.
func longName(k attr.Kind) string {
	switch k {
	case attr.S:
		return "STRING"
	case attr.N:
		return "NUMBER"
	case attr.B:
		return "BINARY"
	case attr.BOOL:
		return "BOOLEAN"
	case attr.L:
		return "LIST"
	case attr.M:
		return "MAP"
	default:
		return k.String()
	}
}
