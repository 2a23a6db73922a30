package attr

import (
	"fmt"
	"strconv"
	"strings"
)

// Rule names the rule that a value breaks.
type Rule string

// The rules that values and items are held to (page HowItWorks.NamingRulesDataTypes and
// page ServiceQuotas).
const (
	Empty           Rule = "empty"            // no type key
	SeveralTypes    Rule = "several types"    // more than one type key
	NotANumber      Rule = "not a number"     // text of an N
	Precision       Rule = "precision"        // more than 38 significant digits
	Overflow        Rule = "overflow"         // magnitude of 1E126 or more
	Underflow       Rule = "underflow"        // not zero, magnitude below 1E-130
	EmptySet        Rule = "empty set"        // a set without members
	DuplicateMember Rule = "duplicate member" // a set with a member twice
	NullMember      Rule = "null member"      // a set with a null
	DuplicateName   Rule = "duplicate name"   // an item with a name twice
	EmptyName       Rule = "empty name"       // an attribute or map key called ""
	TooDeep         Rule = "too deep"         // more than MaxDepth levels
	NullFalse       Rule = "null false"       // {"NULL": false}
	NotASetKind     Rule = "not a set type"   // Set of a kind that is no set
)

// A ValueError is the error of a value that is well-formed JSON of the right types but
// breaks a rule of DynamoDB: the service's ValidationException.
type ValueError struct {
	Rule Rule
	// Message is the text that the service answers with.
	Message string
	// Path leads to the value inside what was read, outermost first, as in
	// "Item.tags"; empty if the value was not part of a document.
	Path string
}

// Error returns the message, preceded by the path if there is one.
func (e *ValueError) Error() string {
	if e.Path == "" {
		return e.Message
	}
	return e.Path + ": " + e.Message
}

// NoValue returns the error of a value that has no type.
func NoValue() error {
	return &ValueError{Rule: Empty, Message: "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"}
}

// NestedTooDeep returns the error of a list or map beyond MaxDepth.
func NestedTooDeep() error {
	return &ValueError{Rule: TooDeep, Message: "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"}
}

// A SyntaxError is the error of bytes that are not JSON: the service's
// SerializationException.
type SyntaxError struct {
	// Offset counts bytes from the start of the text.
	Offset int
	// Path leads to the enclosing value, outermost first.
	Path string
	// Problem is what is wrong, in words.
	Problem string
}

// Error returns one line: the place and the problem.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("malformed JSON at byte %d%s: %s", e.Offset, in(e.Path), e.Problem)
}

// A TypeError is the error of a JSON value of another type than expected: the
// service's SerializationException.
type TypeError struct {
	Offset int
	Path   string
	// Want is what was asked for, Found what is there.
	Want, Found JSONType
}

// Error returns one line: the place, the type expected and the type found.
func (e *TypeError) Error() string {
	return fmt.Sprintf("wrong type at byte %d%s: expected %s, found %s", e.Offset, in(e.Path), e.Want, e.Found)
}

func in(path string) string {
	if path == "" {
		return ""
	}
	return " in " + path
}

// within puts name in front of the path of one of the package's errors, on the
// way out of a nested document.
func within(name string, err error) error {
	switch e := err.(type) { //nolint:errorlint // only errors made by this package, never wrapped ones, carry a path
	case *ValueError:
		e.Path = join(name, e.Path)
	case *SyntaxError:
		e.Path = join(name, e.Path)
	case *TypeError:
		e.Path = join(name, e.Path)
	}
	return err
}

func join(name, path string) string {
	if path == "" || strings.HasPrefix(path, "[") {
		return name + path
	}
	return name + "." + path
}

func index(i int) string { return "[" + strconv.Itoa(i) + "]" }

// NullFalseError is the error of {"NULL": false}: every region refuses it since
// July 2026.
func NullFalseError() *ValueError {
	return &ValueError{Rule: NullFalse, Message: "One or more parameter values were invalid: Null attribute value types must have the value of true"}
}
