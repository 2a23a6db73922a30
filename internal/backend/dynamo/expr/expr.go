// Package expr reads and evaluates DynamoDB's expressions: conditions and
// filters, key conditions, projections, updates.
//
// An expression is parsed for every request, as the service does,
// and parsing is cheap enough not to need a cache. The grammar is a
// recursive-descent parser over a lexer without allocations. Faults that are
// not of syntax are collected by class while parsing, because the service
// reports the first of the gravest class, not the first in the text.
//
// Grammar and limits come from the Amazon DynamoDB Developer Guide, pages
// Expressions.OperatorsAndFunctions, Expressions.Attributes,
// Expressions.UpdateExpressions, Query and
// ServiceQuotas. What the guide leaves open (texts, order of checks) was
// observed on the service or on DynamoDB Local 1.25.1; where both are known and
// differ, the service's behaviour is implemented.
package expr

import (
	"fmt"

	"github.com/lakebench/lakebench/internal/attr"
	"github.com/lakebench/lakebench/internal/units"
)

// Kind is the request parameter that an expression stands in. Errors name it.
type Kind string

// The expression parameters.
const (
	ConditionExpression    Kind = "ConditionExpression"
	FilterExpression       Kind = "FilterExpression"
	KeyConditionExpression Kind = "KeyConditionExpression"
	ProjectionExpression   Kind = "ProjectionExpression"
	UpdateExpression       Kind = "UpdateExpression"
)

// Limits of expressions (page ServiceQuotas, "Expression parameters").
const (
	// MaxLength bounds an expression, in bytes: 4 KB.
	MaxLength = 4096
	// MaxOperators bounds comparators, functions, keywords and so on in one
	// expression.
	MaxOperators = 300
	// MaxInOperands bounds the list of an IN.
	MaxInOperands = 100
	// MaxPathLevels bounds the parts of a document path.
	MaxPathLevels = 32
	// MaxPlaceholder bounds a placeholder with its sign, in bytes.
	MaxPlaceholder = 255
	// MaxSubstitutions bounds what all placeholders of a request and what they
	// stand for take together, in bytes of the sizing rules: 2 MB.
	MaxSubstitutions = 2 * 1024 * units.KB
	// maxListIndex bounds an index in a document path.
	maxListIndex = 1<<31 - 1
)

// Error is what is wrong with an expression or with what was given for its
// placeholders: the service's ValidationException.
type Error struct {
	// Message is the text that the service answers with.
	Message string
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

func errorf(format string, args ...any) *Error {
	return &Error{Message: fmt.Sprintf(format, args...)}
}

// Source is what an expression looks at: an item, decoded or not. An item that
// does not exist is a Source without attributes.
type Source interface {
	Attribute(name string) (attr.Value, bool)
}
