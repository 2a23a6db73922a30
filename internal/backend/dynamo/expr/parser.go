package expr

import (
	"strconv"
	"strings"
)

// parser holds what all kinds of expressions have in common: tokens, document
// paths, placeholders, and the faults found so far.
type parser struct {
	kind  Kind
	subs  *Substitutions
	lexer lexer
	// previous, current and following are three neighbouring tokens; current
	// is the one to look at.
	previous, current, following token
	// operators counts comparators, functions and keywords.
	operators int
	// faults has what was found in each class, leaf what was found in the
	// comparison or function being parsed.
	faults [faultClasses]*Error
	leaf   [leafClasses]*Error
	// earliest is where the fault of class faultWord stands.
	earliest int
}

// Classes of faults, the gravest first. The service goes through an expression
// once for each and reports the first fault it meets.
const (
	faultParentheses = iota // redundant ones
	faultWord               // names, functions and indexes that may not stand where they do
	faultLeaf               // faults of a comparison or function
	faultClasses
)

// Classes of faults inside one comparison or function, the gravest first.
const (
	leafUndefined = iota // placeholders
	leafOperands         // the number of operands
	leafUnordered        // operands of types that < and the like cannot compare
	leafDistinct         // operands that must differ, paths that must not overlap
	leafType             // the types of other operands
	leafClasses
)

// start checks what is checked before anything else and reads the first tokens.
func (p *parser) start(kind Kind, text string, subs *Substitutions) *Error {
	p.kind, p.subs = kind, subs
	switch {
	case text == "":
		return p.errorf("The expression can not be empty;")
	case len(text) > MaxLength:
		return p.errorf("Expression size has exceeded the maximum allowed size; expression size: %d", len(text))
	}
	p.lexer.text = text
	p.current = p.lexer.next()
	p.following = p.lexer.next()
	return nil
}

// end returns the fault to report once the whole text is parsed, nil if there
// is none.
func (p *parser) end() *Error {
	if p.current.kind != tokenEOF {
		return p.syntaxError()
	}
	for _, f := range p.faults {
		if f != nil {
			return f
		}
	}
	if p.operators > MaxOperators {
		// The service stops counting here, so its text always has this number.
		return p.errorf("The expression contains too many operators; operator count: %d", MaxOperators+1)
	}
	return nil
}

func (p *parser) errorf(format string, args ...any) *Error {
	return errorf("Invalid "+string(p.kind)+": "+format, args...)
}

// wordFault notes a fault of class faultWord at a place in the text. The first
// in the text counts, which may be noted after others: whether a function is
// misused shows behind its operands.
func (p *parser) wordFault(at int, format string, args ...any) {
	if p.faults[faultWord] == nil || at < p.earliest {
		p.faults[faultWord] = p.errorf(format, args...)
		p.earliest = at
	}
}

// redundantParentheses notes that something stands in two pairs of parentheses.
func (p *parser) redundantParentheses() {
	p.faults[faultParentheses] = p.errorf("The expression has redundant parentheses;")
}

// leafFault notes a fault of the current comparison or function.
func (p *parser) leafFault(class int, format string, args ...any) {
	if p.leaf[class] == nil {
		p.leaf[class] = p.errorf(format, args...)
	}
}

// endLeaf settles which fault of the comparison or function just parsed counts,
// if none before it had one.
func (p *parser) endLeaf() {
	for _, f := range p.leaf {
		if f != nil && p.faults[faultLeaf] == nil {
			p.faults[faultLeaf] = f
		}
	}
}

// syntaxError is the error that the current token cannot stand where it does.
func (p *parser) syntaxError() *Error {
	token := "<EOF>"
	if p.current.kind != tokenEOF {
		token = p.textOf(p.current)
	}
	// Before the first token, previous starts at 0.
	return p.errorf(`Syntax error; token: "%s", near: "%s"`, token, p.lexer.text[p.previous.start:p.following.end])
}

func (p *parser) textOf(t token) string { return p.lexer.text[t.start:t.end] }

// advance moves to the next token.
func (p *parser) advance() {
	p.previous, p.current = p.current, p.following
	if p.following.kind != tokenEOF {
		p.following = p.lexer.next()
	}
}

// at reports whether the current token is the symbol.
func (p *parser) at(symbol string) bool {
	return p.current.kind == tokenSymbol && p.textOf(p.current) == symbol
}

// accept moves on if the current token is the symbol.
func (p *parser) accept(symbol string) bool {
	if p.at(symbol) {
		p.advance()
		return true
	}
	return false
}

// expect moves on if the current token is the symbol and fails otherwise.
func (p *parser) expect(symbol string) *Error {
	if !p.accept(symbol) {
		return p.syntaxError()
	}
	return nil
}

// atKeyword reports whether the current token is a word, in any case of
// letters.
func (p *parser) atKeyword(word string) bool {
	return p.current.kind == tokenWord && strings.EqualFold(p.textOf(p.current), word)
}

func (p *parser) acceptKeyword(word string) bool {
	if p.atKeyword(word) {
		p.advance()
		return true
	}
	return false
}

// isKeyword reports whether a word is part of the grammar, that of updates
// included, and so never a name.
func isKeyword(word string) bool {
	switch len(word) {
	case 2:
		return strings.EqualFold(word, "OR") || strings.EqualFold(word, "IN")
	case 3:
		return strings.EqualFold(word, "AND") || strings.EqualFold(word, "NOT") ||
			strings.EqualFold(word, "SET") || strings.EqualFold(word, "ADD")
	case 6:
		return strings.EqualFold(word, "REMOVE") || strings.EqualFold(word, "DELETE")
	case 7:
		return strings.EqualFold(word, "BETWEEN")
	}
	return false
}

// path reads a document path.
func (p *parser) path() (path, *Error) {
	start := p.current.start
	root, err := p.pathName()
	if err != nil {
		return path{}, err
	}
	result := path{root: root}
	for {
		var s step
		switch {
		case p.accept("."):
			s.key, err = p.pathName()
		case p.accept("["):
			s.index, err = p.pathIndex()
		default:
			if levels := len(result.steps) + 1; levels > MaxPathLevels {
				p.wordFault(start, "The document path has too many nesting levels; nesting levels: %d", levels)
			}
			return result, nil
		}
		if err != nil {
			return path{}, err
		}
		result.steps = append(result.steps, s)
	}
}

// pathName reads one name of a document path, bare or by placeholder.
func (p *parser) pathName() (string, *Error) {
	text := p.textOf(p.current)
	switch {
	case p.current.kind == tokenName:
		p.advance()
		name, ok := p.subs.name(text)
		if !ok {
			p.leafFault(leafUndefined, "An expression attribute name used in the document path is not defined; attribute name: %s", text)
			name = text
		}
		return name, nil
	case p.current.kind == tokenWord && !isKeyword(text):
		p.advance()
		if isReserved(text) {
			p.wordFault(p.previous.start, "Attribute name is a reserved keyword; reserved keyword: %s", text)
		}
		return text, nil
	}
	return "", p.syntaxError()
}

// pathIndex reads the index behind an opening bracket, and the closing one.
func (p *parser) pathIndex() (int, *Error) {
	if p.current.kind != tokenIndex {
		return 0, p.syntaxError()
	}
	at, text := p.current.start, p.textOf(p.current)
	p.advance()
	if err := p.expect("]"); err != nil {
		return 0, err
	}
	index, err := strconv.ParseInt(text, 10, 64)
	if err != nil || index > maxListIndex {
		p.wordFault(at, "List index is not within the allowable range; index: [%s]", text)
	}
	return int(index), nil
}
