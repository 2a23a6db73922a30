package expr

import (
	"strings"

	"github.com/lakebench/lakebench/internal/attr"
)

// KeyCondition is a parsed KeyConditionExpression, before it is known which
// attributes are keys.
type KeyCondition struct {
	conditions []keyTest
}

// keyTest is a condition on one attribute.
type keyTest struct {
	attribute string
	nested    bool
	// operator is a comparator's name, BETWEEN or begins_with.
	operator string
	values   []attr.Value
}

const (
	opBetween    = "BETWEEN"
	opBeginsWith = "begins_with"
)

// ParseKeyCondition parses a KeyConditionExpression. The error is an *Error.
func ParseKeyCondition(text string, subs *Substitutions) (*KeyCondition, error) {
	var p parser
	root, err := p.condition(KeyConditionExpression, text, subs)
	if err != nil {
		return nil, err
	}
	k := &KeyCondition{}
	if err := k.add(root); err != nil {
		return nil, err
	}
	return k, nil
}

// add takes conditions apart that are joined by AND.
func (k *KeyCondition) add(n node) *Error {
	switch n := n.(type) {
	case *andNode:
		if err := k.add(n.left); err != nil {
			return err
		}
		return k.add(n.right)
	case *compareNode:
		return k.addCompare(n)
	case *betweenNode:
		return k.addTest(opBetween, n.of[:])
	case *prefixNode:
		return k.addTest(opBeginsWith, n.of[:])
	}
	return errorf("Invalid operator used in KeyConditionExpression: %s", operatorName(n))
}

// operatorName names an operator that a key condition cannot have.
func operatorName(n node) string {
	switch n := n.(type) {
	case *orNode:
		return "OR"
	case *notNode:
		return "NOT"
	case *inNode:
		return "IN"
	case *containsNode:
		return "contains"
	case *typeNode:
		return "attribute_type"
	case *existsNode:
		if n.exists {
			return "attribute_exists"
		}
		return "attribute_not_exists"
	}
	return "size"
}

func (k *KeyCondition) addCompare(n *compareNode) *Error {
	if n.comparator == notEqual {
		return errorf("Invalid operator used in KeyConditionExpression: <>")
	}
	if n.sides[0].kind == operandValue && n.sides[1].kind == operandPath {
		return k.addTest(n.comparator.mirrored().String(), []operand{n.sides[1], n.sides[0]})
	}
	return k.addTest(n.comparator.String(), n.sides[:])
}

// addTest adds a condition that is to have a path first and then only values.
func (k *KeyCondition) addTest(operator string, operands []operand) *Error {
	paths := 0
	for i := range operands {
		if operands[i].kind == operandSize || operands[i].kind == operandMeasured {
			return errorf("KeyConditionExpressions cannot contain nested operations")
		}
		if operands[i].kind == operandPath {
			paths++
		}
	}
	switch first := operands[0].kind == operandPath; {
	case !first && (operator == opBetween || operator == opBeginsWith):
		return errorf("Invalid condition in KeyConditionExpression: %s operator must have the key attribute as its first operand", operator)
	case paths == 0:
		return errorf("Invalid condition in KeyConditionExpression: No key attribute specified")
	case paths > 1:
		return errorf("Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition")
	}
	t := keyTest{attribute: operands[0].path.root, nested: len(operands[0].path.steps) > 0, operator: operator}
	for _, o := range operands[1:] {
		t.values = append(t.values, o.value)
	}
	k.conditions = append(k.conditions, t)
	return nil
}

// Schema is a table's primary key: names and types, the latter S, N or B.
type Schema struct {
	Hash     string
	HashKind attr.Kind
	// Range is empty if the table has no range key.
	Range     string
	RangeKind attr.Kind
}

// Resolve turns the condition into the range of keys that it selects in a table
// with the given schema. The error is an *Error.
func (k *KeyCondition) Resolve(schema Schema) (KeyRange, error) {
	hash, rest, err := k.split(schema)
	if err != nil {
		return KeyRange{}, err
	}
	if hash.operator != equal.String() {
		return KeyRange{}, errorf("Query key condition not supported")
	}
	if err := hash.check(schema.HashKind); err != nil {
		return KeyRange{}, err
	}
	r := KeyRange{Hash: hash.values[0]}
	if rest == nil {
		return r, nil
	}
	if err := rest.check(schema.RangeKind); err != nil {
		return KeyRange{}, err
	}
	rest.apply(&r)
	return r, nil
}

// split tells the condition on the hash key from the one on the range key,
// which is nil if there is none.
func (k *KeyCondition) split(schema Schema) (hash, rest *keyTest, err *Error) {
	seen := make(map[string]*keyTest, len(k.conditions))
	for i := range k.conditions {
		t := &k.conditions[i]
		switch {
		case seen[t.attribute] != nil:
			return nil, nil, errorf("KeyConditionExpressions must only contain one condition per key")
		case t.nested:
			return nil, nil, errorf("KeyConditionExpressions cannot have conditions on nested attributes")
		}
		seen[t.attribute] = t
	}
	hash = seen[schema.Hash]
	switch {
	case len(seen) > 2:
		return nil, nil, errorf("Conditions can be of length 1 or 2 only")
	case hash == nil:
		return nil, nil, errorf("Query condition missed key schema element: %s", schema.Hash)
	case len(seen) == 1:
		return hash, nil, nil
	case schema.Range == "":
		return nil, nil, errorf("Query key condition not supported")
	case seen[schema.Range] == nil:
		return nil, nil, errorf("Query condition missed key schema element: %s", schema.Range)
	}
	return hash, seen[schema.Range], nil
}

// check compares the values' types with the key's and refuses empty values,
// which no key can have.
func (t *keyTest) check(kind attr.Kind) *Error {
	for _, v := range t.values {
		switch {
		case v.Kind() != kind:
			return errorf("One or more parameter values were invalid: Condition parameter type does not match schema type")
		case v.Text() == "" && kind == attr.S:
			return errorf("One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: %s", t.attribute)
		case v.Text() == "" && kind == attr.B:
			return errorf("One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty binary value. Key: %s", t.attribute)
		}
	}
	return nil
}

func (t *keyTest) apply(r *KeyRange) {
	switch t.operator {
	case opBetween:
		r.Lower, r.Upper = Bound{Value: t.values[0]}, Bound{Value: t.values[1]}
	case opBeginsWith:
		r.Prefix = t.values[0]
	case equal.String():
		r.Lower, r.Upper = Bound{Value: t.values[0]}, Bound{Value: t.values[0]}
	default:
		b := Bound{Value: t.values[0], Open: len(t.operator) == 1}
		if strings.HasPrefix(t.operator, ">") {
			r.Lower = b
		} else {
			r.Upper = b
		}
	}
}
