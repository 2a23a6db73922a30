package expr

import (
	"strconv"
	"unicode/utf16"

	"github.com/lakebench/lakebench/internal/attr"
)

// operandKind tells operands apart.
type operandKind uint8

const (
	operandPath operandKind = iota
	operandValue
	operandSize     // size(path)
	operandMeasured // size(:value)
	// operandUndefined is a placeholder without a value, operandFunction a
	// function where none may stand. Both only occur in faulty expressions.
	operandUndefined
	operandFunction
)

// operand is what operators and functions work on.
type operand struct {
	kind operandKind
	// path is that of operandPath and of size(path).
	path path
	// value is that of operandValue and of operandMeasured.
	value attr.Value
}

// valueFor returns the operand's value for an item; ok is false if it has none.
func (o *operand) valueFor(src Source) (v attr.Value, ok bool) {
	switch o.kind {
	case operandPath:
		return o.path.find(src)
	case operandSize:
		v, ok = o.path.find(src)
		if !ok {
			return attr.Value{}, false
		}
		return sizeOf(v)
	default:
		return o.value, o.value.IsValid()
	}
}

// sizeOf returns what the function size does: the length of a string, the bytes
// of a binary, members of a set, elements of a list or a map; other types have
// no size (page Expressions.OperatorsAndFunctions). The length of a string is
// in UTF-16 code units (observed on the service, ExtendDB#60, and on DynamoDB
// Local).
func sizeOf(v attr.Value) (attr.Value, bool) {
	switch v.Kind() {
	case attr.S:
		units := 0
		for _, c := range v.Text() {
			units += utf16.RuneLen(c)
		}
		return attr.Int(int64(units)), true
	case attr.B:
		return attr.Int(int64(len(v.Text()))), true
	case attr.SS, attr.NS, attr.BS, attr.L, attr.M:
		return attr.Int(int64(v.Len())), true
	default:
		return attr.Value{}, false
	}
}

// staticKind returns the type of a value that is known before any item is
// looked at, attr.Invalid if none is.
func (o *operand) staticKind() attr.Kind {
	switch o.kind {
	case operandValue:
		return o.value.Kind()
	case operandSize, operandMeasured:
		return attr.N
	default:
		return attr.Invalid
	}
}

// operand reads an operand. Parentheses around it are allowed once.
func (p *parser) operand() (operand, *Error) {
	if !p.accept("(") {
		return p.bareOperand()
	}
	if p.at("(") {
		p.redundantParentheses()
	}
	o, err := p.operand()
	if err != nil {
		return operand{}, err
	}
	return o, p.expect(")")
}

func (p *parser) bareOperand() (operand, *Error) {
	switch {
	case p.current.kind == tokenValue:
		return p.valueOperand(), nil
	case p.atFunction():
		f, err := p.function()
		return p.functionOperand(f), err
	default:
		path, err := p.path()
		return operand{kind: operandPath, path: path}, err
	}
}

// valueOperand reads a :placeholder.
func (p *parser) valueOperand() operand {
	text := p.textOf(p.current)
	p.advance()
	v, ok := p.subs.value(text)
	if !ok {
		p.leafFault(leafUndefined, "An expression attribute value used in expression is not defined; attribute value: %s", text)
		return operand{kind: operandUndefined}
	}
	return operand{kind: operandValue, value: v}
}

// atFunction reports whether a function call comes next.
func (p *parser) atFunction() bool {
	return p.current.kind == tokenWord && p.following.kind == tokenSymbol &&
		p.lexer.text[p.following.start] == '(' && !isKeyword(p.textOf(p.current))
}

// functionOperand turns a function call into an operand. Only size has a value.
func (p *parser) functionOperand(f function) operand {
	if f.name != "size" {
		p.misused(f)
		return operand{kind: operandFunction}
	}
	if len(f.operands) != 1 {
		return operand{kind: operandUndefined}
	}
	of := &f.operands[0]
	if of.kind == operandPath {
		return operand{kind: operandSize, path: of.path}
	}
	if size, ok := sizeOf(of.value); ok {
		return operand{kind: operandMeasured, value: size}
	}
	return operand{kind: operandUndefined}
}

func (p *parser) misused(f function) {
	p.wordFault(f.start, "The function is not allowed to be used this way in an expression; function: %s", f.name)
}

// distinct notes a fault if the first of several operands is a path that
// occurs again among the others.
func (p *parser) distinct(operator string, operands []operand) {
	first := &operands[0]
	if first.kind != operandPath {
		return
	}
	for i := 1; i < len(operands); i++ {
		if operands[i].kind == operandPath && operands[i].path.equal(&first.path) {
			p.leafFault(leafDistinct, notDistinct, operator, &first.path)
			return
		}
	}
}

// wrongType notes that an operand has a type that an operator cannot work on.
func (p *parser) wrongType(class int, operator, kind string) {
	p.leafFault(class, "Incorrect operand type for operator or function; operator or function: %s, operand type: %s", operator, kind)
}

// describe spells a value as the service's messages do: {N:5}.
func describe(v attr.Value) string {
	text := v.Text()
	switch v.Kind() {
	case attr.S, attr.N:
	case attr.BOOL:
		text = strconv.FormatBool(v.Bool())
	default:
		text = v.String()
	}
	return "AttributeValue: {" + v.Kind().String() + ":" + text + "}"
}

const notDistinct = "The first operand must be distinct from the remaining operands for this operator or function; operator: %s, first operand: %s"
