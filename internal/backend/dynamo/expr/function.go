package expr

import (
	"github.com/lakebench/lakebench/internal/attr"
)

// function is a call, parsed but not yet taken for a condition or an operand.
type function struct {
	name     string
	start    int // in the text
	operands []operand
}

// operandsOf returns how many operands a function has, 0 if there is no such
// function in a condition. Names are case-sensitive.
func operandsOf(name string) int {
	switch name {
	case "attribute_exists", "attribute_not_exists", "size":
		return 1
	case "attribute_type", "begins_with", "contains":
		return 2
	}
	return 0
}

// function parses a call and checks its operands.
func (p *parser) function() (function, *Error) {
	f := function{name: p.textOf(p.current), start: p.current.start}
	p.operators++
	p.advance()
	p.advance()
	for {
		o, err := p.operand()
		if err != nil {
			return f, err
		}
		f.operands = append(f.operands, o)
		if !p.accept(",") {
			break
		}
	}
	if err := p.expect(")"); err != nil {
		return f, err
	}
	p.checkFunction(f)
	return f, nil
}

func (p *parser) checkFunction(f function) {
	switch want := operandsOf(f.name); {
	case f.name == "if_not_exists" || f.name == "list_append":
		p.wordFault(f.start, "The function is not allowed in a condition expression; function: %s", f.name)
		return
	case want == 0:
		p.wordFault(f.start, "Invalid function name; function: %s", f.name)
		return
	case want != len(f.operands):
		p.leafFault(leafOperands, "Incorrect number of operands for operator or function; operator or function: %s, number of operands: %d", f.name, len(f.operands))
		return
	}
	p.distinct(f.name, f.operands)
	switch f.name {
	case "attribute_exists", "attribute_not_exists":
		if f.operands[0].kind != operandPath {
			p.leafFault(leafType, "Operator or function requires a document path; operator or function: %s", f.name)
		}
	case "begins_with":
		p.checkBeginsWith(f.operands)
	case "attribute_type":
		p.checkTypeName(&f.operands[1])
	case "size":
		if k := f.operands[0].staticKind(); k == attr.N || k == attr.BOOL || k == attr.NULL {
			p.wrongType(leafType, f.name, k.String())
		}
	}
}

func (p *parser) checkBeginsWith(operands []operand) {
	for i := range operands {
		switch k := operands[i].staticKind(); k {
		case attr.Invalid, attr.S, attr.B:
		default:
			p.wrongType(leafType, "begins_with", k.String())
			return
		}
	}
}

// checkTypeName checks the second operand of attribute_type. The order of the
// types in the texts is the service's.
func (p *parser) checkTypeName(o *operand) {
	switch k := o.staticKind(); {
	case o.kind == operandUndefined:
	case k == attr.Invalid:
		p.wrongType(leafType, "attribute_type", "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}")
	case k != attr.S:
		p.wrongType(leafType, "attribute_type", k.String())
	case attr.KindOf(o.value.Text()) == attr.Invalid:
		p.leafFault(leafType, "Invalid attribute type name found; type: %s, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}", o.value.Text())
	}
}

// functionNode makes a condition of a call.
func (p *parser) functionNode(f function) node {
	if len(f.operands) != operandsOf(f.name) {
		return never{}
	}
	switch f.name {
	case "attribute_exists":
		return &existsNode{of: f.operands[0], exists: true}
	case "attribute_not_exists":
		return &existsNode{of: f.operands[0]}
	case "attribute_type":
		return &typeNode{of: f.operands[0], kind: attr.KindOf(f.operands[1].value.Text())}
	case "begins_with":
		return &prefixNode{[2]operand(f.operands)}
	case "contains":
		return &containsNode{[2]operand(f.operands)}
	case "size":
		p.misused(f)
	}
	return never{}
}
